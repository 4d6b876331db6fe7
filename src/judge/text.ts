/** Formats numbers with their units, and sentences. */

const round = (value: number, digits: number): string => String(Number(value.toPrecision(digits)));

/** For example `850 kbps` or `1.25 Mbps`; `unknown` for null and NaN. */
export function rateText(bps: number | null): string {
  if (bps === null || Number.isNaN(bps)) return 'unknown';
  if (!Number.isFinite(bps)) return 'unlimited';
  return Math.abs(bps) < 999_500 ? `${Math.round(bps / 1e3)} kbps` : `${round(bps / 1e6, 3)} Mbps`;
}

/** For example `46 ms` or `2.4 ms`. */
export function msText(ms: number | null): string {
  if (ms === null || Number.isNaN(ms)) return 'unknown';
  return `${ms < 10 ? round(ms, 2) : Math.round(ms)} ms`;
}

/** For example `12.3 s`. */
export const secondsText = (us: number): string => `${Number((us / 1e6).toFixed(1))} s`;

/** For example `2.5 %`. */
export const shareText = (ratio: number): string => `${round(ratio * 100, 3)} %`;

/** Like `shareText`, but `unknown` for null and NaN. */
export const percentText = (ratio: number | null): string =>
  ratio === null || Number.isNaN(ratio) ? 'unknown' : shareText(ratio);

export const capitalised = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Makes a sentence of a notice's fix: adds a capital letter and a full stop. */
export const sentence = (text: string): string => `${capitalised(text)}.`;
