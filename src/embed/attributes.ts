/** Reads the element's attributes. */
import type { CellParams } from '../scenario/cells.js';
import { ConfigError, shown } from '../text/quantities.js';
import { orMeant } from '../text/suggest.js';
import type { ChartName, ThemeName } from './public.js';

/** The possible names in the attribute `charts`, with the ids of the charts that each name stands for. */
export const CHART_BOARDS: Readonly<Record<ChartName, readonly string[]>> = {
  rate: ['rates'],
  delay: ['delays'],
  loss: ['losses'],
  controller: ['control'],
  detector: ['detector', 'nada', 'lcc'],
  states: ['states'],
};
const CHART_NAMES = Object.keys(CHART_BOARDS) as readonly ChartName[];

const THEME_NAMES: readonly ThemeName[] = ['auto', 'dark', 'light'];

/** The texts of the attributes; null for an absent attribute. */
export type Attributes = Readonly<Record<(typeof ATTRIBUTES)[number], string | null>>;
export const ATTRIBUTES = ['scenario', 'src', 'cell', 'seed', 'charts', 'flow', 'theme', 'lab'] as const;

/** The scenario or the recording that is drawn. */
export type Source =
  | { kind: 'shipped'; id: string }
  | { kind: 'scenario'; url: string }
  | { kind: 'inline'; text: string }
  | { kind: 'trace'; url: string };

export interface Choices {
  source: Source;
  cell: CellParams;
  /** The seed of the run. If null, the scenario's own seed is used. */
  seed: number | null;
  charts: readonly ChartName[];
  /** The flow whose controller is shown. If empty, the first flow that has a controller is shown. */
  flow: string;
  /** The address of the app. The view links to the Lab of this app. If null, there is no link. */
  lab: string | null;
}

const DEFAULT_CHARTS: readonly ChartName[] = ['rate', 'delay'];
const ID = /^[\w.-]{1,64}$/;
const LARGEST_SEED = 2 ** 52;
/** The longest attribute that is accepted; a longer one is surely a mistake. */
const LONGEST = 1000;

/**
 * Reads the attributes. `inline` is the text of a scenario inside the element; `base` is the page's address. Returns
 * null if neither the attributes nor `inline` name anything to draw. Throws a ConfigError that names the wrong
 * attribute.
 */
export function readAttributes(given: Attributes, inline: string | null, base: string): Choices | null {
  for (const name of ATTRIBUTES) {
    if ((given[name]?.length ?? 0) > LONGEST)
      throw new ConfigError(name, `at most ${LONGEST} characters`, `${given[name]?.length}`, 'shorten it');
  }
  const source = sourceOf(given, inline, base);
  if (source === null) return null;
  themeOf(given.theme);
  return {
    source,
    cell: cellOf(given.cell ?? ''),
    seed: given.seed === null ? null : seedOf(given.seed),
    charts: chartsOf(given.charts ?? ''),
    flow: given.flow ?? '',
    lab: given.lab === null ? null : addressOf('lab', given.lab, base),
  };
}

function sourceOf({ scenario, src }: Attributes, inline: string | null, base: string): Source | null {
  if (src !== null) {
    if (scenario !== null)
      throw new ConfigError('src', 'a scenario or a recording', 'both', 'remove scenario or src');
    return { kind: 'trace', url: addressOf('src', src, base) };
  }
  if (scenario !== null) {
    if (ID.test(scenario) && !scenario.endsWith('.json')) return { kind: 'shipped', id: scenario };
    return { kind: 'scenario', url: addressOf('scenario', scenario, base) };
  }
  return inline === null ? null : { kind: 'inline', text: inline };
}

const ADDRESS = 'an address that begins with http:, https: or blob:, or one relative to the page';

function addressOf(name: string, text: string, base: string): string {
  const url = text.trim() !== '' && URL.canParse(text, base) ? new URL(text, base) : null;
  if (url === null || !/^(https?|blob):$/.test(url.protocol))
    throw new ConfigError(name, ADDRESS, shown(text), 'correct the address');
  return url.href;
}

function cellOf(text: string): CellParams {
  const parts = text.split(',').filter((part) => part.trim() !== '');
  return Object.fromEntries(
    parts.map((part) => {
      const [, axis, value] = /^\s*([\w.-]+)\s*=\s*([\w.-]*)\s*$/.exec(part) ?? [];
      if (axis === undefined || value === undefined)
        throw new ConfigError(
          'cell',
          'axis=value pairs separated by commas, such as queue=codel',
          shown(part),
          'write axis=value',
        );
      return [axis, value];
    }),
  );
}

function seedOf(text: string): number {
  const seed = /^\d+$/.test(text.trim()) ? Number(text) : NaN;
  if (!(seed <= LARGEST_SEED))
    throw new ConfigError('seed', 'a whole number from 0 to 2^52', shown(text), 'use a number such as 1');
  return seed;
}

function chartsOf(text: string): readonly ChartName[] {
  const words = text.split(',').flatMap((word) => (word.trim() === '' ? [] : [word.trim()]));
  const isChart = (word: string): word is ChartName => CHART_NAMES.some((name) => name === word);
  const charts = words.filter(isChart);
  const wrong = words.find((word) => !isChart(word));
  if (wrong !== undefined) {
    const expected = orMeant(`some of ${CHART_NAMES.join(', ')}`, wrong, CHART_NAMES);
    throw new ConfigError('charts', expected, shown(wrong), 'list the charts, separated by commas');
  }
  return charts.length > 0 ? charts : DEFAULT_CHARTS;
}

/** The theme that an attribute names. Throws ConfigError for another name. */
export function themeOf(text: string | null): ThemeName {
  const theme = text === null || text === '' ? 'auto' : THEME_NAMES.find((name) => name === text);
  if (theme !== undefined) return theme;
  throw new ConfigError('theme', THEME_NAMES.join(', '), shown(text), 'use one of these');
}
