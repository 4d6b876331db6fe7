/**
 * Reaches the browser of an Android phone. The tool adb of Android's platform tools forwards the browser's
 * debugging port to this machine.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { FailedRun, systemCode } from '../../text/errors.js';
import { plain } from '../../text/plain.js';

/** The socket on which Chrome listens on Android. */
const SOCKET = 'localabstract:chrome_devtools_remote';
/** Long enough for the first use, which starts adb's server. */
const TIMEOUT_MS = 20_000;

const execute = promisify(execFile);

/** What the user can do about an error message of adb. */
const FIXES: readonly [said: RegExp, fix: string][] = [
  [/no devices/, 'connect the phone by USB, and allow USB debugging in its developer options'],
  [/more than one device/, 'choose one with --adb SERIAL; `adb devices` lists them'],
  [/unauthorized/, 'unlock the phone, and allow this machine to debug it'],
  [/not found|offline/, 'check the output of `adb devices`'],
];

async function adb(args: readonly string[]): Promise<string> {
  try {
    return (await execute('adb', args, { timeout: TIMEOUT_MS })).stdout.trim();
  } catch (error) {
    if (systemCode(error) === 'ENOENT')
      throw new FailedRun('--adb: adb is not in the PATH; install the Android platform tools');
    const { stderr = '' } = error as { stderr?: string };
    const said = plain(stderr.trim() === '' ? String(error) : stderr.trim());
    const fix = FIXES.find(([pattern]) => pattern.test(said))?.[1] ?? 'check the output of `adb devices`';
    throw new FailedRun(`--adb: \`adb ${args.join(' ')}\` failed (${said}); ${fix}`);
  }
}

/**
 * The serial number of the only connected phone. With this number, later commands address the same phone even
 * after another one is connected.
 */
async function onlySerial(): Promise<string> {
  const said = await adb(['get-serialno']);
  if (said !== '' && said !== 'unknown') return said;
  throw new FailedRun(
    '--adb: adb found no phone, or more than one; connect one by USB, or choose one with --adb SERIAL (`adb devices` lists them)',
  );
}

/**
 * Removes the port forwarding. If the removal fails, tells the user through `say` that the port may still be
 * forwarded to the phone.
 */
async function giveBack(phone: readonly string[], port: string, say: (text: string) => void): Promise<void> {
  const command = [...phone, 'forward', '--remove', `tcp:${port}`];
  await adb(command).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    say(`port ${port} may still lead to the phone: ${why}`);
  });
}

/**
 * Forwards the debugging port of the phone's Chrome, and runs `work` with the URL of the forwarded port.
 * Afterwards the forwarding is removed; if this fails, `say` reports it. If `serial` is null, exactly one phone
 * must be connected. Throws FailedRun.
 */
export async function withPhone<T>(
  serial: string | null,
  say: (text: string) => void,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const phone = ['-s', serial ?? (await onlySerial())];
  const said = await adb([...phone, 'forward', 'tcp:0', SOCKET]);
  if (!/^\d{1,5}$/.test(said))
    throw new FailedRun(
      `--adb: \`adb forward\` reported no port (${plain(said)}); update the Android platform tools`,
    );
  try {
    return await work(`http://127.0.0.1:${said}`);
  } finally {
    await giveBack(phone, said, say);
  }
}
