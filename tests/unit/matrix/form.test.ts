import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, it } from 'vitest';

import { parseMatrix } from '../../../src/command_line/matrix/form.js';
import { cellsOf, stepsOf } from '../../../src/command_line/matrix/plan.js';
import { readMatrix } from '../../../src/command_line/matrix/read.js';
import { SMALL } from './support.js';

const [narrow, wide] = SMALL.links;
const cells = (matrix: unknown) => cellsOf({ matrix: parseMatrix(matrix), at: 'matrix', folder: '/' });

describe('a matrix', () => {
  it.each([
    [{ title: undefined }, /matrix\.title: expected a title, got nothing/],
    [{ ccscope_matrix: 2 }, /matrix\.ccscope_matrix: expected 1, the version/],
    [{ links: [] }, /matrix\.links: expected at least one/],
    [{ links: [{ name: 'a b' }] }, /matrix\.links\.0\.name: expected a name: letters/],
    [{ links: [{ ...narrow, rtt: 50 }] }, /matrix\.links\.0\.rtt: expected one of .*rtt_ms/],
    [{ links: [{ ...narrow, capacity: 'fast' }] }, /matrix\.links\.0\.capacity: expected a rate/],
    [{ links: [{ ...narrow, queue: 'no-such-queue' }] }, /matrix\.links\.0\.queue/],
    [{ links: [{ ...narrow, set: 'mine' }] }, /matrix\.links\.0\.set: expected training or test/],
    [{ links: [{ ...narrow, source_max: 'all' }] }, /matrix\.links\.0\.source_max: expected a rate/],
    [{ links: [narrow, narrow] }, /matrix\.links\.1\.name: expected each name once, got "narrow" twice/],
    [{ runs: 0 }, /matrix\.runs: expected a number from 1 to 1000/],
    [{ duration_s: 1 }, /matrix\.duration_s: expected a number from 3/],
    [{ machine: 'tired' }, /matrix\.machine: expected one of idle, busy, loaded, overloaded/],
    [{ sources: [{ name: 'noise', fps: 25 }] }, /matrix\.sources\.0\.fps: expected 15 or 30/],
    [{ sources: [{ name: 'noise', links: ['slow'] }] }, /sources\.0\.links\.0: expected one of narrow, wide/],
    [
      { sources: [{ name: 'noise' }, { name: 'text', links: [] }] },
      /matrix\.sources\.1\.links: expected the name of at least one link, got an empty list; .*remove `links`/,
    ],
    [
      {
        sources: [
          { name: 'noise', links: ['narrow'] },
          { name: 'text', links: ['narrow'] },
        ],
      },
      /matrix\.links\.1: expected a link that a source is sent over, got "wide"; add its name/,
    ],
    [{ baseline: 'nada' }, /matrix\.baseline: expected one of gcc, native, got "nada"/],
    [
      { controllers: [{ name: 'gcc' }, { name: 'nada' }], targets: [{ metric: 'drops', at_most: 1 }] },
      /matrix\.baseline: expected one of gcc, nada, since there are targets, got nothing, which stands for native; name /,
    ],
    [{ targets: [{ metric: 'fun', at_most: 1 }] }, /targets\.0\.metric: expected one of utilisation/],
    [{ targets: [{ metric: 'drops' }] }, /targets\.0: expected either at_least or at_most/],
    [{ targets: [{ metric: 'drops', at_most: 1, at_least: 0 }] }, /targets\.0: expected either/],
  ])('with %j is refused by its path', (changes, message) => {
    expect(() => parseMatrix({ ...SMALL, ...changes })).toThrow(message);
  });

  it.each([
    { targets: [{ metric: 'drops', at_most: 1 }] },
    { controllers: [{ name: 'gcc' }, { name: 'nada' }] },
    { controllers: [{ name: 'gcc' }, { name: 'nada' }], targets: [] },
    {
      ...{ controllers: [{ name: 'gcc' }, { name: 'nada' }], baseline: 'nada' },
      targets: [{ metric: 'drops', at_most: 1 }],
    },
  ])('with %j has a baseline for its targets, or no target', (changes) => {
    expect(parseMatrix({ ...SMALL, ...changes })).toMatchObject(changes);
  });

  it.each([
    [{ controllers: [{ name: 'mine' }] }, /controllers\.0\.controller: expected gcc.* or a file, got "mine"/],
    [
      { controllers: [{ name: 'gcc', preset: 'nada-live' }] },
      /controllers\.0\.preset: expected a preset of gcc/,
    ],
    [{ controllers: [{ name: 'gcc', set: { gain: 1 } }] }, /controllers\.0\.set\.gain: expected the name/],
    [{ controllers: [{ name: 'gcc', set: { k_u: -1 } }] }, /controllers\.0\.set\.k_u: expected/],
    [
      { controllers: [{ name: 'native', set: { k_u: 1 } }] },
      /controllers\.0: expected neither `preset` nor `set` for .*, got `set`;/,
    ],
    [{ sources: [{ name: 'film' }] }, /sources\.0\.source: expected synthetic.* or a file/],
  ])('whose %j is invalid is refused by its path', (changes, message) => {
    expect(() => cells({ ...SMALL, ...changes })).toThrow(message);
  });

  describe('with a video file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'ccscope-matrix-'));
    afterAll(() => rmSync(folder, { recursive: true }));
    const picture = `FRAME\n${'\0'.repeat(12)}`;
    const clip = `YUV4MPEG2 W4 H2 F24:1\n${picture}`;
    for (const [name, text] of Object.entries({
      ...{ 'clip.y4m': clip, 'clip.mp4': clip, 'broken.y4m': `${clip}FRA`, 'broken.mjpeg': 'GIF89a' },
    }))
      writeFileSync(join(folder, name), text);
    const sent = (source: object) =>
      cellsOf({
        ...{ at: 'matrix', folder },
        matrix: parseMatrix({ ...SMALL, sources: [{ name: 'synthetic' }, { name: 'film', ...source }] }),
      });

    it.each([
      [
        { source: 'clip.y4m', size: '720p' },
        /^matrix\.sources\.1\.size: expected no `size` .*remove `size`$/,
      ],
      [{ source: 'clip.y4m', fps: 30 }, /^matrix\.sources\.1\.fps: expected no `fps` .*remove `fps`$/],
      [
        { source: 'clip.mp4' },
        /^matrix\.sources\.1\.source: expected synthetic.* or a file \(\.y4m, \.mjpeg\), got "clip\.mp4"/,
      ],
      [
        { source: 'broken.y4m' },
        /^matrix\.sources\.1\.source: broken\.y4m: expected complete frames.*; convert/,
      ],
      [{ source: 'broken.mjpeg' }, /^matrix\.sources\.1\.source: broken\.mjpeg: expected a sequence of JPEG/],
    ])('whose source is %j is refused by its path', (source, message) => {
      expect(() => sent(source)).toThrow(message);
      expect(() => sent(source)).not.toThrow(/--/);
    });

    it('has its size and frame rate', () => {
      const [plan] = sent({ source: 'clip.y4m' }).flatMap((each) =>
        each.source === 'film' ? each.plan : [],
      );
      expect(plan?.source).toEqual({
        ...{ name: 'clip.y4m', width: 4, height: 2, fps: 24, file: join(folder, 'clip.y4m') },
      });
    });
  });

  it('has a cell for each combination, with the defaults of the command line', () => {
    const made = cells({
      ...SMALL,
      links: [narrow, { ...wide, source_max: '4mbps' }],
      controllers: [{ name: 'ours', controller: 'gcc', set: { k_u: 0.02 } }, { name: 'native' }],
      sources: [
        { name: 'synthetic' },
        { name: 'noise', size: '720p', fps: 15, codec: 'vp9', links: ['wide'] },
      ],
    });
    expect(made.map(({ link, source, controller }) => [link, source, controller])).toEqual([
      ['narrow', 'synthetic', 'ours'],
      ['narrow', 'synthetic', 'native'],
      ['wide', 'synthetic', 'ours'],
      ['wide', 'synthetic', 'native'],
      ['wide', 'noise', 'ours'],
      ['wide', 'noise', 'native'],
    ]);
    expect(made[0]?.plan).toMatchObject({
      ...{ controller: 'gcc', mode: 'control', preset: 'gcc-live', set: { k_u: 0.02 }, codec: 'vp8' },
      link: { capacity: '500kbps', queue: 'droptail:300ms', rtt_ms: 50 },
      ...{ durationMs: 42_000, sourceMaxBps: 2.5e6, source: { name: 'synthetic', width: 640, fps: 30 } },
    });
    expect(made[5]?.plan).toMatchObject({
      ...{ controller: 'native', mode: 'observe', sourceMaxBps: 4e6, codec: 'vp9' },
      ...{ link: { capacity: '2mbps', rtt_ms: 100 }, source: { name: 'noise', width: 1280, fps: 15 } },
    });
  });

  it('has a cell for each link if each has a source of its own', () => {
    const sources = [
      { name: 'noise', links: ['narrow'] },
      { name: 'text', links: ['wide'] },
    ];
    expect(cells({ ...SMALL, sources }).map(({ link, source }) => `${link} ${source}`)).toEqual([
      ...['narrow noise', 'narrow noise', 'wide text', 'wide text'],
    ]);
  });

  it('runs link by link, the first run of each controller before the second of any', () => {
    const order = stepsOf(cells(SMALL), 2);
    // The cells, in order: narrow gcc, narrow native, wide gcc, wide native.
    expect(order.map(({ cell, run }) => [cell, run])).toEqual([
      ...[
        [0, 0],
        [1, 0],
        [0, 1],
        [1, 1],
      ],
      ...[
        [2, 0],
        [3, 0],
        [2, 1],
        [3, 1],
      ],
    ]);
  });

  it('is in the guide as it can be run', () => {
    const guide = readFileSync(new URL('../../../src/command_line/call/README.md', import.meta.url), 'utf8');
    const example = /<!-- example: a matrix -->\s+```json\n([\s\S]*?)```/.exec(guide)?.[1] ?? '';
    expect(cells(JSON.parse(example))).toHaveLength((4 + 2) * 3);
  });

  it('comes with the package: links to tune on and links to test on, gcc beside native', () => {
    const { matrix } = readMatrix('live');
    const ofSet = (set: string) => matrix.links.filter((link) => link.set === set).length;
    expect([ofSet('training'), ofSet('test'), matrix.links.length]).toEqual([13, 12, 25]);
    expect(matrix.controllers.map(({ name }) => name)).toEqual(['gcc', 'native']);
    expect(cellsOf(readMatrix('live'))).toHaveLength((25 + 4) * 2);
    expect(() => readMatrix('life')).toThrow(/--matrix: life is neither .*Did you mean live/);
  });
});
