/**
 * The calls of one recording. Each event `start` begins a call. The twin (the simulation of a call) is made for the
 * longest of these calls.
 */
import * as v from 'valibot';

import type { TraceEvent } from '../core/index.js';
import type { LinkConfig } from '../link/link_config.js';
import { linkOfUrl, USUAL_IN_URL } from '../link/url.js';
import type { TraceHeader } from '../trace/header.js';

/** One of the calls of a recording. */
export interface Part {
  fromUs: number;
  toUs: number;
  /** The number of calls in the recording. */
  isOneOf: number;
  controller: string;
  preset?: string;
  parameters: Readonly<Record<string, unknown>>;
  mode: string;
  role: string;
  keyFrameIntervalS: number;
  /** What was sent: the `video` of the event `start` or else of the header, not checked, and whether there was audio. */
  video: unknown;
  audio: boolean;
  /** Whether the bottleneck was in the page. */
  isInPage: boolean;
  /** Whether `video`, `audio` and `isInPage` are those of an earlier call, since the event `start` does not say them. */
  isMediaOfFirst: boolean;
  /**
   * The link's settings at the start of this call, from its event `start`. Null for the recording's first call, for an
   * event without settings, and for a link that a program opened. If null, the link has the settings in the header, as
   * changed by all events before this call.
   */
  linkSettings: LinkConfig | null;
  /** `eventsBefore`: the events before this call. `events`: the events within this call. */
  eventsBefore: readonly TraceEvent[];
  events: readonly TraceEvent[];
}

const parametersSchema = v.record(v.string(), v.union([v.number(), v.string()]));

/** The details of an event `start` in the current format. Earlier versions wrote other details, which are ignored. */
const startSchema = v.object({
  controller: v.optional(v.string()),
  preset: v.optional(v.string()),
  parameters: v.optional(parametersSchema),
  settings: v.optional(v.record(v.string(), v.unknown())),
  video: v.optional(v.unknown()),
  audio: v.optional(v.boolean()),
  at: v.optional(v.string()),
});

const textOf = (value: unknown, usual: string): string => (typeof value === 'string' ? value : usual);

/** The longest call of a recording. */
export function partOf(header: Partial<TraceHeader>, events: readonly TraceEvent[], endUs: number): Part {
  const starts = events.filter(({ name }) => name === 'start');
  const begins = starts.length > 0 ? starts : [{ name: 'start', time_us: 0, detail: null }];
  const parts = begins.map((start, index) => {
    const nextUs = begins[index + 1]?.time_us ?? Infinity;
    const stop = events.find(({ name, time_us }) => name === 'stop' && time_us >= start.time_us);
    return { start, index, fromUs: start.time_us, toUs: Math.min(nextUs, stop?.time_us ?? Infinity, endUs) };
  });
  const [{ start, index, fromUs, toUs } = { start: null, index: 0, fromUs: 0, toUs: endUs }] = parts.sort(
    (a, b) => b.toUs - b.fromUs - (a.toUs - a.fromUs),
  );
  const parsed = v.safeParse(startSchema, start?.detail);
  const told = parsed.success ? parsed.output : {};
  const settings = told.settings ?? {};
  const native = settings['controller'] === 'native';
  const took = events.find(
    ({ name, time_us, detail }) => name === 'mode' && time_us >= fromUs && time_us <= toUs && toCap(detail),
  );
  const preset = told.preset ?? header.preset;
  return {
    ...{ fromUs, toUs, isOneOf: begins.length },
    controller: told.controller ?? header.controller ?? 'gcc',
    ...(preset !== undefined && { preset }),
    parameters: told.parameters ?? header.parameters ?? {},
    mode: native ? 'observe' : took ? 'cap' : textOf(settings['mode'] ?? header['mode'], 'control'),
    role: textOf(settings['role'], 'loopback'),
    keyFrameIntervalS:
      typeof settings['key_frame_interval_s'] === 'number' ? settings['key_frame_interval_s'] : 0,
    ...mediaOf(header, told, index),
    linkSettings: index > 0 && settings['link'] === '' ? linkOfUrl({ ...USUAL_IN_URL, ...settings }) : null,
    eventsBefore: events.filter(({ time_us }) => time_us < fromUs),
    events: events.filter(({ time_us }) => time_us >= fromUs && time_us <= toUs),
  };
}

/** What a call sent, and where its bottleneck was. `index` is the call's number within the recording. */
function mediaOf(
  header: Partial<TraceHeader>,
  { video, audio, at }: v.InferOutput<typeof startSchema>,
  index: number,
): Pick<Part, 'video' | 'audio' | 'isInPage' | 'isMediaOfFirst'> {
  const link = v.safeParse(v.object({ at: v.string() }), header['link']);
  const first = link.success ? link.output.at : undefined;
  return {
    video: video ?? header['video'],
    audio: audio ?? header['audio'] === true,
    isInPage: (at ?? first) === 'in-page',
    isMediaOfFirst: index > 0 && at === undefined,
  };
}

/**
 * Whether an event `mode` reports that the controller left the mode `control`. In other modes, the browser's own
 * controller also limits the rate.
 */
const toCap = (detail: unknown): boolean =>
  typeof detail === 'object' && detail !== null && 'to' in detail && detail.to !== 'control';
