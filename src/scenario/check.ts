/** Checks a scenario completely: its schema, its names, and its cells. */
import { TABLE_SPECS, tableSpec, type TableName } from '../core/schema.js';
import { axisOf, cellsOf, checkSelector, instantiate, selects, unknown, type CellParams } from './cells.js';
import { checkCell } from './check_cell.js';
import { ConfigError, shown } from '../text/quantities.js';
import { measuredOf } from './measured.js';
import { METRICS, quantityKey, relation } from './metrics.js';
import {
  parseForm,
  type Claim,
  type Comparison,
  type Expectation,
  type Picture,
  type Quantity,
  type Scenario,
  type SurfaceSpec,
} from './scenario.js';

/**
 * Checks a scenario from an untrusted source: its schema and units, the names of flows, windows, axes, metrics
 * and claims, and whether its cells can be compiled. Throws ConfigError with the path of the first error.
 */
export function parseScenario(input: unknown, at = 'scenario'): Scenario {
  const scenario = parseForm(input, at);
  checkNames(scenario, at);
  for (const [i, { cells }] of (scenario.overrides ?? []).entries()) {
    checkSelector(scenario, cells, `${at}.overrides.${i}.cells`);
  }
  const cells = cellsOf(scenario);
  const checked = new Set<string>();
  for (const cell of cells) if (isChecked(scenario, cell)) checkCell(instantiate(scenario, cell), checked);
  for (const [i, expectation] of (scenario.expectations ?? []).entries()) {
    const field = `${at}.expectations.${i}`;
    checkQuantity(scenario, measuredOf(expectation), field);
    checkAgainst(scenario, expectation, `${field}.against`);
    checkSelector(scenario, expectation.cells ?? {}, `${field}.cells`);
    checkBand(expectation.band, expectation.published, field);
    const { note = [] } = expectation;
    if (typeof note !== 'string')
      for (const [j, { cells }] of note.entries()) checkSelector(scenario, cells, `${field}.note.${j}.cells`);
    checkSupported(scenario, expectation, `${field}.claims`);
    if (!cells.some((cell) => selects(expectation.cells, cell))) {
      throw new ConfigError(
        `${field}.cells`,
        'the values of an existing cell',
        'a combination that no cell has',
        'correct the values',
      );
    }
  }
  for (const [i, quantity] of (scenario.metrics ?? []).entries()) {
    checkQuantity(scenario, quantity, `${at}.metrics.${i}`);
  }
  for (const [i, claim] of (scenario.claims ?? []).entries())
    checkClaim(scenario, claim, `${at}.claims.${i}`);
  for (const [i, picture] of (scenario.pictures ?? []).entries()) {
    checkPicture(scenario, picture, `${at}.pictures.${i}`);
  }
  if (scenario.comparison !== undefined) checkComparison(scenario, scenario.comparison, `${at}.comparison`);
  if (scenario.surface !== undefined) checkSurface(scenario, scenario.surface, `${at}.surface`);
  return scenario;
}

/**
 * Whether a cell must be checked. Along a logarithmic axis only one number varies. If the first and the last
 * value are within the limits, all values between them are. So only the cells with the first or last value
 * are checked.
 */
const isChecked = (scenario: Scenario, cell: CellParams): boolean =>
  (scenario.axes ?? []).every(({ name, values, log }) => {
    const ends = [values[0]?.name, values.at(-1)?.name];
    return log === undefined || cell[name] === undefined || ends.includes(cell[name]);
  });

function checkSurface(scenario: Scenario, surface: SurfaceSpec, at: string): void {
  checkQuantity(scenario, surface, at);
  const [x, y] = [axisOf(scenario, surface.x, `${at}.x`), axisOf(scenario, surface.y, `${at}.y`)];
  axisOf(scenario, surface.over, `${at}.over`);
  for (const [name, axis] of [
    ['x', x],
    ['y', y],
  ] as const) {
    if (axis.log === undefined)
      throw new ConfigError(`${at}.${name}`, 'an axis with `log`', axis.name, 'add `log` to this axis');
  }
  if (surface.published === undefined && surface.slopes.length > 0)
    throw new ConfigError(
      `${at}.slopes`,
      'none without a published point, since slopes are judged around it',
      `${surface.slopes.length}`,
      'add `published`, or remove the slopes',
    );
  const isSame =
    x.values.length === y.values.length && x.values.every(({ at: a }, i) => a === y.values[i]?.at);
  const isMirrored = surface.slopes.some(({ kind }) => kind === 'higher-where-x-is-larger');
  if (isMirrored && !isSame)
    throw new ConfigError(
      `${at}.slopes`,
      'the same values on axes x and y, since (a, b) is compared with (b, a)',
      'different values',
      'give both axes the same `log`',
    );
}

/**
 * Checks that each claim of an expectation exists and is about the same quantity as the expectation. A claim
 * about another quantity is no evidence for the expected number.
 */
function checkSupported(scenario: Scenario, expectation: Expectation, at: string): void {
  const claims = scenario.claims ?? [];
  const key = quantityKey(measuredOf(expectation));
  for (const id of expectation.claims ?? []) {
    const claim = claims.find((each) => each.id === id);
    if (claim === undefined) {
      throw unknown(
        at,
        'claim',
        id,
        claims.map((each) => each.id),
      );
    }
    if (quantityKey(claim) === key) continue;
    const expected = `a claim about ${expectation.metric} with the flow, window and path of this expectation`;
    const fix = 'choose another claim, or remove this one';
    throw new ConfigError(at, expected, `${id}, which differs in one of these`, fix);
  }
}

function checkAgainst(scenario: Scenario, { metric, against }: Expectation, at: string): void {
  if (relation(metric) !== null) {
    if (against === undefined) throw new ConfigError(at, 'the cell to compare with', 'nothing', 'add it');
    checkSelector(scenario, against, at);
  } else if (against !== undefined) {
    const expected = `no cell to compare with, since ${metric} measures a single cell`;
    throw new ConfigError(at, expected, 'one', 'remove it');
  }
}

function checkComparison(scenario: Scenario, { along, quantities }: Comparison, at: string): void {
  axisOf(scenario, along, `${at}.along`);
  for (const [i, quantity] of quantities.entries())
    checkQuantity(scenario, quantity, `${at}.quantities.${i}`);
  const columns = quantities.map(({ column }) => column);
  const twice = repeated(columns);
  if (twice !== undefined)
    throw new ConfigError(
      `${at}.quantities`,
      'each column name once',
      `${shown(twice)} twice`,
      'rename one of them',
    );
}

/** The first name that occurs twice. */
function repeated(names: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return names.find((name) => seen.size === seen.add(name).size);
}

function checkNames(scenario: Scenario, at: string): void {
  const distinct = (names: readonly string[], field: string): void => {
    const twice = repeated(names);
    if (twice !== undefined)
      throw new ConfigError(field, 'each name once', `${shown(twice)} twice`, 'rename one of them');
  };
  distinct(
    scenario.flows.map(({ name }) => name),
    `${at}.flows`,
  );
  distinct(['run', ...(scenario.windows ?? []).map(({ name }) => name)], `${at}.windows`);
  distinct(
    (scenario.axes ?? []).map(({ name }) => name),
    `${at}.axes`,
  );
  distinct(
    (scenario.claims ?? []).map(({ id }) => id),
    `${at}.claims`,
  );
  for (const { name, values } of scenario.axes ?? []) {
    distinct(
      values.map((value) => value.name),
      `${at}.axes.${name}`,
    );
  }
}

function checkQuantity(scenario: Scenario, quantity: Quantity, field: string): void {
  const { metric, flow, window } = quantity;
  if (!METRICS.has(metric)) throw unknown(`${field}.metric`, 'metric', metric, [...METRICS.keys()]);
  if (relation(metric) !== null)
    throw new ConfigError(
      `${field}.metric`,
      'a metric of a single cell',
      shown(metric),
      'use this metric only in expectations',
    );
  checkFlow(scenario, flow, field);
  const windows = ['run', ...(scenario.windows ?? []).map(({ name }) => name)];
  if (window !== undefined && !windows.includes(window)) {
    throw unknown(`${field}.window`, 'window', window, windows);
  }
}

function checkFlow(scenario: Scenario, flow: string | undefined, field: string): void {
  const flows = scenario.flows.map(({ name }) => name);
  if (flow !== undefined && flow !== '*' && !flows.includes(flow)) {
    throw unknown(`${field}.flow`, 'flow', flow, flows);
  }
}

function checkBand([low, high]: readonly [number, number], published: number, field: string): void {
  if (low <= published && published <= high) return;
  const expected = `a band that contains the published value ${published}`;
  throw new ConfigError(`${field}.band`, expected, `${low} to ${high}`, 'correct this band');
}

function checkClaim(scenario: Scenario, claim: Claim, field: string): void {
  checkQuantity(scenario, claim, field);
  checkSelector(scenario, claim.cells ?? {}, `${field}.cells`);
  if (claim.kind === 'monotone') {
    axisOf(scenario, claim.along, `${field}.along`);
    return;
  }
  const { than } = claim;
  if (typeof than === 'number') return;
  checkQuantity(scenario, { ...than, metric: than.metric ?? claim.metric }, `${field}.than`);
  checkSelector(scenario, than.cell ?? {}, `${field}.than.cell`);
}

function checkPicture(scenario: Scenario, picture: Picture, field: string): void {
  checkSelector(scenario, picture.cells ?? {}, `${field}.cells`);
  switch (picture.kind) {
    case 'bars':
    case 'lines':
      checkQuantity(scenario, picture, field);
      axisOf(scenario, picture.kind === 'bars' ? picture.group_by : picture.x, field);
      if (picture.series !== undefined) axisOf(scenario, picture.series, `${field}.series`);
      return;
    case 'boxes':
      checkFlow(scenario, picture.flow, field);
      axisOf(scenario, picture.group_by, `${field}.group_by`);
      if (picture.series !== undefined) axisOf(scenario, picture.series, `${field}.series`);
      return;
    case 'density':
      checkFlow(scenario, picture.flow, field);
      return;
    case 'cdf':
    case 'kernel_density':
      checkFlow(scenario, picture.flow, field);
      checkColumn(picture.table, picture.column, field);
      return;
    case 'time_series':
      for (const [i, line] of picture.panels.flatMap(({ lines }) => lines).entries()) {
        checkFlow(scenario, line.flow, `${field}.lines.${i}`);
        checkColumn(line.table, line.column, `${field}.lines.${i}`);
      }
  }
}

function checkColumn(table: string, column: string, field: string): void {
  const tables = TABLE_SPECS.map(({ name }) => name);
  const known = tables.find((name) => name === table);
  if (known === undefined) throw unknown(`${field}.table`, 'table', table, tables);
  const columns = tableSpec(known).columns.map(({ name }) => name);
  if (!columns.includes(column)) throw unknown(`${field}.column`, 'column', column, columns);
}

/** The trace tables that the scenario's figures need from the first run of each cell. */
export function picturedTables(scenario: Scenario): TableName[] {
  const columns = (scenario.pictures ?? []).flatMap((picture) => {
    if (picture.kind === 'cdf' || picture.kind === 'kernel_density') return [picture.table];
    if (picture.kind === 'time_series')
      return picture.panels.flatMap(({ lines }) => lines.map(({ table }) => table));
    return [];
  });
  return TABLE_SPECS.map(({ name }) => name).filter((name) => columns.includes(name));
}
