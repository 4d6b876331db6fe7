import type { TimeAxis } from './time_axis.js';

/** The left and right edges of the part of an element that the time axis covers, in client pixels. */
export interface PlotArea {
  left: number;
  right: number;
}

const WHEEL_FACTOR = 1.0015;
/** A selection narrower than this many pixels counts as accidental. */
const MIN_SELECTION = 5;
/** A pointer that moved by at most this many pixels while it was down has clicked, not dragged. */
const CLICK_PX = 3;

interface Pointer {
  clientX: number;
  moved: boolean;
}

/** Turns pointer events on one element into changes of a shared axis. */
class Gestures {
  readonly #pointers = new Map<number, Pointer>();
  /** Where a selection started, in client pixels. */
  #selectionX: number | null = null;

  constructor(
    private readonly element: HTMLElement,
    private readonly axis: TimeAxis,
    private readonly area: () => PlotArea,
    private readonly showSelection: (selection: PlotArea | null) => void,
  ) {}

  wheel(event: WheelEvent): void {
    event.preventDefault();
    const isPan = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (isPan) this.axis.panBy((event.deltaX || event.deltaY) * this.#usPerPixel());
    else this.axis.zoomBy(WHEEL_FACTOR ** event.deltaY, this.#timeAt(event.clientX));
  }

  down({ button, pointerId, clientX, shiftKey }: PointerEvent): void {
    if (button !== 0) return;
    this.#pointers.set(pointerId, { clientX, moved: false });
    this.#selectionX = shiftKey && this.#pointers.size === 1 ? clientX : null;
    this.element.setPointerCapture(pointerId);
  }

  move({ pointerId, clientX }: PointerEvent): void {
    const pointer = this.#pointers.get(pointerId);
    if (!pointer) return this.axis.setCursor(inside(this.#timeAt(clientX), this.axis));
    const before = pointer.clientX;
    if (clientX === before || (!pointer.moved && Math.abs(clientX - before) <= CLICK_PX)) return;
    Object.assign(pointer, { clientX, moved: true });
    if (this.#selectionX !== null) return this.showSelection(this.#selection(clientX));
    const other = [...this.#pointers].find(([id]) => id !== pointerId)?.[1].clientX;
    if (other === undefined) return this.axis.panBy((before - clientX) * this.#usPerPixel());
    const factor = Math.abs(before - other) / Math.max(10, Math.abs(clientX - other));
    this.axis.zoomBy(factor, this.#timeAt(other));
  }

  up({ pointerId, clientX, type }: PointerEvent): void {
    const pointer = this.#pointers.get(pointerId);
    this.#pointers.delete(pointerId);
    if (this.#selectionX !== null) {
      const { left, right } = this.#selection(clientX);
      this.#selectionX = null;
      this.showSelection(null);
      if (type !== 'pointerup' || right - left < MIN_SELECTION) return;
      this.axis.setWindow({ fromUs: this.#timeAt(left), toUs: this.#timeAt(right) });
    } else if (type === 'pointerup' && pointer?.moved === false) {
      const timeUs = inside(this.#timeAt(clientX), this.axis);
      if (timeUs === null) this.axis.holdCursor(null);
      else this.axis.jumpTo(timeUs);
    }
  }

  leave({ pointerType }: PointerEvent): void {
    if (pointerType !== 'touch') this.axis.setCursor(null);
  }

  #timeAt(clientX: number): number {
    const { left, right } = this.area();
    return this.axis.window.fromUs + ((clientX - left) / (right - left)) * this.axis.lengthUs;
  }

  #usPerPixel(): number {
    const { left, right } = this.area();
    return this.axis.lengthUs / (right - left);
  }

  #selection(clientX: number): PlotArea {
    const { left, right } = this.area();
    const start = this.#selectionX ?? clientX;
    return {
      left: Math.max(left, Math.min(start, clientX)),
      right: Math.min(right, Math.max(start, clientX)),
    };
  }
}

/**
 * Lets a pointer control a shared time axis. Hovering moves the cursor. A click or a tap on the plot holds
 * the cursor and pauses the axis. A click beside the plot releases the cursor. The wheel zooms. With Shift,
 * or when it scrolls sideways, the wheel pans. Inside the component `Wheel`, the wheel zooms only with Ctrl.
 * Dragging pans, dragging with Shift selects a range to zoom to, and two fingers zoom. Vertical swipes are
 * left to the page, so that a column of charts still scrolls. `showSelection` is called with the selection,
 * and with null when the selection ends. Returns a function that removes the listeners.
 */
export function attachGestures(
  element: HTMLElement,
  axis: TimeAxis,
  area: () => PlotArea,
  showSelection: (selection: PlotArea | null) => void,
): () => void {
  const gestures = new Gestures(element, axis, area, showSelection);
  const abort = new AbortController();
  const options = { signal: abort.signal };
  element.style.touchAction = 'pan-y';
  element.addEventListener('wheel', (event) => gestures.wheel(event), { ...options, passive: false });
  element.addEventListener('pointerdown', (event) => gestures.down(event), options);
  element.addEventListener('pointermove', (event) => gestures.move(event), options);
  element.addEventListener('pointerup', (event) => gestures.up(event), options);
  element.addEventListener('pointercancel', (event) => gestures.up(event), options);
  element.addEventListener('pointerleave', (event) => gestures.leave(event), options);
  return () => abort.abort();
}

function inside(timeUs: number, axis: TimeAxis): number | null {
  return timeUs < axis.window.fromUs || timeUs > axis.window.toUs ? null : timeUs;
}

/**
 * Handles the keys that control the axis: arrows, + and −, Home, End, Escape. End moves the window to the newest data,
 * and follows further data if `follows` is true. Returns whether the key was handled.
 */
export function axisKey(axis: TimeAxis, event: KeyboardEvent, follows = true): boolean {
  const step = axis.lengthUs / (event.shiftKey ? 4 : 50);
  const move = (deltaUs: number): void => {
    if (event.shiftKey) return axis.panBy(deltaUs);
    const { fromUs, toUs } = axis.window;
    const start = axis.cursorUs ?? (deltaUs < 0 ? toUs : fromUs);
    axis.jumpTo(Math.min(toUs, Math.max(fromUs, start + deltaUs)));
  };
  const actions: Record<string, () => void> = {
    ArrowLeft: () => move(-step),
    ArrowRight: () => move(step),
    '+': () => axis.zoomBy(1 / 1.5, axis.cursorUs ?? undefined),
    '=': () => axis.zoomBy(1 / 1.5, axis.cursorUs ?? undefined),
    '-': () => axis.zoomBy(1.5, axis.cursorUs ?? undefined),
    Home: () => axis.showAll(),
    End: () => (follows ? axis.follow() : axis.showEnd()),
    Escape: () => axis.holdCursor(null),
  };
  const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : actions[event.key];
  action?.();
  return action !== undefined;
}
