/** What Chrome's own throttling can do of a link's settings. */
import { ConfigError, parseQueue, shown } from '../../scenario/link_config.js';
import { NETWORKS } from './networks.js';
import { lossRatio, rttMs, type DirectionSettings, type LinkSettings } from './settings.js';

/** Those parameters of Network.emulateNetworkConditionsByRule that do not change by themselves. */
export interface Conditions {
  /** Added to each way, milliseconds. */
  latency: number;
  /** Percent of each way. */
  packetLoss: number;
  /** Packets; 0: no limit. */
  packetQueueLength: number;
}

/** A packet of video: what a queue that is given as a time holds is counted in these. */
const PACKET_BYTES = 1200;

const refuse = (field: string, expected: string, got: unknown): ConfigError =>
  new ConfigError(`link.${field}`, expected, shown(got), "use backend 'shaper'");

/** Fields that only the shaper has, and the values of them that change nothing. */
const ONLY_SHAPER: readonly [field: keyof DirectionSettings, harmless: readonly unknown[]][] = [
  ['burstLoss', [1]],
  ['jitter', [0, '0ms', '0']],
  ['outage', ['none']],
  ['crossTraffic', ['none']],
  ['bottleneck', ['serial']],
];

/** What of the settings is conditions. Throws ConfigError for what Chrome cannot do. */
export function conditionsOf(settings: LinkSettings): Partial<Conditions> {
  const { network, back = {} } = settings;
  const preset = network === undefined ? undefined : NETWORKS[network];
  for (const [field, harmless] of ONLY_SHAPER) {
    for (const value of [preset?.forward[field], settings[field], back[field]]) {
      if (value !== undefined && !harmless.includes(value))
        throw refuse(field, 'nothing that devtools cannot do', value);
    }
  }
  for (const field of ['loss', 'queue'] as const) {
    if (back[field] !== undefined && back[field] !== settings[field])
      throw refuse(`back.${field}`, 'the same both ways with devtools', back[field]);
  }
  const loss = settings.loss ?? preset?.forward.loss;
  const rtt = settings.rtt ?? preset?.rtt;
  return {
    ...(rtt !== undefined && { latency: rttMs(rtt) / 2 }),
    ...(loss !== undefined && { packetLoss: lossRatio(loss) * 100 }),
    ...queueOf(settings, preset?.forward),
  };
}

function queueOf({ queue }: LinkSettings, preset: DirectionSettings | undefined): Partial<Conditions> {
  if (queue !== undefined) {
    const parsed = parseQueue(queue);
    if (parsed.kind === 'droptail' && parsed.limitPackets !== undefined)
      return { packetQueueLength: parsed.limitPackets };
    throw refuse('queue', 'droptail with a limit in packets, as droptail:100p, with devtools', queue);
  }
  const parsed = preset?.queue === undefined ? undefined : parseQueue(preset.queue);
  if (parsed?.kind !== 'droptail') return {};
  const bytes = (Number(preset?.capacity) / 8) * ((parsed.limitMs ?? 0) / 1e3);
  return { packetQueueLength: Math.max(1, Math.round(bytes / PACKET_BYTES)) };
}
