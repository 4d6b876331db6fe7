/** Video files for Chromium's fake camera. Files that would crash Chromium are refused. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, it } from 'vitest';

import { sourceOf } from '../../src/command_line/call/source.js';
import { readVideoFile } from '../../src/command_line/call/video_file.js';
import { UsageError } from '../../src/text/errors.js';

const folder = mkdtempSync(join(tmpdir(), 'ccscope-video-'));
afterAll(() => rmSync(folder, { recursive: true }));

function written(name: string, ...parts: (string | Buffer)[]): string {
  const path = join(folder, name);
  writeFileSync(path, Buffer.concat(parts.map((part) => Buffer.from(part))));
  return path;
}

/** A grey frame of 4 x 2 pixels, as in a Y4M file. */
const FRAME = Buffer.concat([Buffer.from('FRAME\n'), Buffer.alloc(12, 128)]);
const y4m = (header: string, ...frames: (string | Buffer)[]): string =>
  written('some.y4m', `YUV4MPEG2 ${header}\n`, ...frames);

describe('YUV4MPEG2', () => {
  it.each([
    ['W4 H2 F30:1 Ip A1:1 C420jpeg XYSCSS=420JPEG XCOLORRANGE=LIMITED', 30],
    ['W4 H2 F15:1', 15],
    // Chromium divides integers, so 30000 / 1001 gives 29.
    ['W4 H2 F30000:1001 C420mpeg2', 29],
  ])('takes %j', (header, fps) => {
    expect(readVideoFile(y4m(header, FRAME, FRAME))).toEqual({ width: 4, height: 2, fps });
  });

  it.each([
    ['W4 H2', FRAME, /a frame rate/],
    ['W4 H2 F30', FRAME, /a frame rate/],
    ['W4 H2 F1:2', FRAME, /a frame rate from 1/],
    ['W4 H2 F30:0', FRAME, /a frame rate/],
    ['H2 F30:1', FRAME, /an even width and height/],
    ['W3 H2 F30:1', FRAME, /an even width and height/],
    ['W4 H0 F30:1', FRAME, /an even width and height/],
    ['W4 H2 F30:1 C444', FRAME, /8-bit pictures in 4:2:0/],
    ['W4 H2 F30:1 C420p10', FRAME, /8-bit pictures in 4:2:0/],
    ['W4 H2 F30:1 Im', FRAME, /all progressive/],
    ['W4 H2 F30:1', FRAME.subarray(0, 17), /complete frames/],
    ['W4 H2 F30:1', Buffer.concat([FRAME, FRAME.subarray(0, 5)]), /complete frames/],
    ['W4 H2 F30:1', '', /a frame in the first 200 bytes/],
    [`W4 H2 F30:1 X${'x'.repeat(200)}`, FRAME, /a frame in the first 200 bytes/],
  ])('refuses %j', (header, frames, expected) => {
    const read = (): unknown => readVideoFile(y4m(header, frames));
    expect(read).toThrow(UsageError);
    expect(read).toThrow(expected);
    expect(read).toThrow(/ffmpeg -i FILE -pix_fmt yuv420p out\.y4m/);
  });

  it('refuses what only has its name', () => {
    expect(() => readVideoFile(written('other.y4m', 'RIFF'))).toThrow(/a YUV4MPEG2 header/);
    expect(() => readVideoFile(join(folder, 'none.y4m'))).toThrow(/cannot be read \(ENOENT\)/);
  });
});

describe('MJPEG', () => {
  const start = Buffer.from([0xff, 0xd8]);
  const application = Buffer.from([0xff, 0xe0, 0, 6, 1, 2, 3, 4]);
  const tables = Buffer.from([0xff, 0xc4, 0, 4, 0, 0]);
  /** A JPEG frame header for 600 lines of 800 pixels. */
  const header = Buffer.from([0xff, 0xc0, 0, 11, 8, 0x02, 0x58, 0x03, 0x20, 1, 1, 0x11, 0]);

  it('has the size of its first picture; Chromium plays it at 30 frames per second', () => {
    const path = written('some.mjpeg', start, application, tables, header, Buffer.alloc(20));
    expect(readVideoFile(path)).toEqual({ width: 800, height: 600, fps: 30 });
  });

  it.each([
    [Buffer.from('not a picture')],
    [start],
    [Buffer.concat([start, application])],
    [Buffer.concat([start, Buffer.from([0xff, 0xe0, 0xff, 0xff]), Buffer.alloc(100)])],
  ])('refuses %j', (bytes) => {
    expect(() => readVideoFile(written('bad.mjpeg', bytes))).toThrow(/expected a sequence of JPEG pictures/);
  });
});

describe('what is sent', () => {
  it('is the page’s own pictures, or those of a content’s file, at the size asked for', () => {
    const small = { width: 640, height: 360, fps: 30 };
    expect(sourceOf({ source: 'synthetic' })).toEqual({ name: 'synthetic', ...small, file: null });
    const large = { width: 1280, height: 720, fps: 15 };
    const noise = sourceOf({ source: 'noise', size: '720p', fps: 15 });
    expect(noise).toMatchObject({ name: 'noise', ...large });
    expect(noise.file).toMatch(/ccscope[\\/]sources[\\/]noise-1280x720-15fps-[0-9a-f]{8}\.y4m$/);
    const files = [noise, sourceOf({ source: 'noise' }), sourceOf({ source: 'text' })].map(
      ({ file }) => file,
    );
    expect(new Set(files).size).toBe(3);
  });

  it('is a file as it is, whose size and frame rate nobody else decides', () => {
    const source = y4m('W4 H2 F24:1', FRAME);
    const own = { name: 'some.y4m', width: 4, height: 2, fps: 24, file: source };
    expect(sourceOf({ source })).toEqual(own);
    expect(() => sourceOf({ source, size: '360p' })).toThrow(
      /^--size: a video file has its own size.*remove --size/,
    );
    expect(() => sourceOf({ source, fps: 30 })).toThrow(
      /^--fps: a video file has its own size and frame rate.*remove --fps/,
    );
  });
});
