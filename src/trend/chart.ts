/** A small line chart as SVG, with a text alternative for screen readers. */
import { PROPERTIES, propertyText } from '../evidence/properties.js';
import { html, type Html } from '../html/text.js';
import { knownText, rangeText } from './text.js';
import type { TrendLine, TrendReport } from './trend.js';

const WIDTH = 320;
const HEIGHT = 110;
/** Margins that leave room for the axis labels. */
const LEFT = 62;
const TOP = 12;
const RIGHT = 8;
const BOTTOM = 8;
/** Where a time that was never reached is drawn: above the scale. */
const NEVER_Y = 4;

/** The unbroken parts of the line. A test run without a number interrupts the line. */
function stretches(
  points: readonly (readonly [x: number, y: number] | null)[],
): (readonly [number, number])[][] {
  const found: (readonly [number, number])[][] = [[]];
  for (const point of points) {
    if (point === null) found.push([]);
    else found.at(-1)?.push(point);
  }
  return found.filter((stretch) => stretch.length > 0);
}

const places = (value: number): string => value.toFixed(1);

/** Draws the values of one metric over the test runs, on an axis that begins at 0. */
export function lineChart(line: TrendLine, runs: TrendReport['runs'], id: string): Html {
  const { metric, values, never_runs: never = [], latest, latest_run: latestRun, earlier } = line;
  const top = Math.max(...values.map((value) => value ?? 0)) || 1;
  const x = (run: number): number =>
    LEFT + (WIDTH - LEFT - RIGHT) * (values.length === 1 ? 0.5 : run / (values.length - 1));
  const y = (value: number): number => HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * value) / top;
  /** The height of a known value; null is never. */
  const yOf = (value: number | null): number => (value === null ? NEVER_Y : y(value));
  const points = values.map((value, run) => (value === null ? null : ([x(run), y(value)] as const)));
  const paths = stretches(points).map((stretch) =>
    stretch.map(([px, py]) => `${places(px)},${places(py)}`).join(' '),
  );
  const dots = values.flatMap((value, run) =>
    value === null && !never.includes(run)
      ? []
      : [
          html`<circle
            cx="${places(x(run))}"
            cy="${places(yOf(value))}"
            r="${run === latestRun ? 4 : 2}"
            class="${run === latestRun ? `latest ${line.outside ?? ''}` : ''}"
          />`,
        ],
  );
  const band =
    earlier === null
      ? html``
      : html`<rect
          class="range"
          x="${LEFT}"
          width="${WIDTH - LEFT - RIGHT}"
          y="${places(yOf(earlier.max) - 1)}"
          height="${places(yOf(earlier.min) - yOf(earlier.max) + 2)}"
        />`;
  const count = dots.length;
  const before = earlier === null ? '' : `, before ${rangeText(metric, earlier)}`;
  return html`<svg
    class="trend"
    viewBox="0 0 ${WIDTH} ${HEIGHT}"
    role="img"
    aria-labelledby="${id}-title ${id}-desc"
  >
    <title id="${id}-title">${PROPERTIES[metric].title}</title>
    <desc id="${id}-desc">
      ${count} of ${runs.length} runs: latest ${knownText(metric, latest)}${before}.
    </desc>
    ${band}
    <line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${HEIGHT - BOTTOM}" y2="${HEIGHT - BOTTOM}" />
    <text x="${LEFT - 6}" y="${TOP + 4}">${propertyText(metric, top)}</text>
    <text x="${LEFT - 6}" y="${HEIGHT - BOTTOM}">0</text>
    ${paths.map((path) => html`<polyline points="${path}" />`)} ${dots}
  </svg>`;
}
