/**
 * The numbers that summarise a call. They serve as the properties of a test, the columns of reports, the limits of
 * budgets and the lines of trends. Names end with their unit. Ratios are from 0 to 1. src/judge/call_metrics.ts
 * defines the numbers; ./measure.ts defines the time to 90 %.
 */
import type { EvidenceMetrics } from './measure.js';

export interface Property {
  /** A title for readers, without the unit. */
  title: string;
  unit: 'ratio' | 'bps' | 'ms' | 's' | 'count';
  /** Number of decimals. */
  places: number;
  better: 'more' | 'less';
}

export const PROPERTIES = {
  utilisation: { title: 'utilisation', unit: 'ratio', places: 3, better: 'more' },
  received_bps: { title: 'received', unit: 'bps', places: 0, better: 'more' },
  queue_delay_p50_ms: { title: 'queuing delay, p50', unit: 'ms', places: 1, better: 'less' },
  queue_delay_p95_ms: { title: 'queuing delay, p95', unit: 'ms', places: 1, better: 'less' },
  loss_ratio: { title: 'loss', unit: 'ratio', places: 5, better: 'less' },
  freezes: { title: 'freezes', unit: 'count', places: 0, better: 'less' },
  longest_freeze_ms: { title: 'longest freeze', unit: 'ms', places: 0, better: 'less' },
  time_to_90pct_s: { title: 'time to 90 %', unit: 's', places: 1, better: 'less' },
} as const satisfies Record<string, Property>;

export type PropertyName = keyof typeof PROPERTIES;
export const PROPERTY_NAMES = Object.keys(PROPERTIES) as PropertyName[];

/** The properties of a call, rounded; unknown ones are omitted. */
export function propertiesOf({ call, timeTo90S }: EvidenceMetrics): Map<PropertyName, number> {
  const all: Record<PropertyName, number | null> = {
    utilisation: call?.utilisation ?? null,
    received_bps: call?.receivedBps ?? null,
    queue_delay_p50_ms: call?.queueDelayP50Ms ?? null,
    queue_delay_p95_ms: call?.queueDelayP95Ms ?? null,
    loss_ratio: call?.lossRatio ?? null,
    freezes: call?.freezes ?? null,
    longest_freeze_ms: call?.longestFreezeMs ?? null,
    time_to_90pct_s: timeTo90S,
  };
  return new Map(
    PROPERTY_NAMES.flatMap((name) => {
      const value = all[name];
      if (value === null || !Number.isFinite(value)) return [];
      return [[name, Number(value.toFixed(PROPERTIES[name].places))] as const];
    }),
  );
}

/** A property as text, for example `78.4 %`, `512 kbps`, `174 ms` or `3`. */
export function propertyText(name: PropertyName, value: number): string {
  const { unit } = PROPERTIES[name];
  const short = (number: number): string => String(Number(number.toPrecision(3)));
  if (unit === 'ratio') return `${short(value * 100)} %`;
  if (unit === 'bps') return value < 1e6 ? `${short(value / 1e3)} kbps` : `${short(value / 1e6)} Mbps`;
  if (unit === 'count') return String(value);
  return `${value < 100 ? short(value) : Math.round(value)} ${unit}`;
}
