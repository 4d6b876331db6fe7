/**
 * Prepares the page for printing: the light theme, the width of a sheet, and charts drawn for that width. The style
 * is in paper.css.
 */
import { signal } from '@preact/signals';

/** Pixels of a chart's bitmap per CSS pixel on paper; the bitmap thus has 192 pixels per inch. */
const PAPER_PIXEL_RATIO = 2;

/** Whether the page is laid out for paper: while it is printed, and just before. */
export const isOnPaper = signal(false);

function turn(toPaper: boolean): void {
  if (isOnPaper.peek() === toPaper) return;
  // The order matters: the attribute changes the width of the charts, and the signal then causes them to be redrawn.
  document.documentElement.toggleAttribute('data-paper', toPaper);
  isOnPaper.value = toPaper;
}

addEventListener('beforeprint', () => turn(true));
addEventListener('afterprint', () => turn(false));
matchMedia('print').addEventListener('change', ({ matches }) => turn(matches));

/** Opens the browser's print dialogue once the page has rendered everything that appears only on paper. */
export function printReport(): void {
  turn(true);
  requestAnimationFrame(() => print());
}

/**
 * Redraws charts for the width and the resolution of paper, and later again for the screen. Returns a function that
 * ends this subscription.
 */
export function followPaper(charts: { resize(pixelRatio?: number): void }): () => void {
  return isOnPaper.subscribe((onPaper) => charts.resize(onPaper ? PAPER_PIXEL_RATIO : undefined));
}
