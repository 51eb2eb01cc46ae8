// Encrypts the secrets of webhooks that are not, decrypts them, or replaces those whose key is lost.
// docs/decisions/secrets-at-rest.md

import { randomBytes } from 'node:crypto';
import { type DatabasePool, type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { SecretCipher } from '../../core/secret-cipher.ts';
import { transactionPatienceMs, whileAvailable } from '../postgres/database-errors.ts';
import { id, nothingRow } from '../postgres/rows.ts';
import {
  encryptedTarget,
  isPlain,
  isReadable,
  storedTarget,
  targetOf,
} from '../postgres/webhook-secrets.ts';

export interface Secrets {
  /** Encrypts with the first key what is not. Answers how many webhooks it changed. */
  readonly encryptAll: () => Promise<number>;
  /** For a release that does not know encrypted secrets. */
  readonly decryptAll: () => Promise<number>;
  /** For a lost key: nobody knows the new secrets, so administrators must set them again. */
  readonly replaceUnreadable: () => Promise<number>;
  /** The ids of keys that rows are encrypted with, and this process does not have. */
  readonly listMissingKeys: () => Promise<readonly string[]>;
}

export function secretsOf(pool: DatabasePool, cipher: SecretCipher | null): Secrets {
  const rewriteAll = (which: FragmentSqlToken, change: Change) =>
    whileAvailable(() => rewrite(pool, which, change), transactionPatienceMs);
  return {
    encryptAll: async () => {
      if (cipher === null) return 0;
      const isOld = sql.fragment`${isReadable(cipher)} and (${isPlain}
        or split_part(webhook.encrypted, ':', 1) <> ${cipher.keyId})`;
      return rewriteAll(isOld, (row) => {
        const target = targetOf(cipher, row.id, row);
        return target === null ? null : storedTarget(cipher, row.id, target);
      });
    },
    decryptAll: () =>
      rewriteAll(sql.fragment`${isReadable(cipher)} and not ${isPlain}`, (row) => {
        const target = targetOf(cipher, row.id, row);
        return target === null ? null : { ...target, encrypted: null };
      }),
    replaceUnreadable: () =>
      rewriteAll(sql.fragment`not ${isReadable(cipher)}`, ({ id: webhookId, url }) =>
        storedTarget(cipher, webhookId, { url, secret: randomBytes(32).toString('base64url') }),
      ),
    listMissingKeys: () =>
      whileAvailable(async () => {
        const rows = await pool.any(sql.type(keyRow)`
          select distinct split_part(webhook.encrypted, ':', 1) as "keyId" from webhook
          where not ${isReadable(cipher)}
          order by 1`);
        return rows.map(({ keyId }) => keyId);
      }),
  };
}

/** A batch is one transaction; editors of its webhooks wait for it. */
const batchSize = 100;

const keyRow = z.object({ keyId: z.string() });

const storedRow = z.object({
  id,
  url: z.string(),
  secret: z.string(),
  encrypted: z.string().nullable(),
});

/** Null leaves a row as it is. */
type Change = (row: z.infer<typeof storedRow>) => Omit<z.infer<typeof storedRow>, 'id'> | null;

async function rewrite(
  pool: DatabasePool,
  which: FragmentSqlToken,
  change: Change,
): Promise<number> {
  let changed = 0;
  for (let after: string | null = firstId; after !== null; ) {
    const from: string = after;
    after = await pool.transaction(async (connection) => {
      // Two replicas at once: each takes what the other has not locked.
      const rows = await connection.any(sql.type(storedRow)`
        select webhook.id, webhook.url, webhook.secret, ${encryptedTarget} as encrypted
        from webhook
        where webhook.id > ${from} and ${which}
        order by webhook.id
        limit ${batchSize}
        for no key update skip locked`);
      for (const row of rows) {
        const next = change(row);
        if (next === null) continue;
        await connection.query(sql.type(nothingRow)`
          update webhook
          set url = ${next.url}, secret = ${next.secret}, encrypted = ${next.encrypted}
          where id = ${row.id}`);
        changed++;
      }
      return rows.length < batchSize ? null : (rows.at(-1)?.id ?? null);
    });
  }
  return changed;
}

const firstId = '00000000-0000-0000-0000-000000000000';
