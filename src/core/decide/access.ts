// The table of permissions: who may do what to whose objects. The HTTP layer has checked the scope;
// verbs check the team here, so that API, controller and imports follow the same rules.

import { type Actor, actsFor, type Duty, hasDuty, hasScope, mayAcknowledge } from '../actor.ts';
import { type Asset, isManagedBy, type ManagedBy, managerText } from '../asset.ts';
import { accept, type Outcome, refuse } from '../failure.ts';
import type { TeamId } from '../id.ts';
import type { Team } from '../team.ts';
import { checkReason } from './reason.ts';

export type Act =
  | 'create_asset'
  | 'update_asset'
  | 'delete_asset'
  | 'force_delete_asset'
  | 'restore_asset'
  | 'create_service'
  | 'update_service'
  | 'delete_service'
  | 'publish_contract'
  | 'update_contract'
  | 'force_archive_contract'
  | 'register_consumer'
  | 'update_registration'
  | 'move_registration'
  | 'set_needs'
  | 'find_needs'
  | 'deactivate_registration'
  | 'delete_registration'
  | 'change_dependencies'
  | 'record_quality_run'
  | 'acknowledge_proposal'
  | 'object_to_proposal'
  | 'approve_proposal'
  | 'publish_proposal'
  | 'rebase_proposal'
  | 'update_proposal'
  | 'remind_consumers'
  | 'withdraw_proposal'
  | 'expire_proposal'
  | 'force_proposal'
  | 'override_management'
  | 'import_assets'
  | 'confirm_source'
  | 'take_over_source'
  | 'manage_teams'
  | 'end_team'
  | 'hand_over_team'
  | 'manage_users'
  | 'provision_people'
  | 'manage_api_keys'
  | 'manage_trusts'
  | 'manage_webhooks'
  | 'manage_team_webhooks';

interface AccessRow {
  /**
   * `owner`, `consumer` and `team` need write access for that team, `answering` the right to acknowledge
   * for it; an admin may act for any.
   */
  readonly who: 'owner' | 'consumer' | 'team' | 'answering' | 'admin';
  readonly what: string;
  /** Of what only an administrator may do: the duty that is enough. */
  readonly duty?: Duty;
}

export const accessTable: Readonly<Record<Act, AccessRow>> = {
  create_asset: { who: 'owner', what: 'create assets for it' },
  update_asset: { who: 'owner', what: 'change its assets' },
  delete_asset: { who: 'owner', what: 'delete its assets' },
  force_delete_asset: {
    ...{ who: 'admin', duty: 'force', what: 'delete an asset that has consumers' },
  },
  restore_asset: { who: 'admin', what: 'restore an asset' },
  create_service: { who: 'owner', what: 'create services for it' },
  update_service: { who: 'owner', what: 'change its services' },
  delete_service: { who: 'owner', what: 'delete its services' },
  publish_contract: { who: 'owner', what: 'publish contracts for its assets' },
  update_contract: { who: 'owner', what: 'deprecate or archive its contracts' },
  force_archive_contract: {
    ...{ who: 'admin', duty: 'force', what: 'archive a version that consumers pin' },
  },
  register_consumer: { who: 'consumer', what: 'register it as a consumer' },
  update_registration: { who: 'consumer', what: 'change its registrations' },
  move_registration: { who: 'answering', what: 'move its registrations to another version' },
  // What a consumer reads decides whether it is affected, so saying it is an answer.
  set_needs: { who: 'answering', what: 'say what it reads' },
  find_needs: { who: 'consumer', what: 'add to what was found that it reads' },
  deactivate_registration: { who: 'answering', what: 'deactivate its registrations' },
  delete_registration: { who: 'answering', what: 'delete its registrations' },
  change_dependencies: { who: 'owner', what: 'change what its assets depend on' },
  record_quality_run: { who: 'owner', what: 'record quality runs of its assets' },
  acknowledge_proposal: { who: 'answering', what: 'answer proposals for it' },
  object_to_proposal: { who: 'team', what: 'object to proposals for it' },
  approve_proposal: { who: 'owner', what: 'approve its proposals' },
  publish_proposal: { who: 'owner', what: 'publish its proposals' },
  remind_consumers: { who: 'owner', what: 'remind the consumers of its proposals' },
  update_proposal: { who: 'owner', what: 'change what its proposals say' },
  rebase_proposal: { who: 'owner', what: 'rebase its proposals' },
  withdraw_proposal: { who: 'owner', what: 'withdraw its proposals' },
  expire_proposal: { who: 'owner', what: 'end its proposals as expired' },
  force_proposal: { who: 'admin', duty: 'force', what: 'force a proposal' },
  override_management: { who: 'admin', what: 'change an asset that is managed elsewhere' },
  import_assets: { who: 'owner', what: 'import assets for it' },
  confirm_source: { who: 'admin', what: 'confirm deletions of a source' },
  take_over_source: { who: 'admin', what: 'take over from a source' },
  manage_teams: { who: 'admin', duty: 'manage_people', what: 'create or change teams' },
  end_team: { who: 'admin', what: 'delete or restore teams' },
  hand_over_team: { who: 'admin', what: 'say which object manages a team' },
  manage_users: { who: 'admin', duty: 'manage_people', what: 'manage users' },
  provision_people: { who: 'admin', duty: 'scim', what: 'keep people by SCIM' },
  manage_api_keys: { who: 'admin', duty: 'manage_people', what: 'manage API keys' },
  manage_trusts: { who: 'admin', what: 'manage trusts' },
  manage_webhooks: {
    who: 'admin',
    what: 'manage webhooks for all teams; name your team in team_id',
  },
  manage_team_webhooks: { who: 'team', what: 'manage its notifications' },
};

/**
 * @example decideAccess(keyOfTeamA, 'update_asset', teamB) // refused: FORBIDDEN
 */
export function decideAccess(actor: Actor, act: Act, teamId: TeamId | null): Outcome<true> {
  const { who, what, duty } = accessTable[act];
  if (actor.scope === 'admin') return accept(true);
  if (duty !== undefined && hasDuty(actor, duty)) {
    // A person's duty reaches every team, as an administrator's, and that of a key its teams.
    if (teamId === null || actor.type === 'user' || actsFor(actor, teamId)) return accept(true);
    return refuse(
      'FORBIDDEN',
      `This key does not act for the owning team ${teamId}. Only an administrator, or a key of that team with the scope "${duty}", may ${what}.`,
    );
  }
  if (who === 'admin' || teamId === null) {
    const others = duty === undefined ? '' : `, or somebody with the right "${duty}",`;
    return refuse('FORBIDDEN', `Only an administrator${others} may ${what}.`);
  }
  const team = `${teamWords[who]} ${teamId}`;
  if (!actsFor(actor, teamId) || !(hasScope(actor.scope, 'write') || mayAcknowledge(actor))) {
    return refuse(
      'FORBIDDEN',
      `You do not act for the ${team}. Only that team or an administrator may ${what}.`,
    );
  }
  const isAllowed = who === 'answering' ? mayAcknowledge(actor) : hasScope(actor.scope, 'write');
  if (isAllowed) return accept(true);
  return refuse(
    'FORBIDDEN',
    who === 'answering'
      ? `${actor.name} ${withoutAcknowledge(actor)}, so it may not ${what} for the ${team}. Use a key of that team, or a key with that scope.`
      : `${actor.name} may not ${what}. Use a key with scope write.`,
  );
}

const teamWords = {
  ...{ owner: 'owning team', consumer: 'consumer team', answering: 'consumer team', team: 'team' },
} as const;

/** A key of one team lacks the right only if a trust issued it. */
function withoutAcknowledge({ teams }: Actor): string {
  return teams !== 'all' && teams.length === 1
    ? 'comes from a trust without the scope "acknowledge"'
    : 'acts for several teams without the scope "acknowledge"';
}

/**
 * Why an administrator answers for a team that is not its own. Null for the team itself, and for what the
 * registry does by itself.
 *
 * @example reasonForOther(keyOfTeamA, teamA, undefined) // accepted: null
 */
export function reasonForOther(
  actor: Actor,
  team: TeamId,
  reason: string | undefined,
): Outcome<string | null> {
  const isOwn = actor.teams !== 'all' && actor.teams.includes(team);
  if (actor.scope !== 'admin' || actor.type === 'system' || isOwn) return accept(null);
  return checkReason(reason);
}

export interface Overriding {
  /** For administrators: change the object even though it is managed elsewhere. */
  readonly override?: boolean | undefined;
  readonly reason?: string | null | undefined;
}

/**
 * The reason for an override, for its audit event. Empty if nothing was overridden.
 *
 * @example overridingOf(managedAsset, { override: true, reason: ' It has to be. ' }) // { reason:
 * 'It has to be.' }
 */
export function overridingOf(
  { managedBy }: Pick<Asset, 'managedBy'>,
  { override, reason }: Overriding,
): { readonly reason?: string } {
  return managedBy !== null && override === true && reason != null ? { reason: reason.trim() } : {};
}

/**
 * What manages an asset or a team, if this actor may not change it for that reason; null if it may.
 *
 * @example managedElsewhere(actor, { managedBy: null }) // null
 */
export function managedElsewhere(
  { type, manages }: Actor,
  managed: Pick<Asset, 'managedBy'>,
): ManagedBy | null {
  const isManager = manages !== undefined && isManagedBy(managed, manages);
  return isManager || type === 'system' ? null : managed.managedBy;
}

/**
 * Refuses changes of an asset or a team that a cluster or a repository manages, unless an admin
 * overrides this with a reason.
 */
export function decideManagement(
  actor: Actor,
  managed: Pick<Asset, 'fqn' | 'managedBy'> | Pick<Team, 'slug' | 'managedBy'>,
  { override, reason }: Overriding,
): Outcome<true> {
  const manager = managedElsewhere(actor, managed);
  if (manager === null) return accept(true);
  if (override === true) {
    const access = decideAccess(actor, 'override_management', null);
    if (!access.ok) return access;
    const checked = checkReason(reason);
    return checked.ok ? accept(true) : checked;
  }
  const isAsset = 'fqn' in managed;
  return refuse(
    isAsset ? 'ASSET_MANAGED_ELSEWHERE' : 'TEAM_MANAGED_ELSEWHERE',
    `${isAsset ? managed.fqn : `Team ${managed.slug}`} is managed by ${managerText(manager)}. Change it there, or have an administrator override it with a reason.`,
    { details: { managed_by: { ...manager } } },
  );
}
