/** The wording for a link's settings (fields.ts): for forms, commands, tables and messages. */
import { BOTTLENECKS } from '../core/link_arguments.js';
import { counted } from '../text/counted.js';
import type { LinkConfig } from './link_config.js';
import { linkField, type LinkKey } from './fields.js';

interface Words<K extends LinkKey> {
  /** The label of the setting's field in a form. */
  label: string;
  /** The placeholder for the setting's value on the command line. */
  argument: string;
  /** The description of the setting. */
  is: string;
  /** Returns a value as text. The text includes the setting's name unless the value is clear without it. */
  say(value: LinkConfig[K]): string;
  /** Values to choose from in a form. */
  examples: readonly string[];
}

const percentText = (value: number): string => `${Number((value * 100).toPrecision(6))}%`;

export const LINK_WORDS: { readonly [K in LinkKey]: Words<K> } = {
  capacity: {
    label: 'Capacity',
    argument: '<rate>',
    is: 'capacity, or a schedule such as 1.5mbps,0.6mbps@20s,1.5mbps@40s',
    say: (value) => String(value),
    examples: ['300kbps', '500kbps', '1mbps', '2mbps', '1.5mbps,0.6mbps@20s,1.5mbps@40s'],
  },
  queue: {
    label: 'Queue',
    argument: '<queue>',
    is: 'droptail, droptail:300ms, droptail:64kB or droptail:100p; codel, pie, pie-rfc8033, sfq, sfq-linux, fq_codel, also with settings: codel:target=13ms,limit=1000',
    say: (value) => value,
    examples: [
      'droptail:100ms',
      'droptail:300ms',
      'droptail:64kB',
      'droptail:100p',
      'codel',
      'codel:target=13ms',
      'pie',
      'pie-rfc8033',
      'sfq:300ms',
      'fq_codel',
    ],
  },
  rtt_ms: {
    label: 'RTT',
    argument: '<time>',
    is: 'round-trip propagation delay, half on each way',
    say: (value) => `rtt ${value} ms`,
    examples: [],
  },
  loss_ratio: {
    label: 'Random loss',
    argument: '<ratio>',
    is: 'random loss before the queue: 0.02 or 2%',
    say: (value) => `loss ${percentText(value)}`,
    examples: [],
  },
  burst_loss_packets: {
    label: 'Runs of lost packets',
    argument: '<packets>',
    is: 'mean length of a run of lost packets; 1: independent losses',
    say: (value) => `runs of ${value} lost packets`,
    examples: [],
  },
  jitter_ms: {
    label: 'Jitter',
    argument: '<time>',
    is: 'standard deviation of a random delay before the queue',
    say: (value) => `jitter ${value} ms`,
    examples: [],
  },
  reorder: {
    label: 'Reordering',
    argument: '<ratio/time>',
    is: 'reordering behind the bottleneck, by the ratio of packets held back and for how long, such as 0.01/20ms',
    say: (value) => `reordering ${value}`,
    examples: ['none', '0.01/20ms', '0.05/10ms'],
  },
  outage: {
    label: 'Outages',
    argument: '<on/off>',
    is: 'outages of a wireless channel, by the mean times with and without a connection, such as 100ms/20ms',
    say: (value) => `outages ${value}`,
    examples: ['none', '100ms/20ms', '500ms/100ms'],
  },
  cross_traffic: {
    label: 'Cross traffic',
    argument: '<flows>',
    is: 'TCP connections in the same queue: cubic:3, newreno:1 or cubic:2,newreno:1',
    say: (value) => `cross traffic ${value}`,
    examples: ['none', 'cubic:1', 'cubic:3', 'newreno:1', 'cubic:2,newreno:1'],
  },
  bottleneck: {
    label: 'Bottleneck',
    argument: '<mode>',
    is: 'serial, or token-bucket: a burst passes at once',
    say: (value) => value,
    examples: BOTTLENECKS,
  },
  seed: {
    label: 'Seed',
    argument: '<number>',
    is: 'seed of whatever is random in the link',
    say: (value) => `seed ${value}`,
    examples: [],
  },
};

/** The display names of TCP's congestion controls, by their names in cross traffic. */
export const TCP_NAMES = { cubic: 'TCP CUBIC', newreno: 'TCP NewReno' } as const;
const KNOWN_TCP: ReadonlyMap<string, string> = new Map(Object.entries(TCP_NAMES));

/** Cross traffic in words: `cubic:2,newreno:1` is `2 × TCP CUBIC, TCP NewReno`. */
export const trafficTitle = (text: string): string =>
  text
    .split(',')
    .map((part) => {
      const [name = '', count = '1'] = part.trim().split(':');
      const title = KNOWN_TCP.get(name.toLowerCase()) ?? name;
      return `${count === '1' ? '' : `${count} × `}${title}`;
    })
    .join(', ');

/** A queue in words: `droptail:300ms` is `DropTail 300 ms`. */
export function queueTitle(text: string): string {
  const [name = '', ...settings] = text.trim().split(':');
  return [QUEUE_NAMES[name] ?? name, ...settings]
    .join(' ')
    .replace(/(\d)ms/g, '$1 ms')
    .replace(/(\d+)p\b/g, (_, packets: string) => counted(Number(packets), 'packet'))
    .replaceAll(',', ', ');
}

/** The display names of the queue disciplines, keyed by the discipline's name in a queue setting. */
export const QUEUE_NAMES: Readonly<Record<string, string>> = {
  droptail: 'DropTail',
  codel: 'CoDel',
  pie: 'PIE (Linux 3.16)',
  'pie-rfc8033': 'PIE (RFC 8033)',
  sfq: 'SFQ',
  'sfq-linux': 'SFQ (Linux’s own limit)',
  fq_codel: 'FQ-CoDel',
};

/** What each queue discipline does, in a few words for a menu. */
export const QUEUE_EFFECTS: Readonly<Record<string, string>> = {
  droptail: 'drops only when it is full',
  codel: 'keeps delay short',
  pie: 'keeps delay short',
  'pie-rfc8033': 'keeps delay short',
  sfq: 'fair shares',
  'sfq-linux': 'fair shares',
  fq_codel: 'short delay, fair shares',
};

/** What the settings of queue disciplines are called in a form, by their names in the schema. */
export const QUEUE_SETTING_NAMES: Readonly<Record<string, string>> = {
  target_ms: 'Target',
  interval_ms: 'Interval',
  limit_packets: 'Queue limit',
  mtu_bytes: 'MTU',
  least_backlog: 'Least backlog',
  variant: 'Variant',
  t_update_ms: 'Update interval',
  burst_allowance_ms: 'Burst allowance',
  alpha_per_s: 'Alpha',
  beta_per_s: 'Beta',
  dq_threshold_bytes: 'Departure threshold',
  integer_rate: 'Integer rate',
  depth_packets: 'Limit of each flow',
  buckets: 'Hash buckets',
  perturb_s: 'Rehashed after',
  quantum_bytes: 'Quantum',
  queues: 'Hash buckets',
  backlog_of: 'Backlog of',
  drop_batch_packets: 'Most dropped at once',
};

/** The disciplines with a queue for each flow. */
export const FAIR_QUEUES: readonly string[] = ['sfq', 'sfq-linux', 'fq_codel'];

/**
 * The disciplines grouped by kind, in the order of a menu. FQ-CoDel is listed as fair queuing, although it uses CoDel
 * in each queue.
 */
export const QUEUE_GROUPS: readonly { title: string; queues: readonly string[] }[] = [
  { title: 'No management', queues: ['droptail'] },
  { title: 'Active queue management (AQM)', queues: ['codel', 'pie', 'pie-rfc8033'] },
  { title: 'Fair queuing', queues: FAIR_QUEUES },
];

/** Returns the value of any setting as readable text. */
export const sayLinkValue = (key: LinkKey, value: string | number): string =>
  // The cast is safe: the value belongs to the field's own key.
  LINK_WORDS[key].say(value as never);

/** Returns a setting's default as text. */
export function usualText(key: LinkKey): string {
  const field = linkField(key);
  return field.kind === 'number' ? field.usualText : field.usual;
}
