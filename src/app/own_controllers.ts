/** The user's controllers that this page can run: files chosen here, or served by the local server. */
import { signal } from '@preact/signals';

import { OWN_FOLDER } from '../link/server_protocol.js';
import { ownText } from './controllers.js';

/** A congestion controller that the user wrote. */
export interface OwnController {
  name: string;
  /**
   * The URL of the controller's module: a blob, or a file of the local server. A URL in the page's address is never
   * used.
   */
  url: string;
}

/**
 * Thrown if this page does not have a controller's file, for example if only the page's address names the controller.
 */
export class NotAtHand extends Error {
  override readonly name = 'NotAtHand';
}

/** The command that runs a controller as a page does: `call` for the Call page, `run` for the Lab. */
export type OwnCommand = 'call' | 'run';

/** Advice for a file that no page can run. */
const adviceFor = (name: string, command: OwnCommand): string =>
  /\.[cm]?tsx?$/i.test(name)
    ? `Browsers take JavaScript: delete the types, and save it as .js. The command line takes TypeScript: npx ccscope ${command} --controller FILE.`
    : 'Choose a JavaScript module (.js, .mjs) or a WebAssembly module (.wasm).';

/**
 * Whether two names mean the same controller. The page's settings contain a name as text, in which some characters
 * are replaced and which may be shorter than the file's name.
 */
const isSame = (one: string, other: string): boolean => ownText(one) === ownText(other);

class OwnControllers {
  readonly list = signal<readonly OwnController[]>([]);

  /**
   * Keeps a file, which replaces an earlier file whose name is the same in the page's settings. Returns null, or advice
   * for the user if the file cannot be used.
   */
  keep(file: File, command: OwnCommand): string | null {
    if (!/\.(m?js|wasm)$/i.test(file.name)) return adviceFor(file.name, command);
    const type = /\.wasm$/i.test(file.name) ? 'application/wasm' : 'text/javascript';
    const url = URL.createObjectURL(new Blob([file], { type }));
    this.add({ name: file.name, url });
    return null;
  }

  add(own: OwnController): void {
    this.list.value = [...this.list.peek().filter(({ name }) => !isSame(name, own.name)), own];
  }

  /**
   * Adds each controller in `names` that this page lacks and the local server offers. The server offers the
   * controllers that were named on its command line.
   */
  async look(names: readonly string[]): Promise<void> {
    const missing = names.filter((name) => !this.list.peek().some((own) => isSame(own.name, name)));
    await Promise.all(
      missing.map(async (name) => {
        const url = new URL(OWN_FOLDER + encodeURIComponent(name), location.href).href;
        const answer = await fetch(url, { method: 'HEAD' }).catch(() => null);
        const type = answer?.headers.get('content-type') ?? '';
        if (answer?.ok === true && /javascript|wasm/.test(type)) this.add({ name, url });
      }),
    );
  }

  /** The URL of a controller's module. Throws NotAtHand. */
  urlOf(name: string): string {
    const own = this.list.peek().find((each) => isSame(each.name, name));
    if (own !== undefined) return own.url;
    throw new NotAtHand(`this page does not have the controller ${name}; choose its file again`);
  }
}

export const ownControllers = new OwnControllers();
