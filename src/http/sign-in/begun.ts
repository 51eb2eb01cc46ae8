// What the browser keeps while it is at the provider, encrypted: every replica can read it, nobody
// else can, and it ends soon. The answer of the provider counts only together with it, so nobody can
// make a browser finish the sign-in of somebody else.

import type { SecretCipher } from '../../core/secret-cipher.ts';
import type { Begun } from './provider.ts';

/** Long enough to find a second factor. */
export const begunLimitMs = 10 * 60 * 1000;

interface KeptBegun extends Begun {
  readonly provider: string;
  readonly returnTo: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

const place = 'sign-in with a provider';

export function sealBegun(cipher: SecretCipher, begun: KeptBegun): string {
  return Buffer.from(cipher.encrypt(JSON.stringify(begun), place)).toString('base64url');
}

/** Null if it is missing, was changed, or has ended. */
export function openBegun(
  cipher: SecretCipher,
  sealed: string | null,
  nowMs: number,
): KeptBegun | null {
  if (sealed === null) return null;
  const text = cipher.decrypt(Buffer.from(sealed, 'base64url').toString('utf8'), place);
  if (text === null) return null;
  // The cast is safe: only `sealBegun` encrypts for this place.
  const begun = JSON.parse(text) as KeptBegun;
  return nowMs - begun.at < begunLimitMs ? begun : null;
}
