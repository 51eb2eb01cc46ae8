// `concordat secrets`: encrypts, decrypts or replaces the secrets of a database that nobody serves.

import type { Config } from '../ops/config/config.ts';
import { withStore } from './with-store.ts';

export const secretActs = ['encrypt', 'decrypt', 'replace'] as const;
type SecretAct = (typeof secretActs)[number];

/** Answers what it did, as a sentence. */
export async function changeSecrets(config: Config, act: SecretAct): Promise<string> {
  return withStore(config, async (store) => {
    switch (act) {
      case 'encrypt': {
        const changed = await store.secrets.encryptAll();
        const missing = await store.secrets.listMissingKeys();
        const rest =
          missing.length === 0
            ? 'Other keys are no longer needed.'
            : `Others need the key ${missing.join(', ')}.`;
        return `Encrypted ${changed} webhooks with the first SECRET_KEY. ${rest}`;
      }
      case 'decrypt':
        return `Decrypted ${await store.secrets.decryptAll()} webhooks. Their secrets are in plain text now.`;
      case 'replace':
        return `Replaced the secrets of ${await store.secrets.replaceUnreadable()} webhooks that could not be decrypted. Set the URL and the secret of each again.`;
      default:
        return act satisfies never;
    }
  });
}
