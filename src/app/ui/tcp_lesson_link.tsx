import type { ComponentChildren } from 'preact';

interface TcpLessonLinkProps {
  /** Whether the link leaves the page as it is, with its call or its run. */
  isInNewTab?: boolean;
  children: ComponentChildren;
}

/** A link to the lesson in which TCP starves a call. */
export function TcpLessonLink({ isInNewTab = false, children }: TcpLessonLinkProps) {
  return (
    <a
      href="./lessons.html?lesson=adaptive-threshold&choice=static"
      {...(isInNewTab && { target: '_blank', rel: 'noopener', title: 'A lesson, in a new tab' })}
    >
      {children}
    </a>
  );
}
