import { describe, expect, it } from 'vitest';

import { checkOf, isProtected, parseFingerprint, parseStun } from '../../src/shaper/relay/stun.js';

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(/\s/g, ''), 'hex');

// RFC 5769, 2.1: a request with SOFTWARE, PRIORITY, ICE-CONTROLLED, USERNAME (padded with spaces),
// MESSAGE-INTEGRITY and FINGERPRINT.
const REQUEST = bytes(`00010058 2112a442 b7e7a701 bc34d686 fa87dfae
  80220010 5354554e 20746573 7420636c 69656e74 00240004 6e0001ff 80290008 932ff9b1 51263b36
  00060009 6576746a 3a683676 59202020 00080014 9aeaa70c bfd8cb56 781ef2b5 b2d3f249 c1b571a2
  80280004 e57a3bcf`);
// RFC 5769, 2.2: the response to REQUEST, with an IPv4 address.
const RESPONSE = bytes(`0101003c 2112a442 b7e7a701 bc34d686 fa87dfae
  8022000b 74657374 20766563 746f7220 00200008 0001a147 e112a643 00080014 2b91f599 fd9e90c3
  8c7489f9 2af9ba53 f06be7d7 80280004 c07d4c96`);
// RFC 5769, 2.3: the response to REQUEST, with an IPv6 address.
const RESPONSE6 = bytes(`01010048 2112a442 b7e7a701 bc34d686 fa87dfae
  8022000b 74657374 20766563 746f7220 00200014 0002a147 0113a9fa a5d3f179 bc25f4b5 bed2b9d9
  00080014 a382954e 4be67bf1 1784c97c 8292c275 bfe3ed41 80280004 c8fb0b4c`);
const TRANSACTION = bytes('b7e7a701 bc34d686 fa87dfae').toString('latin1');

describe('a STUN message', () => {
  it('is read as RFC 5769 wrote it: the request', () => {
    const message = parseStun(REQUEST);
    expect(message).toEqual({
      class: 'request',
      method: 1,
      transactionId: TRANSACTION,
      username: 'evtj:h6vY',
      role: 'controlled',
      useCandidate: false,
    });
    // USERNAME consists of the receiver's username fragment, then the sender's (RFC 8445, section 7.2.2).
    expect(message && checkOf(message)).toEqual({ from: 'h6vY', to: 'evtj' });
  });

  it.each([
    ['over IPv4', RESPONSE],
    ['over IPv6', RESPONSE6],
  ])('is read as RFC 5769 wrote it: the answer %s', (_, packet) => {
    const message = parseStun(packet);
    expect(message).toMatchObject({
      class: 'success',
      method: 1,
      transactionId: TRANSACTION,
      username: null,
    });
    expect(message && checkOf(message)).toBeNull();
  });

  it.each([
    ['the request', REQUEST],
    ['the answer over IPv4', RESPONSE],
    ['the answer over IPv6', RESPONSE6],
  ])('has a fingerprint that is right, and that one bit makes wrong: %s', (_, packet) => {
    expect(parseFingerprint(packet)).toEqual({ isCorrect: true });
    expect(isProtected(packet)).toBe(true);
    for (const at of [9, 25, packet.length - 30, packet.length - 1]) {
      const changed = Buffer.from(packet);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(isProtected(changed), `byte ${at}`).toBe(false);
    }
  });

  it('is not protected without a fingerprint, or without an integrity', () => {
    const without = (from: number, to: number) => {
      const packet = Buffer.concat([REQUEST.subarray(0, from), REQUEST.subarray(to)]);
      packet.writeUInt16BE(packet.length - 20, 2);
      return packet;
    };
    expect(parseFingerprint(without(REQUEST.length - 8, REQUEST.length))).toBeNull();
    expect(isProtected(without(REQUEST.length - 8, REQUEST.length))).toBe(false);
    expect(isProtected(without(REQUEST.length - 32, REQUEST.length - 8))).toBe(false);
  });

  it('says nothing behind its integrity (RFC 8489, 14.5)', () => {
    const at = REQUEST.length - 8;
    const packet = Buffer.concat([REQUEST.subarray(0, at), bytes('00250000'), REQUEST.subarray(at)]);
    packet.writeUInt16BE(packet.length - 20, 2);
    expect(parseStun(packet)).toMatchObject({ username: 'evtj:h6vY', useCandidate: false });
  });

  it('has its class in two bits of the type between those of the method (RFC 8489, 5)', () => {
    const withType = (type: number) => {
      const packet = Buffer.from(REQUEST);
      packet.writeUInt16BE(type, 0);
      return parseStun(packet);
    };
    expect(withType(0x0011)).toMatchObject({ class: 'indication', method: 1 });
    expect(withType(0x0111)).toMatchObject({ class: 'error', method: 1 });
    // Method 3 is Allocate (RFC 8656). The parser accepts types below 0x0400 (RFC 7983, section 7), so
    // methods up to 0xff.
    expect(withType(0x0103)).toMatchObject({ class: 'success', method: 3 });
    expect(withType(0x02ef)).toMatchObject({ class: 'request', method: 0xff });
    expect(withType(0x0401)).toBeNull();
  });

  it('says that the controlling agent nominates', () => {
    const attributes = bytes('802a0008 00000000 00000001 00250000 00060003 613a6200');
    const header = bytes('00010000 2112a442 000000000000000000000001');
    header.writeUInt16BE(attributes.length, 2);
    expect(parseStun(Buffer.concat([header, attributes]))).toMatchObject({
      role: 'controlling',
      useCandidate: true,
      username: 'a:b',
    });
  });

  it.each([
    ['empty', Buffer.alloc(0)],
    ['a byte', Buffer.from([0])],
    ['DTLS', Buffer.concat([bytes('16fefd 0000 000000000000 0030'), Buffer.alloc(48)])],
    ['RTP', Buffer.concat([bytes('8060 0001 00000000 00000000'), Buffer.alloc(100)])],
    ['cut', REQUEST.subarray(0, REQUEST.length - 4)],
    ['longer than it says', Buffer.concat([REQUEST, Buffer.alloc(4)])],
    ['of another protocol', Buffer.from(REQUEST).fill(0, 4, 8)],
  ])('is not recognised: %s', (_, packet) => {
    expect(parseStun(packet)).toBeNull();
  });

  it('is invalid if an attribute exceeds it', () => {
    const packet = Buffer.from(REQUEST);
    packet.writeUInt16BE(200, 22);
    expect(parseStun(packet)).toBeNull();
  });

  it.each(['evtj', ':evtj', 'evtj:'])('has no fragments in the user name %j', (username) => {
    expect(
      checkOf({ class: 'request', method: 1, transactionId: '', username, role: null, useCandidate: false }),
    ).toBeNull();
  });

  it('survives whatever comes', () => {
    // Cuts the request to every length, and replaces each byte in turn: the parser must never throw.
    let [messages, others] = [0, 0];
    for (let length = 0; length <= REQUEST.length; length++) {
      for (let at = 0; at < length; at++) {
        for (const value of [0, 1, 4, 0x7f, 0xff]) {
          const packet = Buffer.from(REQUEST.subarray(0, length));
          if (length > 3) packet.writeUInt16BE(Math.max(0, length - 20), 2);
          packet[at] = value;
          if (parseStun(packet) === null) others += 1;
          else messages += 1;
        }
      }
    }
    // Many of these packets must be refused, and many others must be read to the end.
    expect(messages).toBeGreaterThan(1000);
    expect(others).toBeGreaterThan(1000);
  });
});
