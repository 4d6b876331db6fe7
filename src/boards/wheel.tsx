import type { ComponentChildren } from 'preact';

/**
 * Charts in a page that scrolls. As on embedded maps, the wheel acts on them only if they have the focus, or with
 * Ctrl; otherwise it scrolls the page.
 */
export function Wheel({ children }: { children: ComponentChildren }) {
  const keep = (event: WheelEvent & { currentTarget: HTMLElement }): void => {
    if (!event.ctrlKey && !event.currentTarget.matches(':focus-within')) event.stopPropagation();
  };
  return (
    <div class="wheel" onWheelCapture={keep}>
      {children}
    </div>
  );
}
