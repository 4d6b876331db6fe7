/** Workers whose script the page's server does not have. */
interface Policy {
  createScriptURL(url: string): string;
}
interface TrustedTypes {
  createPolicy(name: string, rules: Policy): Policy;
}

/** A page may allow a name of a policy only once. */
let policy: Policy | null = null;

/** A worker from a Blob; where Trusted Types refuse the plain URL, by a policy. Throws what the browser throws. */
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
