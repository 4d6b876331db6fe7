/**
 * The frames of a simulated video source with given targets, and statistics of these frames. Frames of real
 * calls were measured in the same way (wasm/sim/media_source.md).
 */
import { tableSpec, type Core, type TableName, type UserController } from '../../../src/core/index.js';

export interface EncodedFrame {
  atS: number;
  bytes: number;
}

const TRAILER_BYTES = 24;

/** Targets, each with the time (in seconds) from which it applies. */
type Targets = readonly (readonly [fromS: number, bps: number])[];

const scheduled = (targets: Targets): UserController => ({
  name: 'scheduled',
  createReceiver: () => ({ onArrival: () => null }),
  createSender: () => ({
    onFeedback: () => undefined,
    rate: (nowUs) => ({ targetBps: targets.findLast(([fromS]) => fromS * 1e6 <= nowUs)?.[1] ?? NaN }),
  }),
});

/**
 * The frames of a simulated live call over a link that does not limit it, and the times (`stepsS`) at which the
 * target changed. The simulation reads the controller's rate only at intervals, so a change may come later than
 * in `targets`.
 */
export function encodedFrames(
  core: Core,
  source: { preset: string; parameters?: Record<string, number> },
  targets: Targets,
  { durationS = 25, seed = 1 } = {},
): { frames: EncodedFrame[]; stepsS: number[] } {
  const start = targets[0]?.[1] ?? 0;
  const bounds = { min_bitrate_bps: 1e4, max_bitrate_bps: 1e7, start_bitrate_bps: start };
  const simulation = core.createSimulation({
    durationUs: durationS * 1e6,
    seed,
    forward: { capacityBps: 20e6, oneWayDelayUs: 10e3 },
    flows: [
      {
        kind: 'media',
        controller: scheduled(targets),
        parameters: bounds,
        sourcePreset: source.preset,
        source: { max_bitrate_bps: 1e7, ...source.parameters },
        live: {},
      },
    ],
    trace: { tables: ['arrival', 'rate'], intervalUs: 2e3 },
  });
  simulation.runUntil(durationS * 1e6);
  const batches = simulation.drain();
  simulation.destroy();
  const column = (table: TableName, name: string): number[] => {
    const index = tableSpec(table).columns.findIndex((each) => each.name === name);
    return batches
      .filter((batch) => batch.table === table)
      .flatMap(({ columns }) => [...(columns[index] ?? [])]);
  };
  const sizes = column('arrival', 'size_bytes');
  const frames = column('arrival', 'send_time_us').map((us, i) => ({
    atS: us / 1e6,
    bytes: (sizes[i] ?? NaN) - TRAILER_BYTES,
  }));
  const times = column('rate', 'time_us');
  const targetsBps = column('rate', 'target_bps');
  const stepsS = times.flatMap((us, i) => (i > 0 && targetsBps[i] !== targetsBps[i - 1] ? [us / 1e6] : []));
  return { frames, stepsS };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
const sd = (values: readonly number[]): number =>
  Math.sqrt(mean(values.map((value) => (value - mean(values)) ** 2)));

function correlation(values: readonly number[], lag: number): number {
  const m = mean(values);
  const products = values.slice(lag).map((value, i) => (value - m) * ((values[i] ?? NaN) - m));
  return mean(products) / sd(values) ** 2;
}

/**
 * Statistics of frame sizes under a constant target. `first` is the size of the very first frame. All other
 * numbers are computed from the frames after 5 s. Sizes and deviations are relative to the mean size. `rate` is
 * the mean rate divided by the target.
 */
export function constantStatistics(frames: readonly EncodedFrame[], targetBps: number, fps = 30) {
  const first = frames[0]?.bytes ?? NaN;
  const sizes = frames.filter(({ atS }) => atS >= 5).map(({ bytes }) => bytes);
  const m = mean(sizes);
  const sums = (count: number): number[] =>
    Array.from({ length: Math.floor(sizes.length / count) }, (_, i) =>
      mean(sizes.slice(i * count, (i + 1) * count)),
    );
  const sorted = [...sizes].sort((a, b) => a - b);
  return {
    frame: sd(sizes) / m,
    s02: sd(sums(6)) / m,
    s05: sd(sums(15)) / m,
    s1: sd(sums(30)) / m,
    lag1: correlation(sizes, 1),
    lag6: correlation(sizes, 6),
    p99: (sorted[Math.ceil(0.99 * sorted.length) - 1] ?? NaN) / m,
    max: (sorted.at(-1) ?? NaN) / m,
    first: first / m,
    rate: (m * 8 * fps) / targetBps,
  };
}

const INTERVALS = [
  [0, 0.1],
  [0.1, 0.3],
  [0.3, 0.6],
  [0.6, 1],
  [1, 2],
] as const;

/**
 * Mean frame sizes around a step of the target: in the 2 s before the step, then in each of INTERVALS after it.
 * The sizes are relative to the mean size from 2 s to 5 s after the step.
 */
export function stepResponse(frames: readonly EncodedFrame[], stepS: number): number[] {
  const over = (fromS: number, toS: number): number =>
    mean(frames.filter(({ atS }) => atS >= stepS + fromS && atS < stepS + toS).map(({ bytes }) => bytes));
  const after = over(2, 5);
  return [over(-2, 0), ...INTERVALS.map(([from, to]) => over(from, to))].map((size) => size / after);
}
