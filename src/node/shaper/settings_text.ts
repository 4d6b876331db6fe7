/** Settings of a link for people: `500 kbps, droptail:300ms, rtt 50 ms`. */
import type { Capacity, DirectionSettings, LinkSettings } from './settings.js';

export function settingsText({ network, rtt, back, seed: _, ...both }: LinkSettings): string {
  const parts = [
    ...(network === undefined ? [] : [`network ${network}`]),
    ...directionParts(both),
    ...(rtt === undefined ? [] : [`rtt ${timeText(rtt)}`]),
    ...(back === undefined ? [] : [`back: ${directionParts(back).join(', ')}`]),
  ];
  return parts.join(', ') || 'nothing changed';
}

function directionParts({
  capacity,
  queue,
  loss,
  burstLoss,
  jitter,
  outage,
  crossTraffic,
  bottleneck,
}: DirectionSettings): string[] {
  return [
    ...(capacity === undefined ? [] : [capacityText(capacity)]),
    ...(queue === undefined ? [] : [queue]),
    ...(loss === undefined
      ? []
      : [`loss ${typeof loss === 'number' ? `${Number((loss * 100).toPrecision(6))}%` : loss}`]),
    ...(burstLoss === undefined ? [] : [`runs of ${burstLoss} lost packets`]),
    ...(jitter === undefined ? [] : [`jitter ${timeText(jitter)}`]),
    ...(outage === undefined ? [] : [`outages ${outage}`]),
    ...(crossTraffic === undefined ? [] : [`cross traffic ${crossTraffic}`]),
    ...(bottleneck === undefined ? [] : [bottleneck]),
  ];
}

const timeText = (value: number | string): string => (typeof value === 'number' ? `${value} ms` : value);

function capacityText(capacity: Capacity): string {
  if (typeof capacity === 'function') return 'a capacity that is a function of time';
  if (typeof capacity === 'object') return 'the capacity of a mahimahi trace';
  return typeof capacity === 'number' ? rateText(capacity) : capacity;
}

function rateText(bps: number): string {
  const [unit, factor] = bps >= 1e6 ? ['Mbps', 1e6] : bps >= 1e3 ? ['kbps', 1e3] : ['bit/s', 1];
  return `${Number((bps / factor).toPrecision(6))} ${unit}`;
}
