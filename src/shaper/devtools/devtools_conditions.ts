/** The part of a link's settings that Chrome's own throttling can apply. */
import { ConfigError, shown } from '../../text/quantities.js';
import { parseQueue } from '../../link/queue_text.js';
import { NETWORKS } from '../../link/networks.js';
import { LINK_FIELDS, LINK_KEYS, readLinkValue, type LinkKey } from '../../link/fields.js';
import type { DirectionSettings, LinkSettings } from '../../link/settings.js';

/**
 * The parameters of Network.emulateNetworkConditionsByRule without the throughputs. Throughputs are kept elsewhere,
 * since only they can follow a schedule.
 */
export interface Conditions {
  /** Delay that is added in each direction, in milliseconds. */
  latency: number;
  /** Loss in each direction, in per cent. */
  packetLoss: number;
  /** Largest length of the queue in packets; 0 means no limit. */
  packetQueueLength: number;
}

/**
 * The size of a video packet. The queue of a network preset, which is a time, is converted to packets of this
 * size.
 */
const PACKET_BYTES = 1200;

const refuse = (field: string, expected: string, got: unknown): ConfigError =>
  new ConfigError(`link.${field}`, expected, shown(got), 'remove linkBackend');

/**
 * The settings that may be used with Chrome's throttling; the seed has no effect. Every other setting must have
 * its default value.
 */
const CHROME_HAS: readonly LinkKey[] = ['capacity', 'queue', 'rtt_ms', 'loss_ratio', 'seed'];
const ONLY_SHAPER = LINK_KEYS.filter((key) => !CHROME_HAS.includes(key));

/** Converts settings to conditions. Throws ConfigError for settings that Chrome cannot apply. */
export function conditionsOf(settings: LinkSettings): Partial<Conditions> {
  const { network, backward = {} } = settings;
  const preset = network === undefined ? undefined : NETWORKS[network];
  for (const key of ONLY_SHAPER) {
    const { setting, usual } = LINK_FIELDS[key];
    const field = setting as keyof DirectionSettings;
    for (const value of [preset?.forward[field], settings[field], backward[field]]) {
      if (value !== undefined && readLinkValue(key, value as string | number) !== usual)
        throw refuse(field, 'no value, since devtools does not support this setting', value);
    }
  }
  for (const field of ['loss', 'queue'] as const) {
    if (backward[field] !== undefined && backward[field] !== settings[field])
      throw refuse(`backward.${field}`, 'the same value both ways, as devtools requires', backward[field]);
  }
  const loss = settings.loss ?? preset?.forward.loss;
  const rtt = settings.rtt ?? preset?.rtt;
  return {
    ...(rtt !== undefined && { latency: Number(readLinkValue('rtt_ms', rtt)) / 2 }),
    ...(loss !== undefined && { packetLoss: Number(readLinkValue('loss_ratio', loss)) * 100 }),
    ...queueOf(settings, preset?.forward),
  };
}

function queueOf({ queue }: LinkSettings, preset: DirectionSettings | undefined): Partial<Conditions> {
  if (queue !== undefined) {
    const parsed = parseQueue(queue);
    if (parsed.kind === 'droptail' && parsed.limitPackets !== undefined)
      return { packetQueueLength: parsed.limitPackets };
    throw refuse('queue', 'a limit in packets such as droptail:100p, as devtools requires', queue);
  }
  const parsed = preset?.queue === undefined ? undefined : parseQueue(preset.queue);
  if (parsed?.kind !== 'droptail') return {};
  const bytes = (Number(preset?.capacity) / 8) * ((parsed.limitMs ?? 0) / 1e3);
  return { packetQueueLength: Math.max(1, Math.round(bytes / PACKET_BYTES)) };
}
