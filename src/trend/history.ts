/**
 * The history for trends: a folder with one file for each test run. A file contains the metrics of the run's
 * calls.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import * as v from 'valibot';

import { list, number, record, text } from '../text/form.js';
import { parseJson } from '../text/json_text.js';
import { ConfigError } from '../text/quantities.js';
import { parsed } from '../scenario/scenario.js';
import { systemCode, UsageError } from '../text/errors.js';
import { PROPERTY_NAMES } from '../evidence/properties.js';

const MOST_CALLS = 100_000;

const callSchema = record({
  /** The file of the test, relative to the folder of the tests. Earlier versions did not store it. */
  file: v.optional(v.string('the file of a test')),
  /** The title of the test, for example `describe › test`. */
  test: text('the title of a test'),
  /** The name of Playwright's project; empty if the project has no name. */
  project: v.string('the name of a project'),
  /**
   * The number of the call, counted from 1, in a test that repeats its call (the fixture `repeat`). Null for a test
   * with one call.
   */
  run: v.nullable(v.pipe(number, v.integer('a whole number'))),
  /** The initial settings of the link. */
  network: v.string('a network'),
  backend: v.string('shaper or devtools'),
  outcome: v.picklist(['passed', 'failed'], 'passed or failed'),
  /**
   * The call's numbers by their names in `PROPERTIES`; a ratio is between 0 and 1. Unknown values are
   * omitted.
   */
  metrics: record(Object.fromEntries(PROPERTY_NAMES.map((name) => [name, v.optional(number)]))),
});

const runSchema = record({
  ccscope_history: v.literal(1, '1, the version of this format'),
  /** The version of ccscope. */
  ccscope: v.string('a version'),
  /** When the run began. */
  created: v.pipe(v.string('a time'), v.isoTimestamp('a time such as 2026-01-31T12:00:00.000Z')),
  commit: v.nullable(v.string('a commit')),
  outcome: v.picklist(['passed', 'failed'], 'passed or failed'),
  calls: list(callSchema, 'calls', MOST_CALLS),
});

export type HistoryRun = v.InferOutput<typeof runSchema>;
export type HistoryCall = HistoryRun['calls'][number];

/** Adds a run to the folder, and creates the folder if necessary. */
export function appendRun(folder: string, run: HistoryRun): void {
  mkdirSync(folder, { recursive: true });
  const name = [run.created.replace(/[:.]/g, '-'), ...(run.commit === null ? [] : [run.commit.slice(0, 8)])];
  writeFileSync(join(folder, `${name.join('-')}.json`), `${JSON.stringify(run, null, 1)}\n`);
}

function readRun(path: string): HistoryRun {
  try {
    return parsed(runSchema, parseJson(readFileSync(path, 'utf8'), path), path);
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.message);
    throw new UsageError(`${path}: cannot be read (${systemCode(error) ?? 'unknown error'})`);
  }
}

/** The files of the runs in a folder. Throws UsageError if the folder cannot be read. */
export function historyFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => join(folder, name));
  } catch (error) {
    throw new UsageError(
      `${folder}: cannot be read (${systemCode(error) ?? 'unknown error'}); give the folder of the recorded test runs`,
    );
  }
}

/**
 * All runs of a folder, oldest first. Throws UsageError if the folder or one of its files is invalid; the message
 * names the file and the field.
 */
export function readHistory(folder: string): HistoryRun[] {
  return historyFiles(folder)
    .map(readRun)
    .sort((a, b) => Date.parse(a.created) - Date.parse(b.created));
}
