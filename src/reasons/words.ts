/** Formats the lines and numbers of the list that explains a target's changes. */
import type { ChangeShape, Reason } from './change.js';
import { rateText, secondsText } from '../judge/text.js';

/** Compares two values, for example `T 14.2 > γ 12.5 ms`, with enough digits to show the difference. */
export function comparedText(
  [name, value]: readonly [string, number],
  [other, bound]: readonly [string, number],
  unit = 'ms',
): string {
  let digits = 1;
  while (digits < 4 && value !== bound && value.toFixed(digits) === bound.toFixed(digits)) digits++;
  const sign = value > bound ? '>' : value < bound ? '<' : '=';
  const number = (of: number): string => of.toFixed(digits).replace('-', '−');
  return `${name} ${number(value)} ${sign} ${other === '' ? '' : `${other} `}${number(bound)} ${unit}`;
}

/** A factor, for example `0.92`, `0.985` or `1.0012`. A factor near 1 gets enough digits to differ from 1. */
export function factorText(factor: number): string {
  let digits = 2;
  while (digits < 4 && Math.abs(factor - 1) < 5 * 10 ** -digits) digits++;
  return factor.toFixed(digits);
}

/** Says which capacity a live controller has estimated from the arrivals of frames. */
export const capacityShown = (capacityBps: number): string =>
  `the frames’ arrival times show a capacity of ${rateText(capacityBps)}`;

/** The text of a line of the list. */
export function changeText(
  shape: ChangeShape,
  { label, detail }: Pick<Reason, 'label' | 'detail'>,
  fromBps: number,
  toBps: number,
  durationUs: number,
): string {
  const rest = detail === '' ? '' : `, ${detail}`;
  const over = durationUs < 1e6 ? `${Math.round(durationUs / 1e3)} ms` : secondsText(durationUs);
  switch (shape) {
    case 'fall':
      return `${label}${detail === '' ? '' : `: ${detail}`}, target × ${factorText(toBps / fromBps)} of ${rateText(fromBps)} = ${rateText(toBps)}`;
    case 'rise':
    case 'decline':
      return `${label}: ${fromToText(fromBps, toBps)} over ${over}${rest}`;
    case 'flat':
      return `${label}: ${aroundText(fromBps, toBps)} for ${over}${rest}`;
  }
}

const aroundText = (fromBps: number, toBps: number): string =>
  rateText(fromBps) === rateText(toBps) ? rateText(toBps) : fromToText(fromBps, toBps);

/** Two rates, for example `1.02 Mbps to 1.31 Mbps`. In bits per second if the rounded rates are equal. */
function fromToText(fromBps: number, toBps: number): string {
  const [from, to] = [rateText(fromBps), rateText(toBps)];
  return from === to ? `${Math.round(fromBps)} to ${Math.round(toBps)} bps` : `${from} to ${to}`;
}
