import type { ComponentChildren } from 'preact';

interface TcpLessonLinkProps {
  /** Whether the lesson opens in a new tab, so that the call or the run on this page continues. */
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
