import { type Actor, actorReference } from '../../actor.ts';
import type { Asset } from '../../asset.ts';
import type { Contract } from '../../contract.ts';
import { accept, type Outcome, refuse } from '../../failure.ts';
import type { RegistrationId, Timestamp } from '../../id.ts';
import { isLeaving, type Registration } from '../../registration.ts';
import type { Team } from '../../team.ts';
import { decideAccess } from '../access.ts';
import type { RegisterConsumer } from '../commands.ts';
import type { By, Decided, StartOver } from '../decided.ts';
import { registrationEvent } from '../events.ts';
import type { ContractFacts } from '../facts.ts';
import { notFound } from '../not-found.ts';
import type { WriteOf } from '../write.ts';
import { departureWrite } from './delete.ts';
import { decideNeed, type PreparedNeed } from './set-need.ts';

interface RegisterFacts extends ContractFacts {
  readonly team: Team | null;
  /** The team's registration on any version of the asset. */
  readonly existing: Registration | null;
  readonly prepared: PreparedNeed | null;
}

export function decideRegistration(
  facts: RegisterFacts,
  command: RegisterConsumer,
  by: By,
): Outcome<Decided<Registration>> | StartOver {
  const { asset, base, contract, existing, team } = facts;
  if (asset.deletedAt !== null) return notFound('CONTRACT', contract.id, 'contract_id');
  if (team === null) return notFound('TEAM', command.consumerTeamId, 'consumer_team_id');
  const refused = checkRegistration(facts, team, command.allowSelf === true);
  if (refused !== null) return refused;
  const { notes = null, source = 'api', claim } = command;
  const claims = claim === undefined ? [] : [claim];
  const write = registrationWrite(asset, contract, team, { notes, source, claims }, by);
  const { registration } = write;
  const need = decideNeed({ asset, base, registration }, command, facts.prepared, by);
  if (!('ok' in need) || !need.ok) return need;
  if (existing !== null && !mayReplace(command, by.actor)) {
    const kept = { ...existing, registrationId: existing.id };
    const answer = { ...existing, endsAt: null, updatedAt: by.at };
    return accept({ writes: [keepingWrite(kept, asset, by.at)], answer });
  }
  const writes = [...(existing === null ? [] : [departureWrite(existing, asset)]), write];
  if (need.value === null) return accept({ writes, answer: registration });
  const answer = { ...registration, need: need.value.need };
  return accept({ writes: [...writes, need.value], answer });
}

/** A registration made anew forgets what the team reads, and which version, so only the team makes it. */
function mayReplace({ consumerTeamId, onlyAdds }: RegisterConsumer, actor: Actor): boolean {
  return onlyAdds !== true && decideAccess(actor, 'delete_registration', consumerTeamId).ok;
}

/** Also used by imports, like the next one. */
export function keepingWrite(
  kept: Pick<
    Registration,
    'contractId' | 'contractVersion' | 'consumerTeamId' | 'consumerTeamName'
  > & { readonly registrationId: RegistrationId },
  asset: Asset,
  at: Timestamp,
): WriteOf<'keep_registration'> {
  const told = { ends_at: null, reason: 'the team was registered again' };
  const event = registrationEvent('registration.updated', kept, asset, told);
  return { kind: 'keep_registration', id: kept.registrationId, at, events: [event] };
}

export function registrationWrite(
  asset: Asset,
  contract: Pick<Contract, 'id' | 'version'>,
  team: Pick<Team, 'id' | 'name'>,
  how: Pick<Registration, 'notes' | 'source' | 'claims'> & { readonly origin?: string },
  { actor, at, newId }: By,
): WriteOf<'insert_registration'> {
  const { origin, ...rest } = how;
  const registration: Registration = {
    ...rest,
    id: newId(),
    assetId: asset.id,
    assetFqn: asset.fqn,
    contractId: contract.id,
    contractVersion: contract.version,
    registeredVersion: contract.version,
    consumerTeamId: team.id,
    consumerTeamName: team.name,
    status: 'active',
    migratesAt: null,
    endsAt: null,
    need: null,
    found: null,
    createdAt: at,
    updatedAt: at,
  };
  const named = { ...registration, registrationId: registration.id };
  const event = registrationEvent('registration.created', named, asset, {
    notes: registration.notes,
    status: registration.status,
    source: registration.source,
    ...(origin !== undefined && { origin }),
  });
  const createdBy = actorReference(actor);
  return { kind: 'insert_registration', registration, createdBy, events: [event] };
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
  if (existing === null || isLeaving(existing)) return null;
  return refuse(
    'REGISTRATION_EXISTS',
    `${team.name} is already registered for ${asset.fqn} (${existing.id}). Change that registration.`,
    { field: 'consumer_team_id', details: { registration_id: existing.id } },
  );
}
