import type { Command } from 'commander';

import { incidentRow } from '../../judge/incidents/incident_row.js';
import { groupLines, groupsOf } from '../../judge/incidents/index.js';
import { secondsText } from '../../judge/text.js';
import { FailedRun, UsageError } from '../../text/errors.js';
import { plain } from '../../text/plain.js';
import { NoRecordingError } from '../../watch/index.js';
import { incidentsOfTrace, type RecordedIncidents } from '../../watch/recorded_incidents.js';
import { checkOutputs, writeJson, type Io } from '../io.js';
import { openTrace, traceFile } from './trace_source.js';
import { counted } from '../../text/counted.js';

const HELP = `
TRACE is a recording made by the overlay, the extension, ccscope attach, a test or ccscope call --url, or - for
standard input. Each fall of a stream's rate by more than 15 %, each freeze and each rise of the round trip is
listed with its cause, the numbers that show it, and what to do, by the same rules as in the live view and in
the evidence of tests. What one cause did to several streams at once is listed together.`;

interface IncidentsFlags {
  json?: string;
}

/** Adds `ccscope incidents`. */
export function register(program: Command, io: Io): void {
  program
    .command('incidents')
    .description('say why a recorded call got worse')
    .argument('<trace>', 'the recording, or - for standard input')
    .option('--json <file>', 'write the incidents as JSON to a file, or to standard output with -')
    .addHelpText('after', HELP)
    .action((trace: string, flags: IncidentsFlags) => tellIncidents(trace, flags, io));
}

async function tellIncidents(trace: string, { json }: IncidentsFlags, io: Io): Promise<void> {
  checkOutputs({ '--json': json }, traceFile(trace));
  const { name, stream } = openTrace(trace, io);
  let found: RecordedIncidents;
  try {
    found = await incidentsOfTrace(stream as AsyncIterable<Uint8Array>, name);
  } catch (error) {
    if (error instanceof NoRecordingError) throw new UsageError(error.message);
    throw error;
  } finally {
    stream.destroy();
  }
  if (found.ends === 0)
    throw new FailedRun(`${name}: the recording contains no connection; record while a call is running`);
  const { incidents } = found;
  if (json !== '-') io.stdout.write(incidents.length === 0 ? nothingText(found) : linesOf(found));
  if (json !== undefined) await writeJson(json, { trace: name, incidents: incidents.map(incidentRow) }, io);
}

function nothingText({ streams, ends, toUs }: RecordedIncidents): string {
  return `Nothing got worse in ${secondsText(toUs)}, in ${counted(streams, 'video stream')} at ${counted(ends, 'end')} of connections.\n`;
}

const LONGEST_LINE = 1000;

const linesOf = ({ incidents }: RecordedIncidents): string =>
  // The page chose the names of its streams. `plain` removes terminal control characters from them.
  groupsOf(incidents)
    .flatMap(groupLines)
    .map((line) => `${plain(line, LONGEST_LINE)}\n`)
    .join('');
