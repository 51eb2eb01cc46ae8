// Who may do what to whose things, as a table. The HTTP layer has looked at the scope before; the
// verbs ask here about the team, so that every door has the same lock.

import { type Actor, actsFor, hasScope } from './actor.ts';
import { type Asset, isManagedBy } from './asset.ts';
import { accept, type Outcome, refuse } from './failure.ts';
import type { TeamId } from './id.ts';

export type Act =
  | 'create_asset'
  | 'update_asset'
  | 'delete_asset'
  | 'force_delete_asset'
  | 'restore_asset'
  | 'publish_contract'
  | 'update_contract'
  | 'force_archive_contract'
  | 'register_consumer'
  | 'update_registration'
  | 'delete_registration'
  | 'change_dependencies'
  | 'record_quality_run'
  | 'acknowledge_proposal'
  | 'approve_proposal'
  | 'publish_proposal'
  | 'rebase_proposal'
  | 'withdraw_proposal'
  | 'force_proposal'
  | 'override_management'
  | 'import_assets'
  | 'confirm_source'
  | 'manage_teams'
  | 'manage_users'
  | 'manage_api_keys'
  | 'manage_webhooks';

export interface AccessRow {
  /** `owner` and `consumer` need write for that team; an admin may act for any. */
  readonly who: 'owner' | 'consumer' | 'admin';
  readonly what: string;
}

export const accessTable: Readonly<Record<Act, AccessRow>> = {
  create_asset: { who: 'owner', what: 'create assets for it' },
  update_asset: { who: 'owner', what: 'change its assets' },
  delete_asset: { who: 'owner', what: 'delete its assets' },
  force_delete_asset: { who: 'admin', what: 'delete an asset that has consumers' },
  restore_asset: { who: 'admin', what: 'restore an asset' },
  publish_contract: { who: 'owner', what: 'publish contracts for its assets' },
  update_contract: { who: 'owner', what: 'deprecate or archive its contracts' },
  force_archive_contract: { who: 'admin', what: 'archive a version that consumers pin' },
  register_consumer: { who: 'consumer', what: 'register it as a consumer' },
  update_registration: { who: 'consumer', what: 'change its registrations' },
  delete_registration: { who: 'consumer', what: 'take its registrations away' },
  change_dependencies: { who: 'owner', what: 'change what its assets depend on' },
  record_quality_run: { who: 'owner', what: 'record quality runs of its assets' },
  acknowledge_proposal: { who: 'consumer', what: 'answer proposals for it' },
  approve_proposal: { who: 'owner', what: 'approve its proposals' },
  publish_proposal: { who: 'owner', what: 'publish its proposals' },
  rebase_proposal: { who: 'owner', what: 'rebase its proposals' },
  withdraw_proposal: { who: 'owner', what: 'withdraw its proposals' },
  force_proposal: { who: 'admin', what: 'force a proposal' },
  override_management: { who: 'admin', what: 'change an asset that is managed elsewhere' },
  import_assets: { who: 'owner', what: 'import assets for it' },
  confirm_source: { who: 'admin', what: 'confirm what is missing from a source' },
  manage_teams: { who: 'admin', what: 'manage teams' },
  manage_users: { who: 'admin', what: 'manage users' },
  manage_api_keys: { who: 'admin', what: 'manage API keys' },
  manage_webhooks: { who: 'admin', what: 'manage webhooks' },
};

/**
 * @example decideAccess(keyOfTeamA, 'update_asset', teamB) // refused: FORBIDDEN
 */
export function decideAccess(actor: Actor, act: Act, teamId: TeamId | null): Outcome<true> {
  const { who, what } = accessTable[act];
  if (actor.scope === 'admin') return accept(true);
  if (who === 'admin' || teamId === null) {
    return refuse('FORBIDDEN', `Only an administrator may ${what}.`);
  }
  if (hasScope(actor.scope, 'write') && actsFor(actor, teamId)) return accept(true);
  return refuse(
    'FORBIDDEN',
    `You do not act for the ${who === 'owner' ? 'owning' : 'consumer'} team ${teamId}: only that team, or an administrator, may ${what}.`,
  );
}

/** An asset that a cluster or a repository manages is changed there, or by an admin's override. */
export function decideManagement(
  actor: Actor,
  asset: Pick<Asset, 'fqn' | 'managedBy'>,
  override: boolean,
): Outcome<true> {
  if (asset.managedBy === null || actor.type === 'system') return accept(true);
  if (actor.manages !== undefined && isManagedBy(asset, actor.manages)) return accept(true);
  if (override) return decideAccess(actor, 'override_management', null);
  const { source, reference } = asset.managedBy;
  return refuse(
    'ASSET_MANAGED_ELSEWHERE',
    `${asset.fqn} is managed by ${source} (${reference}). Change it there, or have an administrator override.`,
    { details: { managed_by: { source, reference } } },
  );
}
