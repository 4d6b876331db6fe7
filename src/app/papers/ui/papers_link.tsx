import type { ComponentChildren } from 'preact';

import { change, linkTo, settings } from '../settings.js';

interface PapersLinkProps {
  /**
   * The target of the link: a paper or an experiment. If both are absent, the link leads to the list of all papers.
   */
  to: { paper?: string; scenario?: string };
  children: ComponentChildren;
}

/** A link within the page. Following the link does not reload the page, so results are kept. */
export function PapersLink({ to: { paper = '', scenario = '' }, children }: PapersLinkProps) {
  const shown = { paper, scenario, run: false };
  const open = (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    history.pushState(null, '', linkTo({ ...settings.peek(), ...shown }));
    change(shown);
    scrollTo(0, 0);
  };
  return (
    <a href={linkTo({ ...settings.value, ...shown })} onClick={open}>
      {children}
    </a>
  );
}
