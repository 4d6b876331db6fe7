/** The user's controllers that this page can run: files chosen here, or served by the local server. */
import { signal } from '@preact/signals';

import { OWN_FOLDER } from '../link/server_protocol.js';

/** A user's controller. */
export interface OwnController {
  name: string;
  /** The URL of its module: a blob's or one of the local server, never one that comes from the page's address. */
  url: string;
}

/** Thrown for a controller, such as one named in the address, whose file this page does not have. */
export class NotAtHand extends Error {
  override readonly name = 'NotAtHand';
}

/** What the user can do about a file that no page can run, by its ending; the first match counts. */
const OTHER_FILES: readonly [ending: RegExp, fix: string][] = [
  [/\.[cm]?tsx?$/i, 'Use the command line, which bundles TypeScript: npx ccscope call --controller FILE.'],
  [/./, 'Choose a JavaScript module (.js, .mjs) or a WebAssembly module (.wasm).'],
];

class OwnControllers {
  readonly list = signal<readonly OwnController[]>([]);

  /**
   * Keeps a file, which replaces an earlier one of the same name. Returns null or, if the file cannot be used, what
   * the user can do about it.
   */
  keep(file: File): string | null {
    if (!/\.(m?js|wasm)$/i.test(file.name))
      return OTHER_FILES.find(([ending]) => ending.test(file.name))?.[1] ?? null;
    const type = file.name.endsWith('.wasm') ? 'application/wasm' : 'text/javascript';
    const url = URL.createObjectURL(new Blob([file], { type }));
    this.add({ name: file.name, url });
    return null;
  }

  add(own: OwnController): void {
    this.list.value = [...this.list.peek().filter(({ name }) => name !== own.name), own];
  }

  /**
   * Asks the local server for the named controllers that this page lacks. The server has those that its command line
   * names.
   */
  async look(names: readonly string[]): Promise<void> {
    const missing = names.filter((name) => !this.list.peek().some((own) => own.name === name));
    await Promise.all(
      missing.map(async (name) => {
        const url = new URL(OWN_FOLDER + encodeURIComponent(name), location.href).href;
        const answer = await fetch(url, { method: 'HEAD' }).catch(() => null);
        const type = answer?.headers.get('content-type') ?? '';
        if (answer?.ok === true && /javascript|wasm/.test(type)) this.add({ name, url });
      }),
    );
  }

  /** Throws NotAtHand. */
  urlOf(name: string): string {
    const own = this.list.peek().find((each) => each.name === name);
    if (own !== undefined) return own.url;
    throw new NotAtHand(`the controller ${name} is not in this page; choose its file again`);
  }
}

export const ownControllers = new OwnControllers();
