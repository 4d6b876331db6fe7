/**
 * Pure functions that parse candidates and session descriptions (RFC 8839), and replace addresses in them
 * with the relay's address.
 */
import type { RelayAddress, RemoteSide } from './protocol.js';

/** A candidate attribute in parts, RFC 8839, section 5.1. */
interface Candidate {
  component: string;
  transport: string;
  address: string;
  port: number;
  /** The name and value pairs after the type, except the related address and the TCP type. */
  extensions: string[];
}

/** Highest priority of a host candidate of component 1, RFC 8445, section 5.1.2.1. */
const HOST_PRIORITY = 2_130_706_431;
/** Port of an active TCP candidate, which opens connections and accepts none, RFC 6544, section 4.5. */
const DISCARD_PORT = 9;
/** Attributes that are left out, because they describe the original candidate. */
const NOT_KEPT = new Set(['raddr', 'rport', 'tcptype']);

const portOf = (text = ''): number => (/^\d{1,5}$/.test(text) ? Number(text) : 0);

function parse(text: string): Candidate | null {
  const [, line = ''] = /^\s*(?:a=)?candidate:([^\r\n]*)/i.exec(text) ?? [];
  const [, component, transport, , address, port, , type, ...rest] = line.split(/ +/);
  if (rest.at(-1) === '') rest.pop();
  if (component === undefined || transport === undefined || address === undefined || type === undefined)
    return null;
  const extensions: string[] = [];
  for (let i = 0; i + 1 < rest.length; i += 2) {
    const [name = '', value = ''] = rest.slice(i, i + 2);
    if (!NOT_KEPT.has(name)) extensions.push(name, value);
  }
  return { component, transport: transport.toLowerCase(), address, port: portOf(port), extensions };
}

function relayed({ component, extensions }: Candidate, relay: RelayAddress): string {
  const host = `candidate:1 ${component} udp ${HOST_PRIORITY} ${relay.address} ${relay.port} typ host`;
  return [host, ...extensions].join(' ');
}

/**
 * Replaces the address in a trickled candidate with the relay's address. A string that is not a candidate is
 * returned unchanged, such as '', which marks the end of the candidates. A TCP candidate is not dropped, so
 * that the browser still processes the same candidates in the same order. Instead, it is replaced with a TCP
 * candidate that accepts no connections.
 */
export function candidateThroughRelay(text: string, relay: RelayAddress): string {
  const candidate = parse(text);
  if (candidate === null) return text;
  if (candidate.transport === 'udp') return relayed(candidate, relay);
  const { component } = candidate;
  return `candidate:1 ${component} tcp 1 ${relay.address} ${DISCARD_PORT} typ host tcptype active`;
}

/**
 * Replaces the candidates in a description. In each media section, a single candidate with the relay's address
 * replaces all UDP candidates of a component. TCP candidates are removed. Other lines and all line endings are
 * unchanged.
 */
export function descriptionThroughRelay(sdp: string, relay: RelayAddress): string {
  let seen = new Set<string>();
  const through = (line: string): string => {
    const end = /[\r\n]*$/.exec(line)?.[0] ?? '';
    const text = line.slice(0, line.length - end.length);
    if (text.startsWith('m=')) seen = new Set();
    const candidate = isCandidate(text) ? parse(text) : null;
    if (candidate === null) return line;
    if (candidate.transport !== 'udp' || seen.has(candidate.component)) return '';
    seen.add(candidate.component);
    return `a=${relayed(candidate, relay)}${end}`;
  };
  return (sdp.match(LINES) ?? []).map(through).join('');
}

/**
 * Replaces a candidate's related address, which reveals where the candidate was gathered. Browsers that hide
 * addresses use the same values (RFC 8839, section 5.1).
 */
const HIDDEN = 'raddr 0.0.0.0 rport 0';

/**
 * Replaces the address and port in one of the page's own candidates with the relay's, and hides the related
 * address. A TCP candidate gets the discard port. Other fields stay the same, because pages may sort or
 * filter candidates by them. A string that is not a candidate is returned unchanged.
 */
export function ownCandidateThroughRelay(text: string, relay: RelayAddress): string {
  const [, head, component, transport, priority, type, rest = ''] = OWN.exec(text) ?? [];
  if (head === undefined) return text;
  const isUdp = transport?.toLowerCase() === 'udp';
  const port = isUdp ? relay.port : DISCARD_PORT;
  const related = rest.replace(/ raddr \S+ rport \d+/i, ` ${HIDDEN}`);
  return `${head} ${component} ${transport} ${priority} ${relay.address} ${port} typ ${type}${related}`;
}

/**
 * Captures the foundation (with its prefix), component, transport, priority, type, and the rest of a candidate.
 */
const OWN = /^((?:a=)?candidate:\S+) +(\d+) +(\S+) +(\d+) +\S+ +\d+ +typ +(\S+)([^\r\n]*)$/i;

/**
 * Replaces the addresses in the page's own description with the relay's address: those of candidates, and the
 * default addresses in `m=`, `c=` and `a=rtcp` lines.
 */
export function ownDescriptionThroughRelay(sdp: string, relay: RelayAddress): string {
  const through = (line: string): string => {
    const end = /[\r\n]*$/.exec(line)?.[0] ?? '';
    return ownLineThroughRelay(line.slice(0, line.length - end.length), relay) + end;
  };
  return (sdp.match(LINES) ?? []).map(through).join('');
}

/**
 * Replaces the address and port in a line with the relay's. Placeholders that belong to no candidate are not
 * replaced: port 0, the discard port, and the unspecified address.
 */
function ownLineThroughRelay(line: string, { address, port }: RelayAddress): string {
  if (isCandidate(line)) return ownCandidateThroughRelay(line, { address, port });
  return line
    .replace(/^(m=\S+) (?!0 |9 )\d+ /, `$1 ${port} `)
    .replace(/^c=IN IP[46] (?!0\.0\.0\.0$|::$)\S+$/, `c=IN IP4 ${address}`)
    .replace(/^a=rtcp:(?!9 )\d+ IN IP[46] \S+$/, `a=rtcp:${port} IN IP4 ${address}`);
}

/** Ignores case: attribute names are case-sensitive, but some parsers accept any case. */
const isCandidate = (line: string): boolean => /^a=candidate:/i.test(line);
/** Matches a line with its line ending. Other characters, such as U+2028, do not end a line of a description. */
const LINES = /[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+/g;

/** The ICE attributes and the bandwidth limit of a media section in a description. */
export interface MediaSection {
  mid: string | null;
  ufrag: string | null;
  candidates: RelayAddress[];
  /** The lowest limit in the `b=` lines of the section, in bit/s; NaN without such a line. */
  bandwidthBps: number;
}

/**
 * Returns the media sections of a description. A username fragment at session level applies to the sections that
 * have no username fragment.
 */
export function mediaSections(sdp: string): MediaSection[] {
  const sections: MediaSection[] = [];
  let sessionUfrag: string | null = null;
  for (const line of sdp.split(/\r?\n/)) {
    if (line.startsWith('m='))
      sections.push({ mid: null, ufrag: sessionUfrag, candidates: [], bandwidthBps: NaN });
    const section = sections.at(-1);
    const ufrag = /^a=ice-ufrag:(\S+)/.exec(line)?.[1];
    if (section === undefined) sessionUfrag = ufrag ?? sessionUfrag;
    else if (ufrag !== undefined) section.ufrag = ufrag;
    else readLine(section, line);
  }
  return sections;
}

function readLine(section: MediaSection, line: string): void {
  const mid = /^a=mid:(\S+)/.exec(line)?.[1];
  if (mid !== undefined) section.mid = mid;
  const address = isCandidate(line) ? udpAddress(line) : null;
  if (address !== null) section.candidates.push(address);
  const bound = /^b=(TIAS|AS):(\d{1,15})(?!\d)/.exec(line);
  // RFC 3890: TIAS counts bit/s, the older AS counts kbit/s.
  if (bound !== null) {
    const bps = Number(bound[2]) * (bound[1] === 'AS' ? 1000 : 1);
    section.bandwidthBps = Number.isNaN(section.bandwidthBps) ? bps : Math.min(section.bandwidthBps, bps);
  }
}

/** The address in a candidate of the far side; null unless this is a UDP candidate with a valid port. */
export function udpAddress(text: string): RelayAddress | null {
  const candidate = parse(text);
  const isPort = candidate !== null && candidate.port > 0 && candidate.port < 65_536;
  if (!isPort || candidate.transport !== 'udp') return null;
  return { address: candidate.address, port: candidate.port };
}

/**
 * Returns the transports (in lower case) of all candidates in `text`, which is a description or a single
 * candidate.
 */
export function transportsIn(text: string): Set<string> {
  const lines = text.split(/\r?\n/).map((line) => parse(line)?.transport);
  return new Set(lines.filter((transport) => transport !== undefined));
}

/** Returns the username fragment in a trickled candidate, or null. */
export function ufragOf(text: string): string | null {
  const { extensions = [] } = parse(text) ?? {};
  const at = extensions.indexOf('ufrag');
  return at < 0 ? null : (extensions[at + 1] ?? null);
}

/**
 * Returns the far side's username fragments with their addresses. Sections with the same fragment (bundled
 * sections) are combined.
 */
export function remoteSides(sections: readonly MediaSection[]): RemoteSide[] {
  const sides = new Map<string, RemoteSide>();
  for (const { ufrag, candidates } of sections) {
    if (ufrag === null) continue;
    const side = sides.get(ufrag) ?? { ufrag, candidates: [] };
    side.candidates.push(...candidates);
    sides.set(ufrag, side);
  }
  return [...sides.values()];
}
