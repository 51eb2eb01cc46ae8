import { accept, type Outcome, refuse } from '../../failure.ts';
import type { AssetId, Timestamp } from '../../id.ts';
import type { Team } from '../../team.ts';
import { counted } from '../../value/counted.ts';
import { overridingOf, reasonForOther } from '../access.ts';
import { inheritWrite } from '../assets/service.ts';
import type { Deleted } from '../commands.ts';
import { type By, type Decided, type StartOver, startOver } from '../decided.ts';
import { assetEvent, registrationEvent, teamEvent } from '../events.ts';
import type { TeamFacts } from '../facts.ts';
import { notFound, preconditionFailed } from '../not-found.ts';
import { isAsked } from '../registrations/update.ts';
import { deletionOfWebhook } from '../webhooks/webhook.ts';
import type { Write } from '../write.ts';
import { revocationOf } from './api-key.ts';
import type { DeleteTeam } from './commands.ts';
import { deletionOfTrust } from './trust.ts';

interface DeletionFacts extends TeamFacts {
  /** The team that gets the assets; null if none is named or it does not exist. */
  readonly heir: Team | null;
}

export interface Left extends Deleted {
  /** The assets that it consumed: their proposals wait for one team less. */
  readonly left: readonly AssetId[];
}

export function decideTeamDeletion(
  facts: DeletionFacts,
  command: DeleteTeam,
  { actor, at }: By,
): Outcome<Decided<Left>> | StartOver {
  const { team, ownedAssets, ownedServices, registrations, apiKeys, trusts, webhooks } = facts;
  if (command.precondition?.(team) === false) return preconditionFailed();
  const consumed = new Set(registrations.map(({ assetId }) => assetId));
  // The team got an asset or a registration while we waited for its lock, so that asset must be
  // locked as well.
  const its = new Set([...ownedAssets.map(({ id }) => id), ...consumed]);
  if (!its.isSubsetOf(new Set(facts.lockedAssets))) return startOver;
  const heir = ownedText(facts) === null ? accept(null) : checkHeir(facts, command);
  if (!heir.ok) return heir;
  // Proposals that wait for the team go on without it, as if its registrations were removed one by
  // one.
  const reasoned = registrations.some((registration) =>
    isAsked({ asset: { deletedAt: registration.assetDeletedAt }, registration }),
  )
    ? reasonForOther(actor, team.id, command.reason ?? undefined)
    : accept(null);
  if (!reasoned.ok) return reasoned;
  const deleted = { ...team, updatedAt: at, deletedAt: at };
  const event = teamEvent('team.deleted', deleted, {
    reassigned_to: heir.value?.id ?? null,
    reassigned_assets: ownedAssets.length,
    ...(ownedServices.length > 0 && { reassigned_services: ownedServices.length }),
    registrations: registrations.length,
    api_keys: apiKeys.length,
    trusts: trusts.length,
    webhooks: webhooks.length,
    ...(reasoned.value === null ? overridingOf(team, command) : { reason: reasoned.value }),
  });
  return accept({
    writes: [
      ...(heir.value === null ? [] : reassignments(facts, heir.value, at)),
      ...departures(facts, reasoned.value),
      ...apiKeys.map((apiKey) => revocationOf(apiKey, at)),
      ...trusts.map((trust) => deletionOfTrust(trust)),
      ...webhooks.map((webhook) => deletionOfWebhook(webhook)),
      { kind: 'update_team', team: deleted, events: [event] },
    ],
    answer: { deleted: true, left: [...consumed] },
  });
}

/** A refusal names only some of them; the list of assets has all. */
const listLimit = 100;

/** What the team owns, in words; null if it owns nothing. */
export function ownedText({
  ownedAssets: { length: assets },
  ownedServices: { length: services },
}: Pick<TeamFacts, 'ownedAssets' | 'ownedServices'>): string | null {
  const owned = [
    ...(assets > 0 ? [counted(assets, 'asset')] : []),
    ...(services > 0 ? [counted(services, 'service')] : []),
  ];
  return owned.length === 0 ? null : owned.join(' and ');
}

function checkHeir(facts: DeletionFacts, { reassignTo }: DeleteTeam): Outcome<Team> {
  const { team, ownedAssets, ownedServices, heir } = facts;
  if (reassignTo === undefined || reassignTo === team.id) {
    return refuse(
      'TEAM_HAS_ASSETS',
      `${team.name} owns ${ownedText(facts)}. Choose a new owner in reassign_to.`,
      {
        field: 'reassign_to',
        details: {
          assets: ownedAssets.slice(0, listLimit).map(({ fqn }) => fqn),
          ...(ownedServices.length > 0 && {
            services: ownedServices.slice(0, listLimit).map(({ name }) => name),
          }),
        },
      },
    );
  }
  return heir === null ? notFound('TEAM', reassignTo, 'reassign_to') : accept(heir);
}

function reassignments(facts: TeamFacts, heir: Team, at: Timestamp): readonly Write[] {
  const services = facts.ownedServices.map((service) => inheritWrite(service, heir, at));
  const assets = facts.ownedAssets.map((asset): Write => {
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
  return [...assets, ...services];
}

function departures(facts: TeamFacts, reason: string | null): readonly Write[] {
  const told = 'the consumer team was deleted';
  return facts.registrations.map((registration) => {
    const named = { ...registration, registrationId: registration.id };
    const asset = {
      id: registration.assetId,
      fqn: registration.assetFqn,
      environment: registration.environment,
      ownerTeamId: registration.ownerTeamId,
    };
    const event = registrationEvent('registration.deleted', named, asset, {
      reason: reason === null ? told : `${told}: ${reason}`,
    });
    return { kind: 'delete_registration', id: registration.id, events: [event] };
  });
}
