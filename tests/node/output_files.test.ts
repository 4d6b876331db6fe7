/** No command writes two outputs to one file, or an output to a file that it reads. */
import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { SMALL } from '../unit/matrix/support.js';
import { ccscope, scratch } from './support.js';

const { path, write } = scratch();
const SCENARIO = JSON.stringify({
  ccscope_scenario: 1,
  ...{ id: 'own', title: 'A call over a recorded link', description: 'One flow.', duration_s: 1 },
  forward: { capacity: { mahimahi: 'link.trace' } },
  flows: [{ kind: 'media', name: 'call' }],
  metrics: [{ metric: 'goodput_bps', flow: 'call' }],
});
const CAPACITY = '0\n10\n20\n';

/** Runs a command, which must refuse its files before it does anything. Returns what it said. */
async function refused(...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await ccscope(args);
  expect([status, stdout], stderr).toEqual([2, '']);
  return stderr.replaceAll(`${path('')}/`, '');
}

describe('an output', () => {
  it.each([
    ['trace', (file: string) => ['replay', file, '--json', file]],
    ['trace', (file: string) => ['replay', file, '--twin', '--json', file]],
    ['trace', (file: string) => ['incidents', file, '--json', file]],
    ['scenario', (file: string) => ['run', file, '--json', file]],
    ['scenario', (file: string) => ['reproduce', file, '--json', file]],
    ['matrix', (file: string) => ['call', '--twin', '--matrix', file, '--json', file]],
  ])('never replaces the %s that the command reads (%#)', async (what, argsOf) => {
    write('link.trace', CAPACITY);
    const content = what === 'matrix' ? JSON.stringify(SMALL) : SCENARIO;
    const file = write('input.json', content);
    expect(await refused(...argsOf(file))).toBe(
      `--json: input.json is also the ${what} to be read; choose another file\n`,
    );
    expect(readFileSync(file, 'utf8')).toBe(content);
  });

  it.each([
    ['run', (file: string) => ['run', 'ton-prop1', '--controller', file, '--json', file]],
    ['call', (file: string) => ['call', '--twin', '--controller', file, '--json', file]],
    ['replay', (file: string) => ['replay', '-', '--controller', file, '--json', file]],
  ])('never replaces the controller of %s', async (_, argsOf) => {
    const file = write('mine.mjs', 'export default {};');
    expect(await refused(...argsOf(file))).toBe(
      '--json: mine.mjs is also the controller to be read; choose another file\n',
    );
  });

  it('never replaces the recorded capacity of a link', async () => {
    const trace = write('link.trace', CAPACITY);
    const told = '--json: link.trace is also the trace to be read; choose another file\n';
    expect(await refused('run', write('scenario.json', SCENARIO), '--json', trace)).toBe(told);
    expect(await refused('shape', '--capacity', `mahimahi:${trace}`, '--json', trace)).toBe(told);
  });

  it('never replaces a recorded run of a trend', async () => {
    mkdirSync(path('history'));
    const run = write('history/run.json', '{}');
    expect(await refused('trend', path('history'), '--html', run)).toBe(
      '--html: history/run.json is also the recorded run to be read; choose another file\n',
    );
  });

  it.each([
    [['attach', '--record', 'same', '--json', 'same'], '--json', '--record'],
    [['call', '--twin', '--trace', 'same', '--json', 'same'], '--trace', '--json'],
    [['call', '--twin', '--runs', '2', '--trace', 'same', '--json', 'same.gcc-2'], '--trace', '--json'],
    [['replay', '-', '--out', 'same', '--json', 'same'], '--json', '--out'],
    [['run', 'ton-prop1', '--json', 'same', '--csv', 'same'], '--csv', '--json'],
    [['reproduce', 'ton-prop1', '--json', 'same', '--html', 'same'], '--html', '--json'],
  ])('never replaces another one: %j', async (args, flag, other) => {
    const placed = args.map((arg) => (arg.startsWith('same') ? path(arg) : arg));
    expect(await refused(...placed)).toMatch(
      new RegExp(`^${flag}: same\\S* is also written by ${other}; choose another file\n$`),
    );
    expect(existsSync(path('same'))).toBe(false);
  });

  it('is recognised by links to it, and in a folder of another name', async () => {
    const file = write('input.json', SCENARIO);
    linkSync(file, path('hard'));
    symlinkSync(file, path('soft'));
    for (const link of ['hard', 'soft'])
      expect(await refused('run', file, '--json', path(link))).toContain(`${link} is also the scenario`);
    mkdirSync(path('folder'));
    symlinkSync(path('folder'), path('other'));
    expect(
      await refused('run', 'ton-prop1', '--json', path('folder/new'), '--csv', path('other/new')),
    ).toContain('other/new is also written by --json');
  });
});

it('several outputs may go to one device, and one of them to standard output', async () => {
  const cell = ['ton-prop1', '--cell', 'tau=5s', '--cell', 'queue=150ms'];
  const both = await ccscope(['run', ...cell, '--json', '/dev/null', '--csv', '/dev/null']);
  expect([both.status, both.stderr]).toEqual([0, '']);
  const one = await ccscope(['run', ...cell, '--json', '-', '--csv', path('rows.csv')]);
  expect([one.status, one.stderr]).toEqual([0, '']);
});
