import type { TimeAxis } from './time_axis.js';

/** The horizontal part of an element that shows the axis, in client pixels. */
export interface PlotArea {
  left: number;
  right: number;
}

const WHEEL_FACTOR = 1.0015;

/**
 * Lets a pointer work a shared time axis: hovering moves the cursor, the wheel zooms, dragging pans,
 * two fingers pinch. Vertical swipes stay with the page, so that a column of charts still scrolls.
 * Returns the function that takes it off again.
 */
export function attachGestures(element: HTMLElement, axis: TimeAxis, area: () => PlotArea): () => void {
  const pointers = new Map<number, number>();
  const timeAt = (clientX: number): number => {
    const { left, right } = area();
    return axis.window.fromUs + ((clientX - left) / (right - left)) * axis.lengthUs;
  };
  const usPerPixel = (): number => axis.lengthUs / (area().right - area().left);

  const onWheel = (event: WheelEvent): void => {
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      axis.panBy((event.deltaX || event.deltaY) * usPerPixel());
      return;
    }
    axis.zoomBy(WHEEL_FACTOR ** event.deltaY, timeAt(event.clientX));
  };
  const onDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    pointers.set(event.pointerId, event.clientX);
    element.setPointerCapture(event.pointerId);
  };
  const onMove = (event: PointerEvent): void => {
    const before = pointers.get(event.pointerId);
    if (before === undefined) return axis.setCursor(inside(timeAt(event.clientX), axis));
    const others = [...pointers].filter(([id]) => id !== event.pointerId);
    const other = others[0]?.[1];
    pointers.set(event.pointerId, event.clientX);
    if (other === undefined) {
      if (event.clientX !== before) axis.panBy((before - event.clientX) * usPerPixel());
      return;
    }
    const factor = Math.abs(before - other) / Math.max(10, Math.abs(event.clientX - other));
    axis.zoomBy(factor, timeAt(other));
  };
  const onUp = (event: PointerEvent): void => {
    pointers.delete(event.pointerId);
  };
  const onLeave = (): void => axis.setCursor(null);

  element.style.touchAction = 'pan-y';
  element.addEventListener('wheel', onWheel, { passive: false });
  element.addEventListener('pointerdown', onDown);
  element.addEventListener('pointermove', onMove);
  element.addEventListener('pointerup', onUp);
  element.addEventListener('pointercancel', onUp);
  element.addEventListener('pointerleave', onLeave);
  return () => {
    element.removeEventListener('wheel', onWheel);
    element.removeEventListener('pointerdown', onDown);
    element.removeEventListener('pointermove', onMove);
    element.removeEventListener('pointerup', onUp);
    element.removeEventListener('pointercancel', onUp);
    element.removeEventListener('pointerleave', onLeave);
  };
}

function inside(timeUs: number, axis: TimeAxis): number | null {
  return timeUs < axis.window.fromUs || timeUs > axis.window.toUs ? null : timeUs;
}

/** Works the axis by key: arrows, + and −, Home, End, Escape. Returns whether the key meant something. */
export function axisKey(axis: TimeAxis, event: KeyboardEvent): boolean {
  const step = axis.lengthUs / (event.shiftKey ? 4 : 50);
  const move = (deltaUs: number): void => {
    if (event.shiftKey) return axis.panBy(deltaUs);
    const { fromUs, toUs } = axis.window;
    const start = axis.cursorUs ?? (deltaUs < 0 ? toUs : fromUs);
    axis.setCursor(Math.min(toUs, Math.max(fromUs, start + deltaUs)));
  };
  const actions: Record<string, () => void> = {
    ArrowLeft: () => move(-step),
    ArrowRight: () => move(step),
    '+': () => axis.zoomBy(1 / 1.5, axis.cursorUs ?? undefined),
    '=': () => axis.zoomBy(1 / 1.5, axis.cursorUs ?? undefined),
    '-': () => axis.zoomBy(1.5, axis.cursorUs ?? undefined),
    Home: () => axis.showAll(),
    End: () => axis.follow(),
    Escape: () => axis.setCursor(null),
  };
  const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : actions[event.key];
  action?.();
  return action !== undefined;
}
