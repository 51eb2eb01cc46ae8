import type { Asset } from '../../asset.ts';
import { accept, type Outcome, refuse } from '../../failure.ts';
import type { ContractId, Timestamp } from '../../id.ts';
import type { ExaminedNeed, RegisteredNeed } from '../../need.ts';
import type { Registration } from '../../registration.ts';
import { decideAccess } from '../access.ts';
import type { SetNeed } from '../commands.ts';
import { type By, type StartOver, startOver } from '../decided.ts';
import { registrationEvent } from '../events.ts';
import type { BaseContract } from '../facts.ts';
import type { WriteOf } from '../write.ts';

/** A stated need, examined before the lock with the contract in force. */
export interface PreparedNeed {
  readonly baseId: ContractId;
  /** Null if the need is removed. */
  readonly examined: ExaminedNeed | null;
}

interface NeedFacts {
  readonly asset: Asset;
  readonly base: Pick<BaseContract, 'id' | 'version'> | null;
  readonly registration: Registration;
}

type NeedWrite = WriteOf<'set_need'>;

/** The write of a need, or null if it does not change. */
export function decideNeed(
  { asset, base, registration }: NeedFacts,
  command: SetNeed,
  prepared: PreparedNeed | null,
  { actor, at }: By,
  reason: string | null = null,
): Outcome<NeedWrite | null> | StartOver {
  if (command.needs === undefined) return accept(null);
  const access = decideAccess(actor, 'set_needs', registration.consumerTeamId);
  if (!access.ok) return access;
  if (prepared === null || base?.id !== prepared.baseId) return startOver;
  const { examined } = prepared;
  const unmet = examined?.unmet ?? null;
  if (unmet !== null && command.allowUnmet !== true) {
    const { message, ...shown } = unmet;
    return refuse(
      'NEED_NOT_MET',
      `Version ${base.version} of ${asset.fqn} does not meet the need. ${message} Change the need, or send "allow_unmet": true to keep it as a wish.`,
      { field: 'needs', details: shown },
    );
  }
  const need: RegisteredNeed | null =
    examined === null
      ? null
      : { ...examined.need, digest: examined.digest, status: unmet === null ? 'met' : 'unmet' };
  const from = registration.need;
  if (isSameNeed(from, need)) return accept(null);
  const event = registrationEvent(
    'registration.needs_changed',
    { ...registration, registrationId: registration.id },
    asset,
    {
      from: from?.digest ?? null,
      to: need?.digest ?? null,
      status: need?.status ?? null,
      contract_version: base.version,
      ...(reason !== null && { reason }),
    },
  );
  return accept({
    kind: 'set_need',
    id: registration.id,
    need,
    heldAgainst: need === null ? null : base.id,
    at,
    events: [event],
  });
}

/** A need that was held against the contract in force: null if either was replaced meanwhile. */
export function decideNeedReview(
  { asset, base, registration }: NeedFacts,
  reviewed: { readonly baseId: ContractId; readonly need: RegisteredNeed },
  at: Timestamp,
): NeedWrite | null {
  const { need } = reviewed;
  const before = registration.need;
  if (base?.id !== reviewed.baseId || before?.digest !== need.digest) return null;
  // Another process was faster.
  if (before.status === need.status) return null;
  const event = registrationEvent(
    need.status === 'met' ? 'registration.needs_met' : 'registration.needs_changed',
    { ...registration, registrationId: registration.id },
    asset,
    {
      from: before.digest,
      to: need.digest,
      was: before.status,
      status: need.status,
      contract_version: base.version,
    },
  );
  return { kind: 'set_need', id: registration.id, need, heldAgainst: base.id, at, events: [event] };
}

/** The same fields may be another schema once the contract has changed, and other words the same. */
function isSameNeed(from: RegisteredNeed | null, to: RegisteredNeed | null): boolean {
  if (from === null || to === null) return from === to;
  const isStatedAlike = JSON.stringify(from.stated) === JSON.stringify(to.stated);
  return isStatedAlike && from.digest === to.digest && from.status === to.status;
}
