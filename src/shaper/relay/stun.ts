/**
 * The part of STUN (RFC 8489) that a relay needs to distinguish ICE agents (RFC 8445, 7.1): who sent a packet, which
 * agent is controlling, and which pair it nominated. The relay does not change messages. It verifies only
 * fingerprints, since it does not know the agents' passwords.
 */
import { crc32 } from 'node:zlib';

/** 20 bytes: type, length, magic cookie, transaction id (RFC 8489, 5). */
const HEADER_BYTES = 20;
const MAGIC_COOKIE = 0x2112a442;
const BINDING = 1;

const USERNAME = 0x0006;
const MESSAGE_INTEGRITY = 0x0008;
const MESSAGE_INTEGRITY_SHA256 = 0x001c;
const USE_CANDIDATE = 0x0025;
const FINGERPRINT = 0x8028;
const ICE_CONTROLLED = 0x8029;
const ICE_CONTROLLING = 0x802a;

/** A fingerprint is the CRC-32 XOR this number (RFC 8489, 14.7). */
const FINGERPRINT_XOR = 0x5354554e;
const FINGERPRINT_BYTES = 8;

/** The classes of messages, indexed by the two class bits of the message type. */
const CLASSES = ['request', 'indication', 'success', 'error'] as const;

export interface StunMessage {
  class: (typeof CLASSES)[number];
  /** The method; 1 is Binding. */
  method: number;
  /** The 12 bytes of the id as a string, for comparison. */
  transactionId: string;
  username: string | null;
  /** The sender's role; null if the message does not state it. */
  role: 'controlling' | 'controlled' | null;
  /** Whether the controlling agent nominates the pair that this request is sent on. */
  useCandidate: boolean;
}

/** The username fragments in a connectivity check (RFC 8445, 7.2.2). */
export interface Check {
  /** The sender's fragment. */
  from: string;
  /** The addressee's fragment. */
  to: string;
}

/** Parses a STUN message (RFC 8489). Returns null for any other packet, such as DTLS or RTP. */
export function parseStun(packet: Buffer): StunMessage | null {
  if (!isStun(packet)) return null;
  const type = packet.readUInt16BE(0);
  const message: StunMessage = {
    class: CLASSES[((type >> 7) & 2) | ((type >> 4) & 1)] ?? 'request',
    method: (type & 0xf) | ((type >> 1) & 0x70) | ((type >> 2) & 0xf80),
    transactionId: packet.toString('latin1', 8, HEADER_BYTES),
    username: null,
    role: null,
    useCandidate: false,
  };
  let isSealed = false;
  for (const { type: attribute, value } of attributesOf(packet)) {
    if (value === null) return null;
    // Attributes after the message integrity are not protected, and agents ignore them (RFC 8489, 14.5).
    if (!isSealed) readAttribute(message, attribute, value);
    isSealed ||= attribute === MESSAGE_INTEGRITY || attribute === MESSAGE_INTEGRITY_SHA256;
  }
  return message;
}

interface Attribute {
  type: number;
  /** Null if the value would extend beyond the packet. */
  value: Buffer | null;
  /** The offset of the attribute in the packet. */
  at: number;
}

function* attributesOf(packet: Buffer): Generator<Attribute> {
  for (let at = HEADER_BYTES; at < packet.length;) {
    const type = packet.readUInt16BE(at);
    const end = at + 4 + packet.readUInt16BE(at + 2);
    if (end > packet.length) {
      yield { type, value: null, at };
      return;
    }
    yield { type, value: packet.subarray(at + 4, end), at };
    // Each attribute is padded to four bytes.
    at = (end + 3) & ~3;
  }
}

/**
 * Checks the FINGERPRINT of a STUN message (RFC 8489, 14.7): it must be the last attribute and match the CRC-32 of
 * everything before it. Null if the packet is not a STUN message, or has no FINGERPRINT.
 */
export function parseFingerprint(packet: Buffer): { isCorrect: boolean } | null {
  if (!isStun(packet)) return null;
  for (const { type, value, at } of attributesOf(packet)) {
    if (type !== FINGERPRINT) continue;
    const isLast = at + FINGERPRINT_BYTES === packet.length && value?.length === 4;
    const expected = (crc32(packet.subarray(0, at)) ^ FINGERPRINT_XOR) >>> 0;
    return { isCorrect: isLast && value.readUInt32BE(0) === expected };
  }
  return null;
}

/**
 * Whether a packet has both attributes that protect a connectivity check: a correct fingerprint, and a message
 * integrity of the right length. Only the addressed agent can verify the value of the message integrity.
 */
export function isProtected(packet: Buffer): boolean {
  if (parseFingerprint(packet)?.isCorrect !== true) return false;
  for (const { type, value } of attributesOf(packet)) {
    if (type === MESSAGE_INTEGRITY && value?.length === 20) return true;
    if (type === MESSAGE_INTEGRITY_SHA256 && value !== null && value.length >= 16) return true;
  }
  return false;
}

function isStun(packet: Buffer): boolean {
  return (
    packet.length >= HEADER_BYTES &&
    packet.length % 4 === 0 &&
    (packet[0] ?? 0xff) < 4 &&
    packet.readUInt16BE(2) === packet.length - HEADER_BYTES &&
    packet.readUInt32BE(4) === MAGIC_COOKIE
  );
}

function readAttribute(message: StunMessage, type: number, value: Buffer): void {
  if (type === USERNAME) message.username = value.toString('utf8');
  if (type === USE_CANDIDATE) message.useCandidate = true;
  if (type === ICE_CONTROLLING) message.role = 'controlling';
  if (type === ICE_CONTROLLED) message.role = 'controlled';
}

/** The sender and the addressee of a connectivity check; null for any other message. */
export function checkOf({ class: kind, method, username }: StunMessage): Check | null {
  if (kind !== 'request' || method !== BINDING || username === null) return null;
  const colon = username.indexOf(':');
  const [to, from] = [username.slice(0, colon), username.slice(colon + 1)];
  return colon > 0 && from !== '' ? { from, to } : null;
}
