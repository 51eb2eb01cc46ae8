import { decideAccess } from '../../core/decide/access.ts';
import type { Deleted } from '../../core/decide/commands.ts';
import { type StartOver, startOver } from '../../core/decide/decided.ts';
import { apiKeyEvent, assetEvent, registrationEvent, teamEvent } from '../../core/decide/events.ts';
import type { TeamFacts } from '../../core/decide/facts.ts';
import { notFound, preconditionFailed } from '../../core/decide/not-found.ts';
import type { Write } from '../../core/decide/write.ts';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import type { AssetId, Timestamp } from '../../core/id.ts';
import type { Team } from '../../core/team.ts';
import { counted } from '../../core/value/counted.ts';
import type { DeleteTeam, Verb } from '../commands.ts';
import { settleProposal } from '../proposals/settle-proposal.ts';
import type { Transaction } from '../transaction.ts';
import { tryAgain } from '../try-again.ts';

/** Its assets go to another team; its keys end and its registrations leave with it. */
export const deleteTeam: Verb<DeleteTeam, Deleted> = async (ports, context, command) => {
  const access = decideAccess(context.actor, 'manage_teams', null);
  if (!access.ok) return access;
  const outcome = await tryAgain<Left>(() =>
    ports.attempt(context, (transaction) => leave(transaction, command)),
  );
  if (!outcome.ok) return outcome;
  for (const assetId of outcome.value.left) await settleProposal(ports, context, assetId);
  return accept({ deleted: true });
};

interface Left extends Deleted {
  /** What it consumed: the proposals of these wait for one team less. */
  readonly left: readonly AssetId[];
}

async function leave(
  transaction: Transaction,
  command: DeleteTeam,
): Promise<Outcome<Left> | StartOver> {
  const facts = await transaction.lockTeam(command.teamId);
  if (facts === null) return notFound('TEAM', command.teamId);
  if (command.precondition?.(facts.team) === false) return preconditionFailed();
  const consumed = new Set(facts.registrations.map(({ assetId }) => assetId));
  // One that it was given, or began to consume, while we waited for the team: locked in its turn.
  const its = new Set([...facts.ownedAssets.map(({ id }) => id), ...consumed]);
  if (!its.isSubsetOf(new Set(facts.lockedAssets))) return startOver;
  const heir = await findHeir(transaction, command, facts);
  if (!heir.ok) return heir;
  const at = transaction.now();
  const deleted = { ...facts.team, updatedAt: at, deletedAt: at };
  const event = teamEvent('team.deleted', deleted, {
    reassigned_to: heir.value?.id ?? null,
    reassigned_assets: facts.ownedAssets.length,
    registrations: facts.registrations.length,
    api_keys: facts.apiKeys.length,
  });
  await transaction.apply([
    ...reassignments(facts, heir.value, at),
    ...departures(facts),
    ...revocations(facts, at),
    { kind: 'update_team', team: deleted, events: [event] },
  ]);
  return accept({ deleted: true, left: [...consumed] });
}

/** A refusal names some of them; the list of assets has the rest. */
const listLimit = 100;

async function findHeir(
  transaction: Transaction,
  command: DeleteTeam,
  facts: TeamFacts,
): Promise<Outcome<Team | null>> {
  if (facts.ownedAssets.length === 0) return accept(null);
  if (command.reassignTo === undefined || command.reassignTo === facts.team.id) {
    return refuse(
      'TEAM_HAS_ASSETS',
      `${facts.team.name} owns ${counted(facts.ownedAssets.length, 'asset')}. Choose a new owner in reassign_to.`,
      {
        field: 'reassign_to',
        details: { assets: facts.ownedAssets.slice(0, listLimit).map(({ fqn }) => fqn) },
      },
    );
  }
  const heir = await transaction.holdTeam(command.reassignTo);
  return heir === null ? notFound('TEAM', command.reassignTo, 'reassign_to') : accept(heir);
}

function reassignments(facts: TeamFacts, heir: Team | null, at: Timestamp): readonly Write[] {
  if (heir === null) return [];
  return facts.ownedAssets.map((asset) => {
    const next = {
      ...asset,
      ownerTeamId: heir.id,
      ownerTeamName: heir.name,
      ownerUserId: null,
      ownerUserName: null,
      updatedAt: at,
    };
    const event = assetEvent('asset.updated', next, {
      from: { owner_team_id: facts.team.id },
      to: { owner_team_id: heir.id },
      reason: 'the owning team was deleted',
    });
    return { kind: 'update_asset', asset: next, events: [event] };
  });
}

function departures(facts: TeamFacts): readonly Write[] {
  return facts.registrations.map((registration) => {
    const named = { ...registration, registrationId: registration.id };
    const asset = {
      id: registration.assetId,
      fqn: registration.assetFqn,
      environment: registration.environment,
      ownerTeamId: registration.ownerTeamId,
    };
    const event = registrationEvent('registration.deleted', named, asset, {
      reason: 'the consumer team was deleted',
    });
    return { kind: 'delete_registration', id: registration.id, events: [event] };
  });
}

function revocations(facts: TeamFacts, at: Timestamp): readonly Write[] {
  return facts.apiKeys.map((apiKey) => ({
    kind: 'revoke_api_key',
    id: apiKey.id,
    at,
    events: [apiKeyEvent('api_key.revoked', apiKey)],
  }));
}
