/** The round-trip times of a run's TCP flows. The metrics lack these times, so they are computed from the trace. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import { percentiles } from '../calls/percentile.js';
import type { FlowMetrics, WindowMetrics } from '../core/simulation.js';
import type { TraceStore } from '../worker/trace/trace_client.js';

type Store = Pick<TraceStore, 'view'>;

/** The median of a TCP flow's smoothed RTT in a time window, µs, while the flow receives data; NaN without data. */
export async function medianRttUs(store: Store, flow: number, window: WindowMetrics): Promise<number> {
  const { columns } = await store.view({
    table: 'throughput',
    where: { column: 'flow', value: flow },
    columns: ['rtt_us', 'received_bps'],
    fromUs: window.beginUs,
    toUs: window.endUs,
  });
  const received = columns['received_bps'] ?? new Float64Array();
  const rtts = (columns['rtt_us'] ?? new Float64Array()).filter(
    (us, row) => !Number.isNaN(us) && (received[row] ?? NaN) > 0,
  );
  return percentiles(rtts, [50])[0] ?? NaN;
}

/** Returns `flows`. Once the trace has been read, `rttUs.p50` of each TCP flow is set to its median RTT. */
export function useTcpRtt(
  flows: readonly FlowMetrics[],
  window: WindowMetrics,
  store: Store,
): readonly FlowMetrics[] {
  const medians = useSignal<ReadonlyMap<number, number>>(new Map());
  useEffect(() => {
    let isOver = false;
    medians.value = new Map();
    const tcp = flows.filter(({ kind }) => kind === 'tcp');
    const read = tcp.map(async ({ flow }) => [flow, await medianRttUs(store, flow, window)] as const);
    void Promise.all(read)
      .catch(() => [])
      .then((found) => {
        if (!isOver) medians.value = new Map(found);
      });
    return () => void (isOver = true);
  }, [window, flows.length]);
  return flows.map((flow) => {
    const p50 = medians.value.get(flow.flow);
    return p50 === undefined ? flow : { ...flow, rttUs: { ...flow.rttUs, p50 } };
  });
}
