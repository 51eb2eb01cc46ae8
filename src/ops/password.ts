// Passwords are stored as scrypt hashes, in the PHC format, which includes their parameters.
// Hashing runs on the thread pool, so no request waits for a login.

import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

interface Parameters {
  /** The binary logarithm of N. */
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/**
 * N = 2^15 and r = 8 take 128 * N * r = 32 MiB for a hash; p = 3 runs it three times, about a
 * quarter of a second. The pool has four threads, so logins hold at most 128 MiB.
 */
const current: Parameters = { ln: 15, r: 8, p: 3 };

/** Twice the memory of the current parameters, beyond which scrypt refuses to run. */
const maxMemoryBytes = 64 * 1024 * 1024;

const saltBytes = 16;
const hashBytes = 32;

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  return format(current, salt, await derive(password, salt, current));
}

/**
 * Without a stored hash it does the same work for nothing, so its duration does not reveal whether
 * the account exists.
 */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const parsed = parse(stored ?? decoy);
  const derived = await derive(password, parsed.salt, parsed.parameters);
  return timingSafeEqual(derived, parsed.hash) && stored !== null;
}

/** 20 characters from an alphabet of 64 hold 120 bits. */
export function newPassword(): string {
  return randomBytes(15).toString('base64url');
}

const decoy = format(current, randomBytes(saltBytes), randomBytes(hashBytes));

function format({ ln, r, p }: Parameters, salt: Buffer, hash: Buffer): string {
  const [saltText, hashText] = [salt.toString('base64'), hash.toString('base64')];
  return `$scrypt$ln=${ln},r=${r},p=${p}$${saltText}$${hashText}`;
}

const storedPattern = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/;

function parse(stored: string): { parameters: Parameters; salt: Buffer; hash: Buffer } {
  const [, ln, r, p, salt = '', hash = ''] = storedPattern.exec(stored) ?? [];
  if (hash === '') throw new Error('A stored password hash is not one of scrypt.');
  return {
    parameters: { ln: Number(ln), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}

/** Normalizes Unicode, because clients may send the same letters composed or decomposed. */
function derive(password: string, salt: Buffer, { ln, r, p }: Parameters): Promise<Buffer> {
  const options: ScryptOptions = { N: 2 ** ln, r, p, maxmem: maxMemoryBytes };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, hashBytes, options, (error, derived) =>
      error === null ? resolve(derived) : reject(error),
    );
  });
}
