/** Encrypts secrets for the database; see docs/decisions/secrets-at-rest.md. */
export interface SecretCipher {
  /** The id of the key that encrypts; the beginning of every text that it encrypts. */
  readonly keyId: string;
  /** The ids of all keys that decrypt. */
  readonly keyIds: readonly string[];
  /** The place, such as the id of a row, is needed to decrypt: a text cannot be moved elsewhere. */
  readonly encrypt: (text: string, place: string) => string;
  /** Null without the key, and for a text that was changed or moved. */
  readonly decrypt: (encrypted: string, place: string) => string | null;
}

/** @example keyIdOf('3f9a04c1d2e5b678:q83v...') // '3f9a04c1d2e5b678' */
export function keyIdOf(encrypted: string): string {
  return encrypted.slice(0, encrypted.indexOf(':'));
}
