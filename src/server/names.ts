/**
 * The names and addresses under which the local server is reached. Another site's page may make its own name resolve
 * to this machine (DNS rebinding). A request is therefore answered only if its Host is one of the server's names or,
 * if other machines can reach the server, an IP address. A literal IP address cannot be rebound, unlike a name that
 * merely looks like one.
 */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

const WILDCARDS: readonly string[] = ['0.0.0.0', '::'];

/**
 * Whether a name or an address can only be reached from this machine. An IPv4 loopback address mapped into IPv6
 * counts, too.
 */
export function isLoopback(name: string): boolean {
  const family = isIP(name);
  return family === 0 ? name === 'localhost' : loopback.check(name, family === 4 ? 'ipv4' : 'ipv6');
}

/** The name in a Host header, without port and brackets, in lower case; null if it is malformed. */
function nameOf(header: string): string | null {
  const [, bracketed, plain] = /^(?:\[([\da-f:.]+)\]|([^\s:@/?#[\]\\]+))(?::\d{1,5})?$/i.exec(header) ?? [];
  if (bracketed !== undefined) return isIP(bracketed) === 6 ? bracketed.toLowerCase() : null;
  return plain?.toLowerCase() ?? null;
}

function isOurName(name: string, host: string): boolean {
  if (isLoopback(name) || name === host.toLowerCase()) return true;
  if (isLoopback(host)) return false;
  // Besides the machine's own name, any IP address is accepted. A router may forward requests that were sent to the
  // router's own address.
  const machine = hostname().toLowerCase();
  return isIP(name) !== 0 || name === machine || name === `${machine}.local`;
}

/** The parts of a request's target: the path, and the name by which the client addressed the server. */
export interface Target {
  /** The Host header as it was sent. */
  host: string;
  /** The path without the query; it begins with a slash and is not decoded. */
  path: string;
}

/** The reason for refusing a request. */
export interface NoTarget {
  status: 400 | 403;
  message: string;
}

/** Reads the Host and the request line (RFC 9112, sections 3.2 and 3.3); never throws. */
export function targetOf({ rawHeaders, url = '' }: IncomingMessage, host: string): Target | NoTarget {
  const hosts = rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === 'host');
  const [header] = hosts;
  const name = header === undefined ? null : nameOf(header);
  if (header === undefined || name === null || hosts.length > 1)
    return { status: 400, message: 'expected one Host header with a name or an address' };
  if (!isOurName(name, host))
    return { status: 403, message: 'this server answers to its own address only; open the one it printed' };
  // A request line in absolute form, as clients send it to proxies. Its authority must be the Host's.
  const origin = `http://${header}`;
  const target = url.startsWith(`${origin}/`) ? url.slice(origin.length) : url;
  if (!target.startsWith('/')) return { status: 400, message: 'expected a path that begins with a slash' };
  return { host: header, path: target.split(/[?#]/, 1)[0] ?? '/' };
}

/** Whether a request comes from a page of this server, or from a program that is not a browser. */
export function isOurOrigin(origin: string | undefined, { host }: Target): boolean {
  return origin === undefined || origin === `http://${host.toLowerCase()}`;
}

/**
 * The IPv4 address to which relays bind: `host` itself if it is an IPv4 address. For any other form of the loopback
 * address, 127.0.0.1. For every other host, 0.0.0.0 (all addresses).
 */
export function bindAddress(host: string): string {
  if (isIP(host) === 4) return host;
  return isLoopback(host) ? '127.0.0.1' : '0.0.0.0';
}

/**
 * The address that is announced to the peers of a relay. If relays bind to all addresses, this is `localAddress`, at
 * which the client reached the server. If `localAddress` is a loopback address or no IPv4 address, it is the address of
 * a network interface. So other machines can reach it, too.
 */
export function announcedAddress(host: string, localAddress: string | undefined): string {
  const bound = bindAddress(host);
  if (!WILDCARDS.includes(bound)) return bound;
  const local = (localAddress ?? '').replace(/^::ffff:/, '');
  if (isIP(local) === 4 && !isLoopback(local)) return local;
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';
}

/** The host part of the URL of a server that listens on `host`. */
export function urlHost(host: string): string {
  if (WILDCARDS.includes(host) || host === 'localhost') return '127.0.0.1';
  return isIP(host) === 6 ? `[${host}]` : host;
}
