// Decides when to renew the webhook's certificates, so that the API server always trusts the one
// that is served. Pure.

export interface CertificateTimes {
  readonly authorityMs: number;
  readonly servingMs: number;
  /** The delay between publishing a new authority to the API server and serving what it signed. */
  readonly settleMs: number;
  /**
   * Certificates are valid from this long before their creation, for machines whose clock is
   * behind.
   */
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
  /** The trusted authorities, the newest first. The authority key belongs to the newest. */
  readonly authorities: readonly HeldCertificate[];
  readonly hasAuthorityKey: boolean;
  /** The certificate being served; null if there is no usable one. */
  readonly serving:
    | (HeldCertificate & {
        /** The index of the authority that signed it; -1 if none of them did. */
        readonly signedBy: number;
        readonly hasRightNames: boolean;
      })
    | null;
}

export type CertificateDecision =
  /** Makes an authority and a certificate at once: the existing ones can no longer be served. */
  | 'start over'
  /** Adds an authority to the trusted ones; the served certificate stays. */
  | 'add authority'
  /** Issues a new certificate from the newest authority. */
  | 'issue'
  | 'keep';

/**
 * Decides one step; the next step is decided from its result.
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

/** Renewal starts with a third of the lifetime left, so it may fail for a month. */
function isDue({ fromMs, toMs }: HeldCertificate, nowMs: number): boolean {
  return toMs - nowMs < (toMs - fromMs) / 3;
}
