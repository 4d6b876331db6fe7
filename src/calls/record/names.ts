/** Human-readable names of pages and of the ends of connections. */
import type { CallRecord, EndpointRecord } from './record.js';

/** Names a page by its id: ids count from 0, names from 1. */
export const pageName = (id: number): string => `page ${id + 1}`;

/**
 * The name of an endpoint, for example `page 1` or `page 2 (iframe)`. If the page has several endpoints, the
 * name includes the role: `page 1 (offerer)`.
 */
export function endpointName({ endpoints }: CallRecord, { page, place, role }: EndpointRecord): string {
  const several = endpoints.filter((other) => other.page === page).length > 1;
  const parts = [place === 'page' ? null : place, several ? role : null].filter((part) => part !== null);
  return `${pageName(page)}${parts.length === 0 ? '' : ` (${parts.join(', ')})`}`;
}
