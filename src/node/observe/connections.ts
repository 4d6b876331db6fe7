/** Finds who talks to whom, by the user name fragments of ICE (RFC 8839, section 5.4). */
import type { CallRecord, ConnectionRecord, EndpointRecord, RelayFlow } from './record.js';

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

/** Seats two that talk to each other. Where both offered at once (RFC 3264, section 4) roles say little: the relay knows better. */
function seat(connection: ConnectionRecord, a: EndpointRecord, b: EndpointRecord): void {
  const [first, second] = a.id < b.id ? [a, b] : [b, a];
  const secondOffered = second.role === 'offerer' && first.role !== 'offerer';
  const [offerer, answerer] = secondOffered || first.role === 'answerer' ? [second, first] : [first, second];
  connection.offerer = offerer.id;
  connection.answerer = answerer.id;
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
  seat(shared, endpoint, mate);
}

function newConnection(record: CallRecord, endpoint: EndpointRecord): ConnectionRecord {
  const id = record.connections.reduce((most, each) => Math.max(most, each.id + 1), 0);
  const isAnswerer = endpoint.role === 'answerer';
  return {
    id,
    offerer: isAnswerer ? null : endpoint.id,
    answerer: isAnswerer ? endpoint.id : null,
    flows: [],
  };
}

/** Whether both fragments of a flow are an endpoint's, its own and its far side's. */
const hasFlow = ({ localUfrags, remoteUfrags }: EndpointRecord, { offererUfrag, answererUfrag }: RelayFlow) =>
  (localUfrags.includes(offererUfrag) && remoteUfrags.includes(answererUfrag)) ||
  (localUfrags.includes(answererUfrag) && remoteUfrags.includes(offererUfrag));

/** Tells each connection which flows of the link are its; the first one also tells which side offered. */
export function assignFlows(record: CallRecord): void {
  for (const flow of record.link?.flows ?? []) {
    const endpoint = record.endpoints.find((each) => hasFlow(each, flow));
    const owner = endpoint && connectionOf(record, endpoint);
    if (endpoint === undefined || owner === undefined || owner.flows.includes(flow.flow)) continue;
    const offered = endpoint.localUfrags.includes(flow.offererUfrag);
    const isSeatedWell = (offered ? owner.offerer : owner.answerer) === endpoint.id;
    if (owner.flows.length === 0 && !isSeatedWell)
      [owner.offerer, owner.answerer] = [owner.answerer, owner.offerer];
    owner.flows.push(flow.flow);
  }
}
