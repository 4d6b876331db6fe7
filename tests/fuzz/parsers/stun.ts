/**
 * STUN: compares the relay's parser with a simple parser. The bytes around a packet in its buffer must have no
 * effect.
 */
import { checkOf, parseStun } from '../../../src/shaper/relay/stun.js';
import { check, same } from '../oracles.js';
import type { FuzzTarget } from '../target.js';

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex.replaceAll(/\s/g, ''), 'hex'));

// The packets of RFC 5769, sections 2.1 and 2.2, a check that nominates its candidate pair, and an indication
// without attributes.
const SEEDS = [
  `00010058 2112a442 b7e7a701 bc34d686 fa87dfae 80220010 5354554e 20746573 7420636c 69656e74 00240004 6e0001ff
   80290008 932ff9b1 51263b36 00060009 6576746a 3a683676 59202020 00080014 9aeaa70c bfd8cb56 781ef2b5 b2d3f249
   c1b571a2 80280004 e57a3bcf`,
  `0101003c 2112a442 b7e7a701 bc34d686 fa87dfae 8022000b 74657374 20766563 746f7220 00200008 0001a147 e112a643
   00080014 2b91f599 fd9e90c3 8c7489f9 2af9ba53 f06be7d7 80280004 c07d4c96`,
  `00010018 2112a442 00000000 00000000 00000001 802a0008 00000000 00000001 00250000 00060003 613a6200`,
  '00110000 2112a442 000000000000000000000002',
].map(bytes);

/** The simple parser: RFC 8489, sections 5 and 14, implemented as simply as possible. */
function plainly(packet: Uint8Array) {
  const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength);
  const { byteLength: size } = packet;
  if (size < 20 || size % 4 !== 0 || (packet[0] ?? 255) > 3) return null;
  if (view.getUint16(2) !== size - 20 || view.getUint32(4) !== 0x2112a442) return null;
  const type = view.getUint16(0).toString(2).padStart(14, '0');
  const methodBits = type.slice(0, 5) + type.slice(6, 9) + type.slice(10);
  const attributes: [type: number, value: Uint8Array][] = [];
  for (let at = 20; at < size;) {
    const length = view.getUint16(at + 2);
    if (at + 4 + length > size) return null;
    attributes.push([view.getUint16(at), packet.slice(at + 4, at + 4 + length)]);
    at += 4 + Math.ceil(length / 4) * 4;
  }
  // Attributes after MESSAGE-INTEGRITY are ignored (RFC 8489, section 14.5).
  const seal = attributes.findIndex(([each]) => each === 0x0008 || each === 0x001c);
  const read = seal < 0 ? attributes : attributes.slice(0, seal);
  const last = (wanted: readonly number[]) => read.findLast(([each]) => wanted.includes(each));
  const username = last([0x0006]);
  const role = last([0x8029, 0x802a]);
  return {
    class: ['request', 'indication', 'success', 'error'][parseInt(`${type[5] ?? ''}${type[9] ?? ''}`, 2)],
    method: parseInt(methodBits, 2),
    transactionId: String.fromCharCode(...packet.slice(8, 20)),
    username:
      username === undefined ? null : new TextDecoder('utf-8', { ignoreBOM: true }).decode(username[1]),
    role: role === undefined ? null : role[0] === 0x802a ? 'controlling' : 'controlled',
    useCandidate: last([0x0025]) !== undefined,
  };
}

/** Puts the packet into the middle of a buffer whose other bytes are all `filling`. */
function within(packet: Uint8Array, filling: number): Buffer {
  const buffer = Buffer.alloc(packet.length + 64, filling);
  buffer.set(packet, 32);
  return buffer.subarray(32, 32 + packet.length);
}

export default {
  name: 'stun',
  seeds: SEEDS,
  words: ['evtj:h6vY', ':'],
  run(input) {
    // Usually corrects the length field: with a wrong length the parser would never reach the attributes.
    const packet = input.slice(0, input.length - (input.length % 4));
    if (packet.length >= 20 && input.length % 3 > 0)
      new DataView(packet.buffer).setUint16(2, packet.length - 20);
    const message = parseStun(within(packet, 0));
    check(same(message, parseStun(within(packet, 0xff))), () => 'bytes around the packet count');
    const plain = plainly(packet);
    check((message === null) === (plain === null), () => 'one reader takes it, the other does not');
    if (message === null || plain === null) return;
    for (const [field, value] of Object.entries(plain)) {
      const read: unknown = message[field as keyof typeof message];
      check(same(read, value), () => `${field}: read ${String(read)}, it is ${String(value)}`);
    }
    const found = checkOf(message);
    if (found !== null)
      check(`${found.to}:${found.from}` === message.username, () => 'fragments of no user name');
  },
} satisfies FuzzTarget;
