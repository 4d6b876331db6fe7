/** Which code made a result, and how to make it again. */
import type { Command } from 'commander';

import { codeIdentity, type CodeIdentity } from '../core/code_identity.js';
import { version } from '../html/version.js';

export interface Provenance extends CodeIdentity {
  /** The command line. */
  command: string;
}

const quoted = (argument: string): string =>
  /^[\w./:=,@%+-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", String.raw`'\''`)}'`;

/** `command` is the command that runs. */
export async function provenance(command: Command): Promise<Provenance> {
  const { rawArgs = [] } = (command.parent ?? command) as { rawArgs?: readonly string[] };
  return {
    ...(await codeIdentity(version())),
    command: ['ccscope', ...rawArgs].map(quoted).join(' '),
  };
}
