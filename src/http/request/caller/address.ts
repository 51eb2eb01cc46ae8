// Where a request comes from. Behind a proxy the socket says the proxy's address, and the proxy says
// the caller's: it is believed only where a setting names it, since anybody can send the header.

import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

export type AddressOf = (request: Pick<IncomingMessage, 'socket' | 'headers'>) => string;

/** More proxies in a row than this are a mistake, or somebody trying something. */
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
    // Each proxy adds who asked it at the end: the last one that is no proxy of ours is the caller.
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
 * Whom an address is counted with: who has one of IPv6 has at least 2^64 of them.
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

/** A socket that takes both families says an IPv4 address in IPv6's words. */
function plain(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}
