/** Finds which endpoints talk to each other, by their ICE username fragments (RFC 8839, section 5.4). */
import type { CallRecord, ConnectionRecord, EndpointRecord, RelayFlow } from './record.js';

const meet = (some: readonly string[], others: readonly string[]): boolean =>
  some.some((one) => others.includes(one));

/** Whether two endpoints are each other's far side. */
const areMates = (a: EndpointRecord, b: EndpointRecord): boolean =>
  a !== b && meet(a.localUfrags, b.remoteUfrags) && meet(b.localUfrags, a.remoteUfrags);

const wasConnected = (endpoint: EndpointRecord): boolean =>
  endpoint.states.some(({ state }) => state === 'connected');

/** Indexes of a record, so that the work for one connection does not grow with the number of connections. */
interface Index {
  /** Endpoints, by the username fragments that they have used. */
  byLocalUfrag: Map<string, EndpointRecord[]>;
  /** Connections by the ids of their endpoints. */
  connections: Map<number, ConnectionRecord>;
  nextConnection: number;
  /** Flows of the link that do not belong to a connection yet. */
  loose: RelayFlow[];
  /** How many of the link's flows have been examined. */
  flowsSeen: number;
}

const indices = new WeakMap<CallRecord, Index>();

const idsOf = ({ offerer, answerer }: ConnectionRecord): number[] =>
  [offerer, answerer].filter((id) => id !== null);

function indexOf(record: CallRecord): Index {
  const known = indices.get(record);
  if (known !== undefined) return known;
  const index: Index = {
    byLocalUfrag: new Map(),
    connections: new Map(record.connections.flatMap((each) => idsOf(each).map((id) => [id, each]))),
    nextConnection: record.connections.length,
    loose: [],
    flowsSeen: 0,
  };
  indices.set(record, index);
  return index;
}

/** Adds the endpoint's new username fragments to the index. */
function note({ byLocalUfrag }: Index, endpoint: EndpointRecord): void {
  for (const ufrag of endpoint.localUfrags) {
    const have = byLocalUfrag.get(ufrag) ?? [];
    if (!have.includes(endpoint)) byLocalUfrag.set(ufrag, [...have, endpoint]);
  }
}

/** The first endpoint in the record that has used one of these fragments and satisfies `fits`. */
function firstOf(
  { byLocalUfrag }: Index,
  ufrags: readonly string[],
  fits: (endpoint: EndpointRecord) => boolean,
): EndpointRecord | undefined {
  const found = ufrags.flatMap((ufrag) => byLocalUfrag.get(ufrag) ?? []).filter(fits);
  return found.sort((a, b) => a.id - b.id)[0];
}

/** The connection of the endpoint with this id; undefined if it has none yet. */
export const connectionOf = (record: CallRecord, endpoint: number): ConnectionRecord | undefined =>
  indexOf(record).connections.get(endpoint);

/** The endpoint at the other end of the connection of the endpoint with this id, if the record contains it. */
export function mateOf(record: CallRecord, endpoint: number): EndpointRecord | undefined {
  const connection = connectionOf(record, endpoint);
  const id = connection?.offerer === endpoint ? connection.answerer : connection?.offerer;
  return record.endpoints[id ?? NaN];
}

/**
 * Decides which of two endpoints that talk to each other is the offerer. If both sent an offer at once (RFC
 * 3264, section 4), the decision may be wrong. `assign` later corrects a wrong decision, since the relay's
 * flows name the offerer.
 */
function seat(connection: ConnectionRecord, a: EndpointRecord, b: EndpointRecord): void {
  const [first, second] = a.id < b.id ? [a, b] : [b, a];
  const secondOffered = second.role === 'offerer' && first.role !== 'offerer';
  const [offerer, answerer] = secondOffered || first.role === 'answerer' ? [second, first] : [first, second];
  connection.offerer = offerer.id;
  connection.answerer = answerer.id;
}

/** Updates the record's connections after an endpoint has new ICE username fragments or states. */
export function join(record: CallRecord, endpoint: EndpointRecord): void {
  const index = indexOf(record);
  note(index, endpoint);
  const existing = index.connections.get(endpoint.id);
  if (existing !== undefined && existing.offerer !== null && existing.answerer !== null) return;
  const mate = firstOf(index, endpoint.remoteUfrags, (each) => areMates(endpoint, each));
  if (mate === undefined) {
    // No endpoint with the far side's username fragments is known, so the far side is not under test.
    if (existing === undefined && wasConnected(endpoint)) addConnection(record, index, endpoint);
    return;
  }
  const shared = existing ?? index.connections.get(mate.id) ?? addConnection(record, index, endpoint);
  const lonely = index.connections.get(mate.id);
  if (lonely !== undefined && lonely !== shared) remove(record, index, lonely);
  seat(shared, endpoint, mate);
  for (const { id } of [endpoint, mate]) index.connections.set(id, shared);
}

function addConnection(record: CallRecord, index: Index, endpoint: EndpointRecord): ConnectionRecord {
  const connection = { id: index.nextConnection++, offerer: endpoint.id, answerer: null, flows: [] };
  record.connections.push(connection);
  index.connections.set(endpoint.id, connection);
  return connection;
}

/** Removes a connection that has only one endpoint. Its flows are assigned again later. */
function remove({ connections, link }: CallRecord, index: Index, lonely: ConnectionRecord): void {
  connections.splice(connections.indexOf(lonely), 1);
  const flows = new Set(lonely.flows);
  index.loose.push(...(link?.flows ?? []).filter(({ flow }) => flows.has(flow)));
}

/**
 * Whether a flow belongs to an endpoint: one fragment of the flow is the endpoint's own, and the other is its far
 * side's.
 */
const hasFlow = (
  { localUfrags, remoteUfrags }: EndpointRecord,
  { offererUfrag, answererUfrag }: RelayFlow,
): boolean =>
  (localUfrags.includes(offererUfrag) && remoteUfrags.includes(answererUfrag)) ||
  (localUfrags.includes(answererUfrag) && remoteUfrags.includes(offererUfrag));

/**
 * Assigns the link's flows to their connections. The first flow of a connection also decides which endpoint
 * counts as its offerer.
 */
export function assignFlows(record: CallRecord): void {
  const index = indexOf(record);
  const flows = record.link?.flows ?? [];
  index.loose.push(...flows.slice(index.flowsSeen));
  index.flowsSeen = flows.length;
  index.loose = index.loose.filter((flow) => !assign(index, flow));
}

/** Assigns a flow to its connection; false if the connection is not known yet. */
function assign(index: Index, flow: RelayFlow): boolean {
  const endpoint = firstOf(index, [flow.offererUfrag, flow.answererUfrag], (each) => hasFlow(each, flow));
  const owner = endpoint && index.connections.get(endpoint.id);
  if (endpoint === undefined || owner === undefined) return false;
  if (owner.flows.includes(flow.flow)) return true;
  const offered = endpoint.localUfrags.includes(flow.offererUfrag);
  const isSeatedWell = (offered ? owner.offerer : owner.answerer) === endpoint.id;
  if (owner.flows.length === 0 && !isSeatedWell)
    [owner.offerer, owner.answerer] = [owner.answerer, owner.offerer];
  owner.flows.push(flow.flow);
  return true;
}
