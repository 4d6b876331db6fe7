/** The simulation options for the twin of a planned call: a simulation with the settings of that call. */
import { TABLE_SPECS, type SimulationOptions, type TableName } from '../../core/index.js';
import type { VideoCodec } from '../../scenario/video_format.js';
import { measuredPreset, SOURCE_PRESETS, twinOptions } from '../../twin/options.js';
import type { CallPlan, SourceReport, TwinMachine } from '../call/types.js';
import { UsageError } from '../../text/errors.js';

/** The tables from which a report is computed. */
const REPORTED: readonly TableName[] = ['packet', 'rate', 'group'];

/** The sources that the twin can simulate, for messages. */
export const SIMULATED = 'synthetic, test-picture, fractal, noise or text';

/**
 * What keeps the twin from simulating the video of a call: its source, or the source's codec. Null if the twin can
 * simulate it.
 */
export function unsimulated(source: SourceReport, codec: VideoCodec): 'source' | 'codec' | null {
  if (measuredPreset(source, codec) !== undefined) return null;
  return SOURCE_PRESETS.includes(source.name) ? 'codec' : 'source';
}

/**
 * The preset of the component `media_source` that simulates the video of a call. Throws UsageError if no preset
 * exists for this source and codec.
 */
export function sourcePreset(source: SourceReport, codec: VideoCodec): string {
  const measured = measuredPreset(source, codec);
  if (measured !== undefined) return measured;
  const { name } = source;
  if (unsimulated(source, codec) === 'codec')
    throw new UsageError(`--codec: the twin can simulate ${name} in VP8 only; remove --codec ${codec}`);
  throw new UsageError(
    `--source: expected a source that the twin can simulate (${SIMULATED}), got ${name}; choose one of these or remove --twin`,
  );
}

/** The simulation options for a plan. Throws UsageError for a source or codec that the twin cannot simulate. */
export function planOptions(
  plan: CallPlan,
  machine: TwinMachine,
  { seed, wantTrace }: { seed: number; wantTrace: boolean },
): SimulationOptions {
  const { source, codec, durationMs } = plan;
  const call = {
    ...plan,
    sourcePreset: sourcePreset(source, codec),
    fps: source.fps,
    durationUs: durationMs * 1e3,
  };
  return twinOptions(call, {
    machine,
    seed,
    tables: wantTrace ? TABLE_SPECS.map(({ name }) => name) : REPORTED,
  });
}
