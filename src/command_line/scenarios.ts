/** Reads scenarios: those of the package's registry by id, and the user's own by file name. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { atFullSize, ConfigError, isInlineTrace, parseScenario, type Scenario } from '../scenario/index.js';
import { hasPublished, isCopyOf, withOwnPublished, type Published } from '../scenario/published_scope.js';
import { parseJson } from '../text/json_text.js';
import { didYouMean } from '../text/suggest.js';
import { systemCode, UsageError } from '../text/errors.js';
import type { InputFile } from './io.js';

/** The package's data folder, relative to the TypeScript sources and to the compiled library. */
const PUBLIC = ['../../public/', '../../../public/'];

/** A folder of data that comes with the package. */
export type PublicFolder = 'scenarios' | 'matrices';

export function publicFolder(name: PublicFolder): string {
  const folder = PUBLIC.map((path) => fileURLToPath(new URL(`${path}${name}/`, import.meta.url))).find(
    (path) => existsSync(path),
  );
  if (folder === undefined)
    throw new Error(`the folder public/${name} of ccscope is missing; reinstall ccscope`);
  return folder;
}

export const registryFolder = (): string => publicFolder('scenarios');

/** The ids of all scenarios in the registry. Numbers in ids sort by value: fig2 before fig10. */
export const registryIds = (): string[] => namesIn('scenarios');

/** The names of the JSON files in a folder, without `.json`. Numbers in names sort by value. */
export function namesIn(folder: PublicFolder): string[] {
  return readdirSync(publicFolder(folder))
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

interface ReadOptions {
  full?: boolean;
  onRead?: (file: InputFile) => void;
}

/**
 * Returns the scenario with this id, or the scenario in this file. For a changed copy of a paper's experiment, the
 * published results are left out. With `full`, a logarithmic axis has as many values as in a full run. `onRead` is
 * called with the scenario's file and with the files that it names. Throws a UsageError that says where the error is.
 */
export function readScenario(
  idOrFile: string,
  { full = false, onRead = () => undefined }: ReadOptions = {},
): Scenario {
  const ids = registryIds();
  const isId = ids.includes(idOrFile);
  const file = isId ? join(registryFolder(), `${idOrFile}.json`) : idOrFile;
  const text = readText(file, () => {
    if (/[/\\]|\.json$/i.test(idOrFile)) return `${idOrFile}: no such file`;
    const hint = didYouMean(idOrFile, ids) || ` The ids are ${ids.join(', ')}.`;
    return `${idOrFile}: neither the id of a scenario nor a file.${hint}`;
  });
  onRead({ what: 'scenario', path: file });
  try {
    const input = withTraces(parseJson(text, file), dirname(resolve(file)), onRead);
    const scenario = parseScenario(full ? atFullSize(input) : input, isId ? idOrFile : file);
    const isShipped = isId || dirname(resolve(file)) === resolve(registryFolder());
    return isShipped ? scenario : withoutOthersResults(scenario, full);
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.message);
    throw error;
  }
}

/** If the scenario is a changed copy of one in the registry, leaves out the paper's published results. */
function withoutOthersResults(scenario: Scenario, full: boolean): Scenario {
  if (!hasPublished(scenario)) return scenario;
  const originals = registryIds().filter((id) => {
    const file = join(registryFolder(), `${id}.json`);
    return isCopyOf(scenario, JSON.parse(readFileSync(file, 'utf8')) as Published);
  });
  return withOwnPublished(
    scenario,
    originals.map((id) => readScenario(id, { full })),
  );
}

/**
 * Reads a text file. Throws UsageError if the file cannot be read. If the file does not exist, the message is the
 * result of `absent`.
 */
export function readText(file: string, absent: () => string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT') throw new UsageError(absent());
    throw new UsageError(`${file}: cannot be read (${code ?? 'unknown error'})`);
  }
}

/**
 * Replaces the name of each trace file with the file's text. The names are relative to `folder`, the scenario's
 * folder.
 */
function withTraces(value: unknown, folder: string, onRead: (file: InputFile) => void): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => withTraces(each, folder, onRead));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, each]: [string, unknown]): [string, unknown] => {
    if (key !== 'mahimahi' || typeof each !== 'string' || isInlineTrace(each))
      return [key, withTraces(each, folder, onRead)];
    const file = resolve(folder, each);
    onRead({ what: 'trace', path: file });
    return [
      key,
      readText(file, () => `${file}: no such file; mahimahi takes the name of a trace, or its text`),
    ];
  });
  return Object.fromEntries(entries);
}
