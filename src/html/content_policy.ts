/** Content Security Policies (W3C CSP Level 3): what ccscope's pages may load, run and reach. */
import { createHash } from 'node:crypto';

type Policy = Readonly<Record<string, string>>;

const policyText = (policy: Policy): string =>
  Object.entries(policy)
    .map(([directive, sources]) => `${directive} ${sources}`)
    .join('; ');

const APP: Policy = {
  'default-src': "'none'",
  'script-src': "'self' 'wasm-unsafe-eval'",
  'worker-src': "'self'",
  'connect-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'manifest-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
};

/**
 * The policy of the app's documents on static hosts. The documents contain this policy in a `meta` element.
 * There, browsers ignore `frame-ancestors`, so the policy does not contain this directive.
 */
export const APP_POLICY = policyText(APP);

/** The policy of the app's documents when the local server sends them. */
export const SERVED_APP_POLICY = policyText({ ...APP, 'frame-ancestors': "'none'" });

/**
 * The policy that the local server sends with the documentation's pages. Each page contains all other directives
 * itself, because it allows its own inline scripts by their hashes.
 */
export const SERVED_DOCS_POLICY = policyText({ 'frame-ancestors': "'none'" });

/**
 * The policy of everything else that the local server sends, including the scripts of workers. A worker may run a
 * user's controller, which comes from a `blob:` URL if its file was chosen in the page. The policy lets the worker
 * reach this server and nothing else.
 */
export const SERVED_FILE_POLICY = policyText({
  'default-src': "'none'",
  'script-src': "'self' blob: 'wasm-unsafe-eval'",
  'worker-src': "'self'",
  'connect-src': "'self' blob:",
  'frame-ancestors': "'none'",
});

const hashSource = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The policy of a self-contained document: allows only this script and this style, and no network access. */
export function standalonePolicy(inline: { script: string; style: string }): string {
  return policyText({
    'default-src': "'none'",
    'script-src': hashSource(inline.script),
    'style-src': hashSource(inline.style),
    'img-src': 'data:',
    'base-uri': "'none'",
    'form-action': "'none'",
  });
}
