// The secret of a new key. Only its digest and its first characters are stored.

import { hash, randomBytes } from 'node:crypto';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** 43 digits of base 62 hold 256 bits: 43 * log2(62) is 256.03. */
const keyDigits = 43;

interface NewKey {
  readonly text: string;
  readonly stored: { readonly digest: Uint8Array; readonly prefix: string };
}

export function newKey(): NewKey {
  let rest = BigInt(`0x${randomBytes(32).toString('hex')}`);
  let digits = '';
  for (let i = 0; i < keyDigits; i++) {
    digits = `${base62[Number(rest % 62n)]}${digits}`;
    rest /= 62n;
  }
  const text = `cdt_live_${digits}`;
  return { text, stored: { digest: hash('sha256', text, 'buffer'), prefix: text.slice(0, 12) } };
}
