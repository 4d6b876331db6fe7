import type { ComponentChildren } from 'preact';

/**
 * Charts in a page that scrolls. As on embedded maps, the wheel acts on the charts only if they have the focus or
 * Ctrl is pressed. Otherwise the wheel scrolls the page.
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
