/** Session descriptions: rewriting them a second time changes nothing, and no address of the far side remains. */
import {
  candidateThroughRelay,
  descriptionThroughRelay,
  mediaSections,
  remoteSides,
  udpAddress,
  ufragOf,
} from '../../../src/inject/candidates.js';
import { takeOver, throughRelay } from '../../../src/rtc/sdp.js';
import { check, textOf } from '../oracles.js';
import type { FuzzTarget } from '../target.js';

const RELAY = { address: '127.0.0.1', port: 40000 };

const SDP = [
  ...['v=0', 'o=- 46117 2 IN IP4 127.0.0.1', 's=-', 't=0 0', 'a=group:BUNDLE 0 1', 'a=ice-ufrag:lite1234'],
  ...['m=audio 9 UDP/TLS/RTP/SAVPF 111', 'c=IN IP4 0.0.0.0', 'a=ice-ufrag:EsAw', 'a=mid:0', 'a=rtcp-mux'],
  'a=candidate:3067412119 1 udp 2122260223 6f4e5b7e-0a52.local 53912 typ host generation 0 network-id 1',
  'a=candidate:842163049 1 udp 1677729535 203.0.113.7 53912 typ srflx raddr 0.0.0.0 rport 0 generation 0',
  'a=candidate:3 1 tcp 1518280447 192.0.2.4 9 typ host tcptype active generation 0 network-id 1',
  'a=candidate:0 2 UDP 2122252542 2001:db8::5 41003 typ host',
  ...[
    'a=end-of-candidates',
    'm=video 9 UDP/TLS/RTP/SAVPF 96 97 98 99',
    'b=AS:800',
    'b=TIAS:600000',
    'a=mid:1',
  ],
  ...['a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01'],
  ...['a=rtpmap:96 VP8/90000', 'a=rtcp-fb:96 transport-cc', 'a=rtcp-fb:96 goog-remb', 'a=rtcp-fb:96 nack'],
  ...['a=rtpmap:97 rtx/90000', 'a=fmtp:97 apt=96', 'a=rtpmap:98 red/90000', 'a=rtpmap:99 rtx/90000'],
  ...['a=fmtp:99 apt=98', 'a=fmtp:96 max-fs=12288;x-google-max-bitrate=90', ''],
];
const CANDIDATE =
  'candidate:842163049 1 udp 1677729535 203.0.113.7 53912 typ srflx raddr 10.0.0.2 rport 53912 generation 1 ufrag EsAw';

const seeds = [
  SDP.join('\r\n'),
  SDP.join('\n'),
  CANDIDATE,
  `a=${CANDIDATE}`,
  CANDIDATE.replace('udp', 'tcp'),
];
const words = [
  ...[
    'a=candidate:',
    ' udp ',
    ' tcp ',
    ' typ host',
    ' raddr 192.0.2.77',
    '\r\n',
    '\r',
    'm=video 9 UDP 96\r\n',
    '\u2028',
  ],
  ...[
    'a=fmtp:96 ',
    ';x-google-min-bitrate=1',
    'a=rtpmap:96 ',
    'a=ice-ufrag:',
    'a=mid:',
    'b=AS:',
    ' ',
    'a=end-of-candidates',
  ],
];

/** A UDP candidate in the syntax of RFC 8839, section 5.1. */
const UDP_CANDIDATE = /^a=candidate:\S+ \d+ udp \d+ (\S+) (\d+) typ \S+/i;
const isCandidate = (line: string): boolean => /^a=candidate:/i.test(line);

/** The lines of UDP candidates whose address is not the relay's. */
function strangers(sdp: string): string[] {
  return sdp.split(/\r\n|\n|\r/).filter((line) => {
    const [, address, port] = UDP_CANDIDATE.exec(line) ?? [];
    return address !== undefined && (address !== RELAY.address || port !== String(RELAY.port));
  });
}

const others = (sdp: string): string =>
  sdp
    .split(/\r?\n/)
    .filter((line) => !isCandidate(line))
    .join('\n')
    .trimEnd();

const relayed: FuzzTarget = {
  name: 'sdp candidates',
  seeds,
  words,
  run(input) {
    const text = textOf(input);
    const once = descriptionThroughRelay(text, RELAY);
    check(descriptionThroughRelay(once, RELAY) === once, () => 'rewritten twice, it is another description');
    check(strangers(once).length === 0, () => `another address is left: ${strangers(once)[0]}`);
    if (!/\r(?!\n)|[\u2028\u2029]/.test(text))
      check(others(once) === others(text), () => 'another line than a candidate was changed');
    const candidate = candidateThroughRelay(text, RELAY);
    check(
      candidateThroughRelay(candidate, RELAY) === candidate,
      () => 'rewritten twice, it is another candidate',
    );
    // A string of several lines is exempt, because browsers do not accept it as a candidate.
    const isLine = !/[\r\n]/.test(text.trim());
    check(!isLine || strangers(`a=${candidate}`).length === 0, () => `the address is left: ${candidate}`);
    ufragOf(text);
    const addresses = remoteSides(mediaSections(text)).flatMap(({ candidates }) => candidates);
    for (const { address, port } of [...addresses, udpAddress(text) ?? RELAY])
      check(
        address !== '' && Number.isInteger(port) && port > 0 && port < 65536,
        () => `the address ${address} ${port}`,
      );
    for (const { bandwidthBps } of mediaSections(text))
      check(Number.isNaN(bandwidthBps) || Number.isFinite(bandwidthBps), () => `a bound of ${bandwidthBps}`);
  },
};

const takenOver: FuzzTarget = {
  name: 'sdp takeover',
  seeds,
  words,
  run(input) {
    const text = textOf(input);
    const once = takeOver(text);
    check(takeOver(once) === once, () => 'taken over twice, it is another description');
    // Splits at line feeds only, because only a line feed ends a line in browsers.
    check(
      !once.split('\n').some((line) => line.startsWith('a=rtcp-fb:') && /transport-cc|goog-remb/.test(line)),
      () => "feedback of the browser's estimator is left",
    );
    const routed = throughRelay(text, RELAY);
    check(throughRelay(routed, RELAY) === routed, () => 'relayed twice, it is another description');
    const left = routed.split('\r\n').filter(isCandidate);
    check(
      left.every((line) => line.includes(` ${RELAY.address} ${RELAY.port} `)),
      () => 'another candidate is left',
    );
  },
};

export default [relayed, takenOver];
