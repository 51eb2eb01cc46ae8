// When the webhook's certificates are made anew, without a moment in which the API server trusts
// less than what is served. Pure.

export interface CertificateTimes {
  readonly authorityMs: number;
  readonly servingMs: number;
  /** Between telling the API server of a new authority and serving what it signed. */
  readonly settleMs: number;
  /** Certificates hold from so long before they are made, for machines whose clock is behind. */
  readonly backdateMs: number;
}

const dayMs = 24 * 60 * 60 * 1000;

export const certificateTimes: CertificateTimes = {
  authorityMs: 365 * dayMs,
  servingMs: 90 * dayMs,
  settleMs: 5 * 60 * 1000,
  backdateMs: 2 * 60 * 60 * 1000,
};

interface HeldCertificate {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface CertificateFacts {
  /** Those that are trusted, the newest first; the key at hand is the newest one's. */
  readonly authorities: readonly HeldCertificate[];
  readonly hasAuthorityKey: boolean;
  /** What is served; null where there is nothing that can be. */
  readonly serving:
    | (HeldCertificate & {
        /** Which of the authorities signed it; -1 for none of them. */
        readonly signedBy: number;
        readonly hasRightNames: boolean;
      })
    | null;
}

export type CertificateDecision =
  /** An authority and a certificate of it, at once: what there is cannot be served any more. */
  | 'start over'
  /** One more authority beside those that are trusted; what is served stays. */
  | 'add authority'
  /** Another certificate, of the newest authority. */
  | 'issue'
  | 'keep';

/**
 * One step; the next one is decided from what the step before left.
 *
 * @example decideCertificates({ authorities: [], hasAuthorityKey: false, serving: null }, 0)
 *   // 'start over'
 */
export function decideCertificates(
  { authorities, hasAuthorityKey, serving }: CertificateFacts,
  nowMs: number,
  times: CertificateTimes = certificateTimes,
): CertificateDecision {
  const [newest] = authorities;
  if (newest === undefined || !hasAuthorityKey || isOver(newest, nowMs)) return 'start over';
  const isServable =
    serving !== null && serving.signedBy >= 0 && serving.hasRightNames && !isOver(serving, nowMs);
  if (!isServable) return 'issue';
  if (isDue(newest, nowMs)) return 'add authority';
  const isSettled = nowMs >= newest.fromMs + times.backdateMs + times.settleMs;
  if (isSettled && (serving.signedBy > 0 || isDue(serving, nowMs))) return 'issue';
  return 'keep';
}

function isOver({ toMs }: HeldCertificate, nowMs: number): boolean {
  return nowMs >= toMs;
}

/** With a third of its life left there is time for a month of failing to renew it. */
function isDue({ fromMs, toMs }: HeldCertificate, nowMs: number): boolean {
  return toMs - nowMs < (toMs - fromMs) / 3;
}
