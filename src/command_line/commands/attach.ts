import { InvalidArgumentError, type Command } from 'commander';

import { withPhone } from '../attach/adb.js';
import { withBrowser } from '../attach/browser.js';
import { listPages, pagesText } from '../attach/pages.js';
import { checkReplaceable } from '../attach/recording.js';
import { watchBrowser } from '../attach/run.js';
import { UsageError } from '../../text/errors.js';
import { interruptible } from '../interrupt.js';
import { checkOutputs, writeJson, type Io } from '../io.js';
import { millisecondsArgument } from './link_options.js';

interface AttachFlags {
  adb?: string | true;
  list?: true;
  page?: string;
  record?: string;
  duration?: number;
  open: boolean;
  json?: string;
}

const DEFAULT_URL = 'http://127.0.0.1:9222';

const HELP = `
BROWSER is the debugging port of a Chromium (Chrome, Edge, Android's Chrome and others): 9222, or an address
such as http://127.0.0.1:9222. Start the browser with --remote-debugging-port=9222; Chrome 136 and newer also
need --user-data-dir=FOLDER.
--list shows the pages and their calls, and changes nothing in them. Without it, an observer is put into the
pages, and a view on this machine shows their connections, streams and controllers. Calls in progress are found,
too: for these, getStats are read, and received frames are timed as the browser shows them, with equal shares of
the bytes. The arrival of each frame, and key frames, require a page that was loaded, or a call that was started,
after ccscope attached.
The browser, its pages and their calls are not changed. At the end the observers are paused, and stay paused.
--page takes the beginning of an id of --list, or a part of a title or URL, in which * matches anything.
--adb attaches to Chrome on the connected Android phone, or on the one with this serial number.`;

/** Adds `ccscope attach`. */
export function register(program: Command, io: Io): void {
  program
    .command('attach')
    .description('inspect and record the calls of a running browser')
    .argument('[browser]', `port or address of the browser (default: ${DEFAULT_URL})`, browserArgument)
    .option('--adb [serial]', "Chrome on a phone, by adb of Android's platform tools")
    .option('--list', 'list the pages and their connections, and end')
    .option('--page <id|pattern>', 'watch only these pages, and popups of them (default: all)')
    .option('--record <file>', 'write a trace (NDJSON) while it runs')
    .option('--duration <time>', 'end after this time (default: at Ctrl-C)', millisecondsArgument(1))
    .option('--no-open', 'print the address of the view, and do not open it')
    .option(
      '--json <file>',
      'write the list, or what was seen, as JSON to a file, or to standard output with -',
    )
    .addHelpText('after', HELP)
    .action((browser: string | undefined, flags: AttachFlags) => attach(browser, flags, io));
}

/** Parses the address of a browser: a port, a host with a port, or a URL. */
function browserArgument(text: string): string {
  const candidate = /^\d{1,5}$/.test(text)
    ? `http://127.0.0.1:${text}`
    : /^https?:\/\//.test(text)
      ? text
      : `http://${text}`;
  const url = URL.canParse(candidate) ? new URL(candidate) : null;
  const isAddress = url !== null && url.pathname === '/' && url.search === '' && url.port !== '0';
  if (isAddress) return url.origin;
  throw new InvalidArgumentError(
    'Expected a port such as 9222, or an address such as http://127.0.0.1:9222.',
  );
}

async function attach(browser: string | undefined, flags: AttachFlags, io: Io): Promise<void> {
  checkFlags(browser, flags);
  await interruptible((signal) => {
    const work = (url: string): Promise<void> => attachTo(url, flags, io, signal);
    if (flags.adb === undefined) return work(browser ?? DEFAULT_URL);
    const say = (text: string): void => void io.stderr.write(`${text}\n`);
    return withPhone(flags.adb === true ? null : flags.adb, say, work);
  });
}

/** Throws UsageError for mutually exclusive options, and for output files that cannot be created or are the same. */
function checkFlags(
  browser: string | undefined,
  { adb, list, page, record, duration, json }: AttachFlags,
): void {
  if (adb !== undefined && browser !== undefined)
    throw new UsageError(
      '--adb: cannot be combined with an address, since adb finds the phone; remove the address',
    );
  if (list === true)
    for (const [flag, value] of Object.entries({ page, record, duration }))
      if (value !== undefined)
        throw new UsageError(`--${flag}: cannot be used with --list; remove one of them`);
  if (record === '-') throw new UsageError('--record: expected a file, got -');
  if (record !== undefined) checkReplaceable(record);
  checkOutputs({ '--record': record, '--json': json });
}

async function attachTo(url: string, flags: AttachFlags, io: Io, asked: AbortSignal): Promise<void> {
  const stream = flags.json === '-' ? io.stderr : io.stdout;
  await withBrowser(url, asked, async (attached) => {
    if (flags.list === true) {
      const pages = await listPages(attached.browser);
      stream.write(pagesText(pages));
      if (flags.json !== undefined) await writeJson(flags.json, { browser: attached.version, pages }, io);
      return;
    }
    const plan = {
      url,
      page: flags.page ?? null,
      record: flags.record ?? null,
      durationMs: flags.duration ?? null,
      open: flags.open,
      say: (text: string) => void stream.write(`${text}\n`),
    };
    const report = await watchBrowser(attached, plan, asked);
    if (flags.json !== undefined) await writeJson(flags.json, report, io);
  });
}
