import { createWriteStream, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { PassThrough, Readable, Writable } from 'node:stream';

import { beforeAll, describe, expect, it } from 'vitest';

import { loadCore, type Core } from '../../src/core/index.js';
import { formatTrace, presetNames, TraceData, type TraceHeader } from '../../src/trace/index.js';
import { run } from '../../src/command_line/program.js';
import { seeded } from '../unit/trace/support.js';
import { ccscope, rows, scratch } from './support.js';

const files = scratch();
let core: Core;
beforeAll(async () => {
  core = await loadCore();
});

/** The arrival of frame `i` of a video at 30 fps, through a queue that fills and drains. */
function arrival(i: number): { sendTimeUs: number; arrivalTimeUs: number; sizeBytes: number; seq: number } {
  const sendTimeUs = i * 33_333;
  const queueUs = Math.max(0, 60_000 - 800 * Math.abs((i % 300) - 225));
  return {
    seq: i,
    sendTimeUs,
    arrivalTimeUs: sendTimeUs + 50_000 + queueUs + ((i * 7919) % 997),
    sizeBytes: 3000 + (i % 7),
  };
}

function line(i: number, more: object = {}): string {
  const { seq, sendTimeUs, arrivalTimeUs, sizeBytes } = arrival(i);
  const times = { send_time_us: sendTimeUs, arrival_time_us: arrivalTimeUs };
  return JSON.stringify({ type: 'arrival', flow: 0, seq, ...times, size_bytes: sizeBytes, ...more });
}

/** A row's value, as written in CSV. */
function cell(value: unknown): string {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : '';
}

function content(header: Partial<TraceHeader>, lines: readonly string[]): string {
  return [JSON.stringify({ ccscope_trace: 1, ...header }), ...lines, ''].join('\n');
}

const PLAIN = content(
  {},
  Array.from({ length: 600 }, (_, i) => line(i)),
);

/**
 * The recording of a live run. It contains frames, counters of received packets, a change of a parameter, and a
 * change of the preset.
 */
function recording(): { text: string; groups: string[] } {
  const parameters = { start_bitrate_bps: 400_000, k_u: 0.02 };
  const half = core.createReceiver({ preset: 'gcc-live', parameters });
  const trace = new TraceData();
  const drain = (): void => half.drain().forEach((batch) => trace.append(batch));
  for (let i = 0; i < 900; i++) {
    half.pushArrival({
      ...arrival(i),
      rtpTimestamp: (i * 3000) % 2 ** 32,
      keyFrame: i % 240 === 0,
      rttUs: 51_234.5,
    });
    half.takeFeedback();
    if (i % 3 === 2) {
      const timeUs = arrival(i).arrivalTimeUs - 7_000; // the counters are a little older than the latest frame
      half.pushInbound({ timeUs, packetsReceived: 3 * i, packetsLost: i >> 6, bytesReceived: 3100 * i });
      half.takeFeedback();
    }
    if (i % 10 === 0) drain();
    const event = (name: string, detail: unknown): void => {
      drain();
      trace.appendEvent({ time_us: arrival(i).arrivalTimeUs, name, detail });
    };
    if (i === 300) {
      half.setParameter('alpha', 0.7);
      event('parameter', { name: 'alpha', value: 0.7 });
    }
    if (i === 500) {
      half.setPreset('libwebrtc-2016-08');
      event('preset', { name: 'libwebrtc-2016-08' });
    }
  }
  drain();
  half.destroy();
  const header: TraceHeader = { ccscope_trace: 1, source: 'call', preset: 'gcc-live', parameters };
  const text = [...formatTrace(trace, header)].join('');
  const groups = text.split('\n').filter((row) => row.startsWith('{"type":"group"'));
  return { text, groups };
}

describe('replay', () => {
  it('gives what the live run gave, byte for byte', async () => {
    const { text, groups } = recording();
    expect(groups.length).toBeGreaterThan(500);
    expect(groups.some((row) => row.includes('"signal":"overuse"'))).toBe(true);
    const { status, stdout } = await ccscope(['replay', files.write('live.ndjson', text)]);
    expect(status).toBe(0);
    expect(stdout.split('\n').filter((row) => row.startsWith('{"type":"group"'))).toEqual(groups);
  });

  it('needs the recorded changes for that, and leaves them out for another preset', async () => {
    const { text, groups } = recording();
    const without = text.split('\n').filter((row) => !row.startsWith('{"type":"event"'));
    const groupsOf = async (input: string, ...flags: string[]): Promise<string[]> => {
      const { stdout } = await ccscope(['replay', '-', '--rows', 'group', ...flags], input);
      return stdout.trimEnd().split('\n');
    };
    expect(await groupsOf(without.join('\n'))).not.toEqual(groups);
    const other = await groupsOf(text, '--preset', 'gcc');
    expect(other).toEqual(await groupsOf(without.join('\n'), '--preset', 'gcc'));
    expect(other).not.toEqual(groups);
    const fixed = await groupsOf(text, '--set', 'alpha=0.7');
    expect(fixed).not.toEqual(groups);
  });

  it('meets a fresh controller where a call was started again', async () => {
    const trace = new TraceData();
    const calls = [
      { preset: 'gcc-live', parameters: { start_bitrate_bps: 400_000 } },
      { preset: 'libwebrtc-2016-08', parameters: { start_bitrate_bps: 700_000, alpha: 0.9 } },
    ];
    calls.forEach((start, call) => {
      trace.appendEvent({ time_us: call * 1e7, name: 'start', detail: { ...start, settings: {} } });
      const half = core.createReceiver(start);
      for (let i = 0; i < 300; i++) {
        const { seq, sendTimeUs, arrivalTimeUs, sizeBytes } = arrival(i + call * 400);
        half.pushArrival({ seq: seq - call * 400, sendTimeUs, arrivalTimeUs, sizeBytes });
        half.takeFeedback();
      }
      half.drain().forEach((batch) => trace.append(batch));
      half.destroy();
    });
    const text = [...formatTrace(trace, { ccscope_trace: 1, ...calls[0] })].join('');
    const groups = text.split('\n').filter((row) => row.startsWith('{"type":"group"'));
    const replayed = async (input: string, ...flags: string[]): Promise<string[]> => {
      const { stdout } = await ccscope(['replay', '-', '--rows', 'group', ...flags], input);
      return stdout.trimEnd().split('\n');
    };
    expect(groups.length).toBeGreaterThan(500);
    expect(await replayed(text)).toEqual(groups);
    const joined = text.split('\n').filter((row) => !row.startsWith('{"type":"event"'));
    expect(await replayed(joined.join('\n'))).not.toEqual(groups);
    const other = await replayed(text, '--preset', 'gcc');
    expect(other).toHaveLength(groups.length);
    expect(other).not.toEqual(groups);
    const wrong = text.replace('"libwebrtc-2016-08"', '"bbr"');
    expect((await ccscope(['replay', '-'], wrong)).stderr).toMatch(/detail\.preset: expected one of gcc/);
  });

  /** The lines of two calls in one recording, and of each call alone. A call begins with `start`. */
  function twoCalls(
    header: Partial<TraceHeader>,
    details: readonly object[],
  ): { both: string; alone: string[] } {
    const calls = details.map((detail, call) => [
      JSON.stringify({ type: 'event', time_us: call * 1e7, name: 'start', detail }),
      ...Array.from({ length: 300 }, (_, i) => line(i + call * 400, { seq: i })),
    ]);
    const one = (call: readonly string[], detail: object): string =>
      content({ ...header, ...detail }, call.slice(1));
    return {
      both: content({ ...header, ...details[0] }, calls.flat()),
      alone: calls.map((call, i) => one(call, details[i] ?? {})),
    };
  }

  const bounds = (start: number, max: number): { parameters: Record<string, number> } => ({
    parameters: { min_bitrate_bps: 50_000, max_bitrate_bps: max, start_bitrate_bps: start },
  });

  async function rowsOf(text: string, ...flags: string[]): Promise<string[]> {
    const { status, stdout } = await ccscope(['replay', '-', ...flags], text);
    expect(status).toBe(0);
    return stdout.trimEnd().split('\n');
  }

  it('meets a fresh controller where a call was started again with a controller of a user’s own', async () => {
    const own = { controller: 'mine.ts', settings: { role: 'loopback' } };
    const { both, alone } = twoCalls({ source: 'call' }, [
      { ...own, ...bounds(400_000, 900_000) },
      { ...own, ...bounds(700_000, 800_000) },
    ]);
    const expected = [...(await rowsOf(alone[0] ?? '')), ...(await rowsOf(alone[1] ?? ''))];
    expect(expected.length).toBeGreaterThan(500);
    expect(await rowsOf(both)).toEqual(expected);
    // Another program may write events of this name. Without the settings of a call, they start nothing.
    const foreign = both.replaceAll('"settings"', '"others"');
    expect(await rowsOf(foreign)).not.toEqual(expected);
  });

  it('says so when only a later call had a controller that it has not got', async () => {
    const { both } = twoCalls({}, [
      { preset: 'gcc-live', ...bounds(400_000, 900_000) },
      { controller: 'mine.ts', settings: {}, ...bounds(400_000, 900_000) },
    ]);
    expect((await ccscope(['replay', '-'], both)).stderr).toBe(
      '<stdin>: recorded with mine.ts, replayed with gcc; --controller FILE replays it with its own\n',
    );
    expect((await ccscope(['replay', '-', '--controller', 'nada'], both)).stderr).toBe('');
  });

  it.each([
    ['of ccscope', { preset: 'gcc-live' }],
    ['of a user’s own', { controller: 'mine.ts', settings: {} }],
  ])('keeps to the bounds of each call with another controller: recorded with one %s', async (_, own) => {
    const { both, alone } = twoCalls({ source: 'call' }, [
      { ...own, ...bounds(400_000, 900_000) },
      { ...own, ...bounds(150_000, 200_000) },
    ]);
    const choices = [
      ['--controller', 'nada'],
      ['--controller', 'gcc'],
      ['--preset', 'nada-live'],
      ['--preset', 'gcc-live'],
    ];
    for (const flags of choices) {
      const expected = [
        ...(await rowsOf(alone[0] ?? '', ...flags)),
        ...(await rowsOf(alone[1] ?? '', ...flags)),
      ];
      expect(await rowsOf(both, ...flags), flags.join(' ')).toEqual(expected);
      const rates = rows((await rowsOf(both, ...flags, '--rows', 'rate')).join('\n'));
      const late = rates.filter((row) => Number(row['time_us']) > 15e6);
      expect(late.length).toBeGreaterThan(10);
      const highest = Math.max(...late.map((row) => Number(row['target_bps'])));
      expect(highest, flags.join(' ')).toBeLessThanOrEqual(200_000);
    }
    // The preset of live calls is the one that --controller chooses.
    expect(await rowsOf(both, '--preset', 'gcc-live')).toEqual(await rowsOf(both, '--controller', 'gcc'));
  });

  it('writes nothing but group and rate rows, and the default preset is gcc', async () => {
    const outcome = await ccscope(['replay', '-'], PLAIN);
    expect(outcome.stderr).toBe('');
    const types = rows(outcome.stdout).map((row) => row['type']);
    expect(new Set(types)).toEqual(new Set(['group', 'rate']));
    expect((await ccscope(['replay', '-', '--preset', 'gcc'], PLAIN)).stdout).toBe(outcome.stdout);
    expect((await ccscope(['replay', '-', '--preset', 'gcc-live'], PLAIN)).stdout).not.toBe(outcome.stdout);
    const live = content({ preset: 'gcc-live' }, PLAIN.split('\n').slice(1, -1));
    expect((await ccscope(['replay', '-'], live)).stdout).not.toBe(outcome.stdout);
  });

  it('says so when the recording was made with a controller that it has not got', async () => {
    const text = content({ controller: 'mine.ts' }, PLAIN.split('\n').slice(1, -1));
    const outcome = await ccscope(['replay', '-'], text);
    expect(outcome.status).toBe(0);
    expect(outcome.stderr).toBe(
      '<stdin>: recorded with mine.ts, replayed with gcc; --controller FILE replays it with its own\n',
    );
    expect((await ccscope(['replay', '-', '--controller', 'nada'], text)).stderr).toBe('');
  });

  it('replaces such a controller of a live call with gcc as in live calls, also where a later call had it', async () => {
    const own = { controller: 'mine.ts', settings: {}, ...bounds(400_000, 900_000) };
    const lines = PLAIN.split('\n').slice(1, -1);
    const start = JSON.stringify({ type: 'event', time_us: 0, name: 'start', detail: own });
    for (const source of ['call', 'test']) {
      const texts = [
        content({ source, ...own }, lines),
        content({ source, preset: 'nada-live', ...bounds(400_000, 900_000) }, [start, ...lines]),
      ];
      for (const text of texts) {
        const gcc = await rowsOf(text, '--controller', 'gcc');
        expect(await rowsOf(text), source).toEqual(gcc);
        expect(await rowsOf(text, '--preset', 'gcc'), source).not.toEqual(gcc);
      }
    }
    // A simulation, and a trace that does not say where it comes from, were not made with the settings of live calls.
    for (const source of [{ source: 'simulator' }, {}]) {
      const text = content({ ...source, ...own }, lines);
      expect(await rowsOf(text)).toEqual(await rowsOf(text, '--preset', 'gcc'));
    }
  });

  it('does what --set says', async () => {
    const gammas = async (...flags: string[]): Promise<number[]> => {
      const { stdout } = await ccscope(['replay', '-', '--rows', 'group', ...flags], PLAIN);
      return rows(stdout).map((row) => Number(row['gamma_ms']));
    };
    const still = await gammas('--set', 'adaptive_threshold=off', '--set', 'gamma_init_ms=20');
    expect(new Set(still)).toEqual(new Set([20]));
    expect(new Set(await gammas()).size).toBeGreaterThan(100);
  });

  it('keeps flows apart', async () => {
    const alone = rows((await ccscope(['replay', '-', '--rows', 'group'], PLAIN)).stdout);
    const lines = Array.from({ length: 600 }, (_, i) => [
      line(i),
      line(i, { flow: 3, size_bytes: 1 + (i % 5) }),
    ]).flat();
    const both = rows((await ccscope(['replay', '-', '--rows', 'group'], content({}, lines))).stdout);
    expect(both.filter((row) => row['flow'] === 0)).toEqual(alone);
    expect(both.filter((row) => row['flow'] === 3)).toHaveLength(alone.length);
  });

  it('takes flow 0 and counted sequence numbers where a trace has none', async () => {
    const bare = PLAIN.replaceAll(/"flow":0,"seq":\d+,/g, '');
    expect((await ccscope(['replay', '-'], bare)).stdout).toBe(
      (await ccscope(['replay', '-'], PLAIN)).stdout,
    );
  });

  it('writes the same numbers as CSV', async () => {
    const ndjson = rows((await ccscope(['replay', '-', '--rows', 'group'], PLAIN)).stdout);
    const csv = (await ccscope(['replay', '-', '--format', 'csv'], PLAIN)).stdout.trimEnd().split('\n');
    const names = csv[0]?.split(',') ?? [];
    expect(names.slice(0, 2)).toEqual(['flow', 'time_us']);
    expect(ndjson.length).toBeGreaterThan(100);
    expect(csv).toHaveLength(ndjson.length + 1);
    ndjson.forEach((row, i) => {
      expect(csv[i + 1]).toBe(names.map((name) => cell(row[name])).join(','));
    });
  });

  it('writes rows to --out and the summary to --json', async () => {
    const [out, json] = [files.path('rows.ndjson'), files.path('summary.json')];
    const plain = (await ccscope(['replay', '-'], PLAIN)).stdout;
    const outcome = await ccscope(['replay', '-', '--out', out, '--json', json], PLAIN);
    const count = (type: string): number => rows(plain).filter((row) => row['type'] === type).length;
    const written = `${rows(plain).length} rows (${count('group')} group, ${count('rate')} rate)`;
    const arrivals = PLAIN.split('\n').filter((row) => row.startsWith('{"type":"arrival"')).length;
    const stderr = `${out}: wrote ${written} from ${arrivals} arrivals\n`;
    expect(outcome).toEqual({ status: 0, stdout: '', stderr });
    expect(readFileSync(out, 'utf8')).toBe(plain);
    const summary = JSON.parse(readFileSync(json, 'utf8')) as Record<string, unknown>;
    const groups = rows(plain).filter((row) => row['type'] === 'group');
    const entered = groups.filter(
      (row, i) => row['signal'] === 'overuse' && groups[i - 1]?.['signal'] !== 'overuse',
    );
    expect(summary).toMatchObject({
      preset: 'gcc',
      overuse_count: entered.length,
      rows: { arrival: 600, group: groups.length },
    });
    expect(entered.length).toBeGreaterThan(0);
    const printed = await ccscope(['replay', '-', '--json', '-'], PLAIN);
    expect(JSON.parse(printed.stdout)).toEqual({ ...summary, trace: '<stdin>' });
  });
});

describe('valid rows with extreme values', () => {
  it('never make the core fail', async () => {
    const random = seeded(23);
    const seen = { rate: 0, group: 0 };
    const pick = (values: readonly number[]): number => values[Math.floor(random() * values.length)] ?? 0;
    for (let round = 0; round < 40; round++) {
      let now = pick([-1e15, 0, 1e6, 1e15]);
      const lines = Array.from({ length: 200 }, (_, i) => {
        now += pick([0, 1, 500, 33_333, 33_333, 1e6, 1e9, 1e13]);
        const counters = { packets_received: pick([0, i, 1e15]), packets_lost: pick([-5, 0, i, 1e15]) };
        if (random() < 0.2) {
          const bytes_received = pick([0, i * 1200, 9e15]);
          return JSON.stringify({ type: 'inbound', time_us: 1e15 + i, ...counters, bytes_received });
        }
        return JSON.stringify({
          type: 'arrival',
          seq: pick([i, i, i, 0, 2 ** 53 - 1]),
          send_time_us: pick([now - 5e4, now - 5e4, now, 0, -9e15, 9e15]),
          arrival_time_us: now,
          size_bytes: pick([0, 1200, 1200, 9e15]),
          key_frame: pick([0, 1]),
          rtt_us: pick([0, 5e4, 9e15]),
        });
      });
      const preset = pick([...presetNames.keys()]);
      const outcome = await ccscope(
        ['replay', '-', '--preset', presetNames[preset] ?? ''],
        content({}, lines),
      );
      expect(outcome, `round ${round}`).toMatchObject({ status: 0, stderr: '' });
      for (const row of rows(outcome.stdout)) {
        if (row['type'] === 'rate') expect(Number(row['target_bps'])).toBeGreaterThanOrEqual(1000);
        if (row['type'] === 'group') expect(row).toMatchObject({ a_r_bps: expect.any(Number) as number });
        if (row['type'] === 'rate' || row['type'] === 'group') seen[row['type']] += 1;
      }
    }
    // Rows show that the core processed the input, and did not ignore it.
    expect(seen.rate).toBeGreaterThan(100);
    expect(seen.group).toBeGreaterThan(100);
  });
});

describe('a reader that leaves', () => {
  it('ends the replay without an error', async () => {
    const stdout = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('EPIPE'), { code: 'EPIPE' })),
    });
    const stderr = new PassThrough();
    const status = await run(['replay', '-'], { stdin: Readable.from([Buffer.from(PLAIN)]), stdout, stderr });
    expect(status).toBe(0);
    expect(stderr.read()).toBeNull();
  });

  it('gets no more rows, but the summary covers the whole trace', async () => {
    const stdout = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('EPIPE'), { code: 'EPIPE' })),
    });
    const lines = PLAIN.split('\n');
    const pieces = Array.from({ length: 10 }, (_, i) =>
      Buffer.from(lines.slice(i * 61, (i + 1) * 61).join('\n') + '\n'),
    );
    const summaryOf = async (name: string, out: Writable): Promise<unknown> => {
      const json = files.path(name);
      const io = { stdin: Readable.from(pieces), stdout: out, stderr: new PassThrough() };
      expect(await run(['replay', '-', '--json', json], io)).toBe(0);
      return JSON.parse(readFileSync(json, 'utf8'));
    };
    const read = await summaryOf('read.json', new PassThrough().resume());
    expect(read).toMatchObject({ rows: { arrival: 600 } });
    expect(await summaryOf('unread.json', stdout)).toEqual(read);
  });
});

describe('bad usage', () => {
  const cases: [string, string[], RegExp][] = [
    ['no trace', ['replay'], /missing required argument 'trace'/],
    ['a missing file', ['replay', 'none.ndjson'], /none\.ndjson: no such file; give the path/],
    ['a directory', ['replay', '.'], /\.: expected a file, got a directory; give the path/],
    ['a directory as a call', ['replay', '.', '--twin'], /\.: expected a file, got a directory/],
    [
      'an unknown preset',
      ['replay', '-', '--preset', 'gcc-lives'],
      /one of gcc, .*Did you mean gcc-live or lcc-live\?/,
    ],
    [
      'an unknown parameter',
      ['replay', '-', '--set', 'alhpa=1'],
      /there is no parameter alhpa\. Did you mean alpha/,
    ],
    [
      'a value out of range',
      ['replay', '-', '--set', 'alpha=2'],
      /alpha: expected a number from 0\.1 to 1, got 2/,
    ],
    [
      'a value that is no number',
      ['replay', '-', '--set', 'k_u=abc'],
      /k_u: expected a number from .* got abc/,
    ],
    ['a wrong name of a value', ['replay', '-', '--set', 'increase_mode=fast'], /one of hybrid, additive/],
    ['no value', ['replay', '-', '--set', 'alpha'], /--set: expected name=value, got alpha/],
    ['an unknown format', ['replay', '-', '--format', 'xml'], /ndjson, csv/],
    ['all rows as csv', ['replay', '-', '--format', 'csv', '--rows', 'all'], /choose one of group, rate/],
    [
      'a folder that does not exist',
      ['replay', '-', '--out', '/none/x.ndjson'],
      /its folder cannot be written to \(ENOENT\)/,
    ],
    ['an unknown option', ['replay', '-', '--presets', 'gcc'], /unknown option '--presets'/],
    ['an unknown command', ['reply'], /unknown command 'reply'/],
  ];
  it.each(cases)('%s ends with status 2 and says what to do', async (_, args, message) => {
    const outcome = await ccscope(args, PLAIN);
    expect(outcome.status).toBe(2);
    expect(outcome.stdout).toBe('');
    expect(outcome.stderr).toMatch(message);
  });

  it('refuses to overwrite the trace that it reads', async () => {
    const file = files.write('own.ndjson', PLAIN);
    expect(await ccscope(['replay', file, '--out', file])).toMatchObject({ status: 2 });
    expect(readFileSync(file, 'utf8')).toBe(PLAIN);
  });

  it('prints help and the version with status 0', async () => {
    expect((await ccscope(['replay', '--help'])).stdout).toContain('--set <name=value>');
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(await ccscope(['--version'])).toMatchObject({ status: 0, stdout: `${version}\n` });
  });
});

describe('bad traces', () => {
  const cases: [string, string, RegExp][] = [
    ['a truncated last line', PLAIN.slice(0, -5), /:601: size_bytes: expected a complete row/],
    [
      'NaN',
      content({}, [line(0), line(1).replace(/"size_bytes":\d+/, '"size_bytes":NaN')]),
      /:3: size_bytes: expected a finite number/,
    ],
    [
      'a clock going back',
      content({}, [line(9), line(8)]),
      /:3: arrival_time_us: expected a time not before/,
    ],
    ['a wrong type', content({}, [line(0, { seq: 'one' })]), /:2: seq: expected a whole number/],
    ['no header', `${line(0)}\n`, /:1: ccscope_trace: expected a first line like \{"ccscope_trace":1/],
    [
      'no arrivals',
      content({}, ['{"type":"queue","link":0,"time_us":1}']),
      /:2: type: expected at least one arrival/,
    ],
    [
      'an unknown preset',
      content({ preset: 'bbr' }, [line(0)]),
      /:1: preset: expected one of gcc, .* got bbr/,
    ],
    [
      'an unknown parameter',
      content({ parameters: { zeta: 1 } }, [line(0)]),
      /:1: parameters\.zeta: expected/,
    ],
    [
      'an event out of range',
      content({}, [
        line(0),
        '{"type":"event","time_us":1,"name":"parameter","detail":{"name":"alpha","value":7}}',
      ]),
      /:3: detail\.alpha: expected a number from 0\.1 to 1, got 7/,
    ],
  ];
  it.each(cases)('%s ends with status 2, file, line, field and expectation', async (name, text, message) => {
    const file = files.write(`${name.replaceAll(' ', '-')}.ndjson`, text);
    const outcome = await ccscope(['replay', file]);
    expect(outcome.status).toBe(2);
    expect(outcome.stderr.startsWith(`${file}:`)).toBe(true);
    expect(outcome.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(outcome.stderr).toMatch(message);
  });

  it('finds an error behind 20 MB in little memory', async () => {
    const file = files.path('big.ndjson');
    const out = createWriteStream(file);
    out.write(content({}, []));
    let lines = 1;
    for (let i = 0; i < 150_000; i++, lines++) if (!out.write(`${line(i)}\n`)) await once(out, 'drain');
    out.end(line(0));
    await once(out, 'close');
    const before = process.memoryUsage().arrayBuffers;
    const outcome = await ccscope(['replay', file, '--out', files.path('big.rows')]);
    expect(outcome.status).toBe(2);
    expect(outcome.stderr).toContain(`${file}:${lines + 1}: arrival_time_us: expected a time not before`);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20e6);
  });
});
