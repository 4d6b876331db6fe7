/**
 * The Lab's state. All of it is in the URL, so a link reproduces the view, including the seed. An invalid value is
 * replaced with the default, and a problem reports the field and the expected form.
 */
import * as v from 'valibot';

import { PRESET_NAMES } from './controller_choice.js';
import { flag, integerIn, numberIn, oneOf, words, type StateProblem } from '../url_fields.js';

const name = v.pipe(v.string(), v.regex(/^[\w.-]{0,64}$/, 'up to 64 letters, digits, ., - or _'));
const MAX_S = 1e6;
const MAX_SWEPT = 1e12;

const entries = {
  scenario: name,
  controller: oneOf(['', ...PRESET_NAMES]),
  seed: integerIn(0, 2 ** 52, ''),
  run: flag,
  flow: name,
  draw: v.pipe(
    v.string(),
    v.regex(/^[\w.,-]*$/, 'names of flows joined by commas'),
    v.transform((text) => text.split(',').filter((word) => word !== '')),
  ),
  packets: flag,
  inside: flag,
  at_s: numberIn(0, MAX_S, 's'),
  sweep: v.pipe(v.string(), v.regex(/^[\w.-]{0,200}$/, 'the name of a setting that can be swept')),
  sweep_from: numberIn(-MAX_SWEPT, MAX_SWEPT, ''),
  sweep_to: numberIn(-MAX_SWEPT, MAX_SWEPT, ''),
  window_s: numberIn(0, MAX_S, 's (0: all)'),
  // The charts can also be moved to times before the run, and these times are written into the address.
  from_s: numberIn(-MAX_S, MAX_S, 's'),
  hide: words,
  theme: oneOf(['auto', 'dark', 'light']),
};

type Entries = typeof entries;

export interface LabState {
  /**
   * Id of a listed scenario. If empty, the scenario in the address's fragment is shown, or else the Lab's
   * default scenario.
   */
  scenario: string;
  /**
   * The chosen value of each axis, by the name of the axis. The cell that has the most of these values is
   * used, or the first of several such cells.
   */
  cell: Readonly<Record<string, string>>;
  /** A preset for all media flows. If empty, the scenario's own presets apply. */
  controller: string;
  /** The seed of the run. If null, the scenario's own seed is used. */
  seed: number | null;
  /** Whether a run starts as soon as the page is opened, even if it is not quick to simulate. */
  run: boolean;
  /** The media flow whose controller is shown. If empty, the first media flow is used. */
  flow: string;
  /** The flows that are drawn. If empty, the first few flows are drawn. */
  draw: readonly string[];
  /** Whether every packet's arrival is recorded. */
  packets: boolean;
  /** Whether packets in transit, the state machine and the equations are shown. */
  inside: boolean;
  /** The moment at which the charts' cursor is held. If 0, it is not held. */
  at_s: number;
  /** The id of the setting whose sweep is shown, and its range. If empty, no sweep is shown. */
  sweep: string;
  sweep_from: number;
  sweep_to: number;
  /** The length of the visible time window. If 0, the whole run is visible. */
  window_s: number;
  from_s: number;
  hide: readonly string[];
  theme: 'auto' | 'dark' | 'light';
}

export const DEFAULT_LAB: LabState = {
  scenario: '',
  cell: {},
  controller: '',
  seed: null,
  run: false,
  flow: '',
  draw: [],
  packets: false,
  inside: false,
  at_s: 0,
  sweep: '',
  sweep_from: 0,
  sweep_to: 0,
  window_s: 0,
  from_s: 0,
  hide: [],
  theme: 'auto',
};

const CELL_PREFIX = 'cell.';

/** Reads a URL's query. Never throws. */
export function parseLab(query: string): { state: LabState; problems: StateProblem[] } {
  const problems: StateProblem[] = [];
  const changes: Record<string, unknown> = {};
  const cell: Record<string, string> = {};
  for (const [field, got] of new Map(new URLSearchParams(query))) {
    const isCell = field.startsWith(CELL_PREFIX);
    const schema = isCell ? name : Object.hasOwn(entries, field) && entries[field as keyof Entries];
    if (!schema) {
      problems.push({ field, got, expected: 'a setting of this page' });
      continue;
    }
    const result = v.safeParse(schema, got);
    if (!result.success) problems.push({ field, got, expected: result.issues[0].message });
    else if (isCell) cell[field.slice(CELL_PREFIX.length)] = got;
    else changes[field] = result.output;
  }
  return { state: { ...DEFAULT_LAB, ...changes, cell }, problems };
}

/** Returns a URL query with the settings that differ from the defaults. */
export function serialiseLab({ cell, ...state }: LabState): string {
  const query = new URLSearchParams();
  const text = (value: unknown): string => {
    if (typeof value === 'boolean') return value ? '1' : '0';
    return Array.isArray(value) ? value.join(',') : String(value);
  };
  if (state.scenario !== '') query.set('scenario', state.scenario);
  for (const [axis, value] of Object.entries(cell)) query.set(`${CELL_PREFIX}${axis}`, value);
  for (const [field, value] of Object.entries(state)) {
    const fallback = DEFAULT_LAB[field as keyof LabState];
    if (text(value) !== text(fallback)) query.set(field, text(value));
  }
  return query.toString().replaceAll('%2C', ',');
}
