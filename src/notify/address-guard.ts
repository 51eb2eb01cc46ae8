// Decides which addresses may be reached by requests that users cause, such as webhooks. A name proves nothing: the address that the socket
// connects to counts, so the guard is called by the lookup of that very connection.

import { BlockList, isIP } from 'node:net';

export interface AddressGuard {
  /** The setting that permits more. */
  readonly setting: string;
  readonly permits: (address: string) => boolean;
}

// One row per network that is not public, or that machines are configured through.
const refusedIpv4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Azure's internal endpoint, which lies among public addresses.
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Everything else is loopback, link-local, unique-local, multicast, or unassigned. */
const globalIpv6 = ['2000::', 3] as const;

const refusedIpv6: readonly (readonly [network: string, prefix: number])[] = [
  // Protocols whose addresses embed other addresses, such as Teredo.
  ['2001::', 23],
  ['2001:db8::', 32],
  // 6to4, which embeds any IPv4 address.
  ['2002::', 16],
  ['3fff::', 20],
];

/**
 * @example openAddressGuard([]).permits('169.254.169.254') // false
 * @example openAddressGuard(['10.1.0.0/16']).permits('::ffff:10.1.2.3') // true
 */
export function openAddressGuard(
  allowedNetworks: readonly string[],
  setting = 'WEBHOOK_ALLOWED_NETWORKS',
): AddressGuard {
  const allowed = new BlockList();
  for (const network of allowedNetworks) addNetwork(allowed, network);
  const refused = new BlockList();
  for (const [network, prefix] of refusedIpv4) refused.addSubnet(network, prefix, 'ipv4');
  for (const [network, prefix] of refusedIpv6) refused.addSubnet(network, prefix, 'ipv6');
  const global = new BlockList();
  global.addSubnet(globalIpv6[0], globalIpv6[1], 'ipv6');

  const permitsIpv4 = (address: string) =>
    allowed.check(address, 'ipv4') || !refused.check(address, 'ipv4');

  return {
    setting,
    permits: (address) => {
      if (isIP(address) === 4) return permitsIpv4(address);
      if (isIP(address) !== 6 || address.includes('%')) return false;
      const within = ipv4Within(address);
      if (within !== null) return permitsIpv4(within);
      if (allowed.check(address, 'ipv6')) return true;
      return global.check(address, 'ipv6') && !refused.check(address, 'ipv6');
    },
  };
}

/**
 * The address that a URL names without a lookup, if the guard refuses it.
 *
 * @example refusedAddressOf(guard, 'http://[::1]/hook') // '::1'
 */
export function refusedAddressOf(guard: AddressGuard, url: string): string | null {
  const { hostname } = new URL(url);
  // Resolvers answer these names with the loopback address, whatever DNS says.
  const isHere = hostname === 'localhost' || hostname.endsWith('.localhost');
  const address = isHere ? '127.0.0.1' : hostname.replace(/^\[|\]$/g, '');
  return isIP(address) === 0 || guard.permits(address) ? null : address;
}

function addNetwork(list: BlockList, network: string): void {
  const [address = '', prefix] = network.split('/');
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  list.addSubnet(address, Number(prefix ?? (family === 'ipv6' ? 128 : 32)), family);
}

/** The prefixes that embed an IPv4 address: mapped ones, and NAT64's. */
const carriers: readonly (readonly number[])[] = [
  [0, 0, 0, 0, 0, 0xffff],
  [0x64, 0xff9b, 0, 0, 0, 0],
];

function ipv4Within(address: string): string | null {
  const groups = groupsOf(address);
  const carries = carriers.some((carrier) => carrier.every((group, i) => groups[i] === group));
  if (!carries) return null;
  const [high = 0, low = 0] = groups.slice(6);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The eight groups of an IPv6 address, in any spelling. */
function groupsOf(address: string): readonly number[] {
  // The URL parser normalizes addresses: hexadecimal, with the longest run of zeros as `::`.
  const spelt = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [before = '', after] = spelt.split('::');
  const head = parseGroups(before);
  const tail = parseGroups(after ?? '');
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => 0);
  return [...head, ...(after === undefined ? [] : zeros), ...tail];
}

function parseGroups(text: string): readonly number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}
