/** Which code made a result, and how to make it again. */
import type { Command } from 'commander';

import { shippedCoreHash } from '../core/load.js';
import { version } from '../html/version.js';

export interface Provenance {
  /** The version of ccscope. */
  ccscope: string;
  /** The SHA-256 hash of the core. */
  core_sha256?: string;
  created: string;
  /** The command line. */
  command: string;
}

const quoted = (argument: string): string =>
  /^[\w./:=,@%+-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", String.raw`'\''`)}'`;

/** `command` is the command that runs. */
export async function provenance(command: Command): Promise<Provenance> {
  const core = await shippedCoreHash();
  const { rawArgs = [] } = (command.parent ?? command) as { rawArgs?: readonly string[] };
  return {
    ccscope: version(),
    ...(core !== undefined && { core_sha256: core }),
    created: new Date().toISOString(),
    command: ['ccscope', ...rawArgs].map(quoted).join(' '),
  };
}
