/**
 * The parts for Node: the local server with its app, and the UDP shaper, which also works without the server.
 *
 * @module ccscope/node
 */
export type {
  DirectionRecord,
  LateSecond,
  LinkChangeRecord,
  LinkRecord,
  PathRecord,
  RelayFlow,
} from './calls/record/record.js';
export type { RecordNotice } from './inject/protocol.js';
export type { LinkKey, LinkValue } from './link/fields.js';
export type { PacketRecord } from './link/packet_log.js';
export type { LatenessMs, LinkRow, QueueRow, RelayAddress } from './link/server_protocol.js';
export type { ServerLimits } from './server/limits.js';
export {
  ServerError,
  startServer,
  type Channel,
  type ChannelSocket,
  type Loan,
  type LocalServer,
  type ServedController,
  type ServerOptions,
} from './server/server.js';
export type { PeersOption, PeerUfrags } from './shaper/relay/peers.js';
export { Shaper, ShaperError, startShaper, type ShaperOptions } from './shaper/shaper.js';
export { linkMetrics, type LinkMetrics, type Percentiles, type StepMetrics } from './calls/metrics.js';
export { ConfigError } from './text/quantities.js';
export { parseLinkConfig, type LinkConfig, type PartialLinkConfig } from './link/link_config.js';
