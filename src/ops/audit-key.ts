// The key that authenticates the checkpoints (heads) of the audit trail. It is not in the database,
// so write access to the database is not enough to forge a checkpoint.

import { createHmac } from 'node:crypto';
import type { Authenticator } from '../core/audit/seal.ts';

/** @example auditAuthenticator('a key of 32 characters, or more...').keyId // '5d41402abc4b2a76' */
export function auditAuthenticator(key: string): Authenticator {
  const mac = (text: string) => createHmac('sha256', key).update(text).digest('hex');
  return { mac, keyId: mac('concordat audit key').slice(0, 16) };
}
