import type { ComponentChildren } from 'preact';

/**
 * Charts in a page that scrolls. As on embedded maps, the wheel acts on the charts only with Ctrl, which zooms, or
 * with Shift, which pans. Otherwise the wheel scrolls the page.
 */
export function Wheel({ children }: { children: ComponentChildren }) {
  const keep = (event: WheelEvent): void => {
    if (!event.ctrlKey && !event.shiftKey) event.stopPropagation();
  };
  return (
    <div class="wheel" onWheelCapture={keep}>
      {children}
    </div>
  );
}
