/** The charts of a controller's internals, for calls and for simulations. */
import {
  DetectorChart,
  gccStrip,
  LccChart,
  lccStrip,
  NadaChart,
  nadaStrip,
  type StripSpec,
} from '../charts/index.js';
import type { MakeChart } from './scope.js';
import type { Board } from './chart_figure.js';

/** The charts for each controller; a user's own controller has none. */
export const INSIDE: Readonly<Record<string, { picture: Board; strip: StripSpec; about: string }>> = {
  gcc: {
    picture: inside(
      'detector',
      'Overuse detector',
      'the estimated delay gradient against its adaptive threshold',
      (...args) => new DetectorChart(...args),
    ),
    strip: gccStrip,
    about: 'the detector’s signal and the rate controller’s state',
  },
  nada: {
    picture: inside(
      'nada',
      'Congestion signal',
      'the aggregated congestion signal and the queuing delay that it is made of',
      (...args) => new NadaChart(...args),
    ),
    strip: nadaStrip,
    about: 'which of its two laws changes the rate',
  },
  lcc: {
    picture: inside(
      'lcc',
      'Delay target',
      'the average one-way delay against its target and the delay control parameter',
      (...args) => new LccChart(...args),
    ),
    strip: lccStrip,
    about: 'what decides the next rate',
  },
};

function inside(id: string, title: string, about: string, make: MakeChart): Board {
  return { id, title, unit: 'ms', about, make };
}
