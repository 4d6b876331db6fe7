import { describe, expect, it } from 'vitest';

import { linkMetrics } from '../../src/calls/metrics.js';
import { distortion, FIX, type MachineReport } from '../../src/machine/index.js';
import { pageUrl } from '../../src/command_line/call/own_page.js';
import { makeCalls, reportOf, type Series } from '../../src/command_line/call/series.js';
import { ratios, spread, summarise } from '../../src/command_line/call/summary.js';
import { reportText } from '../../src/command_line/call/table.js';
import type { CallPlan, RunReport } from '../../src/command_line/call/types.js';
import type { Io } from '../../src/command_line/io.js';
import { DEFAULT_LINK_CONFIG } from '../../src/link/link_config.js';
import { FailedRun } from '../../src/text/errors.js';

const QUIET: MachineReport = {
  overloaded: false,
  share: 0,
  reasons: [],
  shaper_late_p95_ms: 0.6,
  callbacks_late_ms: 4,
  source_frames_ratio: 1,
};

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
  machine: QUIET,
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
    set_aside: [],
    overloaded_runs: 0,
    summary: summarise([run(0.876, 20, 5), run(0.8, null, null)]),
  };

  it('has a line for each run and dashes for what is not known', () => {
    const lines = reportText(report).split('\n');
    expect(lines.find((line) => /^\s+1 /.test(line))).toContain('0.876');
    expect(lines.find((line) => /^\s+2 /.test(line))).toContain('- / 60 / 90');
  });

  it('has a dash for a utilisation without a capacity, and leaves it out of the medians', () => {
    const measured = linkMetrics([], [{ atUs: 0, capacityBps: 0 }], { fromUs: 0, toUs: 9e6 });
    const outage = { ...run(NaN, 20, 5), ...measured, cross_utilisation: measured.utilisation };
    const runs = [outage, run(0.8, 20, 5)];
    const down = { ...report, runs, summary: summarise(runs) };
    expect(down.summary.utilisation).toEqual({ median: 0.8, min: 0.8, max: 0.8 });
    expect(down.summary.cross_utilisation.median).toBe(0);
    const text = reportText(down);
    expect(text).toMatch(/^ *1 +- +- \/ - \/ - /m);
    expect(text).not.toMatch(/NaN|Infinity|of TCP/);
  });

  it('says whose overuses are counted where a detector watched, and has a dash where none did', () => {
    const watched = { ...report, mode: 'observe' as const, runs: [run(0.8, 20, 5)] };
    const runs = [{ ...run(0.8, 20, 5), overuse_count: null }];
    const whose = 'overuses are those of a GCC that only watches';
    expect(reportText(watched)).toContain(whose);
    const text = reportText({ ...watched, runs });
    expect(text).not.toContain(whose);
    expect(text).not.toContain('null');
    expect(text).toMatch(/^ *1 .* - +30\.0 +0 /m);
    expect(summarise(runs).overuse_count).toEqual({ median: null, min: null, max: null });
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
    const url = new URL(pageUrl('http://127.0.0.1:1/', PLAN, 'link-7'));
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      autostart: '1',
      // The address contains only the link's name. The page gets the link's settings when it joins the link.
      link: 'link-7',
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

  it('begins at most at the most that the source sends', () => {
    const slow = new URL(pageUrl('http://127.0.0.1:1/', { ...PLAN, sourceMaxBps: 40e3 }, 'link-7'));
    expect(Object.fromEntries(slow.searchParams)).toMatchObject({
      ...{ min_bps: '40000', start_bps: '40000', max_bps: '40000' },
    });
  });

  it('asks for no size of a camera that plays a file', () => {
    const source = { name: 'mine.y4m', width: 480, height: 270, fps: 24, file: '/videos/mine.y4m' };
    const { searchParams } = new URL(pageUrl('http://127.0.0.1:1/', { ...PLAN, source }, 'link-7'));
    expect(searchParams.get('source')).toBe('camera');
    expect([...searchParams.keys()].filter((key) => ['size', 'fps'].includes(key))).toEqual([]);
  });
});

describe('runs on an overloaded machine', () => {
  const loaded = (utilisation: number): RunReport => ({
    ...run(utilisation, 20, null),
    machine: {
      overloaded: true,
      share: 0.64,
      reasons: ['shaper', 'callbacks'],
      shaper_late_p95_ms: 41.25,
      callbacks_late_ms: 77,
      source_frames_ratio: 1,
    },
  });

  /**
   * Makes a series of fake runs with these utilisations, one after the other. If the utilisation is below
   * 0.5, the run's report says that the machine was overloaded.
   */
  async function made(utilisations: readonly number[], options: { runs: number; again?: number }) {
    const left = [...utilisations];
    const series: Series = {
      head: {
        ...{ mode: 'control', controller: 'gcc', preset: 'gcc-live', parameters: {} },
        ...{ link: DEFAULT_LINK_CONFIG, duration_s: 60 },
      },
      ...{ browser: '', runs: [], setAside: [] },
      make: () => {
        const utilisation = left.shift() ?? NaN;
        const report = utilisation < 0.5 ? loaded(utilisation) : run(utilisation, 20, 5);
        return Promise.resolve({ report, browser: 'Chromium 156', trace: null, html: null });
      },
    };
    let stderr = '';
    const stream = { write: (text: string) => (stderr += text) };
    const io = { stdout: stream, stderr: stream } as unknown as Io;
    await makeCalls([series], { ...options, signal: new AbortController().signal, io });
    const report = reportOf([series]);
    if (report === null) throw new Error('no run was made');
    return { report, stderr, text: reportText(report), left };
  }

  it('are marked, counted and stay in the medians', async () => {
    const { report, stderr, text } = await made([0.9, 0.3, 0.8], { runs: 3 });
    expect(report).toMatchObject({ overloaded_runs: 1, set_aside: [] });
    expect(report.summary.utilisation).toEqual({ median: 0.8, min: 0.3, max: 0.9 });
    expect(stderr).toBe('');
    const lines = text.split('\n').map((line) => line.trim());
    expect(lines.filter((line) => /^!?\d  /.test(line)).map((line) => line.split(/\s+/)[0])).toEqual([
      '1',
      '!2',
      '3',
    ]);
    expect(lines).toContain(
      '! run 2: the machine was overloaded for 64 % of the run: at worst, over 5 s, packets leave the shaper 41.3 ms late (p95), callbacks come 77 ms late; ' +
        `so ${distortion(['shaper', 'callbacks'])}. To do: ${FIX}.`,
    );
    expect(lines).toContain('1 of 3 runs on an overloaded machine; --until-quiet makes such runs again');
  });

  it('leave no trace in the text if there are no such runs', async () => {
    const { report, text } = await made([0.9, 0.8], { runs: 2 });
    expect(report.overloaded_runs).toBe(0);
    expect(text).not.toMatch(/overloaded|!/);
  });

  it('are made again until one is quiet, and set aside', async () => {
    const { report, stderr, text, left } = await made([0.9, 0.3, 0.2, 0.8, 0.7], { runs: 2, again: 3 });
    expect(report.runs.map(({ utilisation }) => utilisation)).toEqual([0.9, 0.8]);
    expect(report.set_aside.map(({ utilisation }) => utilisation)).toEqual([0.3, 0.2]);
    expect(report.overloaded_runs).toBe(0);
    expect(report.summary.utilisation).toEqual({
      median: expect.closeTo(0.85, 9) as number,
      min: 0.8,
      max: 0.9,
    });
    expect(stderr).toMatch(
      /^gcc, run 2: the machine was overloaded .* again \(1 of 3\)\ngcc, run 2: .*\(2 of 3\)\n$/,
    );
    expect(text).toContain(
      '0 of 2 runs on an overloaded machine; 2 more set aside and made again, in no median',
    );
    expect(left).toEqual([0.7]);
  });

  it('are made again so often and not more: the last one counts, and is marked', async () => {
    const { report, stderr, left } = await made([0.1, 0.2, 0.3, 0.9], { runs: 1, again: 2 });
    expect(report.runs.map(({ utilisation }) => utilisation)).toEqual([0.3]);
    expect(report).toMatchObject({
      overloaded_runs: 1,
      set_aside: [{ utilisation: 0.1 }, { utilisation: 0.2 }],
    });
    expect(stderr.split('\n')).toHaveLength(3);
    expect(left).toEqual([0.9]);
  });

  it.each([
    ['fails', new Error('the browser crashed')],
    ['is interrupted', new FailedRun('interrupted')],
  ])('are reported even if making one again %s', async (_, failure) => {
    const of = (controller: string, results: readonly (RunReport | Error)[]): Series => {
      const left = [...results];
      return {
        head: {
          ...{ mode: 'control', controller, preset: 'gcc-live', parameters: {} },
          ...{ link: DEFAULT_LINK_CONFIG, duration_s: 60 },
        },
        ...{ browser: '', runs: [], setAside: [] },
        make: () => {
          const report = left.shift() ?? failure;
          return report instanceof Error
            ? Promise.reject(report)
            : Promise.resolve({ report, browser: 'Chromium 156', trace: null, html: null });
        },
      };
    };
    const stream = { write: () => true };
    const io = { stdout: stream, stderr: stream } as unknown as Io;
    const options = { runs: 1, again: 3, signal: new AbortController().signal, io };

    const alone = of('gcc', [loaded(0.3)]);
    await expect(makeCalls([alone], options)).rejects.toThrow(failure);
    const report = reportOf([alone]);
    expect(report).toMatchObject({ runs: [], set_aside: [{ utilisation: 0.3 }], overloaded_runs: 0 });
    expect(report?.browser).toBe('Chromium 156');
    expect(report?.summary.utilisation).toEqual({ median: null, min: null, max: null });
    if (report === null) return;
    const text = reportText(report);
    expect(text).toMatch(/^ *!aside +0\.300 /m);
    expect(text).toContain('no run was completed in place of 1 set aside, made on an overloaded machine');
    expect(text).not.toMatch(/NaN|undefined|Infinity|in no median/);

    const both = [of('gcc', [run(0.9, 20, 5)]), of('nada', [loaded(0.3)])];
    await expect(makeCalls(both, options)).rejects.toThrow(failure);
    const compared = reportOf(both);
    expect(compared?.comparison).toMatchObject({
      nada: { runs: [], set_aside: [{ utilisation: 0.3 }] },
      ratios: { utilisation: { of_medians: null, median: null, min: null, max: null } },
    });
    if (compared !== null) expect(reportText(compared)).not.toMatch(/NaN|undefined|Infinity/);
    expect(reportOf([of('gcc', [])])).toBeNull();
  });
});
