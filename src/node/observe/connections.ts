/** Finds who talks to whom, by the user name fragments of ICE (RFC 8839, section 5.4). */
import type { CallRecord, ConnectionRecord, EndpointRecord } from './record.js';

const meet = (some: readonly string[], others: readonly string[]): boolean =>
  some.some((one) => others.includes(one));

/** Whether each is the far side of the other. */
const areMates = (a: EndpointRecord, b: EndpointRecord): boolean =>
  a !== b && meet(a.localUfrags, b.remoteUfrags) && meet(b.localUfrags, a.remoteUfrags);

const wasConnected = (endpoint: EndpointRecord): boolean =>
  endpoint.states.some(({ state }) => state === 'connected');

function connectionOf({ connections }: CallRecord, { id }: EndpointRecord): ConnectionRecord | undefined {
  return connections.find(({ offerer, answerer }) => offerer === id || answerer === id);
}

/** The endpoint at the other end, if that is under test. */
export function mateOf(record: CallRecord, endpoint: EndpointRecord): EndpointRecord | undefined {
  const connection = connectionOf(record, endpoint);
  if (connection === undefined) return undefined;
  const { offerer, answerer } = connection;
  const id = offerer === endpoint.id ? answerer : offerer;
  return id === null ? undefined : record.endpoints[id];
}

function place(connection: ConnectionRecord, endpoint: EndpointRecord): void {
  const answers = endpoint.role === 'answerer' || (endpoint.role === null && connection.offerer !== null);
  if (answers) connection.answerer = endpoint.id;
  else connection.offerer = endpoint.id;
}

/** Brings the connections up to date with what is known of an endpoint. */
export function join(record: CallRecord, endpoint: EndpointRecord): void {
  const { connections, endpoints } = record;
  const existing = connectionOf(record, endpoint);
  if (existing !== undefined && existing.offerer !== null && existing.answerer !== null) return;
  const mate = endpoints.find((each) => areMates(endpoint, each));
  if (mate === undefined) {
    // A far side that is not under test, as far as one knows.
    if (existing === undefined && wasConnected(endpoint)) connections.push(newConnection(record, endpoint));
    return;
  }
  const shared = existing ?? connectionOf(record, mate) ?? newConnection(record, endpoint);
  if (!connections.includes(shared)) connections.push(shared);
  const lonely = connections.findIndex(
    (each) => each !== shared && (each.offerer === mate.id || each.answerer === mate.id),
  );
  if (lonely >= 0) connections.splice(lonely, 1);
  for (const each of [endpoint, mate]) if (connectionOf(record, each) !== shared) place(shared, each);
}

function newConnection(record: CallRecord, endpoint: EndpointRecord): ConnectionRecord {
  const id = record.connections.reduce((most, each) => Math.max(most, each.id + 1), 0);
  const connection: ConnectionRecord = { id, offerer: null, answerer: null, flows: [] };
  place(connection, endpoint);
  return connection;
}

/** Tells each connection which flows of the link are its. */
export function assignFlows(record: CallRecord): void {
  for (const { flow, offererUfrag, answererUfrag } of record.link?.flows ?? []) {
    const owner = record.connections.find((connection) =>
      [connection.offerer, connection.answerer].some((id) => {
        const endpoint = id === null ? undefined : record.endpoints[id];
        const known = [...(endpoint?.localUfrags ?? []), ...(endpoint?.remoteUfrags ?? [])];
        return known.includes(offererUfrag) && known.includes(answererUfrag);
      }),
    );
    if (owner !== undefined && !owner.flows.includes(flow)) owner.flows.push(flow);
  }
}
