/**
 * One state contains all settings of the page, and the URL contains that state. A link therefore reproduces
 * the settings and the view, but not the measured values. The schema below is the only list of the URL's
 * parameters. An invalid value is replaced with the default, and a problem reports the field and the expected
 * form.
 */
import * as v from 'valibot';

import { expectedValue, parameterNumber } from '../core/parameter_value.js';
import {
  CONTROLLER_NAMES,
  controllerOfPreset,
  defaultPreset,
  PRESETS,
  CONTROLLER_SPECS,
} from '../core/schema.js';
import { LINK_FIELDS, linkField, type LinkKey } from '../link/fields.js';
import { URL_KEYS, USUAL_IN_URL, type LinkInUrl } from '../link/url.js';
import { ConfigError } from '../text/quantities.js';
import { orMeant } from '../text/suggest.js';
import { FRAME_RATES, VIDEO_CODECS, VIDEO_SIZE_NAMES } from '../scenario/video_format.js';
import { NUMBERS } from './number_ranges.js';
import { isOwn, OWN_EXAMPLE, shadowTexts, watcherOf } from './controllers.js';
import { flag, integerIn, numberIn, oneOf, words, type StateProblem } from './url_fields.js';

export type { StateProblem } from './url_fields.js';

/** A schema for text that `parse` accepts. If `parse` throws an error, the issue's message comes from that error. */
const parsedBy = (parse: (text: string) => unknown) =>
  v.pipe(
    v.string(),
    v.rawCheck(({ dataset, addIssue }) => {
      try {
        parse(String(dataset.value));
      } catch (error) {
        addIssue({
          message: error instanceof ConfigError ? `${error.expected}; ${error.fix}` : String(error),
        });
      }
    }),
  );

/** The schema of a setting of the link, made from its declaration in the table of all settings. */
function linkEntry(key: LinkKey): v.GenericSchema<string, string | number> {
  const field = linkField(key);
  if (field.kind === 'text') return parsedBy((text) => field.check(text));
  const { min, max, mostInUrl = max, unit, isWhole } = field;
  return (isWhole ? integerIn : numberIn)(min, mostInUrl, unit.trim());
}

type LinkEntries = { [K in keyof LinkInUrl]: v.GenericSchema<string, LinkInUrl[K]> };
const linkEntries = Object.fromEntries(
  URL_KEYS.map((key) => [LINK_FIELDS[key].url, linkEntry(key)]),
) as unknown as LinkEntries;

const name = v.pipe(v.string(), v.regex(/^[\w-]{0,64}$/, 'up to 64 letters, digits, - or _'));

/** The controllers that can be in charge, apart from the user's own. */
const IN_CHARGE: readonly string[] = [...CONTROLLER_NAMES, 'native'];

const entries = {
  ...linkEntries,
  bottleneck: oneOf(['shaper', 'in-page']),
  /**
   * The name of a link that a program has opened at the local server for this call. This link has its own
   * settings, so the link settings above do not apply.
   */
  link: name,
  controller: v.pipe(
    v.string(),
    v.check(
      (text) => IN_CHARGE.includes(text) || isOwn(text),
      ({ input }) => orMeant(`one of ${IN_CHARGE.join(', ')}, or ${OWN_EXAMPLE}`, input, IN_CHARGE),
    ),
  ),
  preset: oneOf(PRESETS.map(({ name }) => name)),
  shadow: v.pipe(parsedBy(shadowTexts), v.transform(shadowTexts)),
  mode: oneOf(['control', 'cap', 'observe']),
  min_bps: numberIn(...NUMBERS.min_bps),
  max_bps: numberIn(...NUMBERS.max_bps),
  start_bps: numberIn(...NUMBERS.start_bps),
  source: oneOf(['synthetic', 'camera']),
  size: oneOf(VIDEO_SIZE_NAMES),
  fps: v.pipe(
    oneOf(FRAME_RATES),
    v.transform((text) => Number(text)),
  ),
  codec: oneOf(VIDEO_CODECS),
  audio: flag,
  key_frame_interval_s: numberIn(...NUMBERS.key_frame_interval_s),
  duration_s: numberIn(...NUMBERS.duration_s),
  room: name,
  role: oneOf(['loopback', 'send', 'receive']),
  autostart: flag,
  /** Whether each recording is compared with its simulation automatically. */
  compare: flag,
  window_s: numberIn(...NUMBERS.window_s),
  from_s: numberIn(...NUMBERS.from_s),
  paused: flag,
  hide: words,
  theme: oneOf(['auto', 'dark', 'light']),
};

type Entries = typeof entries;

/**
 * The page's state, parsed. `set` holds the parameters of flow 0 that differ from `preset`. Flow 0 is the controller
 * in charge or, if the browser's own controller is in charge, the controller of `preset`, which only watches.
 * `shadow` lists all further controllers that only watch.
 */
export type AppState = { [K in keyof Entries]: v.InferOutput<Entries[K]> } & {
  set: Readonly<Record<string, number>>;
};

/** The state of an empty URL. `from_s` is used only if `paused` is true. */
export const DEFAULT_STATE: AppState = {
  ...USUAL_IN_URL,
  bottleneck: 'shaper',
  link: '',
  controller: 'gcc',
  preset: 'gcc-live',
  shadow: [],
  mode: 'control',
  min_bps: 50_000,
  max_bps: 2_500_000,
  start_bps: 300_000,
  source: 'synthetic',
  size: '360p',
  fps: 30,
  codec: 'vp8',
  audio: false,
  key_frame_interval_s: 0,
  duration_s: 0,
  room: '',
  role: 'loopback',
  autostart: false,
  compare: false,
  window_s: 30,
  from_s: 0,
  paused: false,
  hide: [],
  theme: 'auto',
  set: {},
};

const SET_PREFIX = 'set.';

function parameterSpec(state: AppState, name: string) {
  const controller = watcherOf(state);
  const parameters = controller === undefined ? [] : CONTROLLER_SPECS[controller].parameters;
  return parameters.find((parameter) => parameter.name === name);
}

/** Checks the text of a single value. Returns the parsed value, or the expected form. */
export function checkField<K extends keyof Entries>(
  field: K,
  text: string,
): { ok: true; value: AppState[K] } | { ok: false; expected: string } {
  const result = v.safeParse(entries[field], text);
  // The schema `entries[field]` yields a value of type AppState[K], but TypeScript cannot infer this.
  if (result.success) return { ok: true, value: result.output as AppState[K] };
  return { ok: false, expected: result.issues[0].message };
}

/**
 * Reads a URL's query; if a field occurs twice, the last one counts. Never throws: a value that does not fit is
 * replaced with the default and reported as a problem.
 */
export function parseState(query: string): { state: AppState; problems: StateProblem[] } {
  const problems: StateProblem[] = [];
  const changes: Record<string, unknown> = {};
  const given: [field: string, got: string][] = [];
  for (const [field, got] of new Map(new URLSearchParams(query))) {
    if (field.startsWith(SET_PREFIX)) given.push([field, got]);
    else if (!Object.hasOwn(entries, field))
      problems.push({ field, got, expected: 'a setting of this page' });
    else {
      const result = v.safeParse(entries[field as keyof Entries], got);
      if (result.success) changes[field] = result.output;
      else problems.push({ field, got, expected: result.issues[0].message });
    }
  }
  const state: AppState = { ...DEFAULT_STATE, ...changes, ...presetOf(changes, problems) };
  const set = parametersOf(state, given, problems);
  return { state: orderBitrates({ ...state, set }, problems), problems };
}

/**
 * Completes the controller and the preset if one of them is left out. A preset that belongs to another controller is
 * reported as a problem and replaced.
 */
function presetOf(
  { controller, preset }: Partial<AppState>,
  problems: StateProblem[],
): Pick<AppState, 'controller' | 'preset'> {
  const named = preset === undefined ? undefined : controllerOfPreset(preset);
  const chosen = controller ?? named ?? DEFAULT_STATE.controller;
  const fallback = presetFor(chosen);
  if (preset === undefined || chosen === 'native' || chosen === named)
    return { controller: chosen, preset: preset ?? fallback };
  problems.push({ field: 'preset', got: preset, expected: `a preset of ${chosen}` });
  return { controller: chosen, preset: fallback };
}

/** The preset that a controller begins with; for a controller without presets, the preset of the default state. */
export function presetFor(controller: string): string {
  const known = CONTROLLER_NAMES.find((name) => name === controller);
  return known === undefined ? DEFAULT_STATE.preset : defaultPreset(known, 'live');
}

function parametersOf(
  state: AppState,
  given: readonly [field: string, got: string][],
  problems: StateProblem[],
): AppState['set'] {
  const set: Record<string, number> = {};
  for (const [field, got] of given) {
    const name = field.slice(SET_PREFIX.length);
    const spec = parameterSpec(state, name);
    const value = spec && parameterNumber(spec, got);
    if (value !== undefined) set[name] = value;
    else {
      const expected = spec ? expectedValue(spec) : `a parameter of ${watcherOf(state) ?? 'this controller'}`;
      problems.push({ field, got, expected });
    }
  }
  return set;
}

/** Whether min ≤ start ≤ max. */
export function bitratesInOrder({ min_bps, start_bps, max_bps }: AppState): boolean {
  return min_bps <= start_bps && start_bps <= max_bps;
}

/**
 * Returns the state itself if its bitrates are in order; otherwise adds a problem and uses the three default
 * bitrates.
 */
function orderBitrates(state: AppState, problems: StateProblem[]): AppState {
  if (bitratesInOrder(state)) return state;
  const { min_bps, start_bps, max_bps } = state;
  const got = `${min_bps}, ${start_bps}, ${max_bps}`;
  problems.push({ field: 'min_bps, start_bps, max_bps', got, expected: 'three bitrates in ascending order' });
  const { min_bps: min, start_bps: start, max_bps: max } = DEFAULT_STATE;
  return { ...state, min_bps: min, start_bps: start, max_bps: max };
}

/** A value as it is written in the URL. */
export const asText = (value: AppState[keyof Entries]): string => {
  if (typeof value === 'boolean') return value ? '1' : '0';
  return Array.isArray(value) ? value.join(',') : String(value);
};

/** Returns a URL query with only the settings that differ from the defaults, so that links stay short. */
export function serialiseState(state: AppState): string {
  const query = new URLSearchParams();
  for (const [field, fallback] of Object.entries(DEFAULT_STATE)) {
    if (field === 'set') continue;
    const text = asText(state[field as keyof Entries]);
    const left =
      field === 'preset' ? presetFor(state.controller) : asText(fallback as AppState[keyof Entries]);
    if (text !== left) query.set(field, text);
  }
  for (const [name, value] of Object.entries(state.set)) query.set(`${SET_PREFIX}${name}`, String(value));
  return query
    .toString()
    .replaceAll('%2C', ',')
    .replaceAll('%3A', ':')
    .replaceAll('%3D', '=')
    .replaceAll('%2F', '/')
    .replaceAll('%40', '@');
}
