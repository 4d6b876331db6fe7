/**
 * In a recording, aliases replace everything that would reveal who or where somebody is. The first SSRC becomes
 * 1, and the first `mid` becomes `mid 1`. An alias has the same meaning throughout the recording. The mapping
 * is kept separately from the rows, so that a file can be created with or without the mapping.
 */

/**
 * The mapping from aliases to original values. For each kind, a list of the original values: the first has the
 * alias 1. The header of a file contains the mapping only on request.
 */
export type Identifiers = Record<string, (string | number)[]>;

/**
 * `URLS` matches URLs. `ADDRESSES` matches addresses, including the `.local` names that browsers make up for
 * mDNS.
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

  /** Returns an alias such as `mid 1`. An empty string stays empty. */
  name(kind: string, value: string): string {
    return value === '' ? '' : `${kind} ${this.#number(kind, value)}`;
  }

  /** Returns a sentence in which aliases replace addresses and URLs. */
  text(text: string): string {
    return text
      .replace(URLS, (url) => `[${this.name('url', url)}]`)
      .replace(ADDRESSES, (address) => `[${this.name('address', address)}]`);
  }

  get identifiers(): Identifiers {
    return Object.fromEntries([...this.#kinds].map(([kind, known]) => [kind, [...known.keys()]]));
  }
}

/** Restores the original values of aliases, if the file contains the mapping. Otherwise, returns the aliases. */
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
