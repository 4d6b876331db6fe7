/** The source of a call, chosen in the page or by `ccscope call`, reaches the encoder and the far side. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { CallReport } from '../../src/command_line/call/types.js';
import { start } from './command.js';
import { expect, test } from './support.js';

let folder: string;
test.beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ccscope-sources-'));
});
test.afterAll(() => rmSync(folder, { recursive: true }));

const call = async (args: readonly string[]): Promise<CallReport> => {
  const env = { ...process.env, XDG_CACHE_HOME: join(folder, 'cache') };
  const { status, stdout, stderr } = await start(['call', ...args, '--json', '-'], env).outcome;
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout) as CallReport;
};

/**
 * Expects a frame rate of at most about `most`, the frame rate of the source. The lower bound is loose, because
 * a slow machine may drop many frames.
 */
function expectFps(fps: number | null | undefined, most: number): void {
  expect(fps).toBeGreaterThan(most / 5);
  expect(fps).toBeLessThan(1.15 * most);
}

/** Writes a Y4M file of two seconds: bars that move to the right, 24 frames per second. */
function bars(path: string, width: number, height: number): void {
  const picture = (n: number): Buffer => {
    const row = Buffer.from(Array.from({ length: width }, (_, x) => 16 + 4 * ((x + 256 - 3 * n) % 50)));
    const luma = Array.from({ length: height }, () => row);
    return Buffer.concat([Buffer.from('FRAME\n'), ...luma, Buffer.alloc((width * height) / 2, 128)]);
  };
  const header = Buffer.from(`YUV4MPEG2 W${width} H${height} F24:1 Ip C420jpeg\n`);
  writeFileSync(path, Buffer.concat([header, ...Array.from({ length: 48 }, (_, n) => picture(n))]));
}

test('a file reaches the far side with its size and frame rate', async () => {
  const file = join(folder, 'bars.y4m');
  bars(file, 400, 224);
  const trace = join(folder, 'bars.ndjson');
  const report = await call(['--source', file, '--duration', '6s', '--capacity', '5mbps', '--trace', trace]);
  const format = { width: 400, height: 224 };
  expect(report).toMatchObject({
    source: { name: 'bars.y4m', ...format, fps: 24 },
    codec: 'vp8',
    audio: false,
  });
  const [run] = report.runs;
  expect(run).toMatchObject({ mode: 'control', sent: { codec: 'vp8', ...format } });
  expect(run?.received).toEqual({ ...format, audio_bps: null });
  expectFps(run?.sent?.fps, 24);
  expectFps(run?.fps, 24);
  const [header = ''] = readFileSync(trace, 'utf8').split('\n', 1);
  expect(JSON.parse(header)).toMatchObject({
    video: { label: 'bars.y4m', ...format, frame_rate: 24, codec: 'vp8' },
    audio: false,
  });
});

test('a content by name is made, kept and sent', async () => {
  const cache = join(folder, 'cache', 'ccscope', 'sources');
  const args = [
    '--source',
    'text',
    '--size',
    '720p',
    '--fps',
    '15',
    '--capacity',
    '5mbps',
    '--duration',
    '6s',
  ];
  const report = await call(args);
  const format = { width: 1280, height: 720 };
  expect(report.source).toEqual({ name: 'text', ...format, fps: 15 });
  const [run] = report.runs;
  expect(run?.sent).toMatchObject(format);
  expectFps(run?.sent?.fps, 15);
  expectFps(run?.fps, 15);
  // If the bitrate is too low or the CPU is too slow, the browser scales the video down but keeps its aspect
  // ratio.
  const { width, height } = run?.received ?? {};
  expect(width).toBeLessThanOrEqual(1280);
  expect((width ?? NaN) / (height ?? NaN)).toBeCloseTo(16 / 9, 1);
  const made = readdirSync(cache);
  expect(made).toEqual([expect.stringMatching(/^text-1280x720-15fps-[0-9a-f]{8}\.y4m$/)]);
});

test('VP9 is controlled as VP8 is', async () => {
  const report = await call(['--codec', 'vp9', '--fps', '15', '--capacity', '1mbps', '--duration', '8s']);
  expect(report).toMatchObject({
    codec: 'vp9',
    source: { name: 'synthetic', width: 640, height: 360, fps: 15 },
  });
  const [run] = report.runs;
  expect(run).toMatchObject({ mode: 'control', sent: { codec: 'vp9', width: 640, height: 360 } });
  expectFps(run?.fps, 15);
  expect(run?.utilisation).toBeGreaterThan(0.1);
  expect(run?.utilisation).toBeLessThan(1.05);
});

test('audio shares the link, and the controller is told of the video alone', async () => {
  const trace = join(folder, 'audio.ndjson');
  // The video takes 300 kbps, in frames of several packets each. If audio were counted, the number of bytes
  // would be a sixth larger.
  const args = [
    '--audio',
    '--fps',
    '15',
    '--source-max',
    '300kbps',
    '--duration',
    '8s',
    '--capacity',
    '1mbps',
  ];
  const report = await call([...args, '--trace', trace]);
  expect(report).toMatchObject({ audio: true, codec: 'vp8' });
  const audioBps = report.runs[0]?.received?.audio_bps;
  expect(audioBps).toBeGreaterThan(20_000);
  expect(audioBps).toBeLessThan(90_000);
  type Row = Record<string, number> & { type: string };
  const rows = readFileSync(trace, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line) as Row);
  const counters = rows.filter(({ type }) => type === 'inbound');
  // Skips the first third of the call, in which the browser probes the link with repeated packets.
  const [first, last] = [counters[Math.floor(counters.length / 3)], counters.at(-1)];
  const between = rows.filter(
    ({ type, arrival_time_us: atUs = NaN }) =>
      type === 'arrival' && atUs > (first?.['time_us'] ?? NaN) && atUs <= (last?.['time_us'] ?? NaN),
  );
  const frames = between.reduce((sum, { size_bytes: bytes = NaN }) => sum + bytes, 0);
  const counted = (last?.['bytes_received'] ?? NaN) - (first?.['bytes_received'] ?? NaN);
  // The margin is for packet headers, and for frames that are incomplete at the end. If audio were counted, the
  // ratio would be larger.
  expect(counted / frames).toBeGreaterThan(0.95);
  expect(counted / frames).toBeLessThan(1.13);
});

test('the page takes picture, frame rate, codec and audio, also during a call', async ({
  page,
  served,
  scope,
}) => {
  await page.goto(served.url);
  await page.locator('summary', { hasText: /^Call$/ }).click();
  await page.getByLabel('Picture').selectOption('720p');
  await page.getByLabel('Frames per second').selectOption('15');
  await page.getByLabel('Codec').selectOption('vp9');
  await page.getByLabel('Audio').selectOption({ label: 'A synthetic voice (Opus)' });
  await expect
    .poll(() => Object.fromEntries(scope.query()))
    .toMatchObject({
      ...{ size: '720p', fps: '15', codec: 'vp9', audio: '1' },
    });
  await scope.start();
  const media = (): Promise<unknown> => page.evaluate(() => window.ccscope.media());
  await expect.poll(media).toMatchObject({ sourceWidth: 1280, sourceHeight: 720, codec: 'vp9' });
  await expect
    .poll(() => page.evaluate(async () => (await window.ccscope.media())?.audioBytesReceived))
    .toBeGreaterThan(5000);

  // Both within one task of the page: changes that come while the call restarts for an earlier one restart it again.
  const codec = await page.getByLabel('Codec').elementHandle();
  const audio = await page.getByLabel('Audio').elementHandle();
  await page.evaluate(
    ([codec, audio]) => {
      const choose = (select: HTMLSelectElement, label: string): void => {
        const option = [...select.options].find(({ text, value }) => text === label || value === label);
        if (!option) throw new Error(`no ${label}`);
        select.value = option.value;
        select.dispatchEvent(new Event('change', { bubbles: true }));
      };
      choose(codec as HTMLSelectElement, 'vp8');
      choose(audio as HTMLSelectElement, 'None');
    },
    [codec, audio],
  );
  await expect(page.getByLabel('Notices')).toContainText(
    'The call was restarted: the video is VP8 now; the video goes alone now.',
  );
  await scope.live();
  await expect
    .poll(media)
    .toMatchObject({ sourceWidth: 1280, sourceHeight: 720, codec: 'vp8', audioBytesReceived: NaN });
});
