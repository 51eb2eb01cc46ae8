// Finds the address that a request comes from. Behind a proxy the socket has the proxy's address,
// and the proxy's header names the caller. Anyone can send that header, so it is trusted only from
// the proxies in the settings.

import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

export type AddressOf = (request: Pick<IncomingMessage, 'socket' | 'headers'>) => string;

/** More proxies in a row than this are a mistake or an attack. */
const maxHops = 20;

/** @example createAddressOf(['10.0.0.0/8'])(request) // '203.0.113.7' */
export function createAddressOf(trustedProxies: readonly string[]): AddressOf {
  const trusted = new BlockList();
  for (const network of trustedProxies) addNetwork(trusted, network);
  const isTrusted = (address: string) =>
    trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  return ({ socket, headers }) => {
    let address = plain(socket.remoteAddress ?? 'unknown');
    const forwarded = headers['x-forwarded-for'];
    const hops = String(forwarded ?? '').split(',');
    // Each proxy appends the address that it was called from, so the last one that is not a trusted
    // proxy is the caller.
    for (const hop of hops.reverse().slice(0, maxHops)) {
      if (isIP(address) === 0 || !isTrusted(address)) break;
      const next = plain(hop.trim());
      if (isIP(next) === 0) break;
      address = next;
    }
    return address;
  };
}

/**
 * The network that an address is counted with, because an IPv6 customer has at least 2^64
 * addresses.
 *
 * @example networkOf('2001:db8:1:2::77') // '2001:db8:1:2::/64'
 */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [before = '', after] = address.split('::');
  const groups = before === '' ? [] : before.split(':');
  const ending = after === undefined || after === '' ? [] : after.split(':');
  const absent = after === undefined ? 0 : 8 - groups.length - ending.length;
  const all = [...groups, ...Array<string>(Math.max(0, absent)).fill('0'), ...ending];
  const network = all.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}

function addNetwork(list: BlockList, text: string): void {
  const [address = '', prefix] = text.split('/');
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (prefix === undefined) list.addAddress(address, family);
  else list.addSubnet(address, Number(prefix), family);
}

/** A dual-stack socket writes an IPv4 address in IPv6 form. */
function plain(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}
