/** The shaper: real packets through the core's links. */
export { Shaper, startShaper, type ShaperOptions } from './shaper.js';
export { openShaperLink, type ShaperLinkOptions } from './shaper_link.js';
export type { ControlledLink, LinkChange, PathControl, ShaperLink } from './controlled_link.js';
export { openDevtoolsLink, type DevtoolsLink, type DevtoolsLinkOptions } from './devtools/devtools_link.js';
export { NETWORKS, type Network, type NetworkName } from '../link/networks.js';
export {
  parseLinkSettings,
  type Capacity,
  type DirectionSettings,
  type LinkSettings,
} from '../link/settings.js';
export { ShaperError } from './udp.js';
