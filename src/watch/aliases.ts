/**
 * In a recording, numbers replace everything that would reveal who or where somebody is: the first SSRC is 1,
 * the first `mid` is `mid 1`. Such an alias means the same throughout the recording. The mapping is kept
 * separately from the rows, so that a file can be created with or without it.
 */

/**
 * The mapping: for each kind the original values, the one with number 1 first. The header contains it if that
 * is requested.
 */
export type Identifiers = Record<string, (string | number)[]>;

/**
 * URLs, and addresses with or without a port; `.local` names that browsers make up for mDNS are addresses,
 * too.
 */
const URLS = /\b(?:https?|wss?|blob|file|stuns?|turns?):[^\s"'<>)]+/g;
const ADDRESSES =
  /\b\d{1,3}(?:\.\d{1,3}){3}\b|\b[\w-]+(?:\.[\w-]+)*\.local\b|(?<![\w:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])/gi;
const ALIAS_IN_TEXT = /\[(url|address) (\d+)\]/g;

export class Aliases {
  readonly #kinds = new Map<string, Map<string | number, number>>();

  #number(kind: string, value: string | number): number {
    let known = this.#kinds.get(kind);
    if (known === undefined) this.#kinds.set(kind, (known = new Map<string | number, number>()));
    const number = known.get(value) ?? known.size + 1;
    known.set(value, number);
    return number;
  }

  ssrc(ssrc: number): number {
    return this.#number('ssrc', ssrc);
  }

  /** Such as `mid 1`; an empty string stays empty. */
  name(kind: string, value: string): string {
    return value === '' ? '' : `${kind} ${this.#number(kind, value)}`;
  }

  /** A sentence with its addresses and URLs replaced. */
  text(text: string): string {
    return text
      .replace(URLS, (url) => `[${this.name('url', url)}]`)
      .replace(ADDRESSES, (address) => `[${this.name('address', address)}]`);
  }

  get identifiers(): Identifiers {
    return Object.fromEntries([...this.#kinds].map(([kind, known]) => [kind, [...known.keys()]]));
  }
}

/** Restores the original values of aliases, if a file contains the mapping. */
export class Originals {
  constructor(private readonly identifiers: Identifiers | null) {}

  ssrc(alias: number): number {
    const value = this.identifiers?.['ssrc']?.[alias - 1];
    return typeof value === 'number' ? value : alias;
  }

  name(alias: string): string {
    const [, kind = '', number] = /^(.+) (\d+)$/.exec(alias) ?? [];
    const value = this.identifiers?.[kind]?.[Number(number) - 1];
    return typeof value === 'string' ? value : alias;
  }

  text(text: string): string {
    return text.replace(ALIAS_IN_TEXT, (whole, kind: string, number: string) => {
      const value = this.identifiers?.[kind]?.[Number(number) - 1];
      return typeof value === 'string' ? value : whole;
    });
  }
}
