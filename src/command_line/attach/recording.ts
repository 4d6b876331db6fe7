/**
 * The recording of attached pages: a trace that is written while it grows. Its first line names the streams, which
 * come one by one: at the end the file gets the line that names them all.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

import type { Watch } from '../../watch/index.js';
import { fileOutput, type Output } from '../io.js';

/** Nothing of the recording leaves without being written, so the file has it from the first segment on. */
const WHOLE = { keptFrom: { number: 0, fromUs: 0 } } as const;

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
  async end(): Promise<{ rows: number; arrivals: number }> {
    this.watch.spill = null;
    const { before, after } = this.watch.export(WHOLE);
    for (const text of after) this.#write(text);
    await this.#output.end();
    await this.#replaceHead(before);
    return { rows: this.#rows, arrivals: this.#arrivals };
  }

  /** Beside the file and moved there: whoever looks meanwhile sees a whole one. */
  async #replaceHead(head: string): Promise<void> {
    const beside = `${this.file}.part`;
    const output = createWriteStream(beside);
    output.write(head);
    await pipeline(createReadStream(this.file, { start: this.#headBytes }), output);
    await rename(beside, this.file);
  }
}
