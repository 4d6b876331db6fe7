import type { ComponentChildren } from 'preact';

import { DOCS_METRIC } from '../../link/server_protocol.js';
import { hasMetric } from '../server_timing.js';

interface DocsLinkProps {
  /** The page's path in the documentation, with its fragment. */
  to: string;
  /** The link's name for screen readers, if its text alone does not say where it leads. */
  label?: string;
  isInNewTab?: boolean;
  /** Whether the text appears without a link if the server has no documentation. By default, it does not appear. */
  isText?: boolean;
  children: ComponentChildren;
}

/** A link into the documentation, if the server has it. */
export function DocsLink({ to, label, isInNewTab = false, isText = false, children }: DocsLinkProps) {
  if (!hasMetric(DOCS_METRIC)) return isText ? <>{children}</> : null;
  return (
    <a href={`./docs/${to}`} aria-label={label} {...(isInNewTab && { target: '_blank', rel: 'noopener' })}>
      {children}
    </a>
  );
}
