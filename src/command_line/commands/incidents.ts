import type { Command } from 'commander';

import { incidentsOf, incidentText, type Incident } from '../../judge/incidents/index.js';
import { FailedRun, systemCode, UsageError } from '../../text/errors.js';
import { plain } from '../../text/plain.js';
import { NoRecordingError, recordOfTrace, type RecordReader } from '../../watch/index.js';
import { writeJson, type Io } from '../io.js';
import { openTrace } from './trace_source.js';

const HELP = `
TRACE is a recording of the overlay, the extension or ccscope attach, or - for standard input. Each fall of a
stream's rate by more than 15 %, each freeze and each rise of the round trip is listed with its cause, the numbers
that show it, and what to do, by the same rules as in the live view and in the evidence of tests.`;

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
  const { name, stream } = openTrace(trace, { '--json': json }, io);
  let read: RecordReader;
  try {
    read = await recordOfTrace(stream as AsyncIterable<Uint8Array>, { file: name });
  } catch (error) {
    if (error instanceof NoRecordingError) throw new UsageError(error.message);
    if (systemCode(error) === 'EISDIR') throw new UsageError(`${name}: expected a file, got a directory`);
    throw error;
  } finally {
    stream.destroy();
  }
  const { record } = read;
  if (record.endpoints.length === 0)
    throw new FailedRun(`${name}: the recording contains no connection; record while a call is running`);
  const incidents = incidentsOf(record);
  if (json !== undefined) await writeJson(json, { trace: name, incidents }, io);
  if (json !== '-') io.stdout.write(incidents.length === 0 ? 'Nothing got worse.\n' : linesOf(incidents));
}

const LONGEST_LINE = 1000;

/** A time since the start of the recording, such as `12.5 s`. */
const timeText = (timeUs: number): string => `${(timeUs / 1e6).toFixed(1)} s`;

function linesOf(incidents: readonly Incident[]): string {
  const lines = incidents.flatMap((incident) => {
    const { fromUs, stream, cause } = incident;
    const verb = stream.direction === 'send' ? 'sends' : 'receives';
    const who = `connection ${stream.endpoint} ${verb} ${stream.key === '' ? 'video' : stream.key}`;
    return [
      `${timeText(fromUs)}  ${who}: ${incidentText(incident)}`,
      `    ${cause.kind}: ${cause.evidence}`,
      `    To do: ${cause.fix}`,
    ];
  });
  // The page chose the names of its streams. `plain` removes terminal control characters from them.
  return lines.map((line) => `${plain(line, LONGEST_LINE)}\n`).join('');
}
