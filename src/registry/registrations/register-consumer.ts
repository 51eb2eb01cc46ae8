import { actorReference } from '../../core/actor.ts';
import { decideAccess } from '../../core/decide/access.ts';
import type { RegisterConsumer } from '../../core/decide/commands.ts';
import { registrationEvent } from '../../core/decide/events.ts';
import type { ContractFacts } from '../../core/decide/facts.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import type { Registration } from '../../core/registration.ts';
import type { Team } from '../../core/team.ts';
import type { Verb } from '../commands.ts';
import { reopenIfAwaited } from '../proposals/proposing.ts';

/** Under the asset's lock: a breaking publish either sees this consumer, or came before it. */
export const registerConsumer: Verb<RegisterConsumer, Registration> = async (
  ports,
  context,
  command,
) => {
  const access = decideAccess(context.actor, 'register_consumer', command.consumerTeamId);
  if (!access.ok) return access;
  return ports.transact(context, async (transaction) => {
    const facts = await transaction.lockContract(command.contractId);
    if (facts === null || facts.asset.deletedAt !== null) {
      return notFound('CONTRACT', command.contractId, 'contract_id');
    }
    const team = await transaction.holdTeam(command.consumerTeamId);
    if (team === null) return notFound('TEAM', command.consumerTeamId, 'consumer_team_id');
    const existing = await transaction.findRegistration(facts.asset.id, team.id);
    const allowed = decideRegistration(facts, team, existing, command.allowSelf === true);
    if (!allowed.ok) return allowed;

    const at = transaction.now();
    const registration: Registration = {
      id: context.newId(),
      assetId: facts.asset.id,
      assetFqn: facts.asset.fqn,
      contractId: facts.contract.id,
      contractVersion: facts.contract.version,
      registeredVersion: facts.contract.version,
      consumerTeamId: team.id,
      consumerTeamName: team.name,
      notes: command.notes ?? null,
      status: 'active',
      migratesAt: null,
      source: command.source ?? 'api',
      claims: command.claim === undefined ? [] : [command.claim],
      createdAt: at,
      updatedAt: at,
    };
    const named = { ...registration, registrationId: registration.id };
    const event = registrationEvent('registration.created', named, facts.asset, {
      notes: registration.notes,
      status: registration.status,
      source: registration.source,
    });
    const createdBy = actorReference(context.actor);
    await transaction.apply([
      { kind: 'insert_registration', registration, createdBy, events: [event] },
    ]);
    await reopenIfAwaited(transaction, facts);
    return accept(registration);
  });
};

function decideRegistration(
  { asset, contract }: ContractFacts,
  team: Team,
  existing: Registration | null,
  allowSelf: boolean,
): Outcome<true> {
  if (contract.status === 'archived') {
    return refuse(
      'CONTRACT_ARCHIVED',
      `Version ${contract.version} of ${asset.fqn} is archived. Register for another version.`,
      { field: 'contract_id' },
    );
  }
  if (team.id === asset.ownerTeamId && !allowSelf) {
    return refuse(
      'SELF_REGISTRATION',
      `${team.name} owns ${asset.fqn}. To register it as a consumer too, send "allow_self": true.`,
      { field: 'consumer_team_id' },
    );
  }
  if (existing === null) return accept(true);
  return refuse(
    'REGISTRATION_EXISTS',
    `${team.name} is already registered for ${asset.fqn} (${existing.id}). Change that registration.`,
    { field: 'consumer_team_id', details: { registration_id: existing.id } },
  );
}
