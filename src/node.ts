/**
 * For Node: the local server with its app, and the UDP shaper by itself.
 *
 * @module ccscope/node
 */
export { ServerError, startServer, type LocalServer, type ServerOptions } from './server/server.js';
export { Shaper, ShaperError, startShaper, type ShaperOptions } from './shaper/shaper.js';
export { linkMetrics, type LinkMetrics, type Percentiles, type StepMetrics } from './calls/metrics.js';
export { ConfigError } from './text/quantities.js';
export { parseLinkConfig, type LinkConfig, type PartialLinkConfig } from './link/link_config.js';
