/** Draws a copy of a chart as a picture to be saved. Title, legend and axis units are written above the chart. */
import { BasicPlatform, Chart, type ChartConfiguration, type Plugin } from 'chart.js';

import { DASH, MARKERS } from './configuration.js';
import type { Series } from './series.js';
import type { ChartTheme } from './theme.js';

export interface PictureKey {
  label: string;
  colour: string;
  look: Series['look'];
}

export interface Picture {
  /**
   * The configuration that the chart's method `copy` returned. If the chart draws a legend itself, `keys` is empty.
   */
  configuration: ChartConfiguration;
  title: string;
  /** The unit of the left axis; empty if the chart itself shows it. */
  unit: string;
  keys: readonly PictureKey[];
  /** The size of the chart in CSS pixels, without the lines of text above it. */
  width: number;
  height: number;
  theme: ChartTheme;
}

const LINE_PX = 20;
const EDGE_PX = 8;
const SWATCH_PX = 18;
const TITLE_FONT = 'bold 12px system-ui, sans-serif';
const FONT = '11px system-ui, sans-serif';

interface Placed {
  text: string;
  font: string;
  colour: string;
  x: number;
  line: number;
  look?: Series['look'];
}

/** Arranges title, unit and legend in as many lines as they need. */
function headOf(ctx: CanvasRenderingContext2D, { title, unit, keys, width, theme }: Picture): Placed[] {
  const placed: Placed[] = [];
  let [x, line] = [EDGE_PX, 0];
  const put = (text: string, font: string, colour: string, look?: Series['look']): void => {
    ctx.font = font;
    const needed = ctx.measureText(text).width + (look === undefined ? 0 : SWATCH_PX);
    if (x > EDGE_PX && x + needed > width - EDGE_PX) [x, line] = [EDGE_PX, line + 1];
    placed.push({ text, font, colour, x, line, ...(look !== undefined && { look }) });
    x += needed + EDGE_PX;
  };
  if (title !== '') put(title, TITLE_FONT, theme.colours.ink);
  if (unit !== '') put(unit, FONT, theme.text);
  for (const { label, colour, look } of keys) put(label, FONT, colour, look);
  return placed;
}

/** Draws the sample beside a legend entry: a short piece of the series' line, or one of its markers. */
function drawSwatch(ctx: CanvasRenderingContext2D, look: Series['look'], x: number, y: number): void {
  ctx.beginPath();
  if (MARKERS.has(look)) {
    ctx.rect(x + 4, y - 2, 4, 4);
    ctx.fill();
    return;
  }
  ctx.lineWidth = 2;
  ctx.setLineDash(DASH[look] ?? []);
  ctx.moveTo(x, y);
  ctx.lineTo(x + SWATCH_PX - 4, y);
  ctx.stroke();
}

function headPlugin(head: readonly Placed[], theme: ChartTheme): Plugin {
  return {
    id: 'head',
    beforeDraw: ({ ctx, width, height }) => {
      ctx.save();
      ctx.fillStyle = theme.background;
      ctx.fillRect(0, 0, width, height);
      ctx.textBaseline = 'middle';
      ctx.textAlign = 'left';
      for (const { text, font, colour, x, line, look } of head) {
        const y = line * LINE_PX + LINE_PX / 2;
        ctx.font = font;
        ctx.fillStyle = ctx.strokeStyle = colour;
        if (look !== undefined) drawSwatch(ctx, look, x, y);
        ctx.fillText(text, look === undefined ? x : x + SWATCH_PX, y);
      }
      ctx.restore();
    },
  };
}

/**
 * Draws a picture on a canvas, or on an object that replaces a canvas. Calls `take` while the picture is on the
 * canvas, and returns what `take` returned. Each dataset gets an empty `segment`: Chart.js then draws lines
 * without Path2D, which only a real canvas supports.
 */
export function drawPicture<T>(
  canvas: HTMLCanvasElement,
  picture: Picture,
  pixelRatio: number,
  take: () => T,
): T {
  const ctx = canvas.getContext('2d');
  if (ctx === null) throw new Error('this browser cannot draw on a canvas');
  const { configuration, width, height, theme } = picture;
  const { data, options, plugins = [] } = configuration;
  const head = headOf(ctx, picture);
  const headPx = head.reduce((most, { line }) => Math.max(most, (line + 1) * LINE_PX), 0);
  const padding = options?.layout?.padding;
  const around = typeof padding === 'object' ? padding : {};
  Object.assign(canvas, { width, height: height + headPx });
  const chart = new Chart(canvas, {
    ...configuration,
    platform: BasicPlatform,
    data: { ...data, datasets: data.datasets.map((dataset) => ({ ...dataset, segment: {} })) },
    plugins: [headPlugin(head, theme), ...plugins],
    options: {
      ...options,
      animation: false,
      responsive: false,
      devicePixelRatio: pixelRatio,
      layout: { padding: { ...around, top: ('top' in around ? (around.top ?? 0) : 0) + headPx } },
    },
  });
  try {
    return take();
  } finally {
    chart.destroy();
  }
}
