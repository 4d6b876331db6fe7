/**
 * Reports on the calls of a test run: `reporter: [['list'], ['ccscope/playwright/reporter']]`. At the end it
 * prints a table of all calls. Options add annotations for GitHub Actions, limits for calls (budgets), and a
 * history for trends. The reporter reads only the annotations that ccscope's fixtures add to each test. So it
 * also works in `npx playwright merge-reports` after a sharded run.
 *
 * @module ccscope/playwright/reporter
 */
import { appendFileSync, existsSync } from 'node:fs';
import { resolve } from 'node:path';

import type { FullConfig, FullResult, Reporter, TestCase, TestResult } from '@playwright/test/reporter';
import * as v from 'valibot';

import { appendRun } from '../trend/history.js';
import { record } from '../text/form.js';
import { systemCode } from '../text/errors.js';
import { aligned } from '../text/terminal.js';
import { parsed } from '../scenario/scenario.js';
import { brokenRows, BUDGETS_FILE, checkBudgets, readBudgets, type BrokenLimit } from './report/budgets.js';
import { callsOf, lastCalls } from './report/calls.js';
import { commandOf, repositoryRoot, type Annotation } from './report/commands.js';
import { failureAnnotations } from './report/failures.js';
import { historyRun } from './report/history.js';
import { markdownRows, summaryMarkdown, summaryRow, summaryText } from './report/summary.js';
import { workersWarning } from './report/workers.js';

export interface ReporterOptions {
  /** A file to which the tables are appended in Markdown, for example the path in GITHUB_STEP_SUMMARY. */
  markdownFile?: string;
  /**
   * Whether to write GitHub Actions annotations for failures. Default `auto`: only if GITHUB_ACTIONS is `true`.
   */
  annotations?: boolean | 'auto';
  /**
   * A file with limits for calls (budgets), relative to the configuration. Default: `ccscope.budgets.json`, if
   * it exists.
   */
  budgets?: string;
  /** A folder, relative to the configuration. Each test run adds a file to it for `ccscope trend`. Default: none. */
  history?: string;
}

const file = v.optional(v.string('the path of a file'));
const optionsSchema = record({
  markdownFile: file,
  annotations: v.optional(v.union([v.boolean(), v.literal('auto')], "true, false or 'auto'"), 'auto'),
  budgets: v.optional(v.pipe(v.string('the path of a file'), v.nonEmpty('the path of a file'))),
  history: v.optional(v.pipe(v.string('the path of a folder'), v.nonEmpty('the path of a folder'))),
});

/**
 * What Playwright passes to every reporter: the folder of the configuration, and whether tests are run, listed or
 * merged.
 */
const playwrightSchema = v.object({
  configDir: v.optional(v.string(), process.cwd()),
  _mode: v.optional(v.string(), 'test'),
});

type Settings = v.InferOutput<typeof optionsSchema> & v.InferOutput<typeof playwrightSchema>;

/** Whether Playwright adds this option. It sets `onlyFailures` for all reporters when it only lists the tests. */
const isOfPlaywright = (name: string): boolean =>
  name.startsWith('_') || name === 'configDir' || name === 'onlyFailures';

function settingsOf(options: object): Settings {
  const at = 'ccscope/playwright/reporter';
  const ours = Object.entries(options).filter(([name]) => !isOfPlaywright(name));
  return {
    ...parsed(playwrightSchema, options, at),
    ...parsed(optionsSchema, Object.fromEntries(ours), at),
  };
}

export default class CallReporter implements Reporter {
  readonly #settings: Settings;
  readonly #budgets: ReturnType<typeof readBudgets>;
  readonly #annotates: boolean;
  readonly #rows: string[][] = [];
  readonly #tests = new Set<TestCase>();
  /** For each option whose file could not be written: what is wrong, and the fix. */
  readonly #unwritten = new Map<keyof ReporterOptions, string>();
  #root = '';

  /** @throws ConfigError if an option or the budgets file cannot be used */
  constructor(options: ReporterOptions = {}) {
    this.#settings = settingsOf(options);
    const { annotations, configDir, budgets } = this.#settings;
    this.#annotates = annotations === 'auto' ? process.env['GITHUB_ACTIONS'] === 'true' : annotations;
    const path = resolve(configDir, budgets ?? BUDGETS_FILE);
    this.#budgets = budgets !== undefined || existsSync(path) ? readBudgets(path) : [];
  }

  onBegin({ rootDir }: FullConfig): void {
    this.#root = repositoryRoot(rootDir);
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    this.#tests.add(test);
    for (const call of callsOf(test, result)) this.#rows.push(summaryRow(call, result));
  }

  onEnd(result: FullResult): Promise<{ status: FullResult['status'] } | undefined> {
    return Promise.resolve(this.#end(result));
  }

  /** False, since another reporter prints the results of the tests themselves. */
  printsToStdio(): boolean {
    return false;
  }

  /** @throws Error in `merge-reports` if a budget is broken, since this command fails only if a reporter throws */
  #end({ status, startTime }: FullResult): { status: FullResult['status'] } | undefined {
    const tests = [...this.#tests];
    if (tests.length === 0) return undefined;
    if (this.#rows.length > 0) this.#print(summaryText(this.#rows), summaryMarkdown(this.#rows));
    if (this.#annotates) this.#annotate(tests.flatMap(failureAnnotations));
    this.#warn(workersWarning(lastCalls(tests)));
    const broken = this.#judgeBudgets(tests);
    this.#remember(tests, startTime, status === 'passed' && !broken);
    for (const [option, text] of this.#unwritten) this.#warn(`${option}: ${text}`);
    if (!broken) return undefined;
    if (this.#settings._mode === 'merge')
      throw new Error('A call is outside its budget; see the table above.');
    return { status: status === 'passed' ? 'failed' : status };
  }

  #print(text: string, markdown: string): void {
    process.stdout.write(`\n${text}\n`);
    const { markdownFile } = this.#settings;
    if (markdownFile === undefined || markdownFile === '') return;
    this.#write('markdownFile', markdownFile, () => appendFileSync(markdownFile, markdown));
  }

  /**
   * A file that cannot be written becomes a warning at the end: it neither prevents the other outputs nor decides
   * whether the run passes.
   */
  #write(option: 'markdownFile' | 'history', path: string, write: () => void): void {
    try {
      write();
    } catch (error) {
      const code = systemCode(error);
      if (code === undefined) throw error;
      const what = option === 'history' ? 'folder' : 'file';
      const fix =
        code === 'ENOENT' ? 'create its folder' : `give the path of a ${what} that can be written to`;
      this.#unwritten.set(option, `${path} cannot be written (${code}); ${fix}`);
    }
  }

  #annotate(annotations: readonly Annotation[]): void {
    const commands = annotations.map((annotation) => `${commandOf(annotation, this.#root)}\n`);
    // GitHub recognises a workflow command only at the beginning of a line.
    if (commands.length > 0) process.stdout.write(`\n${commands.join('')}`);
  }

  #warn(text: string | null): void {
    if (text === null) return;
    if (this.#annotates) this.#annotate([{ level: 'warning', title: 'ccscope', text }]);
    else process.stdout.write(`\nWarning: ${text}\n`);
  }

  /** Whether a budget is broken. */
  #judgeBudgets(tests: readonly TestCase[]): boolean {
    const { broken, unmatched } = checkBudgets(this.#budgets, tests);
    for (const text of unmatched) this.#warn(`${text}.`);
    if (broken.length === 0) return false;
    const [head = [], ...rows] = brokenRows(broken);
    const table = aligned([head, ...rows], head.length).map((line) => `  ${line}`);
    this.#print(
      ['Broken budgets', ...table].join('\n'),
      `\n### Broken budgets\n\n${markdownRows([head, head.map(() => '-'), ...rows])}\n`,
    );
    if (this.#annotates) this.#annotate(broken.map(budgetAnnotation));
    return true;
  }

  #remember(tests: readonly TestCase[], startTime: Date, passed: boolean): void {
    const { history, configDir } = this.#settings;
    if (history === undefined || this.#rows.length === 0) return;
    const folder = resolve(configDir, history);
    const run = historyRun(tests, { startTime, passed, folder: configDir });
    this.#write('history', folder, () => appendRun(folder, run));
  }
}

const budgetAnnotation = ({ test, title, limit, allowed, got }: BrokenLimit): Annotation => ({
  level: 'error',
  title: `${title}: budget ${limit}`,
  text: `Expected: ${limit.replace(/_(min|max)$/, '')} ${allowed}\nReceived: ${got}`,
  location: test.location,
});
