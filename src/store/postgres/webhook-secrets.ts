// The URL and the secret of a webhook in the database: encrypted, or plain without SECRET_KEY.
// docs/decisions/secrets-at-rest.md

import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import { keyIdOf, type SecretCipher } from '../../core/secret-cipher.ts';
import { RegistryUnavailable } from '../../core/unavailable.ts';
import { originOf } from '../../core/webhook.ts';

/** What only deliveries and administrators may know. */
interface Target {
  readonly url: string;
  readonly secret: string;
}

interface StoredTarget extends Target {
  /** Null for a plain row; else `url` is only the origin, and `secret` is empty. */
  readonly encrypted: string | null;
}

/** A secret that is not empty is plain, whatever `encrypted` says: a replica without a key set it. */
export const isPlain = sql.fragment`(webhook.secret <> '' or webhook.encrypted is null)`;

/** `StoredTarget.encrypted` */
export const encryptedTarget = sql.fragment`
  case when not ${isPlain} then webhook.encrypted end`;

/** The address of the user whose own choice it is; else null. */
export const userUrl = sql.fragment`(
  select 'mailto:' || app_user.email from app_user where app_user.id = webhook.user_id)`;

/** Whether this replica can decrypt the row, as far as the id of its key tells. */
export function isReadable(cipher: SecretCipher | null): FragmentSqlToken {
  return sql.fragment`(${isPlain}
    or split_part(webhook.encrypted, ':', 1) = any(${sql.array([...(cipher?.keyIds ?? [])], 'text')}))`;
}

/** As it is stored by a replica with this cipher. */
export function storedTarget(
  cipher: SecretCipher | null,
  webhookId: string,
  { url, secret }: Target,
): StoredTarget {
  if (cipher === null) return { url, secret, encrypted: null };
  const encrypted = cipher.encrypt(JSON.stringify([url, secret]), placeOf(webhookId));
  return { url: originOf(url), secret: '', encrypted };
}

/** Null if it cannot be decrypted. */
export function targetOf(
  cipher: SecretCipher | null,
  webhookId: string,
  { url, secret, encrypted }: StoredTarget,
): Target | null {
  if (encrypted === null) return { url, secret };
  const text = cipher?.decrypt(encrypted, placeOf(webhookId)) ?? null;
  if (text === null) return null;
  const parsed = targetShape.parse(JSON.parse(text));
  return { url: parsed[0], secret: parsed[1] };
}

/** For administrators. A text that was changed in the database hides all but the origin. */
export function readUrl(
  cipher: SecretCipher | null,
  webhookId: string,
  stored: Omit<StoredTarget, 'secret'>,
): string {
  const target = targetOf(cipher, webhookId, { ...stored, secret: '' });
  if (target !== null) return target.url;
  if (cipher?.keyIds.includes(keyIdOf(stored.encrypted ?? ''))) return stored.url;
  throw unreadable(webhookId, stored);
}

export function readSecret(
  cipher: SecretCipher | null,
  webhookId: string,
  stored: StoredTarget,
): string {
  const target = targetOf(cipher, webhookId, stored);
  if (target === null) throw unreadable(webhookId, stored);
  return target.secret;
}

function unreadable(webhookId: string, { encrypted }: Pick<StoredTarget, 'encrypted'>): Error {
  const why = `The webhook ${webhookId} cannot be decrypted here with the key ${keyIdOf(encrypted ?? '')}. Add the key to SECRET_KEY, or set the URL and the secret again.`;
  return new RegistryUnavailable(new Error(why), why);
}

function placeOf(webhookId: string): string {
  return `webhook ${webhookId}`;
}

/** For metrics. */
export const countPlain = sql.fragment`
  (select count(*) from webhook where ${isPlain})::integer`;

const targetShape = z.tuple([z.string(), z.string()]);
