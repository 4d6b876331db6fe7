/**
 * Strings that describe links, queues and controllers. For links and queues, link settings, the addresses of
 * pages and the command line must accept the same strings.
 */
import { Command } from 'commander';

import { checkField } from '../../../src/app/state.js';
import { queueArguments } from '../../../src/core/queue.js';
import { addLinkOptions } from '../../../src/command_line/commands/link_options.js';
import { controllerText, parseController } from '../../../src/scenario/controller_text.js';
import { ConfigError } from '../../../src/text/quantities.js';
import { parseCrossTraffic, parseOutage } from '../../../src/link/load_text.js';
import { parseLinkConfig } from '../../../src/link/link_config.js';
import { parseQueue } from '../../../src/link/queue_text.js';
import { parseRate, parseSchedule } from '../../../src/link/capacity_text.js';
import { check, refused, same, textOf } from '../oracles.js';
import type { FuzzTarget } from '../target.js';

const command = addLinkOptions(new Command());

/** Whether the command line accepts `text` as the value of an option. */
function commandTakes(option: string, text: string): boolean {
  const parse = command.options.find(({ long }) => long === option)?.parseArg;
  try {
    parse?.(text, undefined);
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === 'CommanderError') return false;
    if (error instanceof Error && 'code' in error && error.code === 'commander.invalidArgument') return false;
    throw error;
  }
}

type Field = 'capacity' | 'queue' | 'outage' | 'cross_traffic';

/**
 * Parses `text`. Checks that link settings, addresses and the command line accept the text if and only if `parse`
 * accepts it.
 */
function atEveryDoor<T>(field: Field, text: string, parse: (text: string) => T): T | undefined {
  const value = refused(() => parse(text), ConfigError);
  const takes = value !== undefined;
  const config = refused(() => parseLinkConfig({ [field]: text }), ConfigError);
  check((config !== undefined) === takes, () => `${field}: settings of a link and their parser disagree`);
  check(
    checkField(field, text).ok === takes,
    () => `${field}: the address of a page and the parser disagree`,
  );
  const option = `--${field.replace('_', '-')}`;
  check(commandTakes(option, text) === takes, () => `${field}: the command line and the parser disagree`);
  return value;
}

const NEAR = 1e-9;
const near = (a: number, b: number): boolean => Math.abs(a - b) <= NEAR * Math.max(Math.abs(a), Math.abs(b));

function checkSchedule(text: string): void {
  const steps = atEveryDoor('capacity', text, (each) => parseSchedule(each));
  if (steps === undefined) return;
  const inOrder = steps.every(({ atUs }, i) => (i === 0 ? atUs === 0 : atUs > (steps[i - 1]?.atUs ?? 0)));
  check(inOrder && steps.every(({ atUs }) => Number.isFinite(atUs)), () => 'steps out of order');
  const inRange = ({ capacityBps }: { capacityBps: number }, i: number): boolean =>
    (capacityBps >= 1 && capacityBps <= 1e11) || (capacityBps === 0 && i > 0);
  check(steps.every(inRange), () => 'a capacity out of range');
  // A schedule can be written and read again. Times that JavaScript may write with an exponent are exempt.
  if (steps.some(({ atUs }) => atUs > 1e15 || (atUs > 0 && atUs < 1))) return;
  const written = steps.map(({ atUs, capacityBps }, i) => `${capacityBps}bps${i === 0 ? '' : `@${atUs}us`}`);
  const again = refused(() => parseSchedule(written.join(',')), ConfigError) ?? [];
  const equal = ({ atUs, capacityBps }: (typeof steps)[number], i: number): boolean =>
    near(atUs, again[i]?.atUs ?? NaN) && near(capacityBps, again[i]?.capacityBps ?? NaN);
  const merged = steps.some(({ atUs }, i) => i > 0 && near(atUs, steps[i - 1]?.atUs ?? 0));
  check(merged || steps.every(equal), () => 'written, it is another schedule');
}

function checkOutage(text: string): void {
  const outage = atEveryDoor('outage', text, (each) => parseOutage(each));
  const periods = outage === undefined || outage === null ? [] : [outage.meanOnUs, outage.meanOffUs];
  check(
    periods.every((us) => us >= 1e3 && us <= 60e6),
    () => 'an outage out of range',
  );
}

function checkCrossTraffic(text: string): void {
  const flows = atEveryDoor('cross_traffic', text, (each) => parseCrossTraffic(each));
  const sound = Object.values(flows ?? {}).every((n) => Number.isInteger(n) && n >= 0 && n <= 64);
  check(sound, () => 'too many flows');
}

function checkRate(text: string): void {
  const rate = refused(() => parseRate(text), ConfigError);
  check(rate === undefined || (rate >= 1 && rate <= 1e11), () => 'a rate out of range');
}

/**
 * The first character of an input chooses its parser, which gets the rest. If it chooses none, the whole
 * input is passed to all parsers.
 */
const READERS: Readonly<Record<string, (text: string) => void>> = {
  s: checkSchedule,
  o: checkOutage,
  c: checkCrossTraffic,
  r: checkRate,
};

const links: FuzzTarget = {
  name: 'link texts',
  seeds: [
    ...['s1mbps', 's1.5mbps,0.6mbps@20s,1.5mbps@40s', 's500kbps,0@1s,500kbps@2.5s', 's1000000', 'r10 Gbps'],
    ...['o100ms/20ms', 'o2s / 0.5s', 'o100ms/20msx3', 'onone', 'ccubic:3', 'ccubic:2,newreno:1'],
    'cNewReno:64 , cubic:0',
  ],
  words: [
    ...[
      'mbps',
      'kbps',
      'bps',
      '@',
      'ms',
      'us',
      'min',
      'h',
      's',
      ',',
      '/',
      'x3',
      'cubic',
      'newreno',
      ':',
      '0.',
    ],
    '.5',
  ],
  run(input) {
    const text = textOf(input);
    const reader = READERS[text.charAt(0)];
    if (reader !== undefined) reader(text.slice(1));
    else for (const each of Object.values(READERS)) each(text);
  },
};

const queues: FuzzTarget = {
  name: 'queue texts',
  seeds: [
    ...['droptail:300ms', 'droptail:64kB', 'droptail:100p', 'codel:target=13ms,interval=100ms,limit=1000'],
    ...['pie-rfc8033', 'sfq:300ms', 'fq_codel', 'fq_codel:queues=64,quantum=300', 'pie', 'sfq'],
  ],
  words: [
    'codel',
    'limit=',
    'target=',
    'interval=',
    'ms',
    'kB',
    'p',
    'ecn=',
    ' ',
    '=',
    ',',
    ':',
    '_',
    '-',
    '1e-3',
  ],
  run(input) {
    const queue = atEveryDoor('queue', textOf(input), (text) => parseQueue(text));
    // The core must accept every queue that the parser accepts, so a CoreError is a fault.
    if (queue !== undefined) check(queueArguments(queue).kind >= 0, () => 'no discipline of the core');
  },
};

const controllers: FuzzTarget = {
  name: 'controller texts',
  seeds: [
    'gcc',
    'nada',
    'lcc',
    'gcc:ton-2017-literal',
    'libwebrtc-2016-08',
    'gcc:gcc-live:k_u=0.02:k_d=0.00018',
  ],
  words: ['gcc', 'nada', ':', '=', 'k_u=', 'min_bitrate_bps=', 'increase_mode=', '0.02', 'multiplicative'],
  run(input) {
    const chosen = refused(() => parseController(textOf(input)), ConfigError);
    if (chosen === undefined) return;
    check(same(parseController(controllerText(chosen)), chosen), () => 'written, it is another controller');
  },
};

export default [links, queues, controllers];
