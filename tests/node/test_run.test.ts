/**
 * The test run itself: which parts run at the same time, which parts can be skipped after a change, how a
 * second run of failed tests is judged, and whether other machines or programs took processor time.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

import { build as bundle, type Plugin } from 'esbuild';
import { describe, expect, it } from 'vitest';

import { appSources, bundles, sourcesOf } from '../../scripts/build.mjs';
import { filesUnder, root } from '../../scripts/lib/files.mjs';
import { affected, contents } from '../../scripts/test/changes.mjs';
import { parts } from '../../scripts/test/parts.mjs';
import { schedule, withPrerequisites, type Outcome, type Part } from '../../scripts/test/schedule.mjs';
import { judged, toRunAgain, withSecondRun, type Run } from '../../scripts/test/verdicts.mjs';
import { isTaken, lateShare, partsOf, stolenShare } from '../../scripts/test/wakes.mjs';

/** What a file names relative to itself: in imports, and in `new URL(…, import.meta.url)`. */
const NAMED = /(?:\bfrom|\bimport\(?|\bnew URL\()\s*'(\.[^']*)'/g;

/** The files and folders below tests/ that the files in these folders name, and all that those name in turn. */
function namedFrom(folders: readonly string[]): string[] {
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    if (!/\.(ts|tsx|mjs)$/.test(file)) return;
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(NAMED)) {
      const path = resolve(dirname(file), name);
      const source = [path.replace(/\.js$/, '.ts'), path.replace(/\.js$/, '.tsx'), path].find(existsSync);
      if (source?.startsWith(join(root, 'tests/')) === true) visit(source);
    }
  };
  for (const file of filesUnder(folders)) visit(file);
  return [...seen].map((file) => relative(root, file));
}

const PASSED = { passed: 1, failed: 0 };

/**
 * Runs parts on two cores. Whenever the set of running parts changes, ends the first part of the set. Returns all
 * these sets in order, and the results.
 */
async function observed(
  parts: Readonly<Record<string, Part>>,
  outcomes: Readonly<Record<string, Outcome>> = {},
): Promise<{ together: string[]; results: Record<string, Outcome> }> {
  const together: string[] = [];
  const ends = new Map<string, () => void>();
  const run = async (name: string): Promise<Outcome> => {
    await new Promise<void>((resolve) => ends.set(name, resolve));
    return outcomes[name] ?? PASSED;
  };
  const onChange = (running: string[]): void => {
    together.push(running.join('+'));
    const [first] = running;
    // If no part is running, there is nothing to end.
    if (first !== undefined) queueMicrotask(() => ends.get(first)?.());
  };
  const results = await schedule(parts, Object.keys(parts), run, { cores: 2, onChange });
  return { together, results: Object.fromEntries(results.map(({ name, ...rest }) => [name, rest])) };
}

describe('the schedule', () => {
  it('runs work on every core beside calls of one part at a time, and what measures last', async () => {
    const { together } = await observed({
      wire: { kind: 'alone' },
      rates: { kind: 'measures' },
      compile: { kind: 'work', nice: 19 },
      browser: { kind: 'calls' },
      unit: { kind: 'work', nice: 5 },
      kit: { kind: 'calls' },
      types: { kind: 'work', nice: 19 },
      format: { kind: 'work', nice: 19 },
    });
    expect(together).toEqual([
      'compile+browser+unit',
      'browser+unit+types',
      'unit+types+kit',
      'types+kit+format',
      'kit+format',
      'format+rates',
      'rates',
      'wire',
    ]);
  });

  it('begins with what others need, and leaves out what needs a part that failed', async () => {
    const parts: Record<string, Part> = {
      build: { kind: 'work', behind: ['generated'] },
      generated: { kind: 'work' },
      unit: { kind: 'work', after: ['build'] },
      size: { kind: 'work', after: ['build'] },
    };
    const { together, results } = await observed(parts, {
      generated: { passed: 0, failed: 1 },
      build: { passed: 0, failed: 1 },
    });
    expect(together.slice(0, 2)).toEqual(['generated', 'build']);
    expect(results).toEqual({
      generated: { passed: 0, failed: 1 },
      build: { passed: 0, failed: 1 },
      unit: { passed: 0, failed: 1, blockedBy: 'build' },
      size: { passed: 0, failed: 1, blockedBy: 'build' },
    });
    expect(withPrerequisites(parts, ['size'])).toEqual(['build', 'size']);
  });
});

describe('a change', () => {
  const before = { node: 'v20', 'src/a.ts': '1', 'tests/a.test.ts': '2', 'tests/b.test.ts': '3' };

  it('that a part does not read leaves it out', () => {
    expect(affected(before, { ...before })).toBeNull();
  });

  it('in tests alone runs these tests', () => {
    const now = { ...before, 'tests/b.test.ts': '4', 'tests/new.test.ts': '5' };
    expect(affected(before, now)?.sort()).toEqual(['tests/b.test.ts', 'tests/new.test.ts']);
  });

  it('of anything else runs the whole part: a source, a test that is gone, another Node, a part that never passed', () => {
    const { 'tests/a.test.ts': _gone, ...without } = before;
    for (const now of [{ ...before, 'src/a.ts': '9' }, without, { ...before, node: 'v22' }])
      expect(affected(before, now)).toEqual([]);
    expect(affected(undefined, before)).toEqual([]);
  });

  it('is seen in what files hold, not in what the build makes of them', () => {
    const now = contents({ reads: ['src/core'] });
    expect(now['src/core/load.ts']).toMatch(/^[0-9a-f]{64}$/);
    expect(now['package-lock.json']).toMatch(/^[0-9a-f]{64}$/);
    expect(Object.keys(now)).not.toContain('src/core/ccscope.wasm');
  });
});

describe('the files of a part', () => {
  it.each([
    ['browser', ['tests/browser', 'tests/e2e']],
    ['kit', ['tests/kit']],
    ['inject', ['tests/inject']],
    ['extension', ['tests/extension']],
    ['unit', ['tests/unit', 'tests/node']],
    ['measures', ['tests/browser', 'tests/e2e', 'tests/kit', 'tests/inject']],
    ['wire', ['tests/node/shaper_wire.test.ts']],
  ])('have all that the tests of %s use of other tests', (name, folders) => {
    const read = Object.keys(contents({ reads: parts[name]?.reads ?? [] }));
    const named = namedFrom(folders);
    expect(named.length).toBeGreaterThan(folders.length);
    const unread = named.filter((path) =>
      statSync(join(root, path)).isDirectory()
        ? filesUnder([path]).some((file) => !read.includes(relative(root, file)))
        : !read.includes(path),
    );
    expect(unread).toEqual([]);
  });
});

describe('the inputs of a build', () => {
  // The build provides what is called `ccscope:…`.
  const provided: Plugin = {
    name: 'provided',
    setup: ({ onResolve }) => {
      onResolve({ filter: /^ccscope:/ }, ({ path }) => ({ path, external: true }));
    },
  };

  it.each(Object.entries(bundles))('have every file that is in the bundle %s', async (name, { entries }) => {
    const { metafile } = await bundle({
      absWorkingDir: root,
      entryPoints: Object.values(entries),
      outdir: 'build/none',
      ...{ bundle: true, write: false, metafile: true, format: 'esm', logLevel: 'error' },
      ...{ jsx: 'automatic', jsxImportSource: 'preact', plugins: [provided] },
    });
    const bundled = Object.keys(metafile.inputs).filter((file) => file.startsWith('src/'));
    expect(bundled.length).toBeGreaterThan(5);
    const sources = sourcesOf(name).map((file) => relative(root, file));
    expect(bundled.filter((file) => !sources.includes(file))).toEqual([]);
  });

  it('have every file outside of src/ that the app imports', () => {
    const named = filesUnder(['src/app'], (file) => /\.tsx?$/.test(file)).flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(NAMED)].map(([, name = '']) =>
        relative(root, resolve(dirname(file), name)).replace(/\?.*$/, ''),
      ),
    );
    const outside = [...new Set(named)].filter((path) => !path.startsWith('src/')).sort();
    expect(outside).toContain('package.json');
    expect(outside.filter((path) => !appSources.includes(path.replace(/\/.*$/, '')))).toEqual([]);
  });
});

describe('a second run', () => {
  const slow = { name: 'slow', error: 'timeout', again: 'tests/a.test.ts:7' };
  const broken = { name: 'broken', error: 'wrong', again: 'tests/b.test.ts' };
  const first: Run = { passed: 8, failed: 2, failures: [slow, broken], unsteady: [], seconds: 10 };

  it('judges the tests that failed, and names those that passed only then', () => {
    expect(toRunAgain(first)).toEqual(['tests/a.test.ts:7', 'tests/b.test.ts']);
    const second = {
      passed: 1,
      failed: 1,
      failures: [{ ...broken, error: 'wrong again' }],
      unsteady: [],
      seconds: 2,
    };
    const result = withSecondRun(first, second);
    expect(result).toMatchObject({ passed: 9, failed: 1, unsteady: [slow], seconds: 12 });
    expect(result.failures.map(({ error }) => error)).toEqual(['wrong again']);
  });

  it('counts a test that failed only in the second run of its file', () => {
    const second = { passed: 5, failed: 1, failures: [{ name: 'other' }], unsteady: [], seconds: 2 };
    expect(withSecondRun(first, second)).toMatchObject({ passed: 9, failed: 1, unsteady: [slow, broken] });
  });

  it('keeps the first result if it ends without one, and a failure that no test names', () => {
    expect(withSecondRun(first, { passed: 0, failed: 1, seconds: 2 } as Run)).toEqual(first);
    const ranOne = { passed: 1, failed: 0, failures: [], unsteady: [], seconds: 2 };
    expect(withSecondRun(first, ranOne)).toEqual(first);
    const nameless = {
      ...first,
      failed: 3,
      failures: [...first.failures, { name: 'no report: exit code 1' }],
    };
    const second = { passed: 2, failed: 0, failures: [], unsteady: [], seconds: 2 };
    expect(withSecondRun(nameless, second)).toMatchObject({
      passed: 10,
      failed: 1,
      failures: [{ name: 'no report: exit code 1' }],
    });
  });

  it('has no verdict only if others took the machine in both runs', () => {
    const runs = (before: boolean, after: boolean): Run => {
      const run = (isTaken: boolean): Run => ({ ...first, failed: 1, failures: [{ ...slow, isTaken }] });
      return withSecondRun(run(before), { ...run(after), passed: 0 });
    };
    expect(judged(runs(true, true))).toMatchObject({ failed: 0, failures: [], unjudged: [{ name: 'slow' }] });
    for (const run of [runs(true, false), runs(false, true)])
      expect(judged(run)).toMatchObject({ failed: 1, failures: [{ name: 'slow' }], unjudged: [] });
  });
});

describe('how well the machine kept time', () => {
  // Two wake-ups: one was due at 100 ms and happened at 150 ms; the other was due at 180 ms and happened at
  // 200 ms.
  const late = [
    { toMs: 150, lateMs: 50 },
    { toMs: 200, lateMs: 20 },
  ];
  const looks = [0, 100, 200, 300, 400].map((atMs) => ({
    atMs,
    all: 10 * atMs,
    stolen: Math.min(atMs, 200),
  }));
  const wakes = {
    lateShare: (fromMs: number, toMs: number) => lateShare(late, fromMs, toMs),
    stolenShare: (fromMs: number, toMs: number) => stolenShare(looks, fromMs, toMs),
  };

  it('is the share of a time between due and woken', () => {
    expect(lateShare(late, 0, 1000)).toBeCloseTo(0.07, 12);
    expect(lateShare(late, 125, 190)).toBeCloseTo(35 / 65, 12);
    expect(lateShare(late, 200, 300)).toBe(0);
    expect(lateShare(late, 200, 200)).toBe(0);
  });

  it('knows what went to other machines, and nothing where nobody says', () => {
    expect(stolenShare(looks, 0, 200)).toBeCloseTo(0.1, 12);
    expect(stolenShare(looks, 200, 400)).toBe(0);
    expect(stolenShare(looks, 120, 130)).toBe(0);
    expect(stolenShare([{ atMs: 0 }, { atMs: 100 }], 0, 100)).toBe(0);
  });

  it('takes no verdict from a machine that is slow by itself', () => {
    expect(isTaken({ ...wakes, stolenShare: () => 0 }, [{ fromMs: 90, toMs: 210 }])).toBe(false);
  });

  it('looks at each attempt where only all together are timed', () => {
    expect(partsOf(90, 210, 3)).toEqual([
      { fromMs: 90, toMs: 130 },
      { fromMs: 130, toMs: 170 },
      { fromMs: 170, toMs: 210 },
    ]);
  });

  it('takes the verdict only from a test that had no other attempt', () => {
    const taken = { fromMs: 90, toMs: 210 };
    expect(isTaken(wakes, [taken])).toBe(true);
    expect(isTaken(wakes, [taken, taken])).toBe(true);
    expect(isTaken(wakes, [taken, { fromMs: 300, toMs: 400 }])).toBe(false);
    expect(isTaken(wakes, [])).toBe(false);
  });
});
