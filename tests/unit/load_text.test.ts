import { describe, expect, it } from 'vitest';

import {
  DEFAULT_LINK_CONFIG,
  forwardChange,
  forwardLink,
  parseLinkConfig,
} from '../../src/link/link_config.js';
import { parseCrossTraffic, parseOutage, parseReorder } from '../../src/link/load_text.js';
import { parseSchedule } from '../../src/link/capacity_text.js';
import { near } from '../../src/text/suggest.js';
import { problem } from './scenario/support.js';

describe('outages as text', () => {
  it.each([
    ['none', null],
    ['100ms/20ms', { meanOnUs: 100e3, meanOffUs: 20e3 }],
    [' 2s / 0.5s ', { meanOnUs: 2e6, meanOffUs: 500e3 }],
    ['100ms/20msx3', { meanOnUs: 100e3, meanOffUs: 20e3, offPhases: 3 }],
    ['1ms/1min', { meanOnUs: 1e3, meanOffUs: 60e6 }],
  ])('%s', (text, outages) => expect(parseOutage(text)).toEqual(outages));

  it.each([
    ['', 'none, or ON/OFF (the mean times'],
    ['100ms', 'none, or ON/OFF (the mean times'],
    ['100ms/20ms/5ms', 'none, or ON/OFF (the mean times'],
    ['100/20', 'a time with its unit'],
    ['100ms/20', 'a time with its unit'],
    ['100ms/0ms', 'mean times from 1ms to 1min'],
    ['2min/20ms', 'mean times from 1ms to 1min'],
    ['100ms/20msx0', '1 to 100 phases'],
    ['100ms/20msx101', '1 to 100 phases'],
  ])('refuses %j', (text, expected) => {
    const { field, expected: said, fix } = problem(() => parseOutage(text, { field: 'link.outage' }));
    expect(field).toBe('link.outage');
    expect(said).toContain(expected);
    expect(fix).toMatch(/^write(, for example,)? \d/);
  });
});

describe('reordering as text', () => {
  it.each([
    ['none', null],
    ['0.01/20ms', { ratio: 0.01, delayUs: 20e3 }],
    [' 5% / 0.5s ', { ratio: 0.05, delayUs: 500e3 }],
    ['1/1min', { ratio: 1, delayUs: 60e6 }],
  ])('%s', (text, reordering) => expect(parseReorder(text)).toEqual(reordering));

  it.each([
    ['', 'none, or RATIO/TIME (the share of packets'],
    ['0.01', 'none, or RATIO/TIME (the share of packets'],
    ['0.01/20ms/5ms', 'none, or RATIO/TIME (the share of packets'],
    ['2/20ms', 'a ratio from 0 to 1'],
    ['-0.1/20ms', 'a ratio from 0 to 1'],
    ['20ms/0.01', 'a ratio from 0 to 1'],
    ['0.01/20', 'a time with its unit'],
    ['0.01/2min', 'a time of at most 1min'],
  ])('refuses %j', (text, expected) => {
    const { field, expected: said, fix } = problem(() => parseReorder(text, { field: 'link.reorder' }));
    expect(field).toBe('link.reorder');
    expect(said).toContain(expected);
    expect(fix).toMatch(/^write(, for example,)? \d/);
  });
});

describe('cross traffic as text', () => {
  it.each([
    ['none', { cubic: 0, newReno: 0 }],
    ['cubic:3', { cubic: 3, newReno: 0 }],
    ['cubic', { cubic: 1, newReno: 0 }],
    ['cubic:2,newreno:1', { cubic: 2, newReno: 1 }],
    ['NewReno:64 , cubic:0', { cubic: 0, newReno: 64 }],
  ])('%s', (text, flows) => expect(parseCrossTraffic(text)).toEqual(flows));

  it.each([
    '',
    'bbr:1',
    'cubic:65',
    'cubic:-1',
    'cubic:1.5',
    'cubic:1,cubic:2',
    'cubic:',
    'none,cubic:1',
    '3',
  ])('refuses %j', (text) => {
    expect(problem(() => parseCrossTraffic(text)).message).toBe(
      `cross_traffic: expected none, or up to 64 connections of each kind (cubic, newreno), got ${JSON.stringify(text)}; ` +
        'write, for example, cubic:3 or cubic:2,newreno:1',
    );
  });
});

describe('a link with them', () => {
  it('is as it was by default', () => {
    expect(forwardLink(DEFAULT_LINK_CONFIG)).toMatchObject({
      burstLossPackets: 1,
      outages: null,
      crossTraffic: { cubic: 0, newReno: 0 },
    });
  });

  it('passes each on its own, on and off', () => {
    expect(forwardChange({ burst_loss_packets: 5 })).toEqual({ burstLossPackets: 5 });
    expect(forwardChange({ outage: '1s/50ms' })).toEqual({ outages: { meanOnUs: 1e6, meanOffUs: 50e3 } });
    expect(forwardChange({ outage: 'none' })).toEqual({ outages: null });
    expect(forwardChange({ cross_traffic: 'newreno:2' })).toEqual({
      crossTraffic: { cubic: 0, newReno: 2 },
    });
  });

  it.each([
    [{ burst_loss_packets: 0.9 }, 'link.burst_loss_packets'],
    [{ burst_loss_packets: Infinity }, 'link.burst_loss_packets'],
    [{ outage: '20ms' }, 'link.outage'],
    [{ outage: 20 }, 'link.outage'],
    [{ cross_traffic: 'vegas:1' }, 'link.cross_traffic'],
    [{ cross_traffic: null }, 'link.cross_traffic'],
  ])('refuses %j at %s', (input, field) => expect(problem(() => parseLinkConfig(input)).field).toBe(field));
});

describe('texts that are made to take long', () => {
  const BLANKS = ' '.repeat(800);
  it.each([
    ['queue', `codel:target=${BLANKS}x\ny`],
    ['queue', `codel:target=${BLANKS}x${BLANKS}`],
    ['queue', `codel:${'a'.repeat(800)}`],
    ['outage', `100ms/${BLANKS}`],
    ['cross_traffic', `cubic:${BLANKS}`],
    ['capacity', `${BLANKS}1mbps${BLANKS}x`],
  ])('are refused at once as %s: %j', (field, text) => {
    const before = process.cpuUsage();
    problem(() => parseLinkConfig({ [field]: text }));
    const { user, system } = process.cpuUsage(before);
    // A regular expression that backtracks over the spaces would take about 700 ms.
    expect((user + system) / 1000).toBeLessThan(50);
  });

  it.each(['queue', 'outage', 'cross_traffic', 'capacity'])(
    'are refused as %s where they are too long',
    (field) => {
      const { field: named, message } = problem(() => parseLinkConfig({ [field]: '1'.repeat(1e6) }));
      expect(named).toBe(`link.${field}`);
      expect(message.length).toBeLessThan(500);
    },
  );

  it('have at most a million steps', () => {
    const steps = Array.from({ length: 1_000_001 }, (_, i) => (i === 0 ? '1mbps' : `1mbps@${i}ms`));
    expect(problem(() => parseSchedule(steps.join(','))).expected).toBe('at most 1000000 steps');
  });

  it('are compared with no name where nobody would type them', () => {
    expect(near('x'.repeat(1e6), ['gcc', 'nada'])).toEqual([]);
    expect(near('gc', ['gcc', 'nada'])).toEqual(['gcc']);
  });
});
