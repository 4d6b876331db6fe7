/** What people call the ends of connections. */
import type { CallRecord, EndpointRecord } from '../observe/record.js';

/** `page 1`, `page 2 (iframe)`; of several in one page with their roles: `page 1 (offerer)`. */
export function endpointName({ endpoints }: CallRecord, { page, place, role }: EndpointRecord): string {
  const several = endpoints.filter((other) => other.page === page).length > 1;
  const parts = [place === 'page' ? null : place, several ? role : null].filter((part) => part !== null);
  return `page ${page + 1}${parts.length === 0 ? '' : ` (${parts.join(', ')})`}`;
}
