/** Outages, reordering and cross traffic as numbers for the fields of a form. */
import type { CrossTraffic } from '../core/link.js';
import {
  MAX_FLOWS,
  MAX_PERIOD_MS,
  MIN_PERIOD_MS,
  parseCrossTraffic,
  parseOutage,
  parseReorder,
} from './load_text.js';

/** One number of a setting that a form shows as several numbers. */
export interface Part {
  name: string;
  label: string;
  help: string;
  unit: '' | 'ms' | '%';
  min: number;
  max: number;
  /** The largest value and the step of the number's slider. */
  slider: readonly [most: number, step: number];
  isWhole?: true;
  /** The least number above 0, if the numbers between 0 and this one cannot be part of the setting. */
  leastAboveZero?: number;
}

/** How a form shows a setting as several numbers. All lists of numbers are in the order of `parts`. */
export interface PartsForm {
  parts: readonly Part[];
  /** The numbers to show while the setting is `none`. */
  usual: readonly number[];
  /** The numbers in a setting's text. For `none`: null, or zeros in cross traffic. Throws ConfigError. */
  read(text: string): readonly number[] | null;
  /**
   * Returns the setting's new text for these numbers. Details that the form does not show are copied from the old
   * text, `before`.
   */
  write(values: readonly number[], before: string): string;
}

const ms = (us: number): number => Number((us / 1e3).toPrecision(12));
const percent = (ratio: number): number => Number((ratio * 100).toPrecision(12));

/** More digits after the decimal point than a setting needs. */
const MOST_DIGITS = 15;

/** Writes a number without an exponent, since the parsers of settings accept none: `0.0000001` instead of `1e-7`. */
function decimal(value: number): string {
  const text = String(value);
  return text.includes('e') ? value.toFixed(MOST_DIGITS).replace(/\.?0+$/, '') : text;
}

/** The settings that a form shows as several numbers. */
export type PartsKey = 'outage' | 'reorder' | 'cross_traffic';

export const PARTS_FORMS: Readonly<Record<PartsKey, PartsForm>> = {
  outage: {
    parts: [
      {
        name: 'off_ms',
        label: 'Outages',
        help: 'Mean length of the times in which the wireless channel carries nothing; 0: there are none',
        unit: 'ms',
        min: 0,
        max: MAX_PERIOD_MS,
        slider: [200, 5],
        leastAboveZero: MIN_PERIOD_MS,
      },
      {
        name: 'on_ms',
        label: 'Between outages',
        help: 'Mean length of the times between two outages',
        unit: 'ms',
        min: MIN_PERIOD_MS,
        max: MAX_PERIOD_MS,
        slider: [2000, 50],
      },
    ],
    usual: [0, 100],
    read: (text) => {
      const outages = parseOutage(text);
      return outages && [ms(outages.meanOffUs), ms(outages.meanOnUs)];
    },
    write: ([off = 0, on = 0], before) => {
      const phases = parseOutage(before)?.offPhases;
      return off === 0 ? 'none' : `${on}ms/${off}ms${phases === undefined ? '' : `x${phases}`}`;
    },
  },
  reorder: {
    parts: [
      {
        name: 'percent',
        label: 'Reordered packets',
        help: 'Share of packets that are held back behind the bottleneck, so that later ones overtake them',
        unit: '%',
        min: 0,
        max: 100,
        slider: [20, 0.5],
      },
      {
        name: 'delay_ms',
        label: 'Held back for',
        help: 'How long such a packet is held back',
        unit: 'ms',
        min: 0,
        max: MAX_PERIOD_MS,
        slider: [200, 5],
      },
    ],
    usual: [0, 20],
    read: (text) => {
      const reordering = parseReorder(text);
      return reordering && [percent(reordering.ratio), ms(reordering.delayUs)];
    },
    write: ([share = 0, delay = 0]) =>
      share === 0 ? 'none' : `${decimal(Number((share / 100).toPrecision(12)))}/${decimal(delay)}ms`,
  },
  cross_traffic: {
    parts: [
      {
        name: 'cubic',
        label: 'Downloads over CUBIC',
        help: 'TCP connections with CUBIC in the same queue as the call, which always have data',
        unit: '',
        min: 0,
        max: MAX_FLOWS,
        slider: [8, 1],
        isWhole: true,
      },
      {
        name: 'newReno',
        label: 'Downloads over NewReno',
        help: 'The same with NewReno',
        unit: '',
        min: 0,
        max: MAX_FLOWS,
        slider: [8, 1],
        isWhole: true,
      },
    ],
    usual: [0, 0],
    read: (text) => {
      const { cubic, newReno } = parseCrossTraffic(text);
      return [cubic, newReno];
    },
    write: ([cubic = 0, newReno = 0]) => crossText({ cubic, newReno }),
  },
};

/** Writes cross traffic as text, which parseCrossTraffic can read. */
export function crossText({ cubic = 0, newReno = 0 }: CrossTraffic): string {
  const flows = [...(cubic > 0 ? [`cubic:${cubic}`] : []), ...(newReno > 0 ? [`newreno:${newReno}`] : [])];
  return flows.join(',') || 'none';
}
