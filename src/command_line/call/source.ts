/** The video that a page sends in a call: synthetic video, a file, or a content (a clip that ffmpeg makes once). */
import { basename, resolve } from 'node:path';

import { VIDEO_SIZES, type VideoSize } from '../../scenario/video_format.js';
import { UsageError } from '../../text/errors.js';
import type { Io } from '../io.js';
import { contentFile, isContent, makeContent } from './named_content.js';
import type { CallSource } from './types.js';
import { readVideoFile } from './video_file.js';

/** The command-line options for the source. `size` and `fps` do not apply to a file. */
export interface SourceFlags {
  /** `synthetic`, a content's name, or a path. */
  source: string;
  size?: VideoSize;
  fps?: number;
}

const DEFAULT_SIZE: VideoSize = '360p';
const DEFAULT_FPS = 30;

/**
 * Throws UsageError for a file that Chromium cannot play, or if a size or frame rate is given together with a
 * file. `given` says in the message about such a file where it is named; default: `--source`.
 */
export function sourceOf({ source, size, fps }: SourceFlags, given?: string): CallSource {
  const format = { ...VIDEO_SIZES[size ?? DEFAULT_SIZE], fps: fps ?? DEFAULT_FPS };
  if (source === 'synthetic') return { name: source, ...format, file: null };
  if (isContent(source)) return { name: source, ...format, file: contentFile(source, format) };
  const flag = size === undefined ? (fps === undefined ? null : 'fps') : 'size';
  if (flag !== null)
    throw new UsageError(
      `--${flag}: a video file has its own size and frame rate; remove --${flag}, or use another file`,
    );
  return { name: basename(source), ...readVideoFile(source, given), file: resolve(source) };
}

/**
 * Creates the file of a content unless the file exists. Throws FailedRun if this fails, for example without
 * ffmpeg.
 */
export async function prepareSource(
  { name, file, ...format }: CallSource,
  signal: AbortSignal,
  io: Io,
): Promise<void> {
  if (file !== null && isContent(name)) await makeContent(name, format, { file, signal, io });
}
