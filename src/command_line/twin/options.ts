/** The simulation that is the twin of a real call: the same link, source and controller, in virtual time. */
import {
  CONTROLLER_NAMES,
  COMPONENT_SPECS,
  TABLE_SPECS,
  type FlowOptions,
  type SimulatedLinkOptions,
  type SimulationOptions,
  type TableName,
} from '../../core/index.js';
import { forwardLink, type LinkConfig } from '../../link/link_config.js';
import type { VideoCodec } from '../../scenario/video_format.js';
import type { CallPlan, SourceReport, TwinMachine } from '../call/types.js';
import { UsageError } from '../../text/errors.js';

/** The bounds that ccscope's own page gives its controllers. */
const MIN_BITRATE_BPS = 50e3;
const START_BITRATE_BPS = 300e3;
/** The voice that accompanies the video, as on the wire (wasm/sim/media_source.md). */
const AUDIO_BPS = 54e3;
/** Interval between rows of rates and of the queue. */
const TRACE_INTERVAL_US = 50e3;
/** The tables that a report needs. */
const REPORTED: readonly TableName[] = ['packet', 'rate', 'group'];

/**
 * The preset of the component `media_source` for what a call sends: the one of that size if it was measured, else
 * that of 360p. Throws UsageError for a source that was not measured at all.
 */
export function sourcePreset({ name, height }: SourceReport, codec: VideoCodec): string {
  const known: string[] = COMPONENT_SPECS.media_source.presets.map((preset) => preset.name);
  const ending = codec === 'vp8' ? '' : `-${codec}`;
  const found = [`${name}-${height}p${ending}`, `${name}${ending}`].find((preset) => known.includes(preset));
  if (found !== undefined) return found;
  if (known.includes(name))
    throw new UsageError(`--codec: the twin knows ${name} in VP8 alone; remove --codec ${codec}`);
  throw new UsageError(
    `--source: the twin knows synthetic, test-picture, fractal, noise and text, got ${name}; choose one of these or remove --twin`,
  );
}

/** Cross traffic becomes flows of the simulation, which use the simulation's seed. */
function simulatedLink(link: LinkConfig): SimulatedLinkOptions {
  const { crossTraffic: _, crossRttUs: __, seed: ___, ...simulated } = forwardLink(link);
  return simulated;
}

function mediaFlow(plan: CallPlan, machine: TwinMachine): FlowOptions {
  const { controller, preset, set, source, codec, audio, keyFrameIntervalS, sourceMaxBps } = plan;
  const known = CONTROLLER_NAMES.find((name) => name === controller);
  const bounds = {
    min_bitrate_bps: MIN_BITRATE_BPS,
    max_bitrate_bps: sourceMaxBps,
    start_bitrate_bps: START_BITRATE_BPS,
  };
  return {
    kind: 'media',
    name: 'call',
    // A user's controller replaces it when the simulation is created.
    ...(known !== undefined && { controller: known }),
    ...(preset !== undefined && { preset }),
    parameters: { ...bounds, ...set },
    sourcePreset: sourcePreset(source, codec),
    source: {
      frame_rate: source.fps,
      max_bitrate_bps: sourceMaxBps,
      key_frame_interval_s: keyFrameIntervalS,
    },
    live: { preset: machine, parameters: { audio_bps: audio ? AUDIO_BPS : 0 } },
  };
}

function crossFlows(link: LinkConfig): FlowOptions[] {
  const { cubic = 0, newReno = 0 } = forwardLink(link).crossTraffic ?? {};
  const tcp = (count: number, congestionControl: 'cubic' | 'new_reno'): FlowOptions[] =>
    Array.from({ length: count }, () => ({ kind: 'tcp', congestionControl }));
  return [...tcp(cubic, 'cubic'), ...tcp(newReno, 'new_reno')];
}

/** The simulation for a plan. Throws UsageError for a source without a twin. */
export function twinOptions(
  plan: CallPlan,
  machine: TwinMachine,
  { seed, wantTrace }: { seed: number; wantTrace: boolean },
): SimulationOptions {
  const forward = simulatedLink(plan.link);
  const durationUs = plan.durationMs * 1e3;
  const tables = wantTrace ? TABLE_SPECS.map(({ name }) => name) : [...REPORTED];
  return {
    // A packet is recorded when it is delivered, so packets that left the bottleneck in time are recorded a
    // little after the end.
    durationUs: durationUs + (forward.oneWayDelayUs ?? 0),
    seed,
    forward,
    flows: [mediaFlow(plan, machine), ...crossFlows(plan.link)],
    windows: [
      { name: 'call', beginUs: 0, endUs: durationUs },
      { name: 'last two thirds', beginUs: durationUs / 3, endUs: durationUs },
    ],
    trace: { tables, intervalUs: TRACE_INTERVAL_US },
  };
}
