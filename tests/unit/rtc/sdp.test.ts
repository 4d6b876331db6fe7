import { describe, expect, it } from 'vitest';
import { boundVideo, takeOver, throughRelay } from '../../../src/rtc/sdp.js';

// A shortened offer of Chromium 156.
const OFFER = [
  'v=0',
  'o=- 1 2 IN IP4 127.0.0.1',
  's=-',
  't=0 0',
  'a=group:BUNDLE 0 1',
  'm=video 9 UDP/TLS/RTP/SAVPF 96 97 98 99 112 113 114 100',
  'c=IN IP4 0.0.0.0',
  'a=candidate:1 1 udp 2122260223 10.0.0.2 51000 typ host generation 0',
  'a=candidate:2 1 tcp 1518280447 10.0.0.2 9 typ host tcptype active',
  'a=end-of-candidates',
  'a=mid:0',
  'a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time',
  'a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01',
  'a=rtpmap:96 VP8/90000',
  'a=rtcp-fb:96 goog-remb',
  'a=rtcp-fb:96 transport-cc',
  'a=rtcp-fb:96 ccm fir',
  'a=rtcp-fb:96 nack',
  'a=rtcp-fb:96 nack pli',
  'a=rtpmap:97 rtx/90000',
  'a=fmtp:97 apt=96',
  'a=rtpmap:98 H264/90000',
  'a=rtcp-fb:98 transport-cc',
  'a=fmtp:98 level-asymmetry-allowed=1;packetization-mode=1',
  'a=rtpmap:99 rtx/90000',
  'a=fmtp:99 apt=98',
  'a=rtpmap:112 red/90000',
  'a=rtpmap:113 rtx/90000',
  'a=fmtp:113 apt=112',
  'a=rtpmap:114 ulpfec/90000',
  'a=rtpmap:100 AV1/90000',
  'a=fmtp:100 level-idx=5;profile=0;tier=0',
  'm=application 9 UDP/DTLS/SCTP webrtc-datachannel',
  'c=IN IP4 0.0.0.0',
  'a=mid:1',
  'a=sctp-port:5000',
  '',
].join('\r\n');

const lines = (sdp: string) => sdp.split('\r\n');
const BOUNDS = 'x-google-min-bitrate=3000;x-google-start-bitrate=3000;x-google-max-bitrate=3000';

describe('takeOver', () => {
  const taken = lines(takeOver(OFFER));

  it('removes congestion feedback and the transport-wide sequence number, and nothing else of them', () => {
    expect(taken.filter((l) => /transport-cc|goog-remb|transport-wide/.test(l))).toEqual([]);
    expect(taken).toContain('a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time');
    expect(taken.filter((l) => l.startsWith('a=rtcp-fb:96'))).toEqual([
      'a=rtcp-fb:96 ccm fir',
      'a=rtcp-fb:96 nack',
      'a=rtcp-fb:96 nack pli',
    ]);
  });

  it('bounds the estimate of each codec, whether it had an fmtp line or not, but not of retransmissions', () => {
    expect(taken.filter((l) => l.startsWith('a=fmtp:')).sort()).toEqual([
      `a=fmtp:100 level-idx=5;profile=0;tier=0;${BOUNDS}`,
      `a=fmtp:96 ${BOUNDS}`,
      'a=fmtp:97 apt=96',
      `a=fmtp:98 level-asymmetry-allowed=1;packetization-mode=1;${BOUNDS}`,
      'a=fmtp:99 apt=98',
    ]);
  });

  it('removes red, ulpfec and their retransmissions from the payload list too', () => {
    expect(taken).toContain('m=video 9 UDP/TLS/RTP/SAVPF 96 97 98 99 100');
    expect(taken.filter((l) => /:(112|113|114)\b/.test(l))).toEqual([]);
  });

  it('leaves the data channel, and the line ends, as they were', () => {
    const section = OFFER.slice(OFFER.indexOf('m=application'));
    expect(takeOver(OFFER).endsWith(section)).toBe(true);
  });

  it('switches generic NACK off on request and keeps picture loss indications', () => {
    const off = lines(takeOver(OFFER, { nack: false }));
    expect(off).not.toContain('a=rtcp-fb:96 nack');
    expect(off).toContain('a=rtcp-fb:96 nack pli');
  });

  it('never puts the ceiling below the floor', () => {
    expect(takeOver(OFFER, { floorKbps: 9000 })).toContain('x-google-max-bitrate=9000');
  });
});

describe('throughRelay', () => {
  const relayed = lines(throughRelay(OFFER, { address: '127.0.0.1', port: 40001 }));

  it('leaves exactly one candidate a media section: the relay', () => {
    expect(relayed.filter((l) => l.startsWith('a=candidate:'))).toEqual([
      'a=candidate:1 1 udp 2130706431 127.0.0.1 40001 typ host',
      'a=candidate:1 1 udp 2130706431 127.0.0.1 40001 typ host',
    ]);
    expect(relayed.filter((l) => l === 'a=end-of-candidates')).toHaveLength(2);
  });

  it('changes nothing else', () => {
    const rest = (all: string[]) => all.filter((l) => !/^a=(candidate|end-of)/.test(l));
    expect(rest(relayed)).toEqual(rest(lines(OFFER)));
  });
});

describe('boundVideo', () => {
  const bounded = lines(boundVideo(OFFER, 900_000));
  const bound = 'b=TIAS:900000';

  it('adds one line behind the connection data of each video section, and changes nothing else', () => {
    const videos = lines(OFFER).filter((l) => l.startsWith('m=video')).length;
    expect(bounded.filter((l) => l === bound)).toHaveLength(videos);
    expect(bounded.filter((l) => l !== bound)).toEqual(lines(OFFER));
    const at = bounded.indexOf(bound);
    expect(bounded[at - 1]).toMatch(/^c=/);
    expect(bounded.slice(0, at).findLast((l) => l.startsWith('m='))).toMatch(/^m=video/);
  });

  it('serves a section of one line, and leaves a call without video alone', () => {
    expect(boundVideo('v=0\r\nm=video 0 UDP 96\r\n', 1.6)).toBe('v=0\r\nm=video 0 UDP 96\r\nb=TIAS:2\r\n');
    expect(boundVideo('v=0\r\nm=audio 9 UDP 0\r\n', 1)).toBe('v=0\r\nm=audio 9 UDP 0\r\n');
  });
});

describe('a description that is rewritten twice', () => {
  const video = (fmtp: string) => `v=0\r\nm=video 9 UDP 96\r\na=rtpmap:96 VP8/90000\r\n${fmtp}`;

  it.each(['', 'a=fmtp:96 max-fs=9\r\n', 'a=fmtp:96 x-google-max-bitrate=1\r\n'])(
    'is as after once: %j',
    (fmtp) => {
      const once = takeOver(video(fmtp));
      expect(takeOver(once)).toBe(once);
    },
  );

  it('has our bounds, not those that the far side gave', () => {
    const taken = takeOver(video('a=fmtp:96 x-google-max-bitrate=1;max-fs=9\r\n'), { ceilingKbps: 4000 });
    expect(taken.match(/x-google-max-bitrate=\d+/g)).toEqual(['x-google-max-bitrate=4000']);
    expect(taken).toContain('max-fs=9');
  });
});
