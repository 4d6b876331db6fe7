/**
 * Pure functions on session descriptions: disabling the browser's bandwidth estimator, and sending a call through
 * a relay. Both are meant for *remote* descriptions, just before they are set, since browsers refuse many changes
 * to local ones.
 */
import type { RelayAddress } from './types.js';

const TRANSPORT_CC = 'http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions';

/** Bounds for the browser's own estimator while ccscope controls. */
export interface TakeoverOptions {
  /**
   * Lowest and initial estimate, in kbps. The statistic `availableOutgoingBitrate` then has at least this value.
   * Default 3000.
   */
  floorKbps?: number;
  /**
   * Highest estimate, in kbps. Default: the floor. Before the first frame Chromium probes at several times the
   * start bitrate, but not above this ceiling. With a ceiling of 8 Mbps the probes are 36 kB, which take 0.6 s at
   * 500 kbps.
   */
  ceilingKbps?: number;
  /** Whether lost packets are retransmitted. Default true. Disable this only in experiments about load. */
  nack?: boolean;
}

export const DEFAULT_FLOOR_KBPS = 3000;

interface Section {
  lines: string[];
}

/** Splits a description into the session part and one part for each m-line. */
function split(sdp: string): Section[] {
  const sections: Section[] = [{ lines: [] }];
  for (const line of sdp.split(/\r?\n/)) {
    if (line === '') continue;
    if (line.startsWith('m=')) sections.push({ lines: [] });
    sections.at(-1)?.lines.push(line);
  }
  return sections;
}

function join(sections: readonly Section[]): string {
  return sections.map((s) => s.lines.map((line) => `${line}\r\n`).join('')).join('');
}

const isVideo = (s: Section) => s.lines[0]?.startsWith('m=video') ?? false;

/** Payload types of a media section and their codec names, lower-case. */
function codecs(section: Section): Map<string, string> {
  const found = new Map<string, string>();
  for (const line of section.lines) {
    const m = /^a=rtpmap:(\d+) ([^/]+)/.exec(line);
    if (m?.[1] !== undefined && m[2] !== undefined) found.set(m[1], m[2].toLowerCase());
  }
  return found;
}

/** The payload types of red and ulpfec, and of the retransmissions that belong to them. */
function redundancy(section: Section, names: ReadonlyMap<string, string>): Set<string> {
  const out = new Set([...names].filter(([, name]) => name === 'red' || name === 'ulpfec').map(([pt]) => pt));
  for (const line of section.lines) {
    const m = /^a=fmtp:(\d+) .*\bapt=(\d+)/.exec(line);
    if (m?.[1] !== undefined && m[2] !== undefined && out.has(m[2])) out.add(m[1]);
  }
  return out;
}

function withoutPayloads(section: Section, gone: ReadonlySet<string>): Section {
  const lines = section.lines.filter((line) => {
    const m = /^a=(?:rtpmap|fmtp|rtcp-fb):(\d+)\b/.exec(line);
    return m?.[1] === undefined || !gone.has(m[1]);
  });
  const [media = '', ...rest] = lines;
  const [kind = '', port = '', proto = '', ...payloads] = media.split(' ');
  return { lines: [[kind, port, proto, ...payloads.filter((pt) => !gone.has(pt))].join(' '), ...rest] };
}

/**
 * Adds bitrate bounds to an `a=fmtp` line (a format's parameters). Existing bounds are removed, since a browser might
 * use the first of two.
 */
function boundedFormat(fmtp: string, bounds: string): string {
  const at = fmtp.indexOf(' ') + 1;
  const given = fmtp.slice(at).split(';');
  const kept = given.filter((each) => each !== '' && !/^\s*x-google-(?:min|start|max)-bitrate=/.test(each));
  return fmtp.slice(0, at) + [...kept, bounds].join(';');
}

function withBounds(section: Section, bounds: string): Section {
  const names = codecs(section);
  const lines: string[] = [];
  const bounded = new Set([...names].filter(([, name]) => name !== 'rtx').map(([pt]) => pt));
  const hasFmtp = new Set(section.lines.flatMap((line) => /^a=fmtp:(\d+) /.exec(line)?.[1] ?? []));
  for (const line of section.lines) {
    const fmtp = /^a=fmtp:(\d+) /.exec(line)?.[1];
    lines.push(fmtp !== undefined && bounded.has(fmtp) ? boundedFormat(line, bounds) : line);
    const rtpmap = /^a=rtpmap:(\d+) /.exec(line)?.[1];
    if (rtpmap !== undefined && bounded.has(rtpmap) && !hasFmtp.has(rtpmap)) {
      lines.push(`a=fmtp:${rtpmap} ${bounds}`);
    }
  }
  return { lines };
}

/**
 * Disables the browser's estimator for a call. Apply this function to each remote description of *both* peers. It
 * removes congestion feedback (transport-cc, goog-remb) and the transport-wide sequence number. It also removes
 * forward error correction (red, ulpfec), whose packets would flood the link. The loss-based estimator remains, but
 * its estimate gets a lower bound. Only Chromium understands the bounds. So verify the result with
 * `availableOutgoingBitrate`.
 */
export function takeOver(sdp: string, options: TakeoverOptions = {}): string {
  const floor = options.floorKbps ?? DEFAULT_FLOOR_KBPS;
  const ceiling = Math.max(floor, options.ceilingKbps ?? floor);
  const bounds = `x-google-min-bitrate=${floor};x-google-start-bitrate=${floor};x-google-max-bitrate=${ceiling}`;
  const unwanted = options.nack === false ? /transport-cc|goog-remb|nack$/ : /transport-cc|goog-remb/;
  const sections = split(sdp).map((section) => {
    const lines = section.lines.filter(
      (line) =>
        !(line.startsWith('a=rtcp-fb:') && unwanted.test(line)) &&
        !(line.startsWith('a=extmap:') && line.includes(TRANSPORT_CC)),
    );
    if (!isVideo(section)) return { lines };
    const media = { lines };
    return withBounds(withoutPayloads(media, redundancy(media, codecs(media))), bounds);
  });
  return join(sections);
}

/**
 * Limits the video bitrate of the peer that sets this description as its remote description. Adds a bandwidth line
 * (b=TIAS, RFC 3890) to each video section, after the lines that must precede it (RFC 8866, section 5). In Chromium,
 * this limit can change during a call without a new encoder, unlike a limit in an `a=fmtp` line (see `takeOver`).
 */
export function boundVideo(sdp: string, bitrateBps: number): string {
  const sections = split(sdp).map((section) => {
    if (!isVideo(section)) return section;
    const before = section.lines.findIndex((line) => !/^[mic]=/.test(line));
    const at = before < 0 ? section.lines.length : before;
    return { lines: section.lines.toSpliced(at, 0, `b=TIAS:${Math.round(bitrateBps)}`) };
  });
  return join(sections);
}

/** The ICE username fragments of a description (RFC 8839, 5.4). */
export const iceUfrags = (sdp: string): string[] => [
  ...new Set(Array.from(sdp.matchAll(/^a=ice-ufrag:(\S+)/gm), ([, ufrag = '']) => ufrag)),
];

/**
 * Rewrites a remote description so that the peer sends its packets to a relay. Removes all candidates, and adds the
 * relay's socket as the only host candidate of each media section. The caller must drop candidates that trickle in
 * later.
 */
export function throughRelay(sdp: string, relay: RelayAddress): string {
  const candidate = `a=candidate:1 1 udp 2130706431 ${relay.address} ${relay.port} typ host`;
  const sections = split(sdp).map(({ lines }, index) => {
    const kept = lines.filter((line) => !/^a=candidate:/i.test(line) && line !== 'a=end-of-candidates');
    return { lines: index === 0 ? kept : [...kept, candidate, 'a=end-of-candidates'] };
  });
  return join(sections);
}
