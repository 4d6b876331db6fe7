// Connectivity checks as ICE agents send them (RFC 8445, 7.2.2; RFC 8489, 5). Each agent's password is derived from
// its username fragment, so that the scripted agents of a test can verify each other's messages.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

const COOKIE = 0x2112a442;
const USERNAME = 0x0006;
const MESSAGE_INTEGRITY = 0x0008;
const ERROR_CODE = 0x0009;
const USE_CANDIDATE = 0x0025;
const FINGERPRINT = 0x8028;
const ICE_CONTROLLED = 0x8029;
const ICE_CONTROLLING = 0x802a;

let transactions = 0;

function attribute(type, value) {
  const padded = Buffer.alloc(4 + Math.ceil(value.length / 4) * 4);
  padded.writeUInt16BE(type, 0);
  padded.writeUInt16BE(value.length, 2);
  value.copy(padded, 4);
  return padded;
}

const passwordOf = (ufrag) => `the password of ${ufrag}`;

/** A copy of the message so far. Its length field already counts the next attribute, which has `bytes` bytes. */
function sealed(head, bytes) {
  const covered = Buffer.from(head);
  covered.writeUInt16BE(head.length - 20 + bytes, 2);
  return covered;
}

const integrityOf = (head, password) => createHmac('sha1', password).update(sealed(head, 24)).digest();

function withFingerprint(head) {
  const value = Buffer.alloc(4);
  value.writeUInt32BE((crc32(sealed(head, 8)) ^ 0x5354554e) >>> 0);
  return Buffer.concat([sealed(head, 8), attribute(FINGERPRINT, value)]);
}

/** A message with its fingerprint (RFC 8489, 14.7) and, if there is a password, its integrity attribute (14.5). */
function message(type, transaction, attributes, password) {
  const header = Buffer.alloc(8);
  header.writeUInt16BE(type, 0);
  header.writeUInt32BE(COOKIE, 4);
  const head = Buffer.concat([header, transaction, ...attributes]);
  if (password === null) return withFingerprint(head);
  const integrity = attribute(MESSAGE_INTEGRITY, integrityOf(head, password));
  return withFingerprint(Buffer.concat([sealed(head, 24), integrity]));
}

/**
 * Whether a message's integrity attribute was made with the password of this agent. An agent is identified by its
 * username fragment.
 */
export function isAuthentic(packet, ufrag) {
  for (let at = 20; at + 24 <= packet.length; at += 4 + Math.ceil(packet.readUInt16BE(at + 2) / 4) * 4) {
    if (packet.readUInt16BE(at) !== MESSAGE_INTEGRITY) continue;
    const own = integrityOf(packet.subarray(0, at), passwordOf(ufrag));
    return timingSafeEqual(own, packet.subarray(at + 4, at + 24));
  }
  return false;
}

/** A binding request from the agent whose username fragment is `from`. */
export function bindingRequest(from, { to, role, nominate = false, knownTo = to }) {
  const transaction = Buffer.alloc(12);
  transaction.write(from.slice(0, 8));
  transaction.writeUInt32BE(++transactions, 8);
  const attributes = [
    attribute(USERNAME, Buffer.from(`${to}:${from}`)),
    attribute(role === 'controlling' ? ICE_CONTROLLING : ICE_CONTROLLED, Buffer.alloc(8, 1)),
    ...(nominate ? [attribute(USE_CANDIDATE, Buffer.alloc(0))] : []),
  ];
  return message(0x0001, transaction, attributes, passwordOf(knownTo));
}

/** The answer to a binding request, from the agent with this username fragment. */
export const bindingSuccess = (request, ufrag) =>
  message(0x0101, request.subarray(8, 20), [], passwordOf(ufrag));

/** The answer to a binding request with a wrong integrity attribute: error 401 (RFC 8489, 9.1.3). */
export const bindingError = (request) =>
  message(0x0111, request.subarray(8, 20), [attribute(ERROR_CODE, Buffer.from([0, 0, 4, 1]))], null);
