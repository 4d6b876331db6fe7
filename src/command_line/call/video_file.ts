/**
 * Reads the format of files that Chromium can play as its camera: YUV4MPEG2 and MJPEG. Chromium crashes on a
 * malformed file (media/capture/video/file_video_capture_device.cc), so files are checked here.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

import { systemCode, UsageError } from '../../text/errors.js';

export interface VideoFormat {
  width: number;
  height: number;
  /** Frames per second at which Chromium plays the file. */
  fps: number;
}

/** Chromium recognises the format by the file name extension. */
export const VIDEO_FILE = /\.(y4m|mjpeg)$/i;

/** Chromium searches only this many bytes for the first frame. */
const Y4M_HEADER_BYTES = 200;
const FRAME = 'FRAME\n';
/** The Y4M names of the 8-bit 4:2:0 formats without alpha. */
const Y4M_COLOURS = ['420', '420jpeg', '420mpeg2', '420paldv'];
const MJPEG_FPS = 30;
const JPEG_HEADER_BYTES = 65_536;

const CONVERT = 'convert the video with `ffmpeg -i FILE -pix_fmt yuv420p out.y4m`';

/**
 * The size and frame rate of a video file. `given` says in messages where the file is named. Throws UsageError if
 * Chromium cannot play the file.
 */
export function readVideoFile(path: string, given = `--source ${path}`): VideoFormat {
  const expected = (what: string): UsageError => new UsageError(`${given}: expected ${what}; ${CONVERT}`);
  const file = opened(path, given);
  try {
    const { size } = fstatSync(file);
    const isY4m = /\.y4m$/i.test(path);
    const head = Buffer.alloc(Math.min(size, isY4m ? Y4M_HEADER_BYTES : JPEG_HEADER_BYTES));
    readSync(file, head, 0, head.length, 0);
    return isY4m ? y4mFormat(head, size, expected) : mjpegFormat(head, expected);
  } catch (error) {
    throw systemCode(error) === 'EISDIR' ? expected('a file') : error;
  } finally {
    closeSync(file);
  }
}

function opened(path: string, given: string): number {
  try {
    return openSync(path, 'r');
  } catch (error) {
    throw new UsageError(
      `${given}: cannot be read (${systemCode(error) ?? 'unknown error'}); correct the path`,
    );
  }
}

type Expected = (what: string) => UsageError;

function y4mFormat(head: Buffer, size: number, expected: Expected): VideoFormat {
  const text = head.toString('latin1');
  const begin = text.indexOf(FRAME);
  const [magic, ...tokens] = text.slice(0, begin).trimEnd().split(/\s/);
  if (magic !== 'YUV4MPEG2' || begin < 0)
    throw expected(`a YUV4MPEG2 header and a frame in the first ${Y4M_HEADER_BYTES} bytes`);
  const token = (letter: string): string | undefined =>
    tokens.find((each) => each.startsWith(letter))?.slice(1);
  const [width, height] = [Number(token('W')), Number(token('H'))];
  const isEven = (side: number): boolean => Number.isInteger(side) && side > 0 && side % 2 === 0;
  if (!isEven(width) || !isEven(height)) throw expected('an even width and height');
  const [, frames = '', seconds = ''] = /^(\d+):(\d+)$/.exec(token('F') ?? '') ?? [];
  // Chromium uses integer division: it plays 30000:1001 at 29 frames per second, not at 29.97.
  const fps = Math.floor(Number(frames) / Number(seconds));
  if (!(fps >= 1 && fps <= 240)) throw expected('a frame rate from 1 to 240');
  if (!Y4M_COLOURS.includes(token('C') ?? '420')) throw expected('8-bit pictures in 4:2:0');
  if (token('I')?.startsWith('m')) throw expected('frames that are all progressive or all interlaced');
  const frameBytes = FRAME.length + (width * height * 3) / 2;
  if ((size - begin) % frameBytes !== 0) throw expected('complete frames without frame parameters');
  return { width, height, fps };
}

/** JPEG markers without a length field: start of image, restarts, and fill bytes. */
const isBare = (marker: number): boolean =>
  marker === 0xd8 || marker === 0xff || (marker >= 0xd0 && marker <= 0xd7);
/** Frame headers of JPEG, C0 to C3: baseline, extended, progressive and lossless. */
const isFrameHeader = (marker: number): boolean => marker >= 0xc0 && marker <= 0xc3;

function mjpegFormat(head: Buffer, expected: Expected): VideoFormat {
  let at = 0;
  while (head[at] === 0xff && at + 9 < head.length) {
    const marker = head[at + 1] ?? 0;
    if (isFrameHeader(marker))
      return { width: head.readUInt16BE(at + 7), height: head.readUInt16BE(at + 5), fps: MJPEG_FPS };
    at += isBare(marker) ? (marker === 0xff ? 1 : 2) : 2 + head.readUInt16BE(at + 2);
  }
  throw expected('a sequence of JPEG pictures');
}
