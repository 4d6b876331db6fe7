/** The configuration of Chart.js: no animation, no parsing, no events; value axes that fit the series. */
import type { Chart, ChartArea, ChartConfiguration, ChartDataset, Point, Scale } from 'chart.js';

import type { Series, TimeChartSpec, ValueAxis } from './series.js';
import type { TimeWindow } from './time_axis.js';

const LEFT_WIDTH = 56;
const RIGHT_WIDTH = 34;
/** Styles that are markers, without a line between them. */
export const MARKERS: ReadonlySet<Series['look']> = new Set(['points', 'triangles-up', 'triangles-down']);
/** The dash patterns of lines. */
export const DASH: Partial<Record<Series['look'], number[]>> = {
  dashed: [6, 4],
  dotted: [2, 3],
  'dash-dot': [9, 3, 2, 3],
  'long-dash': [14, 4],
};

/** The side of a chart at which a value axis is drawn. */
export type Side = 'left' | 'right';

/** The ends of a value axis. */
export interface Range {
  min: number;
  max: number;
}

/** The label of the dataset that draws the ghost of a series. */
export const ghostLabel = (id: string): string => `ghost of ${id}`;

function dataset({ label, look, width, side }: Series, index: number): ChartDataset<'line', Point[]> {
  const marker = MARKERS.has(look);
  const triangle = look.startsWith('triangles');
  return {
    label,
    data: [],
    // Chart.js draws the dataset with the lowest order last. Later series get a lower order, so that they are on top.
    order: -index,
    yAxisID: side === 'right' ? 'right' : 'left',
    showLine: !marker,
    borderWidth: marker ? 0 : (width ?? 1.5),
    borderDash: DASH[look] ?? [],
    stepped: look === 'step',
    pointRadius: marker ? (triangle ? 4 : 1.6) : 0,
    pointStyle: triangle ? 'triangle' : 'circle',
    pointRotation: look === 'triangles-down' ? 180 : 0,
    pointHitRadius: 0,
    tension: 0,
  };
}

/** Formats the seconds since the call began: `42 s` below one minute, `1:05` from one minute upwards. */
export function formatTime(seconds: number): string {
  const sign = seconds < 0 ? '−' : '';
  const digits = Number.isInteger(Math.round(Math.abs(seconds) * 1000) / 1000) ? 0 : 1;
  // The number is rounded before it is divided into minutes and seconds, so that 59.96 s becomes 1:00.0.
  const whole = Number(Math.abs(seconds).toFixed(digits));
  const rest = (whole % 60).toFixed(digits);
  return whole < 60
    ? `${sign}${rest} s`
    : `${sign}${Math.floor(whole / 60)}:${rest.padStart(rest.includes('.') ? 4 : 2, '0')}`;
}

const FONT = { size: 11, family: 'system-ui, sans-serif' };

/**
 * Limits how far series with spikes extend the axis. Each end of the axis is at most this multiple of the value that
 * the other series need there.
 */
const SPIKE = 4;

/**
 * The range of a value axis: `atLeast`, extended to include the visible points of the series that the axis must fit
 * (see Series.scaled and Series.spiky), and of their ghosts.
 */
export function limits(
  chart: Chart,
  series: readonly Series[],
  side: Side,
  atLeast: ValueAxis['atLeast'],
  { fromUs, toUs }: TimeWindow,
): Range {
  const [from, to] = [fromUs / 1e6, toUs / 1e6];
  const rangeOf = (within: readonly [number, number], isSpiky: boolean): [number, number] => {
    let [min, max] = within;
    chart.data.datasets.forEach(({ label, data }, index) => {
      const one = series[index] ?? series.find(({ id }) => ghostLabel(id) === label);
      if (one === undefined || one.scaled === false || !chart.isDatasetVisible(index)) return;
      if ((one.side ?? 'left') !== side || (one.spiky ?? false) !== isSpiky) return;
      for (const point of data as { x: number; y: number }[]) {
        if (point.x < from || point.x > to) continue;
        if (point.y < min) min = point.y;
        if (point.y > max) max = point.y;
      }
    });
    return [min, max];
  };
  return withSpikes(rangeOf(atLeast, false), rangeOf(atLeast, true));
}

/**
 * Extends the first range (without the spiky series) towards the second range (with them), but only as far as SPIKE
 * allows.
 */
export function withSpikes(
  [min, max]: readonly [number, number],
  [lowest, highest]: readonly [number, number],
): Range {
  return {
    min: Math.min(min, Math.max(lowest, SPIKE * min)),
    max: Math.max(max, Math.min(highest, SPIKE * max)),
  };
}

/** The area that the plot of a chart with this size will have, including the margin above it and the labels below it. */
export function expectedArea({ clientWidth: width, clientHeight: height }: HTMLElement): ChartArea {
  const right = width - RIGHT_WIDTH;
  return { left: LEFT_WIDTH, right, top: 0, bottom: height, width: right - LEFT_WIDTH, height };
}

type RangeOf = (side: Side, chart: Chart) => Range;

function valueScale(axis: ValueAxis, side: Side, rangeOf: RangeOf) {
  return {
    type: 'linear' as const,
    position: side,
    afterDataLimits: (scale: Scale) => void Object.assign(scale, rangeOf(side, scale.chart)),
    grid: { drawOnChartArea: side === 'left', drawTicks: false },
    border: { display: false },
    ticks: {
      maxTicksLimit: 5,
      padding: 6,
      font: FONT,
      callback: (value: string | number) => axis.tick(Number(value)),
    },
    afterFit: (scale: { width: number }) => {
      scale.width = side === 'left' ? LEFT_WIDTH : RIGHT_WIDTH;
    },
  };
}

/** `rangeOf` returns the ends of a value axis each time the chart is drawn. */
export function configuration(spec: TimeChartSpec, rangeOf: RangeOf): ChartConfiguration<'line', Point[]> {
  return {
    type: 'line',
    data: { datasets: spec.series.map(dataset) },
    plugins: spec.plugins ?? [],
    options: {
      animation: false,
      parsing: false,
      normalized: true,
      events: [],
      responsive: true,
      maintainAspectRatio: false,
      layout: { padding: { top: 6, right: spec.right ? 0 : RIGHT_WIDTH } },
      scales: {
        x: {
          type: 'linear',
          grid: { drawTicks: false },
          border: { display: false },
          ticks: {
            maxRotation: 0,
            autoSkipPadding: 24,
            padding: 4,
            font: FONT,
            includeBounds: false,
            callback: (value) => formatTime(Number(value)),
          },
        },
        left: valueScale(spec.left, 'left', rangeOf),
        ...(spec.right ? { right: valueScale(spec.right, 'right', rangeOf) } : {}),
      },
    },
  };
}
