/** The browser of a phone: adb, of Android's platform tools, carries its debugging port to this machine. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { FailedRun, systemCode } from '../../text/errors.js';
import { plain } from '../../text/plain.js';

/** Where Chrome listens on Android. */
const SOCKET = 'localabstract:chrome_devtools_remote';
/** The first use starts adb's server. */
const TIMEOUT_MS = 20_000;

const execute = promisify(execFile);

/** What to do about what adb says. */
const FIXES: readonly [said: RegExp, fix: string][] = [
  [/no devices/, 'connect the phone by USB, and allow USB debugging in its developer options'],
  [/more than one device/, 'say which with --adb SERIAL; adb devices lists them'],
  [/unauthorized/, 'unlock the phone, and allow this machine to debug it'],
  [/not found|offline/, 'adb devices lists the phones that are there'],
];

async function adb(serial: string | null, args: readonly string[]): Promise<string> {
  try {
    const which = serial === null ? [] : ['-s', serial];
    return (await execute('adb', [...which, ...args], { timeout: TIMEOUT_MS })).stdout;
  } catch (error) {
    if (systemCode(error) === 'ENOENT')
      throw new FailedRun('--adb: there is no adb in the PATH; install the platform tools of Android');
    const { stderr = '' } = error as { stderr?: string };
    const said = plain(stderr.trim() === '' ? String(error) : stderr.trim());
    const fix = FIXES.find(([pattern]) => pattern.test(said))?.[1] ?? 'see what adb devices says';
    throw new FailedRun(`--adb: adb ${args.join(' ')} failed (${said}); ${fix}`);
  }
}

/**
 * Runs `work` with the address of the debugging port of the phone's Chrome, which leads nowhere afterwards. A
 * null serial is the only phone there is. Throws FailedRun.
 */
export async function withPhone<T>(serial: string | null, work: (url: string) => Promise<T>): Promise<T> {
  const said = (await adb(serial, ['forward', 'tcp:0', SOCKET])).trim();
  if (!/^\d{1,5}$/.test(said))
    throw new FailedRun(`--adb: adb forward named no port (${plain(said)}); update the platform tools`);
  try {
    return await work(`http://127.0.0.1:${said}`);
  } finally {
    // A phone that was unplugged has forgotten it.
    await adb(serial, ['forward', '--remove', `tcp:${said}`]).catch(() => undefined);
  }
}
