import type { ComponentChildren } from 'preact';

import { DOCS_METRIC } from '../../../link/server_protocol.js';
import { hasMetric } from '../../server_timing.js';

interface DocsLinkProps {
  /** The page's path in the documentation, with its fragment. */
  to: string;
  children: ComponentChildren;
}

/** A link into the documentation; plain text where the server does not have it. */
export function DocsLink({ to, children }: DocsLinkProps) {
  return hasMetric(DOCS_METRIC) ? <a href={`./docs/${to}`}>{children}</a> : <>{children}</>;
}
