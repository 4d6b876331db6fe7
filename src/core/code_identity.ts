/** Which code made a result. Stored with each result, so that others can reproduce the result. */
import { shippedCoreHash } from './load.js';

export interface CodeIdentity {
  /** The version of ccscope. */
  ccscope: string;
  /** The SHA-256 hash of the core. */
  core_sha256?: string;
  /** When the result was made. */
  created: string;
}

export async function codeIdentity(version: string): Promise<CodeIdentity> {
  const core = await shippedCoreHash();
  return {
    ccscope: version,
    ...(core !== undefined && { core_sha256: core }),
    created: new Date().toISOString(),
  };
}
