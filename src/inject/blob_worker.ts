/** Workers whose script is not on the page's server. */
interface Policy {
  createScriptURL(url: string): string;
}
interface TrustedTypes {
  createPolicy(name: string, rules: Policy): Policy;
}

/** A page's policy may allow a policy name only once. */
let policy: Policy | null = null;

/** A worker from a Blob; if Trusted Types refuse the plain URL, through a policy. Throws the browser's errors. */
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
