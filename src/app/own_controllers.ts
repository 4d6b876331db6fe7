/** Controllers of the user that this page has at hand: files chosen here, or served by the local server. */
import { signal } from '@preact/signals';

import { OWN_FOLDER } from '../link/server_protocol.js';

/** A controller of the user. */
export interface OwnController {
  name: string;
  /** Where its module is: a blob's URL or one of our server, never one that the page's address names. */
  url: string;
}

/** A controller that an address names and that is not at hand. */
export class NotAtHand extends Error {
  override readonly name = 'NotAtHand';
}

/** What is told of a file that no page can run. */
const OTHER_FILES: readonly [ending: RegExp, fix: string][] = [
  [/\.[cm]?tsx?$/i, 'Use the command line, which bundles TypeScript: npx ccscope call --controller FILE.'],
  [/./, 'Choose a JavaScript module (.js, .mjs) or a WebAssembly module (.wasm).'],
];

class OwnControllers {
  readonly list = signal<readonly OwnController[]>([]);

  /** Keeps a file, in the place of an earlier one of that name. Returns why not, as a fix, or null. */
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

  /** Asks the local server for those of the names that are not here: a command line may have brought them. */
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
