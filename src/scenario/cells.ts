/**
 * The cells of a scenario: the combinations of the values of its axes, and the scenario that results for each
 * cell.
 */
import { ConfigError, shown } from '../text/quantities.js';
import { parseNetwork, SETTABLE, type Axis, type Scenario, type Selector } from './scenario.js';
import { didYouMean, near } from '../text/suggest.js';

/** Maps each axis to the name of its value. For an axis that is not in the map, the scenario's own settings apply. */
export type CellParams = Readonly<Record<string, string>>;

const axesOf = (scenario: Scenario): readonly Axis[] => scenario.axes ?? [];
const MAX_CELLS = 1000;
/** The most cells of a scenario with a surface: a map over two axes. */
const MAX_POINTS = 200_000;

/** The axis with this name. Throws ConfigError if there is none. */
export function axisOf(scenario: Scenario, name: string, field: string): Axis {
  const axis = axesOf(scenario).find((candidate) => candidate.name === name);
  if (axis !== undefined) return axis;
  const names = axesOf(scenario).map((candidate) => candidate.name);
  throw unknown(field, 'axis', name, names);
}

/**
 * The error for an unknown name. It lists all known names or, if there are many, only the most similar ones.
 * If no name is similar, it lists a few examples.
 */
export function unknown(field: string, what: string, name: string, names: readonly string[]): ConfigError {
  if (names.length === 0)
    return new ConfigError(field, `no ${what}, since the scenario has none`, shown(name), 'remove it');
  const nearest = near(name, names, 3);
  const shownNames =
    names.length <= MANY ? names : [...(nearest.length > 0 ? nearest : names.slice(0, FEW)), '…'];
  const expected = `the name of ${aOrAn(what)}: ${shownNames.join(', ')}`;
  const fix =
    nearest[0] === undefined
      ? names.length <= MANY
        ? 'use one of these'
        : 'see the scenario documentation for all names'
      : `did you mean ${nearest[0]}?`;
  return new ConfigError(field, expected, shown(name), fix);
}

/** A message lists all names only if there are at most this many. */
const MANY = 20;
/** The number of example names in a message. */
const FEW = 5;
const aOrAn = (what: string): string => `${/^[aeiou]/.test(what) ? 'an' : 'a'} ${what}`;

/** All cells, in the order of the axes' values. Without axes: a single cell without values. Throws ConfigError. */
export function cellsOf(scenario: Scenario): CellParams[] {
  const { cells = 'product' } = scenario;
  const all: Selector = Object.fromEntries(axesOf(scenario).map(({ name }) => [name, '*']));
  const entries = (cells === 'product' ? [all] : cells).map((entry, index) =>
    namedBy(scenario, entry, cells === 'product' ? 'axes' : `cells.${index}`),
  );
  // Counted before any cell is created, since a few lines of a scenario may describe more cells than fit into
  // memory.
  const count = entries.reduce((sum, axes) => sum + axes.reduce((n, { names }) => n * names.length, 1), 0);
  const most = scenario.surface === undefined ? MAX_CELLS : MAX_POINTS;
  if (count > most) {
    const fix = 'give the axes fewer values, or list fewer combinations in `cells`';
    throw new ConfigError('cells', `at most ${most} cells`, String(count), fix);
  }
  return entries.flatMap(expand);
}

/** The names of the values that an entry of the scenario's `cells` selects on one axis. */
interface NamedValues {
  axis: string;
  names: readonly string[];
}

function namedBy(scenario: Scenario, entry: Selector, field: string): NamedValues[] {
  checkSelector(scenario, entry, field);
  return axesOf(scenario).flatMap(({ name: axis, values }) => {
    const wanted = entry[axis];
    if (wanted === undefined) return [];
    const chosen = new Set([wanted].flat());
    const names = values.map(({ name }) => name);
    return [{ axis, names: wanted === '*' ? names : names.filter((name) => chosen.has(name)) }];
  });
}

const expand = (axes: readonly NamedValues[]): CellParams[] =>
  axes.reduce<CellParams[]>(
    (cells, { axis, names }) => cells.flatMap((cell) => names.map((name) => ({ ...cell, [axis]: name }))),
    [{}],
  );

/** Throws ConfigError if the selector names an axis or a value that does not exist. */
export function checkSelector(scenario: Scenario, selector: Selector, field: string): void {
  for (const [name, wanted] of Object.entries(selector)) {
    const axis = axisOf(scenario, name, `${field}.${name}`);
    const names = axis.values.map((value) => value.name);
    const known = new Set(names);
    for (const value of [wanted].flat()) {
      if (value !== '*' && !known.has(value)) throw unknown(`${field}.${name}`, 'value', value, names);
    }
  }
}

/** True if the selector matches the cell. */
export function selects(selector: Selector | undefined, cell: CellParams): boolean {
  return Object.entries(selector ?? {}).every(([axis, wanted]) => {
    const value = cell[axis];
    return value !== undefined && (wanted === '*' || [wanted].flat().includes(value));
  });
}

/** A label for a cell, such as `capacity 1mbps, queue codel`. Empty without axes. */
export function cellLabel(scenario: Scenario, cell: CellParams): string {
  return axesOf(scenario)
    .flatMap((axis) => {
      const value = axis.values.find(({ name }) => name === cell[axis.name]);
      return value === undefined ? [] : [`${axis.label ?? axis.name} ${value.label ?? value.name}`];
    })
    .join(', ');
}

/** The key that identifies a cell in maps and in the ids of scenarios: `capacity=1mbps,queue=codel`. */
export function cellKey(cell: CellParams): string {
  return Object.entries(cell)
    .map(([axis, value]) => `${axis}=${value}`)
    .join(',');
}

/**
 * Creates the scenario of one cell: the cell's values assign their settings, and then the overrides that
 * select the cell assign theirs. Throws ConfigError.
 */
export function instantiate(scenario: Scenario, cell: CellParams): Scenario {
  const copy: Record<string, unknown> = structuredClone(settableOf(scenario));
  const paths: string[] = [];
  for (const axis of axesOf(scenario)) {
    const name = cell[axis.name];
    if (name === undefined) continue;
    const index = axis.values.findIndex((value) => value.name === name);
    const field = `axes.${axis.name}`;
    const value = axis.values[index];
    if (value === undefined)
      throw unknown(
        field,
        'value',
        name,
        axis.values.map((each) => each.name),
      );
    for (const [path, assigned] of Object.entries(value.set)) {
      assign(copy, path, assigned, `${field}.${name}.set`);
      paths.push(path);
    }
  }
  for (const [i, { cells, set }] of (scenario.overrides ?? []).entries()) {
    if (!selects(cells, cell)) continue;
    for (const [path, assigned] of Object.entries(set)) {
      assign(copy, path, assigned, `overrides.${i}.set`);
      paths.push(path);
    }
  }
  if (scenario.backward === undefined && !paths.includes('backward')) keepUsualDelay(copy);
  const key = cellKey(cell);
  const id = key === '' ? scenario.id : `${scenario.id}[${key}]`;
  return { ...scenario, ...parseNetwork(copy, id) };
}

/**
 * Without `backward`, the way back has the delay of the way there. This still holds if the cell has only changed
 * another setting of the way back.
 */
function keepUsualDelay(copy: Record<string, unknown>): void {
  const { forward, backward } = copy as { forward?: unknown; backward?: unknown };
  if (typeof backward !== 'object' || backward === null || typeof forward !== 'object' || forward === null)
    return;
  const { one_way_delay_ms = 0 } = forward as Partial<Scenario['forward']>;
  copy['backward'] = { one_way_delay_ms, ...backward };
}

/** The fields that a cell may change. Only these must be copied, and checked again after the assignments. */
const settableOf = (scenario: Scenario): Partial<Scenario> =>
  Object.fromEntries(Object.entries(scenario).filter(([name]) => SETTABLE.includes(name)));

function assign(target: Record<string, unknown>, path: string, value: unknown, field: string): void {
  const segments = path.split('.');
  const root = segments[0] ?? '';
  if (!SETTABLE.includes(root)) {
    throw new ConfigError(
      `${field}.${path}`,
      `a path that begins with ${SETTABLE.join(', ')}`,
      shown(path),
      didYouMean(root, SETTABLE).trim() || 'write, for example, forward.capacity',
    );
  }
  let at: unknown = target;
  for (let depth = 0; depth < segments.length;) {
    const holder = container(at, `${field}.${path}`);
    const { key, length } = keyIn(holder, segments, depth, `${field}.${path}`);
    depth += length;
    if (depth === segments.length) holder[key] = value;
    else at = holder[key] ??= {};
  }
}

type Container = Record<string, unknown>;

function container(value: unknown, field: string): Container {
  if (typeof value === 'object' && value !== null) return value as Container;
  throw new ConfigError(field, 'a path to a setting', 'a path that continues past a value', 'shorten it');
}

/**
 * The key to which a dotted path leads at `depth`, and the number of its segments that stand for this key. In an
 * object, the key is the segment itself. In a list, it is the index of the element that the path names.
 */
function keyIn(
  holder: Container,
  segments: readonly string[],
  depth: number,
  field: string,
): { key: string; length: number } {
  const segment = segments[depth] ?? '';
  if (!Array.isArray(holder)) {
    if (!['__proto__', 'constructor', 'prototype'].includes(segment)) return { key: segment, length: 1 };
    throw new ConfigError(field, 'the name of a setting', shown(segment), 'correct the path');
  }
  const elements: readonly unknown[] = holder;
  const names = elements.map((element) => {
    const { name } = container(element, field);
    return typeof name === 'string' ? name : '';
  });
  const named = nameAtStart(segments.slice(depth).join('.'), names);
  if (named === undefined) throw unknown(field, 'flow or window', segment, names);
  return { key: String(names.indexOf(named)), length: named.split('.').length };
}

/**
 * The name with which a path begins. Names may contain dots, so several names may fit. The longest one is meant that
 * leaves a setting of the element: `a.b`, and not `a`, in `a.b.controller`. The whole path is a name only if no such
 * name fits.
 */
function nameAtStart(path: string, names: readonly string[]): string | undefined {
  const fitting = names.filter((name) => path.startsWith(`${name}.`));
  const [longest] = fitting.sort((a, b) => b.length - a.length);
  return longest ?? names.find((name) => name === path);
}
