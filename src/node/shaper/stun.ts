/**
 * What a relay has to know of STUN (RFC 8489) to tell ICE agents apart (RFC 8445, 7.1): whose packet it is,
 * which agent is the controlling one and which pair it nominated. Nothing is verified or changed.
 */

/** 20 bytes: type, length, magic cookie, transaction id (RFC 8489, 5). */
const HEADER_BYTES = 20;
const MAGIC_COOKIE = 0x2112a442;
const BINDING = 1;

const USERNAME = 0x0006;
const USE_CANDIDATE = 0x0025;
const ICE_CONTROLLED = 0x8029;
const ICE_CONTROLLING = 0x802a;

/** By the two class bits of the message type. */
const CLASSES = ['request', 'indication', 'success', 'error'] as const;

export interface StunMessage {
  class: (typeof CLASSES)[number];
  /** 1 is a binding. */
  method: number;
  /** Its 12 bytes as text, to be compared. */
  transactionId: string;
  username: string | null;
  /** The role of who sent it; null where it does not say. */
  role: 'controlling' | 'controlled' | null;
  /** The controlling agent nominates the pair that this request is sent on. */
  useCandidate: boolean;
}

/** The user name fragments of a connectivity check (RFC 8445, 7.2.2). */
export interface Check {
  /** Of who sent it. */
  from: string;
  /** Of whom it is sent to. */
  to: string;
}

/** Null if the packet is no STUN message of RFC 8489: DTLS, RTP or anything else. */
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
  for (let at = HEADER_BYTES; at < packet.length;) {
    const end = at + 4 + packet.readUInt16BE(at + 2);
    if (end > packet.length) return null;
    readAttribute(message, packet.readUInt16BE(at), packet.subarray(at + 4, end));
    // Each attribute is padded to four bytes.
    at = (end + 3) & ~3;
  }
  return message;
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

/** Whose check this is; null for anything else than a connectivity check. */
export function checkOf({ class: kind, method, username }: StunMessage): Check | null {
  if (kind !== 'request' || method !== BINDING || username === null) return null;
  const colon = username.indexOf(':');
  const [to, from] = [username.slice(0, colon), username.slice(colon + 1)];
  return colon > 0 && from !== '' ? { from, to } : null;
}
