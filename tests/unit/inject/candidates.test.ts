import { describe, expect, it } from 'vitest';

import {
  candidateThroughRelay,
  descriptionThroughRelay,
  mediaSections,
  remoteSides,
  udpAddress,
  ufragOf,
  ownCandidateThroughRelay,
  ownDescriptionThroughRelay,
} from '../../../src/inject/candidates.js';

const relay = { address: '127.0.0.1', port: 40000 };
const RELAYED = 'candidate:1 1 udp 2130706431 127.0.0.1 40000 typ host';
const sdp = (...lines: string[]) => [...lines, ''].join('\r\n');
const candidatesOf = (text: string) => text.split(/\r?\n/).filter((line) => line.startsWith('a=candidate'));
const others = (text: string) => text.split(/\r?\n/).filter((line) => !line.startsWith('a=candidate'));

/** Shortened from a session description of Chromium 156: with BUNDLE, mDNS names, TCP and IPv6. */
const CHROME = sdp(
  'v=0',
  'o=- 4611731400430051336 2 IN IP4 127.0.0.1',
  's=-',
  't=0 0',
  'a=group:BUNDLE 0 1',
  'm=audio 9 UDP/TLS/RTP/SAVPF 111',
  'c=IN IP4 0.0.0.0',
  'a=rtcp:9 IN IP4 0.0.0.0',
  'a=candidate:3067412119 1 udp 2122260223 6f4e5b7e-0a52-44a9-8d5d-1c3d0a6a9d2b.local 53912 typ host generation 0 network-id 1 network-cost 10',
  'a=candidate:842163049 1 udp 1677729535 203.0.113.7 53912 typ srflx raddr 0.0.0.0 rport 0 generation 0 network-cost 999',
  'a=candidate:2 1 udp 2122197247 2001:db8::5 53913 typ host generation 0 network-id 2',
  'a=candidate:3 1 tcp 1518280447 192.0.2.4 9 typ host tcptype active generation 0 network-id 1',
  'a=candidate:4 1 udp 41885439 198.51.100.3 60001 typ relay raddr 203.0.113.7 rport 53912 generation 0',
  'a=ice-ufrag:EsAw',
  'a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1',
  'a=ice-options:trickle',
  'a=mid:0',
  'a=rtcp-mux',
  'm=video 9 UDP/TLS/RTP/SAVPF 96',
  'c=IN IP4 0.0.0.0',
  'b=AS:800',
  'a=ice-ufrag:EsAw',
  'a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1',
  'a=mid:1',
  'a=rtcp-mux',
);

/**
 * Shortened from a session description of Firefox. Each section has candidates of both components, and
 * `a=end-of-candidates`.
 */
const FIREFOX = sdp(
  'v=0',
  'o=mozilla...THIS_IS_SDPARTA-99.0 1 0 IN IP4 0.0.0.0',
  's=-',
  't=0 0',
  'a=ice-options:trickle',
  'm=audio 41002 UDP/TLS/RTP/SAVPF 109',
  'c=IN IP4 192.0.2.9',
  'a=candidate:0 1 UDP 2122252543 192.0.2.9 41002 typ host',
  'a=candidate:2 1 TCP 2105524479 192.0.2.9 9 typ host tcptype active',
  'a=candidate:0 2 UDP 2122252542 192.0.2.9 41003 typ host',
  'a=end-of-candidates',
  'a=ice-ufrag:5b1d3c4a',
  'a=ice-pwd:0123456789abcdef0123456789abcdef',
  'a=mid:0',
  'm=video 41004 UDP/TLS/RTP/SAVPF 120',
  'c=IN IP4 192.0.2.9',
  'b=TIAS:600000',
  'b=AS:900',
  'a=candidate:0 1 UDP 2122252543 192.0.2.9 41004 typ host',
  'a=end-of-candidates',
  'a=ice-ufrag:77aa88bb',
  'a=ice-pwd:fedcba9876543210fedcba9876543210',
  'a=mid:1',
);

/**
 * Shortened from an SFU's session description: with ice-lite, session-level credentials, and host candidates
 * for UDP and passive TCP.
 */
const SFU = sdp(
  'v=0',
  'o=mediaserver 10000 1 IN IP4 0.0.0.0',
  's=-',
  't=0 0',
  'a=ice-lite',
  'a=ice-ufrag:lite1234',
  'a=ice-pwd:lite1234lite1234lite1234',
  'a=group:BUNDLE 0',
  'm=video 7 UDP/TLS/RTP/SAVPF 96',
  'c=IN IP4 127.0.0.1',
  'a=candidate:udpcandidate 1 udp 1076558079 198.51.100.20 44444 typ host',
  'a=candidate:tcpcandidate 1 tcp 1076302079 198.51.100.20 44445 typ host tcptype passive',
  'a=end-of-candidates',
  'a=mid:0',
  'a=rtcp-mux',
);

describe('descriptionThroughRelay', () => {
  it('leaves one candidate of a bundled description of Chrome, and all other lines', () => {
    const routed = descriptionThroughRelay(CHROME, relay);
    expect(candidatesOf(routed)).toEqual([`a=${RELAYED} generation 0 network-id 1 network-cost 10`]);
    expect(others(routed)).toEqual(others(CHROME));
    expect(routed.endsWith('\r\n')).toBe(true);
  });

  it('keeps one for each section and component that is not bundled or multiplexed, and their end', () => {
    const routed = descriptionThroughRelay(FIREFOX, relay);
    expect(candidatesOf(routed)).toEqual([
      `a=${RELAYED}`,
      `a=${RELAYED.replace(' 1 ', ' 2 ')}`,
      `a=${RELAYED}`,
    ]);
    expect(others(routed)).toEqual(others(FIREFOX));
  });

  it("takes an SFU's TCP candidate out and keeps that it is ice-lite", () => {
    const routed = descriptionThroughRelay(SFU, relay);
    expect(candidatesOf(routed)).toEqual([`a=${RELAYED}`]);
    expect(others(routed)).toEqual(others(SFU));
  });

  it('leaves none where only TCP is offered', () => {
    const tcp = CHROME.split('\r\n').filter((line) => !/^a=candidate.* udp /.test(line));
    expect(candidatesOf(descriptionThroughRelay(tcp.join('\r\n'), relay))).toEqual([]);
  });

  it('changes nothing where candidates are to trickle in, nor a second time', () => {
    const empty = others(CHROME).join('\r\n');
    expect(descriptionThroughRelay(empty, relay)).toBe(empty);
    const routed = descriptionThroughRelay(CHROME, relay);
    expect(descriptionThroughRelay(routed, relay)).toBe(routed);
  });

  it('keeps bare line feeds', () => {
    const routed = descriptionThroughRelay(SFU.replaceAll('\r\n', '\n'), relay);
    expect(routed).toBe(descriptionThroughRelay(SFU, relay).replaceAll('\r\n', '\n'));
  });
});

describe('candidateThroughRelay', () => {
  it('keeps the component and what says to which generation it belongs', () => {
    const text =
      'candidate:842163049 1 udp 1677729535 203.0.113.7 53912 typ srflx raddr 10.0.0.2 rport 53912 generation 1 ufrag EsAw network-cost 999';
    expect(candidateThroughRelay(text, relay)).toBe(`${RELAYED} generation 1 ufrag EsAw network-cost 999`);
    const second = 'candidate:0 2 UDP 2122252542 2001:db8::5 41003 typ host';
    expect(candidateThroughRelay(second, relay)).toBe(RELAYED.replace(' 1 ', ' 2 '));
  });

  it('makes a TCP candidate one that nobody can connect to (RFC 6544, section 4.5)', () => {
    const text = 'candidate:tcpcandidate 1 tcp 1076302079 198.51.100.20 44445 typ host tcptype passive';
    const routed = candidateThroughRelay(text, relay);
    expect(routed).toContain('127.0.0.1 9 typ host tcptype active');
    expect(routed).not.toContain('198.51.100.20');
  });

  it.each(['', 'candidate:', 'nonsense', 'end-of-candidates'])('leaves %j to the browser', (text) => {
    expect(candidateThroughRelay(text, relay)).toBe(text);
  });
});

describe("a page's own candidates", () => {
  const text =
    'candidate:842163049 1 udp 1677729535 203.0.113.7 53912 typ srflx raddr 10.0.0.5 rport 53912 ufrag EsAw';

  it('have the relay for their address and nothing of where they were gathered; all else stays', () => {
    expect(ownCandidateThroughRelay(text, relay)).toBe(
      `candidate:842163049 1 udp 1677729535 ${relay.address} ${relay.port} typ srflx raddr 0.0.0.0 rport 0 ufrag EsAw`,
    );
    expect(ownCandidateThroughRelay(`a=${text}`, relay)).toMatch(/^a=candidate:842163049 /);
    const hidden = 'candidate:1 1 udp 2113937151 6f4e5b7e-0a52-44a9-8d5d-1c3d0a6a9d2b.local 53912 typ host';
    expect(ownCandidateThroughRelay(hidden, relay)).not.toContain('.local');
    const tcp = 'candidate:2 1 tcp 1518280447 10.0.0.5 9 typ host tcptype active';
    expect(ownCandidateThroughRelay(tcp, relay)).toBe(
      `candidate:2 1 tcp 1518280447 ${relay.address} 9 typ host tcptype active`,
    );
  });

  it.each(['', 'candidate:', 'nonsense', 'end-of-candidates'])('are not %j', (other) => {
    expect(ownCandidateThroughRelay(other, relay)).toBe(other);
  });

  it('are hidden in descriptions, the default ones as well, which say nothing else new', () => {
    const lines = [
      'v=0',
      'm=video 53912 UDP/TLS/RTP/SAVPF 96',
      'c=IN IP4 203.0.113.7',
      'a=rtcp:53913 IN IP4 203.0.113.7',
      `a=${text}`,
      'a=end-of-candidates',
      'm=audio 9 UDP/TLS/RTP/SAVPF 111',
      'c=IN IP4 0.0.0.0',
      'a=rtcp:9 IN IP4 0.0.0.0',
      '',
    ];
    const through = ownDescriptionThroughRelay(lines.join('\r\n'), relay).split('\r\n');
    expect(through.join()).not.toMatch(/203\.0\.113|10\.0\.0\.5|5391/);
    expect(through.slice(1, 4)).toEqual([
      `m=video ${relay.port} UDP/TLS/RTP/SAVPF 96`,
      `c=IN IP4 ${relay.address}`,
      `a=rtcp:${relay.port} IN IP4 ${relay.address}`,
    ]);
    expect([through[0], ...through.slice(5)]).toEqual([lines[0], ...lines.slice(5)]);
    expect(ownDescriptionThroughRelay(through.join('\r\n'), relay)).toBe(through.join('\r\n'));
  });
});

describe('what the far side said', () => {
  it('is one side for bundled sections, with its UDP addresses', () => {
    expect(remoteSides(mediaSections(CHROME))).toEqual([
      {
        ufrag: 'EsAw',
        candidates: [
          { address: '6f4e5b7e-0a52-44a9-8d5d-1c3d0a6a9d2b.local', port: 53912 },
          { address: '203.0.113.7', port: 53912 },
          { address: '2001:db8::5', port: 53913 },
          { address: '198.51.100.3', port: 60001 },
        ],
      },
    ]);
  });

  it('is a side for each section that is not bundled', () => {
    expect(remoteSides(mediaSections(FIREFOX)).map(({ ufrag }) => ufrag)).toEqual(['5b1d3c4a', '77aa88bb']);
  });

  it('may be said for the whole session', () => {
    const side = { ufrag: 'lite1234', candidates: [{ address: '198.51.100.20', port: 44444 }] };
    expect(remoteSides(mediaSections(SFU))).toEqual([side]);
  });

  it('bounds the bandwidth of a section by the least of its b= lines (RFC 3890)', () => {
    const bounds = (text: string) => mediaSections(text).map(({ mid, bandwidthBps }) => [mid, bandwidthBps]);
    expect(bounds(CHROME)).toEqual([
      ['0', NaN],
      ['1', 800_000],
    ]);
    expect(bounds(FIREFOX)).toEqual([
      ['0', NaN],
      ['1', 600_000],
    ]);
  });

  it('is read from trickled candidates', () => {
    const text = 'candidate:1 1 udp 2122260223 10.0.0.2 51000 typ host generation 0 ufrag EsAw';
    expect([udpAddress(text), ufragOf(text)]).toEqual([{ address: '10.0.0.2', port: 51000 }, 'EsAw']);
    const tcp = 'candidate:1 1 tcp 1518280447 10.0.0.2 9 typ host tcptype active';
    expect([udpAddress(tcp), ufragOf(tcp), udpAddress(''), ufragOf('')]).toEqual([null, null, null, null]);
  });
});

describe('a candidate that is written oddly', () => {
  const HOST = '842163049 1 udp 1677729535 203.0.113.7 53912 typ host';
  it.each([
    ['capitals', `A=Candidate:${HOST}`],
    ['a separator of lines that ends none here', `a=candidate:${HOST} note a\u2028b`],
    ['a carriage return before it', `a=x\ra=candidate:${HOST}`],
    ['a blank behind it', `a=candidate:${HOST} note \t`],
  ])('is replaced, too: %s', (_, line) => {
    const once = descriptionThroughRelay(sdp('v=0', 'm=video 9 UDP 96', line), relay);
    expect(once).not.toContain('203.0.113.7');
    expect(once).toContain('127.0.0.1 40000');
    expect(descriptionThroughRelay(once, relay)).toBe(once);
  });

  it('is replaced, too, where it trickles in', () => {
    expect(candidateThroughRelay(`candidate:${HOST} note a\u2028b`, relay)).not.toContain('203.0.113.7');
  });

  it.each(['0', '65536', '1e3', '-1', '53912.5', '99999999999'])(
    'names no address with the port %s',
    (port) => {
      expect(udpAddress(`candidate:${HOST.replace('53912', port)}`)).toBeNull();
    },
  );
});
