/** The charts of a stream, and the rows that they draw. */
import type { Board } from '../boards/chart_figure.js';
import { INSIDE } from '../boards/inside_boards.js';
import type { Filters } from '../boards/filters.js';
import { gccStrip, StreamDelayChart, StreamLossChart, StreamRateChart, StripChart } from '../charts/index.js';
import type { StreamState } from '../watch/index.js';

const NAMES: Readonly<Record<string, string>> = { gcc: 'GCC', nada: 'NADA', lcc: 'LCC' };

export function boardsOf({ direction, shadows, flow }: StreamState): readonly Board[] {
  const others = shadows
    .filter((shadow) => shadow.flow !== flow)
    .map(({ flow: number, controller }) => ({ flow: number, name: NAMES[controller] ?? controller }));
  const rates: Board = {
    id: 'rates',
    title: 'Rates',
    unit: 'Mbps',
    about:
      direction === 'send'
        ? 'what is asked for and sent, against what the browser believes it may send'
        : 'what arrives, and what controllers would ask for',
    make: (...args) => new StreamRateChart(...args, { direction, shadows: others }),
  };
  const delays: Board = {
    id: 'delays',
    title: 'Delay',
    unit: 'ms',
    about: direction === 'send' ? 'the round trip' : 'how the one-way delay changes, and the round trip',
    make: (...args) => new StreamDelayChart(...args, { direction }),
  };
  const losses: Board = {
    id: 'losses',
    title: 'Loss',
    unit: '%',
    about: 'the share of packets lost',
    make: (...args) => new StreamLossChart(...args),
  };
  const gcc = INSIDE['gcc'];
  // Without a shadow controller, the losses of a received stream are unknown, so their chart is left out.
  if (shadows.length === 0 || gcc === undefined)
    return direction === 'send' ? [rates, delays, losses] : [rates, delays];
  const states: Board = {
    id: 'states',
    title: 'GCC',
    unit: '',
    about: gcc.about,
    make: (...args) => new StripChart(...args, gccStrip),
    strip: gccStrip,
  };
  return [rates, delays, gcc.picture, states, losses];
}

/** Returns filters that select the rows of the stream's own flow in each table. */
export function filtersOf({ flow }: StreamState): Filters {
  const own = { column: 'flow', value: flow };
  return { arrival: own, rate: own, feedback: own, group: own, throughput: own };
}
