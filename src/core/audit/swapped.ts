// Decides for seals that do not match their events whether two events were swapped, or one was
// altered.

import type { AuditEvent } from '../event.ts';
import { type Seal, type Sha256, sealHash } from './seal.ts';

/** A seal with an event that does not match it. */
export interface Suspect {
  readonly seal: Seal;
  readonly event: AuditEvent;
  /** The hashes that the seal may build on. */
  readonly previous: readonly string[];
}

interface Told {
  readonly seal: Seal;
  /** The seal that its event matches; null if there is none. */
  readonly swappedWith: Seal | null;
}

/**
 * Each is tried with each: 200 take 40,000 hashes, a tenth of a second. Further ones are reported
 * as altered.
 */
const maxTried = 200;

/** @example tellSwapped([a, b], sha256) // [{ seal: a.seal, swappedWith: b.seal }, ...] */
export function tellSwapped(suspects: readonly Suspect[], sha256: Sha256): readonly Told[] {
  const tried = suspects.slice(0, maxTried);
  return suspects.map((suspect, index) => ({
    seal: suspect.seal,
    swappedWith:
      index < maxTried
        ? (tried.find((other) => other !== suspect && fits(suspect, other.event, sha256))?.seal ??
          null)
        : null,
  }));
}

/** Tries the whole event with the other's seal, and its content with the other's id. */
function fits({ seal, event, previous }: Suspect, other: AuditEvent, sha256: Sha256): boolean {
  return previous.some(
    (before) =>
      sealHash(before, other, sha256) === seal.hash ||
      sealHash(before, { ...other, id: event.id }, sha256) === seal.hash,
  );
}
