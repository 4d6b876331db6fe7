import { describe, expect, it } from 'vitest';

import { ConfigError, parseDuration } from '../../src/text/quantities.js';
import {
  DEFAULT_LINK_CONFIG,
  forwardChange,
  forwardLink,
  parseLinkConfig,
} from '../../src/link/link_config.js';
import { parseQueue } from '../../src/link/queue_text.js';
import { parseRate, parseSchedule } from '../../src/link/capacity_text.js';
import { problem } from './scenario/support.js';

describe('rates', () => {
  it.each([
    ['1mbps', 1e6],
    ['500kbps', 500_000],
    ['0.6 Mbps', 600_000],
    ['1.1mbps', 1_100_000],
    ['64bps', 64],
    ['1gbps', 1e9],
    [250_000, 250_000],
    ['250000', 250_000],
  ])('%s is %d bit/s', (text, bps) => expect(parseRate(text)).toBe(bps));

  it.each(['', 'fast', '1mb', '-1mbps', '0', '0mbps', '1e400mbps', '200gbps', NaN, -5, Infinity])(
    'refuses %s',
    (text) => {
      expect(problem(() => parseRate(text)).field).toBe('capacity');
    },
  );

  it('says what to write', () => {
    expect(problem(() => parseRate('1 mb', { field: 'source-max' })).message).toBe(
      'source-max: expected a rate from 1 bps to 100 gbps, got "1 mb"; write, for example, 1mbps or 500kbps',
    );
  });
});

describe('durations', () => {
  it.each([
    ['300ms', 300_000],
    ['1s', 1e6],
    ['2min', 120e6],
    ['1.5h', 5400e6],
    ['250us', 250],
  ])('%s is %d us', (text, us) => expect(parseDuration(text)).toBe(us));

  it('asks for the unit that is missing', () => {
    expect(problem(() => parseDuration('60')).fix).toBe('write 60ms or 60s');
  });
});

describe('schedules', () => {
  it('reads a constant and steps', () => {
    expect(parseSchedule('1mbps')).toEqual([{ atUs: 0, capacityBps: 1e6 }]);
    expect(parseSchedule('1.5mbps,0.6mbps@20s,1.5mbps@40s')).toEqual([
      { atUs: 0, capacityBps: 1.5e6 },
      { atUs: 20e6, capacityBps: 600_000 },
      { atUs: 40e6, capacityBps: 1.5e6 },
    ]);
  });

  it('takes an outage, though not at the begin', () => {
    expect(parseSchedule('1mbps,0@5s,1mbps@6s')[1]).toEqual({ atUs: 5e6, capacityBps: 0 });
    expect(() => parseSchedule('0,1mbps@5s')).toThrow(ConfigError);
  });

  it.each([
    '1mbps,2mbps',
    '1mbps@5s',
    '1mbps,2mbps@5s,1mbps@5s',
    '1mbps,2mbps@9s,1mbps@5s',
    '1mbps,',
    '1mbps,2mbps@5s@6s',
  ])('refuses %s', (text) => expect(() => parseSchedule(text)).toThrow(ConfigError));

  it('shows by a schedule how to write one, and by a rate how to write a rate', () => {
    const schedule = /write, for example, 1\.5mbps,0\.6mbps@20s,1\.5mbps@40s/;
    expect(() => parseSchedule('3M,1M@30')).toThrow(schedule);
    expect(() => parseSchedule('3mbps,1mbps@soon')).toThrow(schedule);
    expect(() => parseSchedule('3mbps,1mbps@30')).toThrow(/write 30ms or 30s/);
    expect(() => parseSchedule('3M')).toThrow(/write, for example, 1mbps or 500kbps/);
  });
});

describe('queues', () => {
  it.each([
    ['droptail', { kind: 'droptail' }],
    ['droptail:300ms', { kind: 'droptail', limitMs: 300 }],
    ['droptail:0.3s', { kind: 'droptail', limitMs: 300 }],
    ['droptail:64kB', { kind: 'droptail', limitBytes: 64_000 }],
    ['droptail:100p', { kind: 'droptail', limitPackets: 100 }],
    ['droptail:limit=64kB', { kind: 'droptail', limitBytes: 64_000 }],
    ['codel', { kind: 'codel' }],
    [
      'codel:target=13ms,interval=0.1s,limit=1000',
      { kind: 'codel', targetMs: 13, intervalMs: 100, limitPackets: 1000 },
    ],
    ['codel:mtu=1.5kB', { kind: 'codel', mtuBytes: 1500 }],
    ['pie', { kind: 'pie' }],
    ['PIE:target=20ms', { kind: 'pie', targetMs: 20 }],
    [
      'pie-rfc8033:alpha=0.2,t_update=500us',
      { kind: 'pie', preset: 'pie-rfc8033', alphaPerS: 0.2, tUpdateMs: 0.5 },
    ],
    ['pie:variant=rfc8033', { kind: 'pie', variant: 'rfc8033' }],
    ['sfq', { kind: 'sfq' }],
    ['sfq:300ms', { kind: 'sfq', limitMs: 300 }],
    ['sfq:100p,buckets=16', { kind: 'sfq', limitPackets: 100, buckets: 16 }],
    ['sfq-linux', { kind: 'sfq', preset: 'sfq-linux' }],
    ['fq_codel:target=13ms', { kind: 'fq_codel', targetMs: 13 }],
    ['fq-codel:backlog_of=own', { kind: 'fq_codel', backlogOf: 'own' }],
  ])('%s', (text, queue) => expect(parseQueue(text)).toEqual(queue));

  it.each([
    '',
    'droptail:',
    'droptail:0p',
    'droptail:1.5p',
    'droptail:2h',
    'no-such-queue:300ms',
    'droptail:1ms:2ms',
    'droptail:1ms,2ms',
    'droptail:1ms,limit=5p',
    'droptail:0ms',
    'codel:',
    'codel:300ms',
    'codel:target=13',
    'codel:target=13p',
    'codel:target=0ms',
    'codel:targets=13ms',
    'codel:limit=2.5',
    'codel:target=5ms,target=6ms',
    'pie:variant=2',
    'pie-rfc3168',
    'fq_codel:queues=0',
  ])('refuses %s', (text) => expect(problem(() => parseQueue(text)).field).toBe('queue'));
});

describe('what a refused queue says', () => {
  it.each([
    ['no-such-queue:5ms', 'one of droptail, codel, pie, pie-rfc8033, sfq, sfq-linux, fq_codel'],
    ['codel:targets=13ms', 'a setting of codel (target, interval, limit, mtu, least_backlog)'],
    ['codel:target=13', 'target as 0.001 to 10000ms'],
    ['sfq:0p', 'limit as 0 to 60000ms, or 0 to 1000000000B, or 0 to 1000000p, but not 0'],
    ['droptail:limit=2h', 'limit as 0 to 60000ms, or 0 to 1000000000B, or 0 to 1000000p, but not 0'],
    ['pie:burst_allowance=2h', 'burst_allowance as 0 to 60000ms'],
    ['pie:variant=x', 'variant as linux or rfc8033'],
  ])('%s', (text, expected) => expect(problem(() => parseQueue(text)).expected).toBe(expected));
});

describe('settings from outside', () => {
  it('passes what is right and only what is given', () => {
    const config = { capacity: '2mbps', rtt_ms: 80 };
    expect(parseLinkConfig({ ...config, queue: undefined })).toEqual(config);
  });

  it.each([
    [{ rtt_ms: -1 }, 'link.rtt_ms'],
    [{ rtt_ms: NaN }, 'link.rtt_ms'],
    [{ loss_ratio: 1.5 }, 'link.loss_ratio'],
    [{ capacity: 'fast' }, 'link.capacity'],
    [{ queue: 'no-such-queue' }, 'link.queue'],
    [{ bottleneck: 'wide' }, 'link.bottleneck'],
    [{ seed: 0.5 }, 'link.seed'],
    [{ delay: 5 }, 'link.delay'],
    ['1mbps', 'link'],
    [null, 'link'],
  ])('refuses %j at %s', (input, field) => expect(problem(() => parseLinkConfig(input)).field).toBe(field));

  it('puts half the RTT on each direction and gives later capacities as a schedule', () => {
    const link = forwardLink({ ...DEFAULT_LINK_CONFIG, capacity: '1mbps,2mbps@3s', rtt_ms: 50 });
    expect(link).toMatchObject({
      capacityBps: 1e6,
      oneWayDelayUs: 25_000,
      schedule: [{ atUs: 3e6, capacityBps: 2e6 }],
    });
  });

  it('changes nothing that was not asked for', () => {
    expect(forwardChange({ jitter_ms: 5 })).toEqual({ jitterUs: 5000 });
  });
});
