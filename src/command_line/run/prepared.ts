/** Scenarios as a command line changes them: settings, selected cells and controllers. */
import { authorsFlows } from '../../scenario/chosen_controller.js';
import { checkSelector } from '../../scenario/cells.js';
import {
  cellsOf,
  ConfigError,
  parseScenario,
  selects,
  type CellParams,
  type Scenario,
} from '../../scenario/index.js';
import { withoutPublished } from '../../scenario/published_scope.js';
import { didYouMean } from '../../text/suggest.js';
import { UsageError } from '../../text/errors.js';
import type { RequestedController } from '../controllers/controllers.js';

export type CellChoice = Record<string, string[]>;
export type Settings = Record<string, unknown>;

/** Adds the value of one `--cell`. */
export function cellArgument(text: string, before: CellChoice): CellChoice {
  const [axis, value] = parts(text, '--cell: expected axis=value');
  return { ...before, [axis]: [...(before[axis] ?? []), value] };
}

/** Adds the value of one `--set`: JSON, or a text without quotation marks. */
export function settingArgument(text: string, before: Settings): Settings {
  const [path, value] = parts(text, '--set: expected path=value, such as forward.queue=codel');
  return { ...before, [path]: valueOf(value) };
}

function parts(text: string, expected: string): [name: string, value: string] {
  const [, name, value] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new UsageError(`${expected}, got ${text}`);
  return [name, value];
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The cells that `--cell` selects. Throws UsageError if there is none. */
export function chosenCells(scenario: Scenario, choice: CellChoice): readonly CellParams[] {
  try {
    checkSelector(scenario, choice, '--cell');
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.message);
    throw error;
  }
  const cells = cellsOf(scenario).filter((cell) => selects(choice, cell));
  if (cells.length > 0) return cells;
  throw new UsageError(
    '--cell: no cell of the scenario has all of these values; correct or remove one of them',
  );
}

/** The scenario without the expectations that compare a cell in `cells` with a cell outside `cells`. */
export function withinCells(scenario: Scenario, cells: readonly CellParams[]): Scenario {
  const { expectations = [] } = scenario;
  const kept = expectations.filter(
    ({ cells: of, against }) =>
      against === undefined ||
      cells
        .filter((cell) => selects(of, cell))
        .every((cell) => cells.some((other) => selects({ ...cell, ...against }, other))),
  );
  return kept.length === expectations.length ? scenario : { ...scenario, expectations: kept };
}

/**
 * The scenario with these settings in all of its cells. If any setting or controller is given, the published
 * values are left out. The controllers themselves are not part of the result. Throws UsageError.
 */
export function prepared(
  scenario: Scenario,
  settings: Settings,
  controllers: readonly RequestedController[],
): Scenario {
  checkFlows(scenario, controllers);
  const changes = [...settingsText(settings), ...controllersText(controllers)];
  const changed = changes.length === 0 ? scenario : withoutPublished(scenario, changes.join(' '));
  return withAuthors(withSettings(changed, settings), controllers);
}

function settingsText(settings: Settings): string[] {
  const set = Object.entries(settings).map(
    ([path, value]) => `${path} to ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return set.length === 0 ? [] : [`--set changed ${set.join(', ')}.`];
}

function controllersText(controllers: readonly RequestedController[]): string[] {
  const placed = controllers.map(({ flow, controller }) => {
    const name = typeof controller === 'string' ? controller : controller.name;
    return `${name} for ${flow ?? (controllers.length > 1 ? 'the other calls' : 'all calls')}`;
  });
  return placed.length === 0 ? [] : [`--controller put in charge ${placed.join(', ')}.`];
}

function withSettings(scenario: Scenario, settings: Settings): Scenario {
  if (Object.keys(settings).length === 0) return scenario;
  const overrides = [...(scenario.overrides ?? []), { cells: {}, set: settings }];
  try {
    return parseScenario({ ...scenario, overrides }, scenario.id);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const { field, expected, got, fix } = error;
    const at = field.replace(/^overrides\.\d+\.set\./, '');
    throw new UsageError(`--set: ${at}: expected ${expected}, got ${got}; ${fix}`);
  }
}

/** Throws UsageError if a controller is requested for a flow that is not a call of the scenario. */
function checkFlows({ id, flows }: Scenario, controllers: readonly RequestedController[]): void {
  const names = flows.flatMap(({ kind, name }) => (kind === 'media' ? [name] : []));
  for (const { flow } of controllers) {
    if (flow === undefined || names.includes(flow)) continue;
    const expected =
      names.length === 0
        ? `no call name, since the scenario ${id} has no calls`
        : `the name of a call of ${id} (${names.join(', ')})`;
    throw new UsageError(`--controller: expected ${expected}; got ${flow}.${didYouMean(flow, names)}`);
  }
}

/**
 * Adds a note for each flow whose author used a controller file of their own, which the scenario does not
 * contain. A flow for which a controller is requested gets no note.
 */
export function withAuthors(scenario: Scenario, controllers: readonly RequestedController[]): Scenario {
  const missing = authorsFlows(scenario).filter(
    ({ flow }) => !controllers.some((each) => each.flow === undefined || each.flow === flow),
  );
  if (missing.length === 0) return scenario;
  const notes = missing.map(
    ({ flow, file, instead }) =>
      `The flow ${flow} was made with a controller of its author, ${file}, which a scenario does not contain. ` +
      `${instead} takes its place; \`ccscope run --controller ${flow}=FILE\` gives the same run.`,
  );
  return { ...scenario, notes: [...(scenario.notes ?? []), ...notes] };
}
