/**
 * Describes a call or a recording for a report. A recording's header may contain anything, so its values are checked.
 */
import * as v from 'valibot';

import { LINK_FIELDS, LINK_KEYS } from '../../link/fields.js';
import { linkOfUrl } from '../../link/url.js';
import { sayLinkValue } from '../../link/words.js';
import type { TraceHeader } from '../../trace/index.js';
import { recordedFlows } from '../../trace/recorded_flows.js';
import { titleOf } from '../controllers.js';
import { parametersText } from '../parameter_text.js';
import type { AppState } from '../state.js';
import type { Shown } from './recorder.js';

type Facts = readonly (readonly [name: string, value: string])[];

/** These settings are listed even if they have their default values. */
const ALWAYS: readonly string[] = ['capacity', 'queue', 'rtt_ms', 'seed'];

const linkForm = v.record(v.string(), v.unknown());
const videoForm = v.object({
  label: v.optional(v.string()),
  width: v.nullish(v.number()),
  height: v.nullish(v.number()),
  frame_rate: v.nullish(v.number()),
  codec: v.optional(v.string()),
});

/** Describes a link's settings; empty if there are none. */
export function networkText(link: unknown): string {
  const parsed = v.safeParse(linkForm, link);
  if (!parsed.success) return '';
  return LINK_KEYS.flatMap((key) => {
    const value = parsed.output[key];
    if (typeof value !== 'string' && typeof value !== 'number') return [];
    return ALWAYS.includes(key) || value !== LINK_FIELDS[key].usual ? sayLinkValue(key, value) : [];
  }).join(', ');
}

function videoText(video: unknown): string {
  const parsed = v.safeParse(videoForm, video);
  if (!parsed.success) return '';
  const { label, width, height, frame_rate: rate, codec } = parsed.output;
  return [
    label,
    width != null && height != null && `${width} × ${height}`,
    rate != null && `${Math.round(rate)} frames/s`,
    codec,
  ]
    .filter(Boolean)
    .join(', ');
}

function flowsText(header: Partial<TraceHeader>): string {
  return recordedFlows(header)
    .map(({ flow, name = `flow ${flow}`, kind, preset, parameters = {} }) => {
      const more = [kind, preset, parametersText(parameters)].filter(Boolean).join(', ');
      return more === '' ? name : `${name} (${more})`;
    })
    .join('; ');
}

const DATE = { dateStyle: 'medium', timeStyle: 'medium' } as const;

function dateText(created: string | undefined): string {
  const date = new Date(created ?? NaN);
  return Number.isNaN(date.valueOf()) ? '' : date.toLocaleString(undefined, DATE);
}

/** Describes the recorded call, from its header. */
function recorded({ name, header }: Shown): Facts {
  const { created, source, scenario, seed, controller, preset, mode, parameters = {} } = header;
  const texts = [scenario, mode].filter((each) => typeof each === 'string');
  return [
    ['Recording', [name, source, ...texts].filter(Boolean).join(', ')],
    ['Recorded', dateText(created)],
    ['Network', networkText(header['link'])],
    ['Controller', [controller, preset].filter(Boolean).join(', ')],
    ['Parameters', parametersText(parameters)],
    ['Flows', flowsText(header)],
    ['Video', videoText(header['video'])],
    ['Seed', typeof seed === 'number' ? String(seed) : ''],
  ];
}

/** The call that the page's settings would start. */
function chosen(state: AppState): Facts {
  const { controller, preset, shadow, set, size, fps, codec, source } = state;
  return [
    ['Network', networkText(linkOfUrl(state))],
    ['Controller', [titleOf(controller), controller === 'native' ? '' : preset].filter(Boolean).join(', ')],
    ['Parameters', parametersText(set)],
    ['Shadows', shadow.map(titleOf).join(', ')],
    ['Video', `${source}, ${size}, ${fps} frames/s, ${codec}`],
  ];
}

/**
 * The facts of the shown call or file or, if neither is shown, of the call that the settings would start. A
 * call's header has only the link settings at its start, so the current ones are added if they differ.
 */
export function callFacts(shown: Shown, state: AppState): Facts {
  if (shown.kind === 'nothing' || shown.kind === 'sample') return chosen(state);
  if (shown.kind === 'file') return recorded(shown);
  const now = networkText(linkOfUrl(state));
  const facts = recorded(shown);
  const isAsBegun = facts.some(([name, value]) => name === 'Network' && value === now);
  return isAsBegun ? facts : [...facts, ['Network now', now]];
}
