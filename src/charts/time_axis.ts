/**
 * The shortest and the longest window. If the data are longer than MAX_WINDOW_US, the window may be as long as the
 * data.
 */
const MIN_WINDOW_US = 1e6;
const MAX_WINDOW_US = 3600e6;

export interface TimeWindow {
  fromUs: number;
  toUs: number;
}

/**
 * The time axis that charts share: one window, one cursor, one range of data. While the axis follows the data, the
 * end of the window stays at the newest data. Panning and `pause` make the axis stop following.
 */
export class TimeAxis {
  #window: TimeWindow;
  #extent: TimeWindow = { fromUs: 0, toUs: 0 };
  #following: boolean;
  #pointedUs: number | null = null;
  #heldUs: number | null = null;
  /** The length of the window when the axis last followed the data; infinite if it never did. */
  #followedUs: number;
  readonly #listeners = new Set<(change: 'window' | 'cursor') => void>();

  constructor(windowUs = 30e6, follows = true) {
    this.#window = { fromUs: 0, toUs: this.#clamp(windowUs) };
    this.#following = follows;
    this.#followedUs = follows ? this.lengthUs : Infinity;
  }

  get window(): TimeWindow {
    return this.#window;
  }

  get lengthUs(): number {
    return this.#window.toUs - this.#window.fromUs;
  }

  /** Oldest and newest time with data. */
  get extent(): TimeWindow {
    return this.#extent;
  }

  get following(): boolean {
    return this.#following;
  }

  /** The time of the cursor: the time under the pointer or, if there is none, the held time. Null without a cursor. */
  get cursorUs(): number | null {
    return this.#pointedUs ?? this.#heldUs;
  }

  /** The held time, to which the cursor returns when the pointer leaves the charts; null if no time is held. */
  get heldUs(): number | null {
    return this.#heldUs;
  }

  /** Calls `listener` after each change. Returns a function that removes the listener. */
  subscribe(listener: (change: 'window' | 'cursor') => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Updates the range of the data; moves the window while following. */
  setExtent(extent: TimeWindow): void {
    this.#extent = extent;
    if (this.#following) this.#moveToEnd();
  }

  setWindow(window: TimeWindow, follow = false): void {
    const length = this.#clamp(window.toUs - window.fromUs);
    this.#window = { fromUs: window.fromUs, toUs: window.fromUs + length };
    this.#following = follow;
    if (follow) this.#followedUs = length;
    if (follow) this.#moveToEnd();
    else this.#tell('window');
  }

  /** Shows everything, and stops following. */
  showAll(): void {
    this.setWindow(this.#extent);
  }

  pause(): void {
    this.#following = false;
    this.#tell('window');
  }

  /**
   * Follows the newest data. A window that has been made longer returns to the length that it had when the axis last
   * followed. A held cursor is released.
   */
  follow(): void {
    const length = Math.min(this.lengthUs, this.#followedUs);
    this.holdCursor(null);
    this.setWindow({ fromUs: this.#window.toUs - length, toUs: this.#window.toUs }, true);
  }

  /** Moves the window to the newest data, and stops following. */
  showEnd(): void {
    const toUs = this.#endUs();
    this.setWindow({ fromUs: toUs - this.lengthUs, toUs });
  }

  /** Moves the window. The axis stops following the newest data. */
  panBy(deltaUs: number): void {
    const { fromUs, toUs } = this.#window;
    this.setWindow({ fromUs: fromUs + deltaUs, toUs: toUs + deltaUs });
  }

  /**
   * Makes the window `factor` times as long. If the axis follows the newest data, the end of the window stays in
   * place. Otherwise the window is scaled around `aroundUs` and, if it grows, adjusted to the data.
   */
  zoomBy(factor: number, aroundUs = (this.#window.fromUs + this.#window.toUs) / 2): void {
    const length = this.#clamp(this.lengthUs * factor);
    const share = this.#following ? 1 : (aroundUs - this.#window.fromUs) / this.lengthUs;
    const fixedUs = this.#following ? this.#window.toUs : aroundUs;
    const window = { fromUs: fixedUs - share * length, toUs: fixedUs + (1 - share) * length };
    this.setWindow(factor > 1 && !this.#following ? this.#withinExtent(window) : window, this.#following);
  }

  /**
   * Holds the cursor at a time and stops following. If the time is outside the window, the window is centred on the
   * time.
   */
  jumpTo(timeUs: number): void {
    const { fromUs, toUs } = this.#window;
    const half = this.lengthUs / 2;
    const isSeen = timeUs >= fromUs && timeUs <= toUs;
    if (!isSeen) this.setWindow({ fromUs: timeUs - half, toUs: timeUs + half });
    else if (this.#following) this.pause();
    this.holdCursor(timeUs);
  }

  /** Points at a time. With null, the cursor returns to where it is held. */
  setCursor(timeUs: number | null): void {
    this.#moveCursor(timeUs, this.#heldUs);
  }

  /** Holds the cursor at a time, or releases it if `timeUs` is null. Also clears the pointed time. */
  holdCursor(timeUs: number | null): void {
    this.#moveCursor(null, timeUs);
  }

  #moveCursor(pointedUs: number | null, heldUs: number | null): void {
    const before = [this.cursorUs, this.#heldUs];
    this.#pointedUs = pointedUs;
    this.#heldUs = heldUs;
    if (this.cursorUs !== before[0] || heldUs !== before[1]) this.#tell('cursor');
  }

  /**
   * Adjusts a window to the data. A window that is longer than both the data and the current window is shortened to
   * the longer of these two. The window is then moved to show as little time without data as possible. Without data,
   * returns the window unchanged.
   */
  #withinExtent({ fromUs, toUs }: TimeWindow): TimeWindow {
    const { fromUs: first, toUs: last } = this.#extent;
    if (last <= first) return { fromUs, toUs };
    const length = Math.min(toUs - fromUs, Math.max(last - first, this.lengthUs));
    const from = Math.max(first, Math.min(fromUs, last - length));
    return { fromUs: from, toUs: from + length };
  }

  /** The longest window is an hour, or the data's whole range if that is longer. */
  #clamp(lengthUs: number): number {
    const longest = Math.max(MAX_WINDOW_US, this.#extent.toUs - this.#extent.fromUs);
    return Math.min(longest, Math.max(MIN_WINDOW_US, lengthUs));
  }

  /** The end of a window of the current length that shows the newest data. */
  #endUs(): number {
    return Math.max(this.#extent.toUs, this.#extent.fromUs + this.lengthUs);
  }

  #moveToEnd(): void {
    const length = this.lengthUs;
    const toUs = this.#endUs();
    if (toUs === this.#window.toUs && toUs - length === this.#window.fromUs) return this.#tell('window');
    this.#window = { fromUs: toUs - length, toUs };
    if ((this.#heldUs ?? toUs) < toUs - length) this.holdCursor(null);
    this.#tell('window');
  }

  #tell(change: 'window' | 'cursor'): void {
    for (const listener of this.#listeners) listener(change);
  }
}
