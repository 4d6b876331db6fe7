import { isIPv4 } from 'node:net';

import { InvalidArgumentError, Option, type Command } from 'commander';

import { ConfigError } from '../../text/quantities.js';
import { UsageError } from '../../text/errors.js';
import { interruptible, sleepFor } from '../interrupt.js';
import { checkOutputs, writeJson, type InputFile, type Io } from '../io.js';
import type { RelayAddress } from '../../link/server_protocol.js';
import { isLoopback } from '../../shaper/relay/peers.js';
import { ShaperError, startShaper, type Shaper } from '../../shaper/shaper.js';
import {
  addLinkOptions,
  linkConfigOf,
  millisecondsArgument,
  type LinkFlags,
  type OnTrace,
} from './link_options.js';

interface ShapeFlags extends LinkFlags {
  listen: Listen;
  peers?: Peers;
  /** The text of a mahimahi trace that is the capacity. */
  trace?: string;
  duration?: number;
  json?: string;
}

interface Listen {
  address: string;
  ports: [number, number];
}

interface Peers {
  a: RelayAddress;
  b: RelayAddress;
}

const REPORT_INTERVAL_MS = 1000;

const HELP = `
Peer A sends to the first socket, peer B to the second. On a loopback address each is identified by its
first packet; on any other address the peers are ICE agents, such as browsers, or named by --peers, so
that nobody else can use the link. What A sends reaches B through the shaped link; the way back has half
the RTT and nothing else.
A capacity schedule counts from A's first packet. Ctrl-C ends it.`;

/** Adds `ccscope shape`. */
export function register(program: Command, io: Io): void {
  const command = program
    .command('shape')
    .description('run the stand-alone UDP shaper: relay real packets through a simulated link')
    .addOption(
      new Option(
        '--listen <address>',
        'IPv4 address to bind and, optionally, the two ports: ADDRESS[:PORT_A,PORT_B]',
      )
        .default({ address: '127.0.0.1', ports: [0, 0] } satisfies Listen, '127.0.0.1, free ports')
        .argParser(listenArgument),
    );
  command.option(
    '--peers <addresses>',
    'where the peers send from; packets of others are ignored: ADDRESS_A:PORT_A,ADDRESS_B:PORT_B',
    peersArgument,
  );
  const read: InputFile[] = [];
  let trace: string | undefined;
  const onTrace: OnTrace = (given) => {
    trace = given?.text;
    if (given !== null) read.push({ what: 'trace', path: given.path });
  };
  addLinkOptions(command, { onTrace })
    .option('--duration <time>', 'stop after this time (default: at Ctrl-C)', millisecondsArgument(1))
    .option('--json <file>', 'write what was measured as JSON to a file, or to standard output with -')
    .addHelpText('after', HELP)
    .action((flags: ShapeFlags) => shape({ ...flags, ...(trace !== undefined && { trace }) }, read, io));
}

function listenArgument(text: string): Listen {
  const [, address = '', a = '0', b = '0'] = /^([\d.]+)(?::(\d+),(\d+))?$/.exec(text) ?? [];
  const ports: [number, number] = [Number(a), Number(b)];
  if (address === '' || ports.some((port) => port > 65535)) {
    throw new InvalidArgumentError(
      'Expected ADDRESS or ADDRESS:PORT_A,PORT_B, for example 127.0.0.1:5000,5001.',
    );
  }
  return { address, ports };
}

function peersArgument(text: string): Peers {
  const [a, b, ...more] = text.split(',').map((peer): RelayAddress | null => {
    const [, address = '', port = ''] = /^([\d.]+):(\d{1,5})$/.exec(peer) ?? [];
    const isPeer = isIPv4(address) && Number(port) >= 1 && Number(port) <= 65535;
    return isPeer ? { address, port: Number(port) } : null;
  });
  if (a && b && more.length === 0) return { a, b };
  throw new InvalidArgumentError(
    'Expected two IPv4 addresses with ports, for example 192.0.2.1:5000,192.0.2.2:5000.',
  );
}

/** `read`: the files that the options name. */
async function shape(flags: ShapeFlags, read: readonly InputFile[], io: Io): Promise<void> {
  checkOutputs({ '--json': flags.json }, read);
  const failure = new AbortController();
  const shaper = await start(flags);
  shaper.onError = (error) => failure.abort(error);
  const stream = flags.json === '-' ? io.stderr : io.stdout;
  const say = (text: string) => stream.write(`${text}\n`);
  // Without --duration, the command also ends when the reader of its output closes the pipe. Otherwise the command
  // might run forever.
  const unread = new AbortController();
  if (flags.duration === undefined) stream.once('error', () => unread.abort());
  say(`a ${shaper.a.address}:${shaper.a.port}  (peer A sends here)`);
  say(`b ${shaper.b.address}:${shaper.b.port}  (peer B sends here)`);
  const reports = setInterval(() => say(report(shaper)), REPORT_INTERVAL_MS);
  try {
    await interruptible(async (asked) => {
      const signal = AbortSignal.any([asked, failure.signal, unread.signal]);
      await sleepFor(flags.duration ?? Infinity, signal).catch(() => undefined);
    });
    failure.signal.throwIfAborted();
    await shaper.sync();
    const result = resultOf(shaper);
    say(report(shaper));
    for (const { message } of shaper.record.notices) say(message);
    if (flags.json !== undefined) await writeJson(flags.json, result, io);
  } finally {
    clearInterval(reports);
    await shaper.close();
  }
}

async function start(flags: ShapeFlags): Promise<Shaper> {
  const { address, ports } = flags.listen;
  try {
    return await startShaper({
      config: linkConfigOf(flags),
      ...(flags.trace !== undefined && { trace: flags.trace }),
      address,
      ports,
      peers: flags.peers ?? (isLoopback(address) ? 'first-datagram' : 'ice'),
    });
  } catch (error) {
    if (error instanceof ShaperError || error instanceof ConfigError) throw new UsageError(error.message);
    throw error;
  }
}

const ms = (value: number): string => (Number.isFinite(value) ? `${value.toFixed(2)} ms` : '-');

function report(shaper: Shaper): string {
  const stats = shaper.stats();
  const { p50_ms, p95_ms, p99_ms } = shaper.latenessMs();
  return [
    `capacity ${(stats.capacityBps / 1e3).toFixed(0)} kbps`,
    `queue ${ms(stats.queueDelayUs / 1e3)}, ${stats.queuePackets} packets`,
    `delivered ${stats.departedPackets} packets, ${stats.departedBytes} B`,
    `dropped ${stats.droppedPackets}, lost ${stats.lostPackets}`,
    ...(stats.crossDepartedBytes + stats.crossDrops > 0
      ? [`cross traffic ${stats.crossDepartedBytes} B, ${stats.crossDrops} dropped`]
      : []),
    `late p50 ${ms(p50_ms)}, p95 ${ms(p95_ms)}, p99 ${ms(p99_ms)}`,
  ].join('  ');
}

function resultOf(shaper: Shaper) {
  const stats = shaper.stats();
  const { p50_ms, p95_ms, p99_ms } = shaper.latenessMs();
  const orNull = (value: number): number | null => (Number.isFinite(value) ? value : null);
  return {
    link: shaper.config,
    a: shaper.a,
    b: shaper.b,
    offered_packets: stats.offeredPackets,
    offered_bytes: stats.offeredBytes,
    delivered_packets: stats.departedPackets,
    delivered_bytes: stats.departedBytes,
    dropped_packets: stats.droppedPackets,
    lost_packets: stats.lostPackets,
    cross_traffic_delivered_bytes: stats.crossDepartedBytes,
    cross_traffic_dropped_packets: stats.crossDrops,
    shaper_lateness_ms: { p50: orNull(p50_ms), p95: orNull(p95_ms), p99: orNull(p99_ms) },
  };
}
