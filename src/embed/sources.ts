/** Loads a scenario (as an object or as the text of its file) or a recording for drawing. */
import { ConfigError, shown } from '../text/quantities.js';
import { didYouMean } from '../text/suggest.js';
import type { Source } from './attributes.js';

/** Loads a scenario. Rejects with a ConfigError that names the attribute, or with an AbortError. */
export async function scenarioOf(
  source: Exclude<Source, { kind: 'trace' }>,
  signal: AbortSignal,
): Promise<unknown> {
  if (source.kind === 'inline') return source.text;
  if (source.kind === 'scenario') return (await fetched('scenario', source.url, signal)).text();
  const { id } = source;
  const { default: scenarios } = await import('ccscope:scenarios');
  if (Object.hasOwn(scenarios, id)) return scenarios[id];
  const meant = didYouMean(id, Object.keys(scenarios)).trim();
  const expected = 'the id of a shipped scenario, or the address of a scenario’s JSON';
  throw new ConfigError('scenario', expected, shown(id), meant || '`ccscope run --list` shows the ids');
}

/** Loads a recording. Rejects with a ConfigError that names the attribute, or with an AbortError. */
export async function recordingOf(url: string, signal: AbortSignal): Promise<File> {
  const blob = await (await fetched('src', url, signal)).blob();
  return new File([blob], nameIn(url) || 'recording');
}

/** The name of the file at the end of an address. */
export function nameIn(url: string): string {
  const { pathname } = new URL(url);
  const last = pathname.slice(pathname.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(last);
  } catch {
    // A % that encodes nothing, as in `100%.ndjson`.
    return last;
  }
}

async function fetched(name: string, url: string, signal: AbortSignal): Promise<Response> {
  const refused = (got: string): ConfigError =>
    new ConfigError(
      name,
      `a file at ${url}`,
      got,
      'correct the address, or allow this page to read the file (CORS)',
    );
  let response: Response;
  try {
    response = await fetch(url, { signal });
  } catch (error) {
    if (signal.aborted) throw error;
    throw refused('no answer');
  }
  if (!response.ok) throw refused(`the answer ${response.status}`);
  return response;
}
