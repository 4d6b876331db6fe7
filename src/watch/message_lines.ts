/**
 * Converts the messages of pages to lines of a trace, and back. Field names are those of the protocol, in snake
 * case. NaN becomes null. A string is kept if its field is in `PLAIN`. If its field is in `SENTENCES`, aliases
 * replace only the addresses and URLs in the string. In every other field, even one that is added later, an
 * alias replaces the whole string.
 */
import type { ActionResult, PageMessage } from '../inject/protocol.js';
import type { Aliases, Originals } from './aliases.js';
import { frameFields, frameRows, type FrameFields } from './frame_lines.js';

/** Fields whose strings are fixed terms of a specification or of the observer, so they identify nobody. */
const PLAIN: ReadonlySet<string> = new Set([
  ...['direction', 'controller', 'preference', 'of'],
  ...['type', 'kind', 'state', 'role', 'source', 'place', 'level', 'code'],
  ...[
    'codec',
    'scalabilityMode',
    'qualityLimitationReason',
    'trackState',
    'trackPaused',
    'route',
    'degradationPreference',
  ],
]);
/** Fields that contain sentences. Aliases replace only the addresses and URLs in them. */
const SENTENCES: ReadonlySet<string> = new Set(['message', 'fix', 'text']);

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camel = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function recorded(value: unknown, name: string, aliases: Aliases): unknown {
  if (Array.isArray(value)) return value.map((each) => recorded(each, name.replace(/s$/, ''), aliases));
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [snake(key), recorded(each, key, aliases)]),
    );
  if (name === 'ssrc' && typeof value === 'number') return aliases.ssrc(value);
  if (typeof value !== 'string' || PLAIN.has(name)) return value;
  return SENTENCES.has(name) ? aliases.text(value) : aliases.name(snake(name), value);
}

function told(value: unknown, name: string, originals: Originals): unknown {
  if (Array.isArray(value)) return value.map((each) => told(each, name, originals));
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [camel(key), told(each, camel(key), originals)]),
    );
  if (name === 'ssrc' && typeof value === 'number') return originals.ssrc(value);
  if (typeof value !== 'string' || PLAIN.has(name)) return value;
  return SENTENCES.has(name) ? originals.text(value) : originals.name(value);
}

const line = (type: string, fields: object, aliases: Aliases): string =>
  JSON.stringify({ type, ...(recorded(fields, '', aliases) as object) });

/** Returns the line of a message. `endpoint` is the number of its endpoint in the record. */
export function messageLine(message: PageMessage, endpoint: number, aliases: Aliases): string {
  switch (message.type) {
    case 'sample':
      return line('stats', { endpoint, ...message.sample }, aliases);
    case 'frames':
      return JSON.stringify({
        ...{ type: 'frames', endpoint },
        ...frameFields(message.rows, (ssrc) => aliases.ssrc(ssrc)),
      });
    case 'remote':
      // The addresses of the far side are left out, because no judgement of the call uses them.
      return line('remote', { endpoint, ufrags: message.sides.map(({ ufrag }) => ufrag) }, aliases);
    case 'late':
      return line('late', message, aliases);
    case 'endpoint':
    case 'state':
    case 'local':
    case 'source':
    case 'notice':
      return line(message.type, { ...message, endpoint }, aliases);
    case 'action': {
      // The texts of a result are left out, because they may contain encoding names that the page chose.
      const { timeUs, action, result } = message;
      const came = result.ok ? { ok: true, inForce: result.inForce } : { ok: false };
      return line('action', { timeUs, action, result: came, endpoint }, aliases);
    }
  }
}

/** Returns a line that does not come from a page's message. */
export const otherLine = line;

const orNaN = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((each: unknown) => (isObject(each) ? orNaN(each) : each));
  if (!isObject(value)) return value ?? NaN;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, orNaN(each)]));
};

/** The types of lines that contain a message of a page. */
export const MESSAGE_LINES: ReadonlySet<string> = new Set([
  ...['endpoint', 'state', 'local', 'remote', 'stats', 'frames', 'source', 'notice', 'late', 'action'],
]);

/** A line as it was read: an object with its type. */
export type MessageRow = Record<string, unknown> & { type: string };

/** Returns the message of a line. Its endpoint has the same number as in the file. */
export function messageOf(row: MessageRow, originals: Originals): PageMessage {
  const message = told(row, '', originals) as Record<string, unknown>;
  switch (row.type) {
    case 'stats': {
      const { type: _type, endpoint, ...sample } = message;
      return { type: 'sample', endpoint, sample: orNaN(sample) } as unknown as PageMessage;
    }
    case 'frames': {
      const rows = frameRows(message as unknown as FrameFields, (alias) => originals.ssrc(alias));
      return { type: 'frames', endpoint: message['endpoint'] as number, rows };
    }
    case 'remote': {
      const sides = (message['ufrags'] as string[]).map((ufrag) => ({ ufrag, candidates: [] }));
      return { type: 'remote', endpoint: message['endpoint'] as number, sides };
    }
    case 'action': {
      const { result, ...action } = message as unknown as Extract<PageMessage, { type: 'action' }>;
      const words = result.ok ? { message: '' } : { why: '', fix: '' };
      return { ...action, result: { ...result, ...words } as ActionResult };
    }
    default:
      return message as unknown as PageMessage;
  }
}
