/**
 * Users' controllers on the command line: they run, and if one fails, its error is reported and nothing else is affected.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { describe, expect, it } from 'vitest';

import { loadCore } from '../../src/core/index.js';
import { ControllerSimulator, parseScenario, runCell } from '../../src/scenario/index.js';
import type { CallReport } from '../../src/command_line/call/types.js';
import { loadControllerFile } from '../../src/command_line/controllers/controllers.js';
import aimd from '../../public/controllers/aimd.js';
import { withoutProgress } from '../support/progress_lines.js';
import { scratch } from './support.js';

const { path, write } = scratch();
const execute = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const AIMD = `${root}/public/controllers/aimd.ts`;

/** Runs the installed command. (A user's controller runs in a separate worker.) */
async function ccscope(...args: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  try {
    const { stdout, stderr } = await execute(
      process.execPath,
      [`${root}/dist/lib/command_line/cli.js`, ...args],
      {
        maxBuffer: 1e8,
      },
    );
    return { status: 0, stdout, stderr: withoutProgress(stderr) };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { status: code, stdout, stderr: withoutProgress(stderr) };
  }
}

const SCENARIO = write(
  'one.json',
  JSON.stringify({
    ccscope_scenario: 1,
    id: 'one',
    title: 'One call',
    description: 'One call at 1 Mbps.',
    duration_s: 30,
    forward: { capacity: '1mbps', queue: 'droptail:300ms', one_way_delay_ms: 25 },
    flows: [{ kind: 'media', name: 'call', preset: 'gcc', parameters: { max_bitrate_bps: 2e6, k_u: 0.02 } }],
    metrics: [{ metric: 'utilisation' }],
  }),
);

interface Report {
  controller: string;
  controller_faults: {
    controller: string;
    half?: string;
    flow?: number;
    time_us?: number;
    message: string;
  }[];
  experiments: { cells: { metrics: { name: string; measured: { mean: number } }[] }[] }[];
}

async function runFile(
  file: string,
  ...args: string[]
): Promise<{ status: number; stderr: string; report: Report }> {
  const { status, stdout, stderr } = await ccscope('run', file, '--json', '-', ...args);
  return { status, stderr, report: JSON.parse(stdout) as Report };
}

const run = (...args: string[]) => runFile(SCENARIO, ...args);

const utilisation = ({ experiments }: Report): number | undefined =>
  experiments[0]?.cells[0]?.metrics[0]?.measured.mean;

/**
 * Writes a controller that requests 400 kbps. It runs the code `arrival` in `onArrival` from its 61st call
 * on, the code `rate` in `rate` from its 31st call on, and the code `top` at the top of the module.
 */
const controller = (name: string, { arrival = '', rate = '', top = '' }): string =>
  write(
    `${name}.mjs`,
    `${top}; const kept = [];
     export default { name: '${name}',
       createReceiver() { let n = 0; return { onArrival() { n++; if (n > 60) { ${arrival} } return n % 10 === 0 ? [n] : null; } }; },
       createSender() { let n = 0; return { onFeedback() {}, rate() { n++; if (n > 30) { ${rate} } return { targetBps: 4e5 }; } }; } };`,
  );

describe('ccscope run --controller', () => {
  it('runs a file of TypeScript in the place of the flow’s own, with the numbers of the library', async () => {
    const { status, stderr, report } = await run('--controller', AIMD);
    expect({ status, stderr, faults: report.controller_faults }).toEqual({
      status: 0,
      stderr: '',
      faults: [],
    });
    expect(report.controller).toBe('aimd');
    const scenario = parseScenario(JSON.parse(readFileSync(SCENARIO, 'utf8')));
    const here = runCell(new ControllerSimulator(await loadCore(), [{ controller: aimd }]), scenario, {}, 1);
    expect(utilisation(report)).toBe([...here.values.values()][0]);
  });

  it('competes with another controller, and is named with its file and hash', async () => {
    const scenario = JSON.parse(readFileSync(SCENARIO, 'utf8')) as { flows: object[] };
    const two = { ...scenario, flows: [...scenario.flows, { ...scenario.flows[0], name: 'mine' }] };
    const file = write(
      'two.json',
      JSON.stringify({ ...two, metrics: [{ metric: 'receive_rate_bps', flow: 'mine' }] }),
    );
    const trace = path('two.ndjson');
    const { report } = await runFile(file, '--controller', `mine=${AIMD}`, '--trace', trace);
    const sha256 = createHash('sha256').update(readFileSync(AIMD)).digest('hex');
    expect((report as Report & { controllers: unknown }).controllers).toEqual([
      { name: 'aimd', flow: 'mine', file: AIMD, sha256 },
    ]);
    const simulator = new ControllerSimulator(await loadCore(), [{ controller: aimd, only: new Set([1]) }]);
    const here = runCell(simulator, parseScenario(JSON.parse(readFileSync(file, 'utf8'))), {}, 1);
    expect(utilisation(report)).toBe([...here.values.values()][0]);
    const [header] = readFileSync(trace, 'utf8').split('\n', 1);
    expect(JSON.parse(header ?? '')).toMatchObject({
      controller: 'gcc',
      flows: [
        { name: 'call', controller: 'gcc' },
        { name: 'mine', controller: 'aimd' },
      ],
      controllers: [{ name: 'aimd', sha256 }],
    });
    const replayed = await ccscope('replay', trace, '--flow', 'mine');
    expect(replayed.stderr).toContain('recorded with aimd, replayed with gcc');
    expect((await ccscope('replay', trace, '--flow', 'call')).stderr).toBe('');
  });

  it('runs two files against each other', async () => {
    const flows = ['a', 'b'].map((name) => ({ kind: 'media', name }));
    const scenario = JSON.parse(readFileSync(SCENARIO, 'utf8')) as object;
    const metrics = [{ metric: 'target_rate_bps', flow: 'a' }];
    const file = write('versus.json', JSON.stringify({ ...scenario, flows, metrics }));
    const fixed = controller('fixed', {});
    const { report } = await runFile(file, '--controller', `a=${fixed}`, '--controller', `b=${AIMD}`);
    expect(report).toMatchObject({ controller: 'fixed, aimd', controllers: [{ flow: 'a' }, { flow: 'b' }] });
    expect(utilisation(report)).toBeCloseTo(4e5, -4);
  });

  it('takes one of the core’s by name', async () => {
    const { status, report } = await run('--controller', 'nada');
    expect({ status, controller: report.controller }).toEqual({ status: 0, controller: 'nada' });
  });

  it.each([
    ['throws', { rate: 'throw new Error("boom")' }, /rate\(\) threw Error: boom/],
    ['gives NaN', { rate: 'return { targetBps: NaN }' }, /targetBps NaN/],
  ])('one that %s: the run goes on with the last good rate, exit 1', async (name, code, message) => {
    const { status, stderr, report } = await run('--controller', controller(name.replace(' ', '-'), code));
    expect(status).toBe(1);
    expect(stderr).toMatch(message);
    expect(report.controller_faults).toHaveLength(1);
    expect(report.controller_faults[0]).toMatchObject({ half: 'sender', flow: 0 });
    expect(report.controller_faults[0]?.time_us).toBeLessThan(10e6);
    // 400 kbps plus headers, on a link of 1 Mbps.
    expect(utilisation(report)).toBeGreaterThan(0.37);
    expect(utilisation(report)).toBeLessThan(0.45);
  });

  it.each([
    ['never-returns', { rate: 'for (;;);' }, /it did not answer for 2 s/],
    ['never-loads', { top: 'for (;;);' }, /it did not answer for 2 s/],
    [
      'leaks',
      { arrival: 'kept.push(new Array(1e6).fill(1.5));' },
      /allocated more than 1024 MB|did not answer/,
    ],
    ['fills', { arrival: 'for (;;) kept.push({ n });' }, /allocated more than 1024 MB|did not answer/],
    // The time limit is raised to 30 s, so that even on a busy machine the end of the thread is reported first.
    ['exits', { arrival: 'process.exit(3);' }, /it ended its own thread with code 3/, '30'],
  ])('one that %s is ended and named, exit 1', async (name, code, message, limit = '2') => {
    const { status, stderr, report } = await run(
      '--controller',
      controller(name, code),
      '--controller-timeout',
      limit,
    );
    expect(status).toBe(1);
    expect(stderr).toMatch(message);
    expect(stderr).toContain(name);
    expect(report.controller_faults).toEqual([
      { controller: name, message: expect.stringMatching(message) as string },
    ]);
  });

  it('names the controller in the trace, and its fault, and replays it', async () => {
    const trace = path('trace.ndjson');
    const wrong = controller('late', { rate: 'throw new Error("boom")' });
    await run('--controller', wrong, '--trace', trace);
    const lines = readFileSync(trace, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines[0]).toMatchObject({ controller: 'late', parameters: { max_bitrate_bps: 2e6 } });
    expect(lines[0]).not.toHaveProperty('preset');
    expect(lines.at(-1)).toMatchObject({
      type: 'event',
      name: 'controller_fault',
      detail: { controller: 'late', half: 'sender' },
    });
    const { status, stdout, stderr } = await ccscope('replay', trace, '--controller', AIMD);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const rates = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; target_bps: number });
    expect(rates.length).toBeGreaterThan(100);
    expect(new Set(rates.map(({ type }) => type))).toEqual(new Set(['rate']));
  });
});

describe('ccscope replay --controller', () => {
  /** Frames at 600 kbps for 60 s. Their one-way delay is 125 ms from 30 s to 40 s, and 25 ms otherwise. */
  const arrivals = Array.from({ length: 1800 }, (_, seq) => {
    const send_time_us = Math.round((seq * 1e6) / 30);
    // Frames sent after 40 s must not overtake the delayed frames.
    const held = send_time_us >= 30e6 && send_time_us < 40e6 ? 125e3 : 25e3;
    const arrival_time_us = Math.max(send_time_us + held, send_time_us >= 40e6 ? 40.1e6 : 0);
    return { type: 'arrival', flow: 0, seq, send_time_us, arrival_time_us, size_bytes: 2500 };
  });
  const header = {
    ccscope_trace: 1,
    source: 'test',
    clock: 'receiver',
    parameters: { start_bitrate_bps: 5e5 },
  };
  const trace = write('calm.ndjson', [header, ...arrivals].map((row) => `${JSON.stringify(row)}\n`).join(''));
  interface Rate {
    time_us: number;
    target_bps: number;
  }

  it('gives what the controller would have asked for', async () => {
    const { stdout } = await ccscope('replay', trace, '--controller', AIMD);
    const rates = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Rate);
    const at = (s: number): number => rates.find(({ time_us }) => time_us >= s * 1e6)?.target_bps ?? NaN;
    expect(rates[0]?.target_bps).toBeGreaterThanOrEqual(5e5 - 1);
    // Before the delay jumps, the target is 1.5 times the received 600 kbps. The rate is measured over 500 ms. Right
    // after the jump, nothing arrives for 100 ms, so the measured rate is only 480 kbps. The target falls to 0.85
    // times this rate.
    expect(at(29)).toBeCloseTo(900e3, -4);
    expect(at(32)).toBeCloseTo(408e3, -4);
    expect(at(59)).toBeGreaterThan(800e3);
  });

  it('the same bounds on them as always, and only these parameters', async () => {
    const { stdout } = await ccscope(
      'replay',
      trace,
      '--controller',
      AIMD,
      '--set',
      'max_bitrate_bps=700000',
    );
    const rates = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Rate);
    expect(Math.max(...rates.map(({ target_bps }) => target_bps))).toBe(700e3);
    const { status, stderr } = await ccscope('replay', trace, '--controller', AIMD, '--set', 'k_u=0.01');
    expect({ status, stderr }).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/k_u: expected a parameter of aimd/) as string,
    });
  });

  it('takes one of the core’s by name, in its preset for calls', async () => {
    const { status, stdout } = await ccscope('replay', trace, '--controller', 'gcc', '--json', '-');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ preset: 'gcc-live' });
  });

  it('a controller that throws, or never returns: named, exit 1', async () => {
    const thrown = await ccscope(
      'replay',
      trace,
      '--json',
      '-',
      '--controller',
      controller('thrower', { arrival: 'throw new Error("boom")' }),
    );
    expect(thrown.status).toBe(1);
    expect(thrown.stderr).toMatch(
      /thrower failed at 2\.\d+ s \(receiver half of flow 0\): onArrival\(\) threw Error: boom/,
    );
    expect(JSON.parse(thrown.stdout)).toMatchObject({
      controller: 'thrower',
      controller_faults: [{ half: 'receiver' }],
    });
    const looping = controller('looper', { arrival: 'for (;;);' });
    const looped = await ccscope(
      'replay',
      trace,
      '--json',
      '-',
      '--controller',
      looping,
      '--controller-timeout',
      '2',
    );
    expect(looped.status).toBe(1);
    expect(JSON.parse(looped.stdout)).toMatchObject({
      controller: 'looper',
      controller_faults: [{ controller: 'looper' }],
    });
  });
});

describe('ccscope call --twin --controller', () => {
  const twin = (file: string, ...args: string[]) =>
    ccscope('call', '--twin', '--controller', file, '--duration', '20s', '--json', '-', ...args);

  it('runs a file of TypeScript in the place of the core’s own, runs differing by seed', async () => {
    const { status, stdout, stderr } = await twin(AIMD, '--runs', '2');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const report = JSON.parse(stdout) as CallReport;
    expect(report).toMatchObject({ controller: 'aimd.ts', preset: null, parameters: {}, twin: true });
    const [first = NaN, second = NaN] = report.runs.map((run) => run.utilisation);
    expect(first).not.toBe(second);
    for (const used of [first, second]) {
      expect(used).toBeGreaterThan(0.3);
      expect(used).toBeLessThan(1);
    }
  });

  it('one that throws: the run goes on with the last good rate, exit 1', async () => {
    const { status, stdout, stderr } = await twin(controller('breaks', { rate: 'throw new Error("boom")' }));
    expect(status).toBe(1);
    expect(stderr).toMatch(/rate\(\) threw Error: boom/);
    const [run] = (JSON.parse(stdout) as CallReport).runs;
    expect(run?.controller_faults).toHaveLength(1);
    expect(run?.target_final_bps).toBe(4e5);
  });
});

describe('files that are no controllers', () => {
  it.each([
    ['syntax.ts', 'export default {\n  name: "x",\n  oops\n  two };', /syntax\.ts:4:3: /],
    ['nothing.mjs', 'export const x = 1;', /nothing\.mjs: expected a default export/],
    ['text.wasm', 'text', /text\.wasm: expected a WebAssembly module/],
    ['text.txt', 'text', /text\.txt: expected a file name that ends with \.ts/],
    ['import.ts', 'import x from "./missing.js"; export default x;', /Could not resolve "\.\/missing\.js"/],
  ])('%s', async (name, text, message) => {
    await expect(loadControllerFile(write(name, text))).rejects.toThrow(message);
  });

  it('none at all, or not even a name', async () => {
    await expect(loadControllerFile(path('none.js'))).rejects.toThrow(/none\.js: no such file/);
    const { status, stderr } = await ccscope('run', SCENARIO, '--controller', 'nadda');
    expect({ status, stderr }).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/Did you mean nada/) as string,
    });
  });

  it('of another shape: refused with what is missing', async () => {
    const shape = write('shape.mjs', 'export default { name: "shape" };');
    const { status, stderr } = await ccscope('run', SCENARIO, '--controller', shape);
    expect({ status, stderr }).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/default\.createReceiver: expected a function/) as string,
    });
  });
});
