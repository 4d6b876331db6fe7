import type { ComponentChildren } from 'preact';

import { change, linkTo, settings } from '../settings.js';

interface LessonLinkProps {
  /** Id of a lesson, the teachers' page, or '' for the list. */
  to: string;
  /** A choice of the lesson. It is run first, when the figure opens. */
  choice?: string;
  children: ComponentChildren;
}

/** A link within the page; following it does not reload the page. */
export function LessonLink({ to, choice = '', children }: LessonLinkProps) {
  const target = { lesson: to, choice, shown: false };
  const open = (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    history.pushState(null, '', linkTo({ ...settings.peek(), ...target }));
    change(target);
    scrollTo(0, 0);
  };
  return (
    <a href={linkTo({ ...settings.value, ...target })} onClick={open}>
      {children}
    </a>
  );
}
