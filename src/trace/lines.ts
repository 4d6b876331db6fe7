/** The longest permitted line of a trace, in UTF-16 code units (1 MB of ASCII). */
export const MAX_LINE_LENGTH = 1_000_000;

/** Receives lines. `complete` is false for a last line that does not end with a line feed. */
export interface LineSink {
  line(text: string, number: number, complete: boolean): void;
  /** Line `number` is longer than MAX_LINE_LENGTH. `start` is the beginning of the line. */
  tooLong(number: number, start: string): void;
}

/** Splits UTF-8 chunks into lines. Keeps only the last incomplete line in memory. */
export class LineSplitter {
  readonly #decoder = new TextDecoder('utf-8');
  readonly #sink: LineSink;
  #open = '';
  #number = 0;

  constructor(sink: LineSink) {
    this.#sink = sink;
  }

  push(chunk: Uint8Array): void {
    this.#split(this.#decoder.decode(chunk, { stream: true }));
  }

  /** Ends the input, and emits the last line if it does not end with a line feed. */
  end(): void {
    this.#split(this.#decoder.decode());
    if (this.#open !== '') this.#emit(this.#open, false);
    this.#open = '';
  }

  #split(text: string): void {
    let from = 0;
    for (let to = text.indexOf('\n'); to >= 0; to = text.indexOf('\n', from)) {
      this.#emit(this.#open + text.slice(from, to), true);
      this.#open = '';
      from = to + 1;
    }
    this.#open += text.slice(from);
    if (this.#open.length > MAX_LINE_LENGTH) this.#sink.tooLong(this.#number + 1, this.#open.slice(0, 200));
  }

  #emit(text: string, complete: boolean): void {
    this.#number += 1;
    if (text.length > MAX_LINE_LENGTH) this.#sink.tooLong(this.#number, text.slice(0, 200));
    else this.#sink.line(text, this.#number, complete);
  }
}
