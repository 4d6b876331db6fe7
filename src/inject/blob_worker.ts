/** Starts workers from a script's text, because the script is not on the page's server. */
import { setTimeout } from './natives.js';

interface Policy {
  createScriptURL(url: string): string;
}
interface TrustedTypes {
  createPolicy(name: string, rules: Policy): Policy;
}

/** Created only once: the page's Content-Security-Policy may forbid a second Trusted Types policy of this name. */
let policy: Policy | null = null;

/**
 * Starts a worker from a Blob. If Trusted Types refuse the plain URL, uses a Trusted Types policy. Throws the
 * browser's errors.
 */
export function newWorker(source: string): Worker {
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  try {
    return new Worker(url, { name: 'ccscope' });
  } catch (error) {
    const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
    if (trustedTypes === undefined) throw error;
    policy ??= trustedTypes.createPolicy('ccscope', { createScriptURL: (text) => text });
    return new Worker(policy.createScriptURL(url), { name: 'ccscope' });
  }
}

/** A worker that has not answered after this time is assumed never to start. */
const START_MS = 5000;
const TURNS = 20;

/**
 * Calls `late` when a worker that has just been created should have started. Waits in short turns: a worker needs the
 * page's thread to start, so after a block of the page, a single long timer would fire before the worker can answer.
 */
export function whenLate(late: () => void, turns = TURNS): void {
  setTimeout(() => (turns > 1 ? whenLate(late, turns - 1) : late()), START_MS / TURNS);
}
