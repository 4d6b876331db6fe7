/**
 * Video clips (called contents) for Chromium's camera. ffmpeg makes each clip once; the file is then kept in the
 * user's cache.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

import { FailedRun, systemCode } from '../../text/errors.js';
import type { Io } from '../io.js';
import { progress } from '../progress.js';
import type { VideoFormat } from './video_file.js';

/** The length of a clip. Chromium plays the file in a loop, so each clip ends as it began. */
const LOOP_S = 10;

/** An ffmpeg filter that appends the input's frames in reverse order. */
const THERE_AND_BACK = 'split[there][back];[back]reverse[reversed];[there][reversed]concat';

interface Recipe {
  /** One of ffmpeg's built-in sources. */
  input: string;
  filters: string;
}

/**
 * Lines of pseudo-random words, each of one to nine letters. A line fits the width of the picture. The text
 * is always the same.
 */
function lines(count: number): string {
  let state = 1;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) % below;
  };
  const word = (): string =>
    Array.from({ length: 1 + random(9) }, () => String.fromCharCode(97 + random(26))).join('');
  const line = (): string =>
    Array.from({ length: 1 + random(12) }, word)
      .join(' ')
      .slice(0, 68);
  return Array.from({ length: count }, line).join('\n');
}

const TEXT_ROWS = 24;

/**
 * How far the text is scrolled, in screens, at the time t. The text rests for 3 s, moves down one screen in 2 s,
 * rests for 3 s, and moves back in 2 s.
 */
const SCROLLED = 'if(lt(t,3),0,if(lt(t,5),(t-3)/2,if(lt(t,8),1,(10-t)/2)))';

const RECIPES = {
  /** Moving bars and shapes with sharp edges. */
  'test-picture': ({ width, height, fps }) => ({
    input: `testsrc2=s=${width}x${height}:r=${fps}:d=${LOOP_S / 2}`,
    filters: THERE_AND_BACK,
  }),
  /** Zooms into the Mandelbrot set and out again. */
  fractal: ({ width, height, fps }) => ({
    input: `mandelbrot=s=${width}x${height}:r=${fps}:start_scale=1:end_scale=0.05:end_pts=${(fps * LOOP_S) / 2}`,
    filters: `trim=duration=${LOOP_S / 2},${THERE_AND_BACK}`,
  }),
  /** Soft shapes in front of a swaying camera. The sensor noise differs in each frame. */
  noise: ({ width, height, fps }) => ({
    input: `mandelbrot=s=${width + 64}x${height + 64}:r=${fps}:start_scale=0.3:end_scale=0.3`,
    filters: [
      'trim=end_frame=1,loop=loop=-1:size=1,gblur=sigma=3',
      `setpts=N/${fps}/TB`,
      `crop=${width}:${height}:x='32+32*sin(2*PI*t/${LOOP_S})':y='32+32*cos(2*PI*t/${LOOP_S / 2})'`,
      'format=yuv420p,noise=alls=24:allf=t:all_seed=1',
    ].join(','),
  }),
  /** A page of text that is scrolled now and then. */
  text: ({ width, height, fps }) => ({
    input: `color=c=white:s=${width}x${height}:r=${fps}`,
    filters: [
      `drawtext=font=monospace:fontsize=${Math.floor(height / TEXT_ROWS)}:fontcolor=black:x=8`,
      `y='8-${height}*${SCROLLED}':text='${lines(2 * TEXT_ROWS)}'`,
    ].join(':'),
  }),
} satisfies Record<string, (format: VideoFormat) => Recipe>;

export type ContentName = keyof typeof RECIPES;
export const CONTENT_NAMES = Object.keys(RECIPES) as ContentName[];

export const isContent = (name: string): name is ContentName => Object.hasOwn(RECIPES, name);

function ffmpegArguments(name: ContentName, format: VideoFormat): string[] {
  const { input, filters } = RECIPES[name](format);
  const source = ['-f', 'lavfi', '-i', input, '-filter_complex', `[0:v]${filters}`];
  const frames = String(format.fps * LOOP_S);
  return [...source, '-frames:v', frames, '-pix_fmt', 'yuv420p', '-f', 'yuv4mpegpipe'];
}

function cacheFolder(): string {
  const { env, platform } = process;
  const folders: Partial<Record<NodeJS.Platform, string>> = {
    darwin: join(homedir(), 'Library', 'Caches'),
    win32: env['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local'),
  };
  const { XDG_CACHE_HOME: chosen } = env;
  const usual = folders[platform] ?? join(homedir(), '.cache');
  return join(chosen === undefined || chosen === '' ? usual : chosen, 'ccscope', 'sources');
}

/**
 * The path of a content's file. The name contains a hash of the ffmpeg arguments, so changed arguments use a new
 * file.
 */
export function contentFile(name: ContentName, format: VideoFormat): string {
  const recipe = createHash('sha256').update(ffmpegArguments(name, format).join('\0')).digest('hex');
  const { width, height, fps } = format;
  return join(cacheFolder(), `${name}-${width}x${height}-${fps}fps-${recipe.slice(0, 8)}.y4m`);
}

interface Making {
  file: string;
  signal: AbortSignal;
  io: Io;
}

/**
 * Creates a content's file unless it exists, and reports progress. The file gets its final name only once it is
 * complete. Throws FailedRun.
 */
export async function makeContent(name: ContentName, format: VideoFormat, making: Making): Promise<void> {
  const { file, signal, io } = making;
  if (existsSync(file)) return;
  const part = `${file}.${process.pid}.part`;
  const bar = progress(io, format.fps * LOOP_S);
  try {
    mkdirSync(dirname(file), { recursive: true });
    removeOrphans(dirname(file));
    const args = [...ffmpegArguments(name, format), '-progress', 'pipe:1', '-y', part];
    await ffmpeg(args, signal, (frame) => bar.update(frame, `making ${name}, once`));
    renameSync(part, file);
  } catch (error) {
    signal.throwIfAborted();
    throw new FailedRun(`--source ${name}: ${whyNot(error, dirname(file))}`);
  } finally {
    bar.clear();
    rmSync(part, { force: true });
  }
}

/** Removes the incomplete files of processes that no longer run. */
function removeOrphans(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, pid] = /\.(\d+)\.part$/.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(folder, name), { force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process exists but belongs to another user.
    return systemCode(error) === 'EPERM';
  }
}

function whyNot(error: unknown, folder: string): string {
  const isSpawn = error instanceof Error && 'syscall' in error && error.syscall === 'spawn ffmpeg';
  if (isSpawn && systemCode(error) === 'ENOENT')
    return 'expected ffmpeg, which makes its pictures; install it (apt install ffmpeg), or choose synthetic';
  const reason = error instanceof Error ? error.message : String(error);
  return `its file could not be made (${reason}); see that ${folder} can be written to and has 500 MB left`;
}

/** Runs ffmpeg, and reports the number of finished frames. Rejects with the last line of ffmpeg's messages. */
async function ffmpeg(
  args: readonly string[],
  signal: AbortSignal,
  made: (frame: number) => void,
): Promise<void> {
  const options = ['-hide_banner', '-nostdin', '-loglevel', 'error'];
  const child = spawn('ffmpeg', [...options, ...args], { stdio: ['ignore', 'pipe', 'pipe'], signal });
  const said = text(child.stderr);
  createInterface(child.stdout).on('line', (line) => {
    const [, frame] = /^frame=(\d+)/.exec(line) ?? [];
    if (frame !== undefined) made(Number(frame));
  });
  const [status] = (await once(child, 'close')) as [number | null];
  if (status !== 0) throw new Error((await said).trim().split('\n').at(-1) ?? `status ${status}`);
}
