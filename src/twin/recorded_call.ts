/** Reads everything in a call's recording that is needed to simulate the call. The simulation is the call's twin. */
import * as v from 'valibot';

import {
  CONTROLLER_NAMES,
  type CapacityStep,
  type SimulationChange,
  type SimulationOptions,
  type TableName,
  type TcpFlowOptions,
  type TraceEvent,
} from '../core/index.js';
import { DEFAULT_LINK_CONFIG, parseLinkConfig, type LinkConfig } from '../link/link_config.js';
import { LINK_KEYS } from '../link/fields.js';
import { VIDEO_CODECS } from '../scenario/video_format.js';
import type { TraceHeader } from '../trace/header.js';
import { sourceProblem } from './sources.js';
import { NoTwin } from './no_twin.js';
import { measuredPreset, twinOptions, type TwinCall } from './options.js';
import {
  capacitySteps,
  controllerChanges,
  crossFlows,
  delays,
  linkChanges,
  recordedParameters,
  toldSettings,
  type CapacityRows,
} from './schedule.js';
import { partOf, type Part } from './parts.js';

/** The rows that a twin is made from. */
export interface CallRows {
  events: readonly TraceEvent[];
  queue: CapacityRows;
  /** The send time of each frame, in the order of arrival. */
  sentUs: ArrayLike<number>;
  /** The estimates of the browser's own estimator; NaN if it made no estimate. */
  browserEstimateBps: ArrayLike<number>;
  /** The time of the last row. */
  endUs: number;
}

/** A call whose twin can be simulated. */
export interface RecordedCall {
  call: TwinCall;
  /** `fromUs` and `toUs`: the time of the first frame and the time of the end, on the clock of the recording. */
  fromUs: number;
  toUs: number;
  capacity: readonly CapacityStep[];
  changes: readonly SimulationChange[];
  cross: readonly TcpFlowOptions[];
  isInPage: boolean;
  /** The name of a user's controller; null for a controller of the core. */
  own: string | null;
  /**
   * The assumptions, as texts. Each replaces a fact that the recording does not contain, or an effect that the twin
   * cannot simulate.
   */
  assumed: readonly string[];
}

/** The shortest call that is compared, since the comparison averages over seconds. */
const SHORTEST_US = 2e6;
/** The source preset for video content that was not measured: talking heads, encoded by libvpx. */
const CAMERA = 'vp8';
/**
 * The names of the measured video contents. The label of a measured video begins with one of these names; the label
 * may be the name of a file.
 */
const CONTENT = /^(synthetic|test-picture|fractal|noise|text)(?![a-z])/;
const TABLES: readonly TableName[] = ['group', 'nada', 'lcc', 'rate', 'feedback', 'queue', 'throughput'];

const videoSchema = v.object({
  label: v.string(),
  height: v.nullable(v.number()),
  frame_rate: v.nullable(v.number()),
  codec: v.picklist(VIDEO_CODECS),
});

/**
 * Throws NoTwin for a recording that cannot be compared; ConfigError, TraceError or ParameterProblem for a
 * recording with invalid content.
 */
export function recordedCall(header: Partial<TraceHeader>, rows: CallRows): RecordedCall {
  checkSource(header);
  const part = partOf(header, rows.events, rows.endUs);
  checkMode(part, rows);
  const link = linkOf(header, part);
  const { isInPage } = part;
  const within = { fromUs: part.fromUs, toUs: part.toUs };
  const sentUs = firstIn(rows.sentUs, within);
  const begun = { fromUs: sentUs, toUs: part.toUs };
  if (!(part.toUs - sentUs >= SHORTEST_US))
    throw new NoTwin(
      'the recording has less than two seconds of frames',
      'compare once the call has run for longer',
    );
  const { preset } = part;
  const own = CONTROLLER_NAMES.some((name) => name === part.controller) ? null : part.controller;
  const parameters = recordedParameters(own === null ? preset : undefined, part.parameters);
  const pictures = picturesOf(part);
  const queue = rowsIn(rows.queue, within);
  const capacity = capacitySteps(queue, part.events);
  if (capacity.length === 0)
    throw new NoTwin(
      'the recording has no queue rows, so the link’s capacity is unknown',
      'record a call of this page; a page that joins another one’s call does not see its link',
    );
  const restarted = part.isOneOf > 1 ? [restartText(part)] : [];
  const first = part.isMediaOfFirst
    ? [
        'the video, the audio and the place of the bottleneck are those of the first call; the recording does not say those of later calls',
      ]
    : [];
  const frames = isInPage
    ? ['the bottleneck in the page shaped whole frames; the twin’s shapes packets']
    : [];
  return {
    call: {
      controller: part.controller,
      ...(own === null && preset !== undefined && { preset }),
      set: parameters,
      sourcePreset: pictures.preset,
      fps: pictures.fps,
      audio: part.audio,
      link,
      durationUs: part.toUs,
      keyFrameIntervalS: part.keyFrameIntervalS,
      sourceMaxBps: parameters['max_bitrate_bps'] ?? DEFAULT_MAX_BPS,
    },
    ...begun,
    capacity,
    changes: [
      ...linkChanges(part.events, isInPage),
      ...controllerChanges(
        { ...(own === null && preset !== undefined && { preset }), parameters },
        part.events,
      ),
    ].sort((a, b) => a.atUs - b.atUs),
    cross: crossFlows(link, part.events, { fromUs: queue.timeUs[0] ?? sentUs, toUs: part.toUs }),
    isInPage,
    own,
    assumed: [...restarted, ...first, ...pictures.assumed, ...frames],
  };
}

/** The default maximum bitrate in ccscope's own page. It is used for recordings that do not contain this limit. */
const DEFAULT_MAX_BPS = 2.5e6;

/**
 * The options of the simulation. It uses the clock of the recording, so the call's flow starts at the time of the
 * first frame.
 */
export function recordedOptions(recorded: RecordedCall, seed: number): SimulationOptions {
  const { call, fromUs, capacity, changes, cross, isInPage } = recorded;
  const options = twinOptions(call, { machine: 'idle', seed, tables: TABLES });
  const { forwardUs, backwardUs } = delays(call.link.rtt_ms, isInPage);
  const [first, ...schedule] = capacity;
  return {
    ...options,
    forward: {
      ...options.forward,
      capacityBps: first?.capacityBps ?? NaN,
      schedule,
      oneWayDelayUs: forwardUs,
    },
    backward: { oneWayDelayUs: backwardUs },
    flows: [{ ...options.flows[0], startUs: fromUs }, ...cross],
    changes,
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

function checkSource(header: Partial<TraceHeader>): void {
  const problem = sourceProblem(header);
  if (problem !== null) throw new NoTwin(problem.message, problem.fix);
}

function checkMode({ mode, role }: Part, { browserEstimateBps }: CallRows): void {
  const fix = 'make a call in Chromium with GCC, NADA, LCC or a controller of your own in control';
  if (mode === 'observe')
    throw new NoTwin('the browser’s own controller set the rates, and it cannot be simulated', fix);
  if (mode === 'cap')
    throw new NoTwin(
      'the browser’s own controller also controlled the rates ("cap" mode), and it cannot be simulated',
      fix,
    );
  if (role !== 'loopback')
    throw new NoTwin(
      'the far side of the call was another page, whose rows are not in this recording',
      'compare a call that has both sides in one page',
    );
  if (!Array.from(browserEstimateBps).some(Number.isFinite))
    throw new NoTwin('the recording does not show that the call’s controller set the rates', fix);
}

function linkOf(header: Partial<TraceHeader>, { linkSettings, eventsBefore }: Part): LinkConfig {
  const recorded = header['link'];
  if (!isObject(recorded))
    throw new NoTwin(
      'the recording does not say which link the call used',
      'record it again with this version',
    );
  if (linkSettings !== null) return linkSettings;
  const known = Object.entries(recorded).filter(([key]) => LINK_KEYS.some((each) => each === key));
  const before = eventsBefore.map(toldSettings);
  return Object.assign(
    { ...DEFAULT_LINK_CONFIG, ...parseLinkConfig(Object.fromEntries(known)) },
    ...before,
  ) as LinkConfig;
}

/** The source preset and the frame rate of the twin, and the assumptions behind them. */
function picturesOf({ video }: Part): { preset: string; fps: number; assumed: string[] } {
  const parsed = v.safeParse(videoSchema, video);
  const { label = '', height = null, frame_rate = null, codec = 'vp8' } = parsed.success ? parsed.output : {};
  const fps = frame_rate ?? 30;
  const name = CONTENT.exec(label)?.[1];
  const measured = name === undefined ? undefined : measuredPreset({ name, height: height ?? 360 }, codec);
  if (measured !== undefined) return { preset: measured, fps, assumed: [] };
  const inVp8 = name === undefined ? undefined : measuredPreset({ name, height: height ?? 360 }, 'vp8');
  if (inVp8 !== undefined)
    return {
      preset: inVp8,
      fps,
      assumed: [`frames of ${name} in VP8: the twin does not have it in ${codec.toUpperCase()}`],
    };
  return {
    preset: CAMERA,
    fps,
    assumed: ['frame sizes of talking heads in VP8, since this video was not measured'],
  };
}

const secondsText = (us: number): string => `${(us / 1e6).toFixed(1)} s`;

const restartText = ({ isOneOf, fromUs, toUs }: Part): string =>
  `the recording has ${isOneOf} calls; this is the longest one, from ${secondsText(fromUs)} to ${secondsText(toUs)}`;

function firstIn(times: ArrayLike<number>, { fromUs, toUs }: { fromUs: number; toUs: number }): number {
  let first = Infinity;
  for (let row = 0; row < times.length; row++) {
    const us = times[row] ?? NaN;
    if (us >= fromUs && us <= toUs && us < first) first = us;
  }
  return first;
}

function rowsIn(rows: CapacityRows, { fromUs, toUs }: { fromUs: number; toUs: number }): CapacityRows {
  const chosen = Array.from(rows.timeUs).flatMap((us, row) => (us >= fromUs && us <= toUs ? [row] : []));
  return {
    timeUs: chosen.map((row) => rows.timeUs[row] ?? NaN),
    capacityBps: chosen.map((row) => rows.capacityBps[row] ?? NaN),
  };
}
