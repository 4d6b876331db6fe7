/**
 * The networks that the page's buttons select. Each network defines every link setting, so that no setting of the
 * previous network remains. Some networks use the upload settings of a named network of the test kit (`network:
 * 'lte'` in `ccscope/playwright`).
 */
import { LINK_FIELDS } from '../link/fields.js';
import { NETWORKS, type NetworkName } from '../link/networks.js';
import { URL_KEYS, USUAL_IN_URL, type LinkInUrl } from '../link/url.js';

/** The seed is not part of a network. */
type NetworkLink = Omit<LinkInUrl, 'seed'>;

export interface NetworkButton {
  name: string;
  /** A description of the network, and the source of its values. */
  about: string;
  link: NetworkLink;
}

const { seed: _, ...USUAL } = USUAL_IN_URL;

/** The settings of the upload direction in a network of the test kit. */
function uploadOf(name: NetworkName): NetworkLink {
  const { forward, rtt } = NETWORKS[name];
  const values: Record<string, unknown> = {
    ...forward,
    rtt,
    capacity: `${Number(forward.capacity) / 1e6}mbps`,
  };
  const link = URL_KEYS.filter((key) => key !== 'seed').map((key) => {
    const { url, setting } = LINK_FIELDS[key];
    return [url, values[setting]];
  });
  return Object.fromEntries(link) as NetworkLink;
}

export const NETWORK_BUTTONS: readonly NetworkButton[] = [
  { name: 'LTE', about: `12 Mbps and 70 ms (${NETWORKS.lte.source})`, link: uploadOf('lte') },
  {
    name: 'Café Wi-Fi',
    // The outages are those of the test kit's `wifi`. The losses, the RTT, and an access link of only 2 Mbps
    // are our choice for a crowded café.
    about: `2 Mbps with outages of 20 ms behind 100 ms (gcc-packet-grouping-2016), and 1 % loss in runs of 3`,
    link: { ...uploadOf('wifi'), capacity: '2mbps', rtt_ms: 40, loss: 0.01, burst_loss: 3 },
  },
  {
    name: 'Bufferbloat',
    // Gettys and Nichols, "Bufferbloat: Dark Buffers in the Internet" (2012), describe a home's uplink whose buffer
    // holds seconds of traffic. A single upload fills that buffer, so this network includes an upload.
    about: '1 Mbps, a queue of 2 s, and a TCP connection that fills it (Gettys and Nichols 2012)',
    link: { ...USUAL, queue: 'droptail:2000ms', cross_traffic: 'cubic:1' },
  },
  {
    name: 'Sudden fall',
    // RFC 8867, 5.1: from 2.5 to 0.6 Mbps, then 1 Mbps, each for 20 s; the first 40 s of the RFC's schedule are left
    // out.
    about: 'From 2.5 to 0.6 Mbps after 20 s, and to 1 Mbps after 40 s (RFC 8867, section 5.1)',
    link: { ...USUAL, capacity: '2.5mbps,0.6mbps@20s,1mbps@40s', rtt_ms: 100, jitter_ms: 10 },
  },
];

/** The settings that Reset restores. */
export const USUAL_NETWORK: NetworkLink = USUAL;

/** Whether the link settings `now` equal those of the network `link`. */
export const isOnNetwork = (now: LinkInUrl, link: NetworkLink): boolean =>
  Object.entries(link).every(([key, value]) => now[key as keyof LinkInUrl] === value);
