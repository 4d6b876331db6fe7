/**
 * `ccscope replay TRACE --twin`: compares a recorded call with its twin, a simulation with the same settings and the
 * same link schedule.
 */
import { CoreError, loadCore } from '../../core/index.js';
import { simulate } from '../../scenario/index.js';
import { UsageError } from '../../text/errors.js';
import { ConfigError } from '../../text/quantities.js';
import { aligned } from '../../text/terminal.js';
import { collector, ParameterProblem, readTrace, TraceData } from '../../trace/index.js';
import {
  asRecorded,
  distances,
  readCall,
  type Quantity,
  type SeriesDistance,
  type TraceReader,
} from '../../twin/comparison.js';
import { NoTwin } from '../../twin/no_twin.js';
import { recordedOptions } from '../../twin/recorded_call.js';
import { writeJson, type Io } from '../io.js';
import { openTrace } from './trace_source.js';

/** The seed of the twin. The Call page uses the same seed. */
const SEED = 1;

const UNITS: Readonly<Record<Quantity, { unit: string; scale: number; digits: number }>> = {
  rate: { unit: 'kbps', scale: 1e-3, digits: 0 },
  time: { unit: 'ms', scale: 1e-3, digits: 1 },
  share: { unit: '%', scale: 100, digits: 1 },
};

const readerOf = (trace: TraceData): TraceReader => ({
  view: (query) => trace.view(query),
  events: () => trace.events,
  extent: () => trace.extent(),
});

/**
 * Compares the call with its twin, as text and as JSON. Throws UsageError for a recording that cannot be
 * simulated.
 */
export async function replayTwin(trace: string, json: string | undefined, io: Io): Promise<void> {
  const source = openTrace(trace, io);
  const { sink, trace: call, header } = collector();
  await readTrace(source.stream, sink, { file: source.name });
  try {
    const recorded = await readCall(readerOf(call), header());
    if (recorded.own !== null)
      throw new NoTwin(
        `the recording does not contain the file of the call’s controller ${recorded.own}`,
        'choose that file on the Call page, and compare there',
      );
    const twin = new TraceData();
    for (const { batches } of simulate(await loadCore(), recordedOptions(recorded, SEED)))
      for (const batch of asRecorded(batches, recorded)) twin.append(batch);
    const series = await distances(readerOf(call), readerOf(twin), recorded);
    const span = { from_s: recorded.fromUs / 1e6, to_s: recorded.toUs / 1e6 };
    if (json !== undefined)
      await writeJson(
        json,
        { trace: source.name, ...span, assumed: recorded.assumed, series: series.map(asJson) },
        io,
      );
    if (json === '-') return;
    const took = recorded.assumed.map((each) => `The simulation assumed ${each}.\n`).join('');
    io.stdout.write(
      `${source.name}: the call and its simulation, averages over the seconds from ${span.from_s.toFixed(1)} to ${span.to_s.toFixed(1)} s\n\n${table(series)}\n${took && `\n${took}`}`,
    );
  } catch (error) {
    if (error instanceof NoTwin) throw new UsageError(`--twin: ${error.message}; ${error.fix}`);
    if (error instanceof ParameterProblem || error instanceof ConfigError || error instanceof CoreError)
      throw new UsageError(`${source.name}: ${error.message}`);
    throw error;
  }
}

function asJson({ name, quantity, distance }: SeriesDistance): Record<string, unknown> {
  const { unit, scale } = UNITS[quantity];
  const { call, twin, offset, apart, relative, most } = distance;
  return {
    ...{ name, unit, call: call * scale, simulation: twin * scale, offset: offset * scale },
    ...{ apart: apart * scale, relative },
    most_apart: { at_s: most.fromUs / 1e6, call: most.call * scale, simulation: most.twin * scale },
  };
}

function table(series: readonly SeriesDistance[]): string {
  const heads = ['series', '', 'call', 'simulation', 'less call', 'apart', 'of the call', 'most apart at s'];
  const rows = series.map(({ name, quantity, distance }) => {
    const { unit, scale, digits } = UNITS[quantity];
    const text = (value: number): string => (value * scale).toFixed(digits);
    const { call, twin, offset, apart, relative, most } = distance;
    const share = relative === null ? '-' : `${(relative * 100).toFixed(1)} %`;
    return [
      name,
      unit,
      text(call),
      text(twin),
      text(offset),
      text(apart),
      share,
      (most.fromUs / 1e6).toFixed(1),
    ];
  });
  return aligned([heads, ...rows], 2).join('\n');
}
