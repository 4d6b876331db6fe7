/** Texts for the user: names of streams and of their values. */
import { formatRate } from '../charts/index.js';
import type { InForce } from '../inject/protocol.js';
import type { StreamState } from '../watch/index.js';

const NUMBERS: Readonly<Record<string, string>> = {
  target_bps: "Encoder's target",
  max_bitrate_bps: 'Bound (maxBitrate, b=)',
  pacer_delay_ms: 'Pacer delay per packet',
  encode_time_ms: 'Encode time per frame',
  rtt_ms: 'Round trip',
  fraction_lost: 'Packets lost',
  nack: 'NACKs',
  pli: 'Picture loss indications',
  fir: 'Full intra requests',
  jitter_ms: 'Interarrival jitter',
  jitter_buffer_ms: 'Jitter buffer',
  decode_time_ms: 'Decode time per frame',
  freezes: 'Freezes',
  dropped_frames: 'Frames dropped',
  ect1_packets: 'Packets with ECT(1)',
  ce_packets: 'Packets marked CE',
};

/** Returns the name of a number for the user. If NUMBERS does not contain the key, makes a name from the key. */
export const numberName = (key: string): string =>
  NUMBERS[key] ?? key.replace(/_(bps|ms|us|s)$/, '').replaceAll('_', ' ');

/** Returns a value with its unit. The key of the value implies the unit. */
export function numberText(key: string, value: number): string {
  if (key.endsWith('_bps')) return formatRate(value);
  if (key.endsWith('_ms')) return `${value.toFixed(value < 10 ? 1 : 0)} ms`;
  if (key.startsWith('fraction_')) return `${(value * 100).toFixed(1)} %`;
  return value.toLocaleString('en', { maximumFractionDigits: 0 });
}

/** `VP8 640×360, 30 fps`: a short description of a stream. */
export function pictureText({
  codec,
  frameWidth,
  frameHeight,
  framesPerSecond,
  isActive,
}: StreamState): string {
  if (!isActive) return 'not sent';
  const size = frameWidth > 0 ? `${frameWidth}×${frameHeight}` : '';
  const rate = framesPerSecond >= 0 ? `${framesPerSecond.toFixed(0)} fps` : '';
  return [codec, [size, rate].filter((part) => part !== '').join(', ')]
    .filter((part) => part !== '')
    .join(' ');
}

/** `3 spatial and 3 temporal layers` for `L3T3_KEY` (webrtc-svc); '' for a stream without layers. */
export function layersText(scalabilityMode: string): string {
  const [, kind, spatial, temporal] = /^([LS])(\d)T(\d)/.exec(scalabilityMode) ?? [];
  if (kind === undefined || (spatial === '1' && temporal === '1')) return '';
  const parts = [
    spatial === '1' ? '' : `${spatial} ${kind === 'S' ? 'simulcast' : 'spatial'}`,
    temporal === '1' ? '' : `${temporal} temporal`,
  ];
  return `${parts.filter((part) => part !== '').join(' and ')} layers`;
}

/** `▲ Sends video, mid 0`: a media section in one direction. */
export const sectionName = ({ direction, kind, mid }: StreamState): string =>
  `${direction === 'send' ? '▲ Sends' : '▼ Receives'} ${kind}${mid === '' ? '' : `, mid ${mid}`}`;

/**
 * Describes an action that has not been undone. The text names ccscope, because the page did not make this
 * change.
 */
export function inForceText(force: InForce): string {
  const layer = 'encoding' in force && force.encoding !== null ? `Encoding ${force.encoding}: ` : '';
  switch (force.kind) {
    case 'cap':
      return `${layer}${layer === '' ? 'C' : 'c'}apped at ${formatRate(force.maxBitrateBps)} by ccscope`;
    case 'drive':
      return `Bounded by ccscope's ${force.controller}, from losses and round trips`;
    case 'layer':
      return `${layer}${force.active ? 'switched on' : 'switched off'} by ccscope`;
    case 'degradation-preference':
      return `Preference ${force.preference} by ccscope`;
    case 'playout-delay':
      return `Held back ${force.delayMs} ms by ccscope`;
  }
}
