import type { Command } from 'commander';

import { UsageError } from '../../text/errors.js';
import { checkOutputs, inTurn, writeJson, writeText, type Io } from '../io.js';
import { historyFiles, readHistory } from '../../trend/history.js';
import { trendHtml } from '../../trend/html.js';
import { trendText } from '../../trend/text.js';
import { trendOf } from '../../trend/trend.js';
import { numberArgument } from './link_options.js';

interface TrendFlags {
  last: number;
  json?: string;
  html?: string;
}

const HELP = `
FOLDER is what the option \`history\` of the reporter ccscope/playwright/reporter names: a file for each run.
Each test is compared with itself on the same network: the latest run with the median of those before it, and,
from three earlier runs on, with their range. Runs of \`repeat\` count as their median.
A number outside the earlier range is a result: the exit status is 0.`;

/** Adds `ccscope trend`. */
export function register(program: Command, io: Io): void {
  program
    .command('trend')
    .description('show how the calls of tests developed over the last runs')
    .argument('<folder>', 'the folder of runs')
    .option('--last <n>', 'how many runs', numberArgument(1, 10_000, { integer: true }), 20)
    .option('--json <file>', 'write the trend as JSON to a file, or to standard output with -')
    .option('--html <file>', 'write the trend as one page with charts')
    .addHelpText('after', HELP)
    .action((folder: string, flags: TrendFlags) => trend(folder, flags, io));
}

async function trend(folder: string, { last, json, html }: TrendFlags, io: Io): Promise<void> {
  if (html === '-') throw new UsageError('--html: expected a file, got -');
  checkOutputs(
    { '--json': json, '--html': html },
    historyFiles(folder).map((path) => ({ what: 'recorded run', path })),
  );
  const runs = readHistory(folder).slice(-last);
  if (runs.length === 0)
    throw new UsageError(
      `${folder}: expected recorded test runs, got a folder without any; set \`history: '${folder}'\` in the options of the reporter \`ccscope/playwright/reporter\``,
    );
  const report = trendOf(runs);
  if (json !== '-') io.stdout.write(trendText(report));
  await inTurn([
    ...(html === undefined ? [] : [() => writeText(html, trendHtml(report), io)]),
    ...(json === undefined ? [] : [() => writeJson(json, report, io)]),
  ]);
}
