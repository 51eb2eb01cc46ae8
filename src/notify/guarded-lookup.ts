// The lookup of a connection that may only reach addresses that a guard permits.

import { lookup as lookUp } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import type { AddressGuard } from './address-guard.ts';

export interface Address {
  readonly address: string;
  readonly family: number;
}

export type Resolve = (hostname: string) => Promise<readonly Address[]>;

const bySystem: Resolve = (hostname) => lookUp(hostname, { all: true });

/** A literal address is never looked up, so it is checked here. */
export function checkLiteral(guard: AddressGuard, { hostname }: URL): void {
  const isLiteral = hostname.startsWith('[') || /^[\d.]+$/.test(hostname);
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isLiteral && !guard.permits(address)) throw new RefusedAddress(address, guard);
}

class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';

  constructor(address: string, { setting }: AddressGuard) {
    super(
      `${address} is a private or special address. To allow it, add its network to ${setting}.`,
    );
  }
}

/** The socket connects to exactly this result: there is no second lookup. */
export function guardedLookup(guard: AddressGuard, resolve: Resolve = bySystem): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (found) => {
        const permitted = found.filter(({ address }) => guard.permits(address));
        const [first] = permitted;
        if (first === undefined) {
          const error = new RefusedAddress(found[0]?.address ?? hostname, guard);
          callback(error, '', 0);
        } else if (options.all) {
          callback(
            null,
            permitted.map(({ address, family }) => ({ address, family })),
          );
        } else {
          callback(null, first.address, first.family);
        }
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };
}
