/**
 * The names and addresses under which clients reach the local server. A page of another site may make its own
 * name resolve to this machine (DNS rebinding). So the server only answers a request whose Host is one of the
 * server's names. If other machines can reach the server, the Host may also be any IP address: a literal IP
 * address cannot be rebound, unlike a name that merely looks like an IP address.
 */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

const WILDCARDS: readonly string[] = ['0.0.0.0', '::'];

/**
 * Whether a name or an address can be reached only from this machine. Also true for an IPv4 loopback address that
 * is mapped into IPv6.
 */
export function isLoopback(name: string): boolean {
  const family = isIP(name);
  return family === 0 ? name === 'localhost' : loopback.check(name, family === 4 ? 'ipv4' : 'ipv6');
}

/** The name in a Host header, in lower case, without port and brackets. Null if the header is malformed. */
function nameOf(header: string): string | null {
  const [, bracketed, plain] = /^(?:\[([\da-f:.]+)\]|([^\s:@/?#[\]\\]+))(?::\d{1,5})?$/i.exec(header) ?? [];
  if (bracketed !== undefined) return isIP(bracketed) === 6 ? bracketed.toLowerCase() : null;
  return plain?.toLowerCase() ?? null;
}

function isOurName(name: string, host: string): boolean {
  if (isLoopback(name) || name === host.toLowerCase()) return true;
  if (isLoopback(host)) return false;
  // Accepts the machine's own name, and any IP address: a router may forward requests that were sent to the
  // router's address.
  const machine = hostname().toLowerCase();
  return isIP(name) !== 0 || name === machine || name === `${machine}.local`;
}

/** The target of a request: the path, and the Host with which the client addressed the server. */
export interface Target {
  /** The unchanged Host header. */
  host: string;
  /** The path without the query. It begins with a slash, and is not percent-decoded. */
  path: string;
}

/** Why a request is refused. */
export interface NoTarget {
  status: 400 | 403;
  message: string;
}

/** Reads the Host header and the request line (RFC 9112, sections 3.2 and 3.3). Never throws. */
export function targetOf({ rawHeaders, url = '' }: IncomingMessage, host: string): Target | NoTarget {
  const hosts = rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === 'host');
  const [header] = hosts;
  const name = header === undefined ? null : nameOf(header);
  if (header === undefined || name === null || hosts.length > 1)
    return { status: 400, message: 'expected one Host header with a name or an address' };
  if (!isOurName(name, host))
    return {
      status: 403,
      message: 'this server answers only at its own address; open the address that it printed',
    };
  // The request line may contain an absolute URL, as for proxies. Its authority must then equal the Host.
  const origin = `http://${header}`;
  const target = url.startsWith(`${origin}/`) ? url.slice(origin.length) : url;
  if (!target.startsWith('/')) return { status: 400, message: 'expected a path that begins with a slash' };
  return { host: header, path: target.split(/[?#]/, 1)[0] ?? '/' };
}

/** Whether a request comes from a page of this server, or from a program other than a browser. */
export function isOurOrigin(origin: string | undefined, { host }: Target): boolean {
  return origin === undefined || origin === `http://${host.toLowerCase()}`;
}

/**
 * The IPv4 address that relays bind to. If `host` is an IPv4 address, the result is `host` itself. For any
 * other loopback `host`, it is 127.0.0.1, and for all other hosts 0.0.0.0 (all addresses).
 */
export function bindAddress(host: string): string {
  if (isIP(host) === 4) return host;
  return isLoopback(host) ? '127.0.0.1' : '0.0.0.0';
}

/**
 * The address to which peers send: usually the address that relays bind to. If relays bind to all addresses,
 * the result is `localAddress`, the address at which the client reached the server. But if `localAddress` is
 * a loopback address or not an IPv4 address, the result is the IPv4 address of a network interface, or
 * 127.0.0.1 if there is none.
 */
export function announcedAddress(host: string, localAddress: string | undefined): string {
  const bound = bindAddress(host);
  if (!WILDCARDS.includes(bound)) return bound;
  const local = (localAddress ?? '').replace(/^::ffff:/, '');
  if (isIP(local) === 4 && !isLoopback(local)) return local;
  return networkAddresses()[0] ?? '127.0.0.1';
}

/** The IPv4 addresses of this machine's network interfaces, without loopback. */
function networkAddresses(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address);
}

/** The addresses at which other machines reach a server that listens on `host`; empty if none can. */
export function addressesForOthers(host: string): string[] {
  if (WILDCARDS.includes(host)) return networkAddresses();
  return isLoopback(host) ? [] : [urlHost(host)];
}

/** The host part of the URL of a server that listens on `host`. */
export function urlHost(host: string): string {
  if (WILDCARDS.includes(host) || host === 'localhost') return '127.0.0.1';
  return isIP(host) === 6 ? `[${host}]` : host;
}
