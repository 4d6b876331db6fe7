import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

import { describe, expect, it } from 'vitest';

import { SMALL } from '../unit/matrix/support.js';
import { ccscope, scratch } from './support.js';

const { path, write } = scratch();

describe('ccscope call', () => {
  it.each([
    [['--capacity', 'fast'], /--capacity.*1mbps or 500kbps/],
    [['--capacity', '1mbps,2mbps@9s,1mbps@5s'], /in time order/],
    [['--queue', 'no-such-queue:5ms'], /--queue.*droptail:300ms/],
    [['--queue', 'codel:target=13'], /--queue.*target as 0.001 to 10000ms/],
    [['--queue', 'pie:targt=13ms'], /--queue.*a setting of pie \(variant, target, t_update/],
    [['--rtt', '50'], /write 50ms or 50s/],
    [['--rtt', '2h'], /--rtt.*Expected a number from 0 to 60000 ms/],
    [['--loss', '2'], /ratio from 0 to 1 or a percentage/],
    [['--burst-loss', '0.5'], /--burst-loss.*number from 1 to/],
    [['--jitter', '-5ms'], /a time with its unit/],
    [['--outage', '100ms'], /--outage.*100ms\/20ms/],
    [['--outage', '100ms/2h'], /--outage.*mean times from 1ms to 1min/],
    [['--cross-traffic', 'bbr:2'], /--cross-traffic.*cubic:3 or cubic:2,newreno:1/],
    [['--cross-traffic', 'cubic:65'], /--cross-traffic.*up to 64 connections/],
    [['--runs', '0'], /integer from 1/],
    [['--duration', '1s'], /at least 3000 ms/],
    [['--until-quiet', '0'], /--until-quiet.*integer from 1/],
    [['--until-quiet', 'soon'], /--until-quiet.*integer from 1/],
    [['--controller', 'magic'], /gcc, nada, lcc, native or a file/],
    [['--controller', 'nadda'], /Did you mean nada/],
    [['--controller', 'gcc,gcc'], /each at most once: gcc, nada, lcc, native/],
    [['--controller', 'none/mine.ts'], /there is no file none\/mine\.ts/],
    [['--compare', 'magic'], /gcc, nada, lcc, native or a file/],
    [['--shadow', 'magic'], /one of gcc, nada, lcc, or a preset/],
    [['--shadow', 'gcc:nada-live'], /--shadow.*a preset of gcc/],
    [['--shadow', 'nada:k_u=0.02'], /--shadow.*k_u: not a parameter of nada/],
    [['--shadow', 'gcc:alpha=7'], /--shadow.*expected alpha to be a number from 0\.1 to 1, got "7"/],
    [['--controller', 'nada', '--preset', 'gcc-live'], /--preset: expected a preset of nada.*preset of gcc/],
    [['--controller', 'nada', '--set', 'k_u=0.02'], /--set: expected a parameter of nada, got k_u/],
    [['--mode', 'none'], /control, cap, observe/],
    [['--controller', 'native', '--mode', 'control'], /only observe is possible with --controller native/],
    [['--preset', 'gcc-life'], /Did you mean gcc-live/],
    [['--set', 'alfa=1'], /Did you mean alpha/],
    [['--set', 'alpha=NaN'], /alpha/],
    [['--source-max', '0'], /rate from 1 bps/],
    [
      ['--source', 'nois'],
      /--source.*synthetic, test-picture, fractal, noise, text or a file.*Did you mean noise/,
    ],
    [['--source', 'film.mp4'], /--source.*or a file \(\.y4m, \.mjpeg\)/],
    [['--source', 'none.y4m'], /--source none\.y4m: cannot be read \(ENOENT\)/],
    [['--source', write('text.y4m', 'no video')], /a YUV4MPEG2 header.*ffmpeg -i FILE/],
    [['--size', '480p'], /--size.*360p, 720p/],
    [['--fps', '25'], /--fps.*15 or 30/],
    [['--codec', 'h264'], /--codec.*vp8, vp9/],
    [['--url', 'http://localhost:1', '--source', 'noise'], /--source: cannot be used with --url/],
    [['--url', 'http://localhost:1', '--audio'], /--audio: cannot be used with --url/],
    [['--url', 'my page'], /--url.*http:\/\/localhost:5173/],
    [
      ['--url', 'http://localhost:1', '--controller', 'gcc'],
      /--controller: cannot be used with --url.*remove --controller/,
    ],
    [['--url', 'http://localhost:1', '--source-max', '1mbps'], /--source-max: cannot be used with --url/],
    [
      ['--url', 'http://localhost:1', '--url', 'http://localhost:2', '--pages', '2'],
      /--pages: cannot be used with more than one --url/,
    ],
    [['--url', 'http://localhost:1', '--pages', '9'], /--pages.*integer from 1 to 8/],
    [['--pages', '2'], /--pages: needs --url/],
    [['--machine', 'loaded'], /--machine: needs --twin/],
    [['--twin', '--machine', 'tired'], /--machine.*idle, busy, loaded, overloaded/],
    [['--mode', 'contrl'], /--mode.*one of control, cap, observe\. Did you mean control\?/],
    [['--twin', '--controller', 'gcc,native'], /--controller: native cannot be used with --twin/],
    [['--twin', '--mode', 'cap'], /--mode: cannot be used with --twin; remove one of them/],
    [['--twin', '--shadow', 'nada'], /--shadow: cannot be used with --twin/],
    [['--twin', '--until-quiet'], /--until-quiet: cannot be used with --twin/],
    [['--twin', '--url', 'http://localhost:1'], /--twin: cannot be used with --url/],
    [['--twin', '--html', 'call.html'], /--html: needs --url/],
    [
      ['--twin', '--source', 'test-picture', '--codec', 'vp9'],
      /--codec: the twin can simulate test-picture in VP8 only/,
    ],
    [['--click', 'button'], /--click: needs --url/],
    [['--colour'], /unknown option/],
    [['extra'], /too many arguments/],
    [
      ['--capacity', '600', 'kbps'],
      /does not take "kbps". Write a number and its unit together, such as 600kbps/,
    ],
  ])('refuses %j as bad usage', async (args, expected) => {
    const { status, stderr, stdout } = await ccscope(['call', ...args]);
    expect(stderr).toMatch(expected);
    expect(status).toBe(2);
    expect(stdout).toBe('');
  });

  it.each([
    ['compared', ['--controller', 'a/my.ts', '--compare', 'b/my.ts']],
    ['that watch', ['--controller', 'a/my.ts', '--shadow', 'b/my.ts']],
  ])('refuses files of one name: %s', async (_, args) => {
    for (const folder of ['a', 'b']) mkdirSync(path(folder), { recursive: true });
    const files = args.map((arg) => (arg.endsWith('.ts') ? write(arg, 'export default {};') : arg));
    const { status, stderr } = await ccscope(['call', ...files]);
    expect([status, stderr]).toEqual([
      2,
      `expected controller files with different names, got ${path('a/my.ts')} and ${path('b/my.ts')}; rename one of them\n`,
    ]);
  });

  it('refuses a file that cannot be written before it makes a call', async () => {
    const { status, stderr } = await ccscope(['call', '--json', path('none/report.json')]);
    expect(status).toBe(2);
    expect(stderr).toContain('none/report.json');
  });

  it.each([
    ['an existing folder', '', /: cannot be written \(EISDIR\); give the path of a file, not of a folder/],
    ['a folder that does not exist', '/new/', /\/new\/: cannot be written \(EISDIR\)/],
    [
      'a file in a file',
      '/notes.txt/r.json',
      /notes\.txt\/r\.json: its folder cannot be written to \(ENOTDIR\)/,
    ],
  ])('refuses to write its report to %s', async (_, name, expected) => {
    mkdirSync(path('results'), { recursive: true });
    write('results/notes.txt', 'notes');
    const matrix = write('matrix.json', JSON.stringify(SMALL));
    const json = ['--json', path('results') + name];
    for (const args of [
      ['call', '--twin', '--duration', '3s', ...json],
      ['call', '--twin', '--matrix', matrix, ...json],
      ['incidents', path('results/notes.txt'), ...json],
      ['replay', path('results/notes.txt'), ...json],
      ['replay', path('results/notes.txt'), '--twin', ...json],
      ['reproduce', ...json],
      ['run', 'ton-prop1', ...json],
      ['shape', '--duration', '1ms', ...json],
    ]) {
      const { status, stdout, stderr } = await ccscope(args);
      expect(stderr, args.join(' ')).toMatch(expected);
      expect([status, stdout], args.join(' ')).toEqual([2, '']);
    }
    expect(existsSync(path('results/new'))).toBe(false);
  });

  it('refuses an empty name of a file', async () => {
    const { status, stderr } = await ccscope(['call', '--twin', '--json', '']);
    expect([status, stderr]).toEqual([
      2,
      'expected the path of a file to write, got an empty text; give one, or remove the option\n',
    ]);
  });

  it.skipIf(process.getuid?.() === 0)('refuses a file that is read-only', async () => {
    const json = write('read-only.json', 'old');
    chmodSync(json, 0o444);
    const { status, stderr } = await ccscope(['call', '--twin', '--duration', '3s', '--json', json]);
    expect(status).toBe(2);
    expect(stderr).toContain('read-only.json: cannot be written (EACCES); make it writable');
  });

  it('writes to a new file, over an old one and to a device', async () => {
    for (const json of [path('fresh.json'), write('old.json', 'old'), '/dev/null']) {
      const { status, stderr } = await ccscope(['call', '--twin', '--duration', '3s', '--json', json]);
      expect([status, stderr]).toEqual([0, '']);
    }
    for (const name of ['fresh.json', 'old.json'])
      expect(JSON.parse(readFileSync(path(name), 'utf8'))).toHaveProperty('runs');
  });

  it('checks the files of all runs, whose names have the number of the run', async () => {
    mkdirSync(path('t'));
    mkdirSync(path('t.nada-2'));
    const args = ['call', '--twin', '--duration', '3s', '--runs', '2', '--trace', path('t'), '--controller'];
    const { status, stderr, stdout } = await ccscope([...args, 'gcc,nada']);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain('t.nada-2: cannot be written (EISDIR)');
    expect(await ccscope([...args, 'gcc'])).toMatchObject({ status: 0, stderr: '' });
    expect(existsSync(path('t.gcc-2'))).toBe(true);
  });

  it('refuses to replace the page that it opens', async () => {
    const page = write('page.html', '<title>A call</title>');
    const { status, stderr } = await ccscope(['call', '--url', pathToFileURL(page).href, '--html', page]);
    expect([status, stderr]).toEqual([
      2,
      `--html: ${page} is also the page to be read; choose another file\n`,
    ]);
    expect(readFileSync(page, 'utf8')).toContain('A call');
  });

  it.each(['--json', '--trace'])(
    'prints its report even if the file of %s cannot take it',
    async (option) => {
      const { status, stdout, stderr } = await ccscope([
        ...['call', '--twin', '--duration', '3s', option, '/dev/full'],
      ]);
      expect([status, stderr]).toEqual([1, '/dev/full: cannot be written (ENOSPC)\n']);
      expect(stdout).toContain('utilisation');
    },
  );

  it('has help', async () => {
    const { status, stdout } = await ccscope(['call', '--help']);
    expect(status).toBe(0);
    expect(stdout).toContain('--key-frame-interval');
    expect(stdout).toContain('(default: gcc)');
    expect(stdout).not.toMatch(/default: [[{]/);
  });
});

describe('ccscope shape', () => {
  it.each([
    [['--listen', 'localhost'], /127\.0\.0\.1:5000,5001/],
    [['--listen', '127.0.0.1:70000,1'], /127\.0\.0\.1:5000,5001/],
    [['--listen', '192.0.2.1'], /not an IPv4 address of this machine/],
    [['--peers', '127.0.0.1:5000'], /two IPv4 addresses with ports/],
    [['--peers', '127.0.0.1:5000,300.0.0.1:5001'], /two IPv4 addresses with ports/],
    [['--bottleneck', 'wide'], /serial or token-bucket/],
    [['--capacity', 'mahimahi:none.trace'], /none.trace cannot be read/],
    [['--capacity', `mahimahi:${write('bad.trace', '2\n1\n')}`], /line 2 .* at least 2/],
  ])('refuses %j as bad usage', async (args, expected) => {
    const { status, stderr } = await ccscope(['shape', '--duration', '1ms', ...args]);
    expect(stderr).toMatch(expected);
    expect(status).toBe(2);
  });

  it('takes a trace of mahimahi as capacity', async () => {
    const trace = write('up.trace', '100\n200\n400\n');
    const args = ['--duration', '1ms', '--capacity', `mahimahi:${trace}`, '--json', '-'];
    const { stdout } = await ccscope(['shape', ...args]);
    const { link } = JSON.parse(stdout) as { link: { capacity: string } };
    expect(link.capacity).toMatch(/^120320bps,60160bps@200ms,120320bps@400ms,60160bps@600ms,/);
    // Of several capacities the last one counts, so the trace is not repeated.
    const { stderr } = await ccscope(['shape', ...args, '--capacity', '2mbps']);
    expect(stderr).toMatch(/^capacity 2000 kbps/m);
  });

  it('prints its sockets, and what it measured as JSON alone', async () => {
    const { status, stdout, stderr } = await ccscope([
      'shape',
      '--duration',
      '20ms',
      '--capacity',
      '2mbps',
      '--burst-loss',
      '5',
      '--outage',
      '1s/20ms',
      '--cross-traffic',
      'cubic:2',
      '--json',
      '-',
    ]);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      link: { capacity: '2mbps', burst_loss_packets: 5, outage: '1s/20ms', cross_traffic: 'cubic:2' },
      offered_packets: 0,
      a: { address: '127.0.0.1' },
    });
    expect(stderr).toMatch(/^a 127\.0\.0\.1:\d+ /);
  });
});
