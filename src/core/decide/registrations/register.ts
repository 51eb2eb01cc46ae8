import { actorReference } from '../../actor.ts';
import { accept, type Outcome, refuse } from '../../failure.ts';
import type { Registration } from '../../registration.ts';
import type { Team } from '../../team.ts';
import type { RegisterConsumer } from '../commands.ts';
import type { By, Decided } from '../decided.ts';
import { registrationEvent } from '../events.ts';
import type { ContractFacts } from '../facts.ts';
import { notFound } from '../not-found.ts';

interface RegisterFacts extends ContractFacts {
  readonly team: Team | null;
  /** The team's registration on any version of the asset. */
  readonly existing: Registration | null;
}

export function decideRegistration(
  facts: RegisterFacts,
  command: RegisterConsumer,
  { actor, at, newId }: By,
): Outcome<Decided<Registration>> {
  const { asset, contract, team } = facts;
  if (asset.deletedAt !== null) return notFound('CONTRACT', contract.id, 'contract_id');
  if (team === null) return notFound('TEAM', command.consumerTeamId, 'consumer_team_id');
  const refused = checkRegistration(facts, team, command.allowSelf === true);
  if (refused !== null) return refused;
  const registration: Registration = {
    id: newId(),
    assetId: asset.id,
    assetFqn: asset.fqn,
    contractId: contract.id,
    contractVersion: contract.version,
    registeredVersion: contract.version,
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
  const event = registrationEvent('registration.created', named, asset, {
    notes: registration.notes,
    status: registration.status,
    source: registration.source,
  });
  const createdBy = actorReference(actor);
  return accept({
    writes: [{ kind: 'insert_registration', registration, createdBy, events: [event] }],
    answer: registration,
  });
}

function checkRegistration(
  { asset, contract, existing }: RegisterFacts,
  team: Team,
  allowSelf: boolean,
): Outcome<never> | null {
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
  if (existing === null) return null;
  return refuse(
    'REGISTRATION_EXISTS',
    `${team.name} is already registered for ${asset.fqn} (${existing.id}). Change that registration.`,
    { field: 'consumer_team_id', details: { registration_id: existing.id } },
  );
}
