// Connectivity checks as ICE agents send them (RFC 8445, 7.2.2; RFC 8489, 5), without their integrity:
// nobody here verifies it.
const COOKIE = 0x2112a442;
const USERNAME = 0x0006;
const USE_CANDIDATE = 0x0025;
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

function message(type, transaction, attributes) {
  const body = Buffer.concat(attributes);
  const header = Buffer.alloc(8);
  header.writeUInt16BE(type, 0);
  header.writeUInt16BE(body.length, 2);
  header.writeUInt32BE(COOKIE, 4);
  return Buffer.concat([header, transaction, body]);
}

/** A binding request from the agent with this user name fragment. */
export function bindingRequest(from, { to, role, nominate = false }) {
  const transaction = Buffer.alloc(12);
  transaction.write(from.slice(0, 8));
  transaction.writeUInt32BE(++transactions, 8);
  return message(0x0001, transaction, [
    attribute(USERNAME, Buffer.from(`${to}:${from}`)),
    attribute(role === 'controlling' ? ICE_CONTROLLING : ICE_CONTROLLED, Buffer.alloc(8, 1)),
    ...(nominate ? [attribute(USE_CANDIDATE, Buffer.alloc(0))] : []),
  ]);
}

/** The answer to a binding request. */
export const bindingSuccess = (request) => message(0x0101, request.subarray(8, 20), []);
