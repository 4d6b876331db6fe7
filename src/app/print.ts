/**
 * The page on paper: light, as wide as a sheet, with charts drawn for that width. The style is in paper.css.
 */
import { signal } from '@preact/signals';

/** Dots of a chart's bitmap per CSS pixel on paper: 192 to the inch. */
const PAPER_PIXEL_RATIO = 2;

/** Whether the page is being printed, or shown as it is printed. */
export const isOnPaper = signal(false);

function turn(toPaper: boolean): void {
  if (isOnPaper.peek() === toPaper) return;
  // Charts are drawn once their places have the new width.
  document.documentElement.toggleAttribute('data-paper', toPaper);
  isOnPaper.value = toPaper;
}

addEventListener('beforeprint', () => turn(true));
addEventListener('afterprint', () => turn(false));
matchMedia('print').addEventListener('change', ({ matches }) => turn(matches));

/** Opens the browser's print dialogue once the page has rendered everything that only paper shows. */
export function printReport(): void {
  turn(true);
  requestAnimationFrame(() => print());
}

/** Redraws charts for the width and the resolution of paper, and again for the screen. Returns what ends that. */
export function followPaper(charts: { resize(pixelRatio?: number): void }): () => void {
  return isOnPaper.subscribe((onPaper) => charts.resize(onPaper ? PAPER_PIXEL_RATIO : undefined));
}
