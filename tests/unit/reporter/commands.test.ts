/**
 * Annotations of GitHub Actions. Tests that Actions' runner parses each command as intended, and that the
 * command names the right file.
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

import { describe, expect, it } from 'vitest';

import { commandOf, repositoryPath, repositoryRoot } from '../../../src/playwright/report/commands.js';
import { scratch } from '../../node/support.js';

const files = scratch();

/** Parses a line as the runner does: TryParseV2 in src/Runner.Common/ActionCommand.cs of actions/runner. */
function parsed(line: string): { name: string; properties: Record<string, string>; text: string } {
  expect(line.startsWith('::')).toBe(true);
  const end = line.indexOf('::', 2);
  const [name = '', ...rest] = line.slice(2, end).split(' ');
  const unescaped = (text: string): string =>
    text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%');
  const properties = rest
    .join(' ')
    .split(',')
    .map((pair) => {
      const [key = '', ...value] = pair.split('=');
      const text = value.join('=').replaceAll('%3A', ':').replaceAll('%2C', ',');
      return [key, unescaped(text)] as const;
    });
  return { name, properties: Object.fromEntries(properties), text: unescaped(line.slice(end + 2)) };
}

describe('a command', () => {
  it('is one line, of which the runner makes what was said', () => {
    const title = 'a call: recovers, at 50 % :: of 100%, = fine';
    const text = 'Expected: 50 %\r\nReceived: ::warning::no, 5 %';
    const location = { file: '/repo/tests/a,b: c.spec.ts', line: 12, column: 7 };
    const line = commandOf({ level: 'error', title, text, location }, '/repo');
    expect(line).not.toMatch(/[\r\n]/);
    expect(parsed(line)).toEqual({
      name: 'error',
      properties: { file: 'tests/a,b: c.spec.ts', line: '12', col: '7', title },
      text,
    });
  });

  it('escapes the percent sign first', () => {
    const line = commandOf({ level: 'warning', title: '%0A', text: '%0A\n' }, '/repo');
    expect(line).toBe('::warning title=%250A::%250A%0A');
  });
});

describe('the file of an annotation', () => {
  it('is relative to the repository', () => {
    expect(repositoryPath('/repo/tests/call.spec.ts', '/repo')).toBe('tests/call.spec.ts');
    expect(repositoryPath('/elsewhere/call.spec.ts', '/repo')).toBe('../elsewhere/call.spec.ts');
  });

  it('is found again where its test ran in another folder', () => {
    const root = files.path('checkout');
    const own = files.path('checkout/tests/call.spec.ts');
    mkdirSync(dirname(own), { recursive: true });
    files.write('checkout/tests/call.spec.ts', '');
    expect(repositoryPath('/__w/app/app/tests/call.spec.ts', root)).toBe('tests/call.spec.ts');
    expect(repositoryPath('D:\\a\\app\\app\\tests\\call.spec.ts', root)).toBe('tests/call.spec.ts');
  });

  it('counts from the workspace of the run, else from the folder with .git', () => {
    mkdirSync(files.path('project/.git'), { recursive: true });
    mkdirSync(files.path('project/tests/deep'), { recursive: true });
    const before = process.env['GITHUB_WORKSPACE'];
    try {
      process.env['GITHUB_WORKSPACE'] = '/workspace';
      expect(repositoryRoot(files.path('project/tests/deep'))).toBe('/workspace');
      delete process.env['GITHUB_WORKSPACE'];
      expect(repositoryRoot(files.path('project/tests/deep'))).toBe(files.path('project'));
    } finally {
      if (before === undefined) delete process.env['GITHUB_WORKSPACE'];
      else process.env['GITHUB_WORKSPACE'] = before;
    }
  });
});
