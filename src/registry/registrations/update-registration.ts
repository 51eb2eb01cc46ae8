import { decideAccess } from '../../core/decide/access.ts';
import type { UpdateRegistration } from '../../core/decide/commands.ts';
import { registrationEvent } from '../../core/decide/events.ts';
import type { RegistrationFacts } from '../../core/decide/facts.ts';
import { notFound, preconditionFailed } from '../../core/decide/not-found.ts';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import type { Registration } from '../../core/registration.ts';
import type { Verb } from '../commands.ts';
import { reopenIfAwaited } from '../proposals/proposing.ts';
import { settleProposal } from '../proposals/settle-proposal.ts';
import type { Transaction } from '../transaction.ts';

export const updateRegistration: Verb<UpdateRegistration, Registration> = async (
  ports,
  context,
  command,
) => {
  const { registrationId } = command;
  const outcome = await ports.transact(context, async (transaction) => {
    const facts = await transaction.lockRegistration(registrationId);
    if (facts === null) return notFound('REGISTRATION', registrationId);
    const { asset, registration } = facts;
    const access = decideAccess(context.actor, 'update_registration', registration.consumerTeamId);
    if (!access.ok) return access;
    const isEnding = command.status === 'inactive' && registration.status === 'active';
    if (isEnding) {
      const ending = decideAccess(
        context.actor,
        'deactivate_registration',
        registration.consumerTeamId,
      );
      if (!ending.ok) return ending;
    }
    if (asset.deletedAt !== null && command.status !== 'inactive') {
      return refuse(
        'ASSET_NOT_FOUND',
        `${asset.fqn} was deleted. Its registrations can only be ended: delete this one, or set status to inactive.`,
      );
    }
    if (command.precondition?.(registration) === false) return preconditionFailed();
    const next = await changed(transaction, command, facts);
    if (!next.ok) return next;
    const from = auditedFields(registration);
    const to = auditedFields(next.value);
    if (JSON.stringify(from) === JSON.stringify(to)) return accept(registration);

    const updated = { ...next.value, updatedAt: transaction.now() };
    const named = { ...updated, registrationId: updated.id };
    const event = registrationEvent('registration.updated', named, asset, { from, to });
    await transaction.apply([
      { kind: 'update_registration', registration: updated, events: [event] },
    ]);
    await reopenIfAwaited(transaction, facts);
    return accept(updated);
  });
  if (outcome.ok) await settleProposal(ports, context, outcome.value.assetId);
  return outcome;
};

async function changed(
  transaction: Transaction,
  command: UpdateRegistration,
  facts: RegistrationFacts,
): Promise<Outcome<Registration>> {
  const { registration } = facts;
  const moves = command.contractId !== undefined && command.contractId !== registration.contractId;
  const status = command.status ?? registration.status;
  const wakes = status === 'active' && registration.status === 'inactive';
  const contractId = command.contractId ?? registration.contractId;
  const notes = command.notes === undefined ? registration.notes : command.notes;
  const claims = claimsWith(registration, command.claim);
  if (!moves && !wakes) return accept({ ...registration, status, notes, claims });

  const target = await transaction.findContract(contractId);
  if (target === null || target.assetId !== facts.asset.id) {
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
  });
}

/** The first claim stays the first. */
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
  };
}
