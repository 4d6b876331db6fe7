/**
 * The incidents of a recorded call. A recording of the overlay, the extension or `ccscope attach` contains the call's
 * record; incidents are found in this record as during the call. A recording of a test or of `ccscope call --url`
 * contains the incidents themselves.
 */
import { tableSpec, type TableName, type TraceEvent } from '../core/index.js';
import { connectionEnd, incidentsOf, toldIncidents, type ToldIncident } from '../judge/incidents/index.js';
import { incidentOfRow } from '../judge/incidents/incident_row.js';
import { streamsOf } from '../judge/incidents/stream_looks.js';
import { readTrace, timeColumn, type TraceHeader, type TraceSink } from '../trace/index.js';
import { hasIncidents } from './incident_sources.js';
import { NoRecordingError, RecordReader } from './record_reader.js';

export interface RecordedIncidents {
  /** In time order. */
  incidents: ToldIncident[];
  /** How many video streams the recording contains, at both ends of its connections. */
  streams: number;
  /** How many ends of connections the recording contains. */
  ends: number;
  /** The latest time in the recording. */
  toUs: number;
}

/** The reason why no incidents can be found in recordings from other sources, by source. */
const MISSING: Readonly<Record<string, string>> = {
  call: "it comes from ccscope's own Call page, which does not record the getStats of each stream; open it in the app to see why its target changed",
  simulator:
    'it comes from a simulation, which has no getStats; open it in the app to see why its target changed',
};

/** Reads the rows of a test's recording. */
class TestReader implements TraceSink {
  readonly #incidents: ToldIncident[] = [];
  readonly #ends = new Set<unknown>();
  #streams = 0;
  #toUs = 0;

  header({ flows }: TraceHeader): void {
    this.#streams = Array.isArray(flows) ? flows.length : 0;
  }

  row(table: TableName, values: Float64Array): void {
    this.#toUs = Math.max(this.#toUs, values[timeColumn(tableSpec(table))] ?? 0);
  }

  event({ time_us: timeUs, name, detail }: TraceEvent): void {
    this.#toUs = Math.max(this.#toUs, timeUs);
    if (name === 'connection_state' && typeof detail === 'object' && detail !== null && 'endpoint' in detail)
      this.#ends.add(detail.endpoint);
    const incident = name === 'incident' ? incidentOfRow(detail, this.#incidents.length) : null;
    if (incident !== null) this.#incidents.push(incident);
  }

  unknown(): void {
    // Rows of other types contain no incidents.
  }

  get found(): RecordedIncidents {
    const [streams, toUs] = [this.#streams, this.#toUs];
    return { incidents: this.#incidents, streams, ends: this.#ends.size, toUs };
  }
}

/** Judges the record of a recording. */
function judged({ record }: RecordReader): RecordedIncidents {
  const samples = record.endpoints.flatMap((endpoint) =>
    endpoint.samples.map((sample) => ({ endpoint, sample })),
  );
  const streams = samples.flatMap(({ endpoint, sample }) =>
    streamsOf(endpoint, sample).map(({ direction, key }) => `${endpoint.id} ${direction} ${key}`),
  );
  return {
    incidents: toldIncidents(record, incidentsOf(record), connectionEnd),
    streams: new Set(streams).size,
    ends: record.endpoints.length,
    toUs: samples.reduce((latestUs, { sample }) => Math.max(latestUs, sample.timeUs), 0),
  };
}

/** Passes the rows to the reader for the recording's source. */
class SourceReader implements TraceSink {
  #reader: TestReader | RecordReader | null = null;

  constructor(private readonly file: string | undefined) {}

  header(header: TraceHeader): void {
    const { source } = header;
    const name = this.file === undefined ? '' : `${this.file}: `;
    if (!hasIncidents(header)) {
      const missing = MISSING[String(source)] ?? `its source is ${JSON.stringify(source ?? null)}`;
      throw new NoRecordingError(
        `${name}incidents cannot be found in this recording: ${missing}. To find incidents, use a recording made by the overlay, the extension, \`ccscope attach\`, a test or \`ccscope call --url\`.`,
      );
    }
    this.#reader =
      source === 'test'
        ? new TestReader()
        : new RecordReader(this.file === undefined ? {} : { file: this.file });
    this.#reader.header(header);
  }

  row(table: TableName, values: Float64Array): void {
    this.#reader?.row(table, values);
  }

  event(event: TraceEvent): void {
    this.#reader?.event(event);
  }

  unknown(text: string, line: number): void {
    this.#reader?.unknown(text, line);
  }

  end(): RecordedIncidents {
    const reader = this.#reader;
    if (reader instanceof TestReader) return reader.found;
    reader?.end();
    return reader === null ? { incidents: [], streams: 0, ends: 0, toUs: 0 } : judged(reader);
  }
}

/** Rejects with TraceError, or with NoRecordingError if incidents cannot be found in the recording. */
export async function incidentsOfTrace(
  source: AsyncIterable<Uint8Array>,
  file?: string,
): Promise<RecordedIncidents> {
  const reader = new SourceReader(file);
  await readTrace(source, reader, { file });
  return reader.end();
}
