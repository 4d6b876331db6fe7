/** Metrics computed from trace rows. */
import type { TraceBatch } from '../core/index.js';
import { tableSpec, type TableName } from '../core/schema.js';
import { KernelDensity } from './kernel_density.js';

/** The trace tables from which trace metrics are computed. */
export const TRACE_METRIC_TABLES: readonly TableName[] = ['arrival', 'group'];

/** A metric that is updated with the trace rows of some flows. */
export interface TraceMetric {
  /** NaN until there is a value. */
  readonly value: number;
  /** Adds the next rows, in time order. */
  observe(batches: readonly TraceBatch[]): void;
}

/**
 * The kernel bandwidth for `delay_variation_modes`: a fifth of the 5 ms between two packet groups of the pacer
 * (the GRP paper, see src/papers/README.md).
 */
export const MODE_BANDWIDTH_MS = 1;

/** A trace metric over some flows: the largest of the flows' values. */
export function traceMetric(name: string, flows: readonly number[]): TraceMetric {
  switch (name) {
    case 'delay_gradient_max':
      return largest(flows.map((flow) => new LargestGradient(flow)));
    case 'delay_variation_modes':
      return largest(flows.map((flow) => new VariationModes(flow)));
    default:
      throw new Error(`${name} is not a trace metric`);
  }
}

const largest = (each: readonly TraceMetric[]): TraceMetric => ({
  get value() {
    return Math.max(...each.map(({ value }) => value));
  },
  observe: (batches) => each.forEach((metric) => metric.observe(batches)),
});

/** The number of modes in the distribution of d_m, the delay variation of packet groups. */
class VariationModes implements TraceMetric {
  readonly #density = new KernelDensity(MODE_BANDWIDTH_MS);

  constructor(readonly flow: number) {}

  get value(): number {
    return this.#density.modes().length || NaN;
  }

  observe(batches: readonly TraceBatch[]): void {
    for (const [ms = NaN] of rows(batches, 'group', this.flow, ['delay_variation_ms'])) this.#density.add(ms);
  }
}

/**
 * The largest delay gradient that GCC estimates: the output m of its arrival filter, divided by the
 * difference of the send times of two packet groups. Only groups before the first missing packet count.
 */
class LargestGradient implements TraceMetric {
  value = NaN;
  #lastSeq: number | undefined;
  /** The arrival time of the first packet after the first gap in the sequence numbers. */
  #gapUs = Infinity;

  constructor(readonly flow: number) {}

  observe(batches: readonly TraceBatch[]): void {
    for (const [seq = NaN, timeUs = NaN] of rows(batches, 'arrival', this.flow, ['seq', 'arrival_time_us'])) {
      const missing = this.#lastSeq !== undefined && seq !== this.#lastSeq + 1;
      if (missing && this.#gapUs === Infinity) this.#gapUs = timeUs;
      this.#lastSeq = seq;
    }
    const names = ['time_us', 'm_ms', 'send_delta_us'];
    for (const [timeUs = NaN, mMs = NaN, deltaUs = NaN] of rows(batches, 'group', this.flow, names)) {
      const gradient = (mMs * 1e3) / deltaUs;
      if (timeUs >= this.#gapUs || !Number.isFinite(gradient)) continue;
      if (!(gradient <= this.value)) this.value = gradient;
    }
  }
}

/** Yields the values of the given columns, for each row of one flow. */
function* rows(
  batches: readonly TraceBatch[],
  table: TableName,
  flow: number,
  names: readonly string[],
): Generator<readonly (number | undefined)[], void> {
  const specs = tableSpec(table).columns;
  const at = (name: string): number => specs.findIndex((column) => column.name === name);
  const flowAt = at('flow');
  const wanted = names.map(at);
  for (const batch of batches) {
    if (batch.table !== table) continue;
    for (let row = 0; row < batch.rows; row++) {
      if (batch.columns[flowAt]?.[row] === flow) yield wanted.map((column) => batch.columns[column]?.[row]);
    }
  }
}
