/**
 * Everything that the page shows is decided by one state, and that state is the URL: a link
 * reproduces what one sees. The schema below is the only list of the URL's parameters. A value that
 * does not fit becomes the default, and a problem says which field and what was expected.
 */
import * as v from 'valibot';

import { ConfigError, parseQueue, parseSchedule } from '../scenario/link_config.js';
import { flag, integerIn, numberIn, oneOf, words, type StateProblem } from './url_fields.js';

export type { StateProblem } from './url_fields.js';

/** What a controller parameter may be, as far as the URL is concerned. */
export interface ParameterRange {
  name: string;
  min: number;
  max: number;
}

/** Names that the core knows; the state does not repeat them. */
export interface Vocabulary {
  presets: readonly string[];
  parameters: readonly ParameterRange[];
}

/** Text that `parse` accepts; its own error says what was expected. */
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

function entries(vocabulary: Vocabulary) {
  return {
    capacity: parsedBy((text) => parseSchedule(text)),
    queue: parsedBy((text) => parseQueue(text)),
    rtt_ms: numberIn(0, 2000, 'ms'),
    loss: numberIn(0, 1, '(a ratio)'),
    jitter_ms: numberIn(0, 500, 'ms'),
    bottleneck: oneOf(['shaper', 'in-page']),
    seed: integerIn(0, 4294967295, ''),
    controller: oneOf(['gcc', 'native']),
    preset: oneOf(vocabulary.presets),
    mode: oneOf(['control', 'cap', 'observe']),
    min_bps: numberIn(1000, 1e8, 'bits per second'),
    max_bps: numberIn(1000, 1e8, 'bits per second'),
    start_bps: numberIn(1000, 1e8, 'bits per second'),
    source: oneOf(['synthetic', 'camera']),
    key_frame_interval_s: numberIn(0, 3600, 's (0: only when the encoder wants one)'),
    duration_s: numberIn(0, 86400, 's (0: until you press Stop)'),
    room: v.pipe(v.string(), v.regex(/^[\w-]{0,64}$/, 'up to 64 letters, digits, - or _')),
    role: oneOf(['loopback', 'send', 'receive']),
    autostart: flag,
    window_s: numberIn(1, 3600, 's'),
    from_s: numberIn(-3600, 86400, 's'),
    paused: flag,
    hide: words,
    theme: oneOf(['auto', 'dark', 'light']),
  };
}

type Entries = ReturnType<typeof entries>;

/** The page's state, parsed. `set` holds controller parameters that differ from the preset. */
export type AppState = { [K in keyof Entries]: v.InferOutput<Entries[K]> } & {
  set: Readonly<Record<string, number>>;
};

/** What an empty URL means. `from_s` matters only while `paused`. */
export const DEFAULT_STATE: AppState = {
  capacity: '1mbps',
  queue: 'droptail:300ms',
  rtt_ms: 50,
  loss: 0,
  jitter_ms: 0,
  bottleneck: 'shaper',
  seed: 1,
  controller: 'gcc',
  preset: 'gcc-live',
  mode: 'control',
  min_bps: 50_000,
  max_bps: 2_500_000,
  start_bps: 300_000,
  source: 'synthetic',
  key_frame_interval_s: 0,
  duration_s: 0,
  room: '',
  role: 'loopback',
  autostart: false,
  window_s: 30,
  from_s: 0,
  paused: false,
  hide: [],
  theme: 'auto',
  set: {},
};

const SET_PREFIX = 'set.';

function parameterSchema(vocabulary: Vocabulary, name: string) {
  const range = vocabulary.parameters.find((parameter) => parameter.name === name);
  return range && numberIn(range.min, range.max, '');
}

/** Checks a single value as text. Returns the parsed value, or what was expected. */
export function checkField<K extends keyof Entries>(
  vocabulary: Vocabulary,
  field: K,
  text: string,
): { ok: true; value: AppState[K] } | { ok: false; expected: string } {
  const result = v.safeParse(entries(vocabulary)[field], text);
  // The entries' output types are AppState's by construction; TypeScript cannot follow the index.
  if (result.success) return { ok: true, value: result.output as AppState[K] };
  return { ok: false, expected: result.issues[0].message };
}

/** Reads a URL's query. Never throws: what does not fit becomes the default and a problem. */
export function parseState(
  query: string,
  vocabulary: Vocabulary,
): { state: AppState; problems: StateProblem[] } {
  const known = entries(vocabulary);
  const problems: StateProblem[] = [];
  const changes: Record<string, unknown> = {};
  const set: Record<string, number> = {};
  for (const [field, got] of new URLSearchParams(query)) {
    const isParameter = field.startsWith(SET_PREFIX);
    const name = isParameter ? field.slice(SET_PREFIX.length) : field;
    const schema = isParameter
      ? parameterSchema(vocabulary, name)
      : Object.hasOwn(known, name) && known[name as keyof Entries];
    if (!schema) {
      problems.push({
        field,
        got,
        expected: isParameter ? 'a parameter of the controller' : 'a setting of this page',
      });
      continue;
    }
    const result = v.safeParse(schema, got);
    if (!result.success) problems.push({ field, got, expected: result.issues[0].message });
    else if (isParameter) set[name] = Number(result.output);
    else changes[name] = result.output;
  }
  const state: AppState = { ...DEFAULT_STATE, ...changes, set };
  return { state: orderBitrates(state, problems), problems };
}

/** Whether min ≤ start ≤ max. */
export function bitratesInOrder({ min_bps, start_bps, max_bps }: AppState): boolean {
  return min_bps <= start_bps && start_bps <= max_bps;
}

/** The bitrates in order, or the three defaults. */
function orderBitrates(state: AppState, problems: StateProblem[]): AppState {
  if (bitratesInOrder(state)) return state;
  const { min_bps, start_bps, max_bps } = state;
  const got = `${min_bps}, ${start_bps}, ${max_bps}`;
  problems.push({ field: 'min_bps, start_bps, max_bps', got, expected: 'three bitrates in ascending order' });
  const { min_bps: min, start_bps: start, max_bps: max } = DEFAULT_STATE;
  return { ...state, min_bps: min, start_bps: start, max_bps: max };
}

const asText = (value: AppState[keyof Entries]): string => {
  if (typeof value === 'boolean') return value ? '1' : '0';
  return Array.isArray(value) ? value.join(',') : String(value);
};

/** Writes what differs from the defaults, so that links stay short. */
export function serialiseState(state: AppState): string {
  const query = new URLSearchParams();
  for (const [field, fallback] of Object.entries(DEFAULT_STATE)) {
    if (field === 'set') continue;
    const key = field as keyof Entries;
    const text = asText(state[key]);
    if (text !== asText(fallback as AppState[keyof Entries])) query.set(field, text);
  }
  for (const [name, value] of Object.entries(state.set)) query.set(`${SET_PREFIX}${name}`, String(value));
  return query.toString().replaceAll('%2C', ',').replaceAll('%3A', ':').replaceAll('%40', '@');
}
