// Encrypts secrets with AES-256-GCM. The first key encrypts, all keys decrypt.

import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { chmod, link, readFile, rm, writeFile } from 'node:fs/promises';
import { keyIdOf, type SecretCipher } from '../core/secret-cipher.ts';

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** Null without keys. */
export function secretCipher(keys: readonly string[]): SecretCipher | null {
  const [first] = keys;
  if (first === undefined) return null;
  const derived = new Map(keys.map((key) => [idOf(key), derive(key)]));
  const keyId = idOf(first);
  return {
    keyId,
    keyIds: [...derived.keys()],
    encrypt: (text, place) => {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, derive(first), nonce);
      cipher.setAAD(Buffer.from(place));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return `${keyId}:${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')}`;
    },
    decrypt: (encrypted, place) => {
      const id = keyIdOf(encrypted);
      const key = derived.get(id);
      const bytes = Buffer.from(encrypted.slice(id.length + 1), 'base64');
      if (key === undefined || bytes.length < nonceBytes + tagBytes) return null;
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes));
      decipher.setAAD(Buffer.from(place));
      decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
      try {
        const body = decipher.update(bytes.subarray(nonceBytes + tagBytes));
        return Buffer.concat([body, decipher.final()]).toString('utf8');
      } catch {
        return null;
      }
    },
  };
}

/** The key in the file, which is created if it is missing. Two processes get the same one. */
export async function keyFromFile(file: string): Promise<string> {
  const known = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (known !== null) return known.trim();
  // Linked once it is whole: a process that is killed here leaves no half of a key.
  const partial = `${file}.${process.pid}`;
  await writeFile(partial, `${randomBytes(keyBytes).toString('base64')}\n`, { mode: 0o600 });
  await chmod(partial, 0o600);
  await link(partial, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(partial);
  return (await readFile(file, 'utf8')).trim();
}

function derive(key: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', 'concordat secrets', keyBytes));
}

function idOf(key: string): string {
  return createHmac('sha256', key).update('concordat secret key').digest('hex').slice(0, 16);
}
