import { describe, expect, it } from 'vitest';

import { pageUrl } from '../../src/node/call/own_page.js';
import { ratios, spread, summarise } from '../../src/node/call/summary.js';
import { reportText } from '../../src/node/call/table.js';
import type { CallPlan, RunReport } from '../../src/node/call/types.js';
import { DEFAULT_LINK_CONFIG } from '../../src/scenario/link_config.js';

const run = (utilisation: number, p50: number | null, timeTo90: number | null): RunReport => ({
  mode: 'control',
  utilisation,
  queue_delay_ms: { p50, p95: 60, p99: 90 },
  loss_ratio: 0,
  time_to_90pct_s: timeTo90,
  drops: 0,
  steps: [],
  cross_utilisation: 0,
  overuse_count: 3,
  fps: 30,
  freeze_count: 0,
  longest_freeze_s: 0,
  shaper_lateness_ms: { p50: 0.1, p95: 0.2, p99: 0.8 },
  sent: null,
  received: null,
  target_mean_bps: 900_000,
  target_of_capacity: { p5: 0.7, p50: 0.9, p95: 1.1 },
  target_final_bps: 950_000,
  shadows: [],
  controller_faults: [],
  notices: [],
});

describe('summaries', () => {
  it('gives the median and the range', () => {
    const runs = [run(0.9, 20, 5), run(0.8, 10, 9), run(0.7, 40, 7)];
    const { utilisation, queue_delay_p50_ms } = summarise(runs);
    expect(utilisation).toEqual({ median: 0.8, min: 0.7, max: 0.9 });
    expect(queue_delay_p50_ms).toEqual({ median: 20, min: 10, max: 40 });
  });

  it('counts a time that was never reached as longer than any', () => {
    expect(spread([5, null, 7], true)).toEqual({ median: 7, min: 5, max: null });
    expect(spread([5, null, null], true)).toEqual({ median: null, min: 5, max: null });
    expect(spread([5, null, 7])).toEqual({ median: 6, min: 5, max: 7 });
    expect(spread([null])).toEqual({ median: null, min: null, max: null });
  });

  it('pairs runs for ratios, and leaves out what cannot be divided', () => {
    const { utilisation, queue_delay_p50_ms: p50 } = ratios(
      [run(0.9, 20, 5), run(0.8, null, 5)],
      [run(0.6, 40, 5), run(0.8, 10, 5)],
    );
    expect(utilisation).toMatchObject({ min: 1, max: 1.5, median: 1.25 });
    expect(utilisation.of_medians).toBeCloseTo(0.85 / 0.7, 12);
    expect(p50).toEqual({ of_medians: 20 / 25, median: 0.5, min: 0.5, max: 0.5 });
  });
});

describe('the report for people', () => {
  const report = {
    mode: 'control' as const,
    controller: 'gcc' as const,
    preset: 'gcc-live',
    parameters: {},
    link: DEFAULT_LINK_CONFIG,
    duration_s: 60,
    browser: 'Chromium 156',
    runs: [run(0.876, 20, 5), run(0.8, null, null)],
    summary: summarise([run(0.876, 20, 5), run(0.8, null, null)]),
  };

  it('has a line for each run and dashes for what is not known', () => {
    const lines = reportText(report).split('\n');
    expect(lines.find((line) => /^\s+1 /.test(line))).toContain('0.876');
    expect(lines.find((line) => /^\s+2 /.test(line))).toContain('- / 60 / 90');
  });

  it('says what was sent, but for pages that decide it themselves', () => {
    const source = { name: 'noise', width: 1280, height: 720, fps: 30 };
    const [first] = reportText({ ...report, source, codec: 'vp9', audio: true }).split('\n');
    expect(first).toContain(', noise 1280x720 at 30 fps in VP9 beside audio, 60 s (');
    expect(reportText(report).split('\n')[0]).not.toContain(' fps');
  });

  it('warns of what the page warned of', () => {
    const warned = { ...run(0.8, 20, 5), notices: ['warning: control was not verified.', 'info: a detail.'] };
    const text = reportText({ ...report, runs: [warned, warned] });
    expect(text.match(/control was not verified/g)).toHaveLength(1);
    expect(text).not.toContain('a detail');
  });
});

const PLAN: CallPlan = {
  controller: 'gcc',
  text: 'gcc',
  mode: 'cap',
  preset: 'gcc-live',
  set: { alpha: 0.9 },
  shadows: ['nada', 'gcc:ton-2017-literal'],
  files: [],
  source: { name: 'synthetic', width: 1280, height: 720, fps: 15, file: null },
  codec: 'vp9',
  audio: true,
  link: { ...DEFAULT_LINK_CONFIG, capacity: '1.5mbps,0.6mbps@20s', loss_ratio: 0.01 },
  durationMs: 60_000,
  keyFrameIntervalS: 8,
  sourceMaxBps: 2e6,
  seed: 4,
};

describe('the address of the page', () => {
  it('carries the whole plan', () => {
    const url = new URL(pageUrl('http://127.0.0.1:1/', PLAN));
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      autostart: '1',
      capacity: '1.5mbps,0.6mbps@20s',
      queue: 'droptail:300ms',
      rtt_ms: '50',
      loss: '0.01',
      mode: 'cap',
      shadow: 'nada,gcc:ton-2017-literal',
      'set.alpha': '0.9',
      max_bps: '2000000',
      key_frame_interval_s: '8',
      source: 'synthetic',
      size: '720p',
      fps: '15',
      codec: 'vp9',
      audio: '1',
      seed: '4',
    });
  });

  it('asks for no size of a camera that plays a file', () => {
    const source = { name: 'mine.y4m', width: 480, height: 270, fps: 24, file: '/videos/mine.y4m' };
    const { searchParams } = new URL(pageUrl('http://127.0.0.1:1/', { ...PLAN, source }));
    expect(searchParams.get('source')).toBe('camera');
    expect([...searchParams.keys()].filter((key) => ['size', 'fps'].includes(key))).toEqual([]);
  });
});
