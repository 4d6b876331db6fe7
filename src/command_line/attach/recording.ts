/**
 * The recording of attached pages: a trace that is written while it grows. Its first line names the streams, which
 * come one by one: at the end the file gets the line that names them all.
 */
import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { realpath, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

import { UsageError } from '../../text/errors.js';
import type { Watch } from '../../watch/index.js';
import { fileOutput, type Output } from '../io.js';

/** What a file holds. */
export interface Recorded {
  rows: number;
  arrivals: number;
}

/** Nothing of the recording leaves without being written, so the file has it from the first segment on. */
const WHOLE = { keptFrom: { number: 0, fromUs: 0 } } as const;

/** At the end another file takes the place of this one: of a device or a folder that must not become. Throws UsageError. */
export function checkReplaceable(file: string): void {
  const there = statSync(file, { throwIfNoEntry: false });
  if (there !== undefined && !there.isFile())
    throw new UsageError(
      `--record: ${file} is ${there.isDirectory() ? 'a folder' : 'no regular file'}; name a file, new or to be replaced`,
    );
}

export class Recording {
  readonly #output: Output;
  readonly #headBytes: number;
  #rows = 0;
  #arrivals = 0;

  /** Throws UsageError when the file cannot be made. */
  constructor(
    readonly file: string,
    private readonly watch: Watch,
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
  }

  /** Writes what is left. Resolves with what the file holds. */
  async end(): Promise<Recorded> {
    this.watch.spill = null;
    const { before, after } = this.watch.export(WHOLE);
    for (const text of after) this.#write(text);
    await this.#output.end();
    await this.#replaceHead(before);
    return { rows: this.#rows, arrivals: this.#arrivals };
  }

  /**
   * Beside the file and moved there: whoever looks meanwhile sees a whole one. Its name is nobody else's, and a link stays
   * one.
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
