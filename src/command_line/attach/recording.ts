/**
 * Records attached pages in a trace that is written during the calls. The first line of a trace must name all
 * streams, but streams may appear at any time. So when the recording ends, the first line is replaced.
 */
import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { realpath, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

import { FailedRun, systemCode, UsageError } from '../../text/errors.js';
import type { Watch } from '../../watch/index.js';
import { fileOutput, statusOf, type Output } from '../io.js';

/** `rows`: the number of rows in a recording. `arrivals`: how many of these rows are of type `arrival`. */
export interface Recorded {
  rows: number;
  arrivals: number;
}

/**
 * An option of Watch.export: the file already contains all segments that have left memory, from number 0 on.
 * So only the segments in memory are exported.
 */
const WHOLE = { keptFrom: { number: 0, fromUs: 0 } } as const;

/**
 * Throws UsageError if the path is a device or a folder: at the end of a recording, the file at the path is replaced,
 * which works only for regular files.
 */
export function checkReplaceable(file: string): void {
  const there = statusOf(file);
  if (there !== null && !there.isFile())
    throw new UsageError(
      `--record: ${file} is ${there.isDirectory() ? 'a folder' : 'not a regular file'}; give the path of a file that is new or may be replaced`,
    );
}

export class Recording {
  readonly #output: Output;
  readonly #headBytes: number;
  #rows = 0;
  #arrivals = 0;
  #hasFailed = false;

  /**
   * `failed` is called once, with the fix, when rows can no longer be written. Throws UsageError if the file cannot be
   * created.
   */
  constructor(
    readonly file: string,
    private readonly watch: Watch,
    private readonly failed: (message: string) => void,
  ) {
    this.#output = fileOutput(file);
    const head = watch.export(WHOLE).before;
    this.#headBytes = Buffer.byteLength(head);
    this.#output.write(head);
    watch.spill = ({ lines }) => this.#write(lines.map((line) => `${line}\n`).join(''));
  }

  #write(text: string): void {
    for (const [line] of text.matchAll(/^.+$/gm)) {
      this.#rows++;
      if (line.startsWith('{"type":"arrival"')) this.#arrivals++;
    }
    this.#output.write(text);
    this.#output.ready().catch((error: unknown) => {
      if (this.#hasFailed) return;
      this.#hasFailed = true;
      this.failed(this.#problem(error));
    });
  }

  #problem(error: unknown): string {
    const why = systemCode(error instanceof FailedRun ? error.cause : error) ?? 'unknown error';
    return `the recording ended early: ${this.file} cannot be written (${why}); free some space, then record again`;
  }

  /**
   * Writes the rows that are still in memory, and replaces the first line. Resolves to the numbers of rows in the
   * file. Throws FailedRun if the file could not be written.
   */
  async end(): Promise<Recorded> {
    this.watch.spill = null;
    const { before, after } = this.watch.export(WHOLE);
    for (const text of after) this.#write(text);
    try {
      await this.#output.end();
      await this.#replaceHead(before);
    } catch (error) {
      throw new FailedRun(this.#problem(error));
    }
    return { rows: this.#rows, arrivals: this.#arrivals };
  }

  /**
   * Writes a new file with a unique name next to the old one and then renames it, so that readers always see a
   * complete file. If the path is a symbolic link, the link's target is replaced.
   */
  async #replaceHead(head: string): Promise<void> {
    const file = await realpath(this.file);
    const beside = `${file}.${randomUUID()}.part`;
    try {
      const output = createWriteStream(beside, { flags: 'wx' });
      output.write(head);
      await pipeline(createReadStream(file, { start: this.#headBytes }), output);
      await rename(beside, file);
    } catch (error) {
      await rm(beside, { force: true });
      throw error;
    }
  }
}
