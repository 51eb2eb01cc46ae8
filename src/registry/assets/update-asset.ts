import { type Asset, isLowered } from '../../core/asset.ts';
import { decideAccess, decideManagement, overridingOf } from '../../core/decide/access.ts';
import type { UpdateAsset, UpdateAssetResult } from '../../core/decide/commands.ts';
import {
  breakingOf,
  decidePropose,
  proposedDigestOf,
} from '../../core/decide/contracts/publish.ts';
import { assetEvent } from '../../core/decide/events.ts';
import type { AssetFacts } from '../../core/decide/facts.ts';
import { problemOfEnvironment } from '../../core/decide/fqn.ts';
import { patchMetadata } from '../../core/decide/metadata.ts';
import { notFound, preconditionFailed } from '../../core/decide/not-found.ts';
import { changesOfProposed } from '../../core/decide/proposals/proposed-changes.ts';
import type { Write } from '../../core/decide/write.ts';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import type { Proposed, ProposedTerms } from '../../core/proposal.ts';
import type { Verb } from '../commands.ts';
import type { Context } from '../ports.ts';
import { findTaken } from '../proposals/conclude-proposal.ts';
import { proposalOfFacts, proposeWrites } from '../proposals/proposing.ts';
import { settleProposal } from '../proposals/settle-proposal.ts';
import type { Transaction } from '../transaction.ts';
import { findOwner } from './create-asset.ts';

type Gated = Exclude<Proposed, ProposedTerms>;

/** What takes something from consumers is proposed to them; the rest is set at once. */
export const updateAsset: Verb<UpdateAsset, UpdateAssetResult> = async (
  ports,
  context,
  command,
) => {
  const wrong =
    command.environment === undefined ? null : problemOfEnvironment(command.environment);
  if (wrong !== null) return refuse('VALIDATION_ERROR', wrong, { field: 'environment' });
  const before = await ports.reads.getAsset(command.assetId);
  if (before === null) return notFound('ASSET', command.assetId);

  const outcome = await ports.transact(context, async (transaction) => {
    const taken = await findTaken(transaction, before, command.environment ?? before.environment);
    const facts = await transaction.lockAsset(command.assetId);
    if (facts === null || facts.asset.deletedAt !== null) {
      return notFound('ASSET', command.assetId);
    }
    const allowed = checkAllowed(context, command, facts.asset);
    if (!allowed.ok) return allowed;
    return taken.ok ? update(transaction, context, command, facts) : taken;
  });
  if (outcome.ok && mayPublishItself(command, outcome.value)) {
    await settleProposal(ports, context, command.assetId);
  }
  return outcome;
};

function checkAllowed(context: Context<never>, command: UpdateAsset, asset: Asset): Outcome<true> {
  const access = decideAccess(context.actor, 'update_asset', asset.ownerTeamId);
  if (!access.ok) return access;
  const managed = decideManagement(context.actor, asset, command);
  if (!managed.ok) return managed;
  return command.precondition?.(asset) === false ? preconditionFailed() : accept(true);
}

function mayPublishItself(command: UpdateAsset, result: UpdateAssetResult): boolean {
  return command.autoPublish === true || result.action === 'proposal_created';
}

async function update(
  transaction: Transaction,
  context: Context<UpdateAssetResult>,
  command: UpdateAsset,
  facts: AssetFacts,
): Promise<Outcome<UpdateAssetResult>> {
  const asked = askedOf(command, facts);
  if (!asked.ok) return asked;
  const wanted = await checkOwners(transaction, command, facts.asset);
  if (!wanted.ok) return wanted;
  const metadata = patchMetadata(facts.asset.metadata, command.metadata);
  if (!metadata.ok) return metadata;
  const changed = freelyChanged(command, facts.asset, wanted.value);
  const free = { ...changed, metadata: metadata.value };
  const gated = asked.value;
  if (gated === null || facts.consumers.length === 0) {
    if (command.onlyPropose) return accept({ action: 'updated', asset: facts.asset });
    const next = gated === null ? free : withGated(free, gated, wanted.value);
    const written = changeWrites(facts.asset, next, transaction.now(), command);
    if (written !== null) await transaction.apply([written.write]);
    return accept({ action: 'updated', asset: written?.asset ?? facts.asset });
  }
  if (isHandedToUser(command, gated, facts.asset)) return tooEarlyForUser();
  return propose(transaction, context, command, { ...facts, free }, gated);
}

function isHandedToUser(command: UpdateAsset, gated: Gated, asset: Asset): boolean {
  const isHandedOver = gated.kind === 'move' && gated.ownerTeamId !== asset.ownerTeamId;
  return isHandedOver && typeof command.ownerUserId === 'string';
}

function tooEarlyForUser(): Outcome<never> {
  return refuse(
    'VALIDATION_ERROR',
    'The consumers of the asset are asked before it moves to another team. Send owner_user_id after the move.',
    { field: 'owner_user_id' },
  );
}

/** The one question that a PATCH puts to the consumers, if it puts one. */
function askedOf(command: UpdateAsset, { asset }: AssetFacts): Outcome<Gated | null> {
  const environment = command.environment ?? asset.environment;
  const ownerTeamId = command.ownerTeamId ?? asset.ownerTeamId;
  const moves = environment !== asset.environment || ownerTeamId !== asset.ownerTeamId;
  const { guaranteeMode } = command;
  const lowers = guaranteeMode !== undefined && isLowered(asset.guaranteeMode, guaranteeMode);
  if (moves && lowers) {
    return refuse(
      'VALIDATION_ERROR',
      'A move and a lower guarantee_mode need separate approval. Send one change at a time.',
      { field: 'guarantee_mode' },
    );
  }
  if (moves) return accept({ kind: 'move', environment, ownerTeamId });
  return accept(lowers ? { kind: 'guarantee_mode', guaranteeMode } : null);
}

interface Owners {
  readonly ownerTeamName: string;
  readonly ownerUserId: Asset['ownerUserId'];
  readonly ownerUserName: Asset['ownerUserName'];
}

async function checkOwners(
  transaction: Transaction,
  command: UpdateAsset,
  asset: Asset,
): Promise<Outcome<Owners>> {
  const ownerTeamId = command.ownerTeamId ?? asset.ownerTeamId;
  const isHandedOver = ownerTeamId !== asset.ownerTeamId;
  const team = isHandedOver ? await transaction.holdTeam(ownerTeamId) : null;
  if (isHandedOver && team === null) return notFound('TEAM', ownerTeamId, 'owner_team_id');
  const ownerTeamName = team?.name ?? asset.ownerTeamName;
  if (command.ownerUserId === undefined) {
    // A user who owned it belongs to the team that gives it away.
    return accept(
      isHandedOver
        ? { ownerTeamName, ownerUserId: null, ownerUserName: null }
        : { ownerTeamName, ownerUserId: asset.ownerUserId, ownerUserName: asset.ownerUserName },
    );
  }
  const user = await findOwner(transaction, command.ownerUserId, ownerTeamId);
  if (!user.ok) return user;
  const ownerUserId = user.value?.id ?? null;
  return accept({ ownerTeamName, ownerUserId, ownerUserName: user.value?.name ?? null });
}

function freelyChanged(command: UpdateAsset, asset: Asset, owners: Owners): Asset {
  const raises =
    command.guaranteeMode !== undefined && !isLowered(asset.guaranteeMode, command.guaranteeMode);
  const staysInTeam = (command.ownerTeamId ?? asset.ownerTeamId) === asset.ownerTeamId;
  return {
    ...asset,
    ...(staysInTeam
      ? { ownerUserId: owners.ownerUserId, ownerUserName: owners.ownerUserName }
      : {}),
    guaranteeMode: raises ? (command.guaranteeMode ?? asset.guaranteeMode) : asset.guaranteeMode,
    autoPublish: command.autoPublish ?? asset.autoPublish,
  };
}

function withGated(asset: Asset, gated: Gated, owners: Owners): Asset {
  switch (gated.kind) {
    case 'move': {
      const { environment, ownerTeamId } = gated;
      return { ...asset, ...owners, environment, ownerTeamId };
    }
    case 'guarantee_mode':
      return { ...asset, guaranteeMode: gated.guaranteeMode };
    case 'deprecation':
      return asset;
    default:
      return gated satisfies never;
  }
}

/** Null where nothing differs: a change that changes nothing leaves no trace. */
function changeWrites(
  before: Asset,
  after: Asset,
  at: string,
  command: UpdateAsset,
): { readonly asset: Asset; readonly write: Write } | null {
  const from = auditedFields(before);
  const to = auditedFields(after);
  const changed = Object.keys(to).filter(
    (key) => JSON.stringify(from[key]) !== JSON.stringify(to[key]),
  );
  if (changed.length === 0) return null;
  const asset = { ...after, updatedAt: at };
  const event = assetEvent('asset.updated', asset, {
    team_id: before.ownerTeamId,
    from: Object.fromEntries(changed.map((key) => [key, from[key] ?? null])),
    to: Object.fromEntries(changed.map((key) => [key, to[key] ?? null])),
    ...overridingOf(before, command),
  });
  return { asset, write: { kind: 'update_asset', asset, events: [event] } };
}

function auditedFields(asset: Asset) {
  const fields = {
    environment: asset.environment,
    owner_team_id: asset.ownerTeamId,
    owner_user_id: asset.ownerUserId,
    guarantee_mode: asset.guaranteeMode,
    auto_publish: asset.autoPublish,
    metadata: asset.metadata,
  };
  const named: Readonly<Record<string, (typeof fields)[keyof typeof fields]>> = fields;
  return named;
}

async function propose(
  transaction: Transaction,
  context: Context<UpdateAssetResult>,
  command: UpdateAsset,
  facts: AssetFacts & { readonly free: Asset },
  proposed: Gated,
): Promise<Outcome<UpdateAssetResult>> {
  const at = transaction.now();
  const changed = changeWrites(facts.asset, facts.free, at, command);
  const writes = changed === null ? [] : [changed.write];
  const asked = await proposeGated(transaction, context, facts, proposed, {
    supersede: command.supersede === true,
    at,
    writes,
    overriding: overridingOf(facts.asset, command),
  });
  return asked;
}

/** Asks the consumers about what is no schema; the same question again answers with the open one. */
export async function proposeGated(
  transaction: Transaction,
  context: Context<never>,
  facts: AssetFacts,
  proposed: Gated,
  how: {
    readonly supersede: boolean;
    readonly at: string;
    readonly writes: readonly Write[];
    readonly overriding: { readonly reason?: string };
  },
): Promise<Outcome<Extract<UpdateAssetResult, { action: 'proposal_created' }>>> {
  const changes = changesOfProposed(proposed, facts);
  const told = {
    action: 'proposal_created' as const,
    dryRun: false,
    changes,
    breakingChanges: breakingOf(changes),
  };
  const open =
    facts.openProposal === null ? null : await transaction.lockProposal(facts.openProposal.id);
  if (open !== null && open.proposedDigest === proposedDigestOf(proposed)) {
    if (how.writes.length > 0) await transaction.apply(how.writes);
    return accept({ ...told, proposal: open.proposal, existing: true });
  }
  const decision = decidePropose(facts, how.supersede);
  if (!decision.ok) return decision;
  const next = { id: context.newId(), proposed, changes, at: how.at };
  const proposal = proposalOfFacts(facts, context, next);
  await transaction.apply([
    ...how.writes,
    ...proposeWrites(facts, proposal, open?.proposal ?? null, how.overriding),
  ]);
  return accept({ ...told, proposal, existing: false });
}
