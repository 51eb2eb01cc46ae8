import type { Asset } from '../../asset.ts';
import type { ContractSummary } from '../../contract.ts';
import { accept, type Outcome, refuse } from '../../failure.ts';
import type { Registration } from '../../registration.ts';
import { type Act, decideAccess, reasonForOther } from '../access.ts';
import type { UpdateRegistration } from '../commands.ts';
import type { By, Decided, StartOver } from '../decided.ts';
import { registrationEvent } from '../events.ts';
import type { RegistrationFacts } from '../facts.ts';
import { notFound, preconditionFailed } from '../not-found.ts';
import type { WriteOf } from '../write.ts';
import { decideNeed, type PreparedNeed } from './set-need.ts';

interface UpdateRegistrationFacts extends RegistrationFacts {
  /** The new version of the registration. */
  readonly target: ContractSummary | null;
  readonly prepared: PreparedNeed | null;
}

export function decideRegistrationUpdate(
  facts: UpdateRegistrationFacts,
  command: UpdateRegistration,
  by: By,
): Outcome<Decided<Registration>> | StartOver {
  const { asset, registration } = facts;
  const refused = checkAllowed(facts, command, by);
  if (refused !== null) return refused;
  const next = changed(facts, command);
  if (!next.ok) return next;
  const reasoned = isAsked(facts)
    ? reasonForOther(by.actor, registration.consumerTeamId, command.reason)
    : accept(null);
  const reason = reasoned.ok ? reasoned.value : null;
  const need = decideNeed(facts, command, facts.prepared, by, reason);
  if (!('ok' in need) || !need.ok) return need;
  const isAnswer = need.value !== null || answersIn(command, registration).length > 0;
  if (isAnswer && !reasoned.ok) return reasoned;
  const needWrites = need.value === null ? [] : [need.value];
  const from = auditedFields(registration);
  const to = auditedFields(next.value);
  const isUpdated = JSON.stringify(from) !== JSON.stringify(to);
  if (!isUpdated && need.value === null) return accept({ writes: [], answer: registration });
  const updated = {
    ...next.value,
    ...(need.value !== null && { need: need.value.need }),
    updatedAt: by.at,
  };
  if (!isUpdated) return accept({ writes: needWrites, answer: updated });
  return accept({
    writes: [updateWrite(asset, registration, updated, reason), ...needWrites],
    answer: updated,
  });
}

/** Also used where a finder sees that a team reads again what it had ended. */
export function updateWrite(
  asset: Asset,
  before: Registration,
  registration: Registration,
  reason: string | null = null,
): WriteOf<'update_registration'> {
  const named = { ...registration, registrationId: registration.id };
  const told = {
    from: auditedFields(before),
    to: auditedFields(registration),
    ...(reason !== null && { reason }),
  };
  const event = registrationEvent('registration.updated', named, asset, told);
  return { kind: 'update_registration', registration, events: [event] };
}

function checkAllowed(
  { asset, registration }: RegistrationFacts,
  command: UpdateRegistration,
  { actor }: By,
): Outcome<never> | null {
  const { consumerTeamId } = registration;
  for (const act of ['update_registration' as const, ...answersIn(command, registration)]) {
    const access = decideAccess(actor, act, consumerTeamId);
    if (!access.ok) return access;
  }
  if (asset.deletedAt !== null && command.status !== 'inactive') {
    return refuse(
      'ASSET_NOT_FOUND',
      `${asset.fqn} was deleted. Its registrations can only be ended: delete this one, or set status to inactive.`,
    );
  }
  return command.precondition?.(registration) === false ? preconditionFailed() : null;
}

/** Moving to another version means agreeing to it, so it is an answer, and so is leaving. */
function answersIn(command: UpdateRegistration, registration: Registration): readonly Act[] {
  const isEnding = command.status === 'inactive' && registration.status === 'active';
  return [
    ...(isMove(command, registration) ? (['move_registration'] as const) : []),
    ...(isEnding ? (['deactivate_registration'] as const) : []),
  ];
}

/** Whether changes of the asset wait for the team. */
export function isAsked({
  asset,
  registration,
}: {
  readonly asset: Pick<Asset, 'deletedAt'>;
  readonly registration: Pick<Registration, 'status'>;
}): boolean {
  return registration.status === 'active' && asset.deletedAt === null;
}

function isMove({ contractId }: UpdateRegistration, registration: Registration): boolean {
  return contractId !== undefined && contractId !== registration.contractId;
}

function changed(
  { asset, registration, target }: UpdateRegistrationFacts,
  command: UpdateRegistration,
): Outcome<Registration> {
  const moves = isMove(command, registration);
  const status = command.status ?? registration.status;
  const wakes = status === 'active' && registration.status === 'inactive';
  const contractId = command.contractId ?? registration.contractId;
  const notes = command.notes === undefined ? registration.notes : command.notes;
  const claims = claimsWith(registration, command.claim);
  // Whoever says what the team reads says that it reads.
  const isReader = moves || (command.needs ?? null) !== null || command.status === 'active';
  const stays = isReader || command.claim !== undefined;
  const endsAt = stays ? null : registration.endsAt;
  if (!moves && !wakes) return accept({ ...registration, status, notes, claims, endsAt });

  if (target === null || target.assetId !== asset.id) {
    return notFound('CONTRACT', contractId, 'contract_id');
  }
  if (target.status === 'archived') {
    return refuse(
      'CONTRACT_ARCHIVED',
      `Version ${target.version} of ${target.assetFqn} is archived. Choose another version in contract_id.`,
      { field: 'contract_id' },
    );
  }
  const migratesAt = moves ? null : registration.migratesAt;
  return accept({
    ...registration,
    contractId: target.id,
    contractVersion: target.version,
    migratesAt,
    status,
    notes,
    claims,
    endsAt,
  });
}

/** The first claim stays first. */
function claimsWith({ claims }: Registration, claim: string | undefined): readonly string[] {
  return claim === undefined || claims.includes(claim) ? claims : [...claims, claim];
}

function auditedFields(registration: Registration) {
  return {
    version: registration.contractVersion,
    status: registration.status,
    notes: registration.notes,
    migrates_at: registration.migratesAt,
    ...(registration.claims.length > 0 && { claims: registration.claims }),
    ...(registration.endsAt !== null && { ends_at: registration.endsAt }),
  };
}
