/** The simulation that is the twin of a real call: the same link, source and controller, in virtual time. */
import {
  COMPONENT_SPECS,
  CONTROLLER_NAMES,
  type FlowOptions,
  type MediaFlowOptions,
  type SimulatedLinkOptions,
  type SimulationOptions,
  type TableName,
} from '../core/index.js';
import { forwardLink, type LinkConfig } from '../link/link_config.js';
import type { VideoCodec } from '../scenario/video_format.js';

/** The minimum bitrate and the start bitrate of calls in ccscope's own page. */
const MIN_BITRATE_BPS = 50e3;
const START_BITRATE_BPS = 300e3;
/** The rate of the voice beside the video, with all headers (wasm/sim/media_source.md). */
const AUDIO_BPS = 54e3;
/** Interval between rows of rates and of the queue. */
const TRACE_INTERVAL_US = 50e3;

/** The facts about a call from which its twin is made. */
export interface TwinCall {
  /** The name of a controller of the core. Any other name belongs to a user's controller. */
  controller: string;
  /** Absent for a user's controller. */
  preset?: string;
  /**
   * Parameters that differ from the preset. The default start bitrate and bitrate limits apply unless they are set
   * here.
   */
  set: Readonly<Record<string, number>>;
  /** A preset of the component `media_source`. */
  sourcePreset: string;
  /** Frames per second. */
  fps: number;
  audio: boolean;
  link: LinkConfig;
  durationUs: number;
  keyFrameIntervalS: number;
  sourceMaxBps: number;
}

/** The kind of video content that a call sends. */
export interface SentPictures {
  /** `synthetic`, or the name of other measured content. */
  name: string;
  height: number;
}

export const SOURCE_PRESETS: readonly string[] = COMPONENT_SPECS.media_source.presets.map(({ name }) => name);

/**
 * The preset of the component `media_source` for the video content that a call sends. If this content was measured at
 * this height, returns the preset of that height, otherwise the preset of 360p. Returns undefined if this content was
 * not measured at all.
 */
export function measuredPreset({ name, height }: SentPictures, codec: VideoCodec): string | undefined {
  const ending = codec === 'vp8' ? '' : `-${codec}`;
  return [`${name}-${height}p${ending}`, `${name}${ending}`].find((preset) =>
    SOURCE_PRESETS.includes(preset),
  );
}

/**
 * The simulated link. Cross traffic and the seed are left out: cross traffic becomes flows of the simulation, and the
 * simulation itself has a seed.
 */
function simulatedLink(link: LinkConfig): SimulatedLinkOptions {
  const { crossTraffic: _, crossRttUs: __, seed: ___, ...simulated } = forwardLink(link);
  return simulated;
}

/**
 * The lowest and the first target rate of a call whose source sends at most `sourceMaxBps`: those of ccscope's own page,
 * or that limit if it is lower.
 */
export const boundsOf = (sourceMaxBps: number): { minBps: number; startBps: number } => ({
  minBps: Math.min(MIN_BITRATE_BPS, sourceMaxBps),
  startBps: Math.min(START_BITRATE_BPS, sourceMaxBps),
});

function mediaFlow(call: TwinCall, machine: string): MediaFlowOptions {
  const { controller, preset, set, sourcePreset, fps, audio, keyFrameIntervalS, sourceMaxBps } = call;
  const known = CONTROLLER_NAMES.find((name) => name === controller);
  const { minBps, startBps } = boundsOf(sourceMaxBps);
  const bounds = {
    min_bitrate_bps: minBps,
    max_bitrate_bps: sourceMaxBps,
    start_bitrate_bps: startBps,
  };
  return {
    kind: 'media',
    name: 'call',
    // Left out for a user's controller, which is passed in when the simulation is created.
    ...(known !== undefined && { controller: known }),
    ...(preset !== undefined && { preset }),
    parameters: { ...bounds, ...set },
    sourcePreset,
    source: { frame_rate: fps, max_bitrate_bps: sourceMaxBps, key_frame_interval_s: keyFrameIntervalS },
    live: { preset: machine, parameters: { audio_bps: audio ? AUDIO_BPS : 0 } },
  };
}

function crossFlows(link: LinkConfig): FlowOptions[] {
  const { cubic = 0, newReno = 0 } = forwardLink(link).crossTraffic ?? {};
  const tcp = (count: number, congestionControl: 'cubic' | 'new_reno'): FlowOptions[] =>
    Array.from({ length: count }, () => ({ kind: 'tcp', congestionControl }));
  return [...tcp(cubic, 'cubic'), ...tcp(newReno, 'new_reno')];
}

/** The simulation of a call; the media flow is the first one. */
export function twinOptions(
  call: TwinCall,
  { machine, seed, tables }: { machine: string; seed: number; tables: readonly TableName[] },
): SimulationOptions & { flows: readonly [MediaFlowOptions, ...FlowOptions[]] } {
  const forward = simulatedLink(call.link);
  const { durationUs } = call;
  return {
    // A packet is recorded when it is delivered. This is one propagation delay after it left the bottleneck,
    // so the simulation runs longer than the call by this delay.
    durationUs: durationUs + (forward.oneWayDelayUs ?? 0),
    seed,
    forward,
    flows: [mediaFlow(call, machine), ...crossFlows(call.link)],
    windows: [
      { name: 'call', beginUs: 0, endUs: durationUs },
      { name: 'last two thirds', beginUs: durationUs / 3, endUs: durationUs },
    ],
    trace: { tables, intervalUs: TRACE_INTERVAL_US },
  };
}
