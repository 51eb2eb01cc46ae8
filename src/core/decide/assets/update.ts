// A PATCH of an asset: changes that take something from consumers are proposed; the rest is set at
// once.

import { type Asset, isLoosened, isLowered } from '../../asset.ts';
import { accept, type Outcome, refuse } from '../../failure.ts';
import type { Service, Team } from '../../team.ts';
import { decideAccess, decideManagement, overridingOf } from '../access.ts';
import { asksAllNow } from '../asking.ts';
import type { UpdateAsset, UpdateAssetResult } from '../commands.ts';
import type { By, Decided } from '../decided.ts';
import { assetEvent } from '../events.ts';
import type { AssetFacts, NameFacts, UserFacts } from '../facts.ts';
import { patchMetadata } from '../metadata.ts';
import { checkNameIsFree } from '../name.ts';
import { notFound, preconditionFailed } from '../not-found.ts';
import { checkOwner } from '../owner.ts';
import { type AskingFacts, decideAsking, type Gated } from '../proposals/ask.ts';
import { reassessWrite } from '../proposals/reassess.ts';
import { requestOf } from '../proposals/request.ts';
import type { Write, WriteOf } from '../write.ts';

export interface UpdateAssetFacts extends AskingFacts {
  /** For a move to another environment: the facts about the name there. */
  readonly name: NameFacts | null;
  /** The new owner team, if the command names one. */
  readonly newTeam: Team | null;
  /** The new owning user, if the command names one. */
  readonly newUser: UserFacts | null;
  /** The new service, if the command names one. */
  readonly newService: Service | null;
}

export function decideAssetUpdate(
  facts: UpdateAssetFacts,
  command: UpdateAsset,
  by: By,
): Outcome<Decided<UpdateAssetResult>> {
  const decided = decideWrites(facts, command, by);
  return decided.ok && command.dryRun === true
    ? accept({ writes: [], answer: decided.value.answer })
    : decided;
}

function decideWrites(
  facts: UpdateAssetFacts,
  command: UpdateAsset,
  by: By,
): Outcome<Decided<UpdateAssetResult>> {
  const { asset, consumers } = facts;
  if (asset.deletedAt !== null) return notFound('ASSET', asset.id);
  const refused =
    checkAllowed(command, asset, by) ??
    checkNameIsFree(asset, command.environment ?? asset.environment, facts.name);
  if (refused !== null) return refused;
  const asked = askedOf(command, facts);
  if (!asked.ok) return asked;
  const owners = ownersOf(facts, command);
  if (!owners.ok) return owners;
  const serviceId = command.serviceId ?? null;
  if (serviceId !== null && facts.newService === null) {
    return notFound('SERVICE', serviceId, 'service_id');
  }
  const request = requestOf(command, by.at);
  if (!request.ok) return request;
  const metadata = patchMetadata(asset.metadata, command.metadata);
  if (!metadata.ok) return metadata;
  const free = {
    ...freelyChanged(command, asset, owners.value),
    ...(command.serviceId !== undefined && {
      serviceId,
      serviceName: facts.newService?.name ?? null,
    }),
    metadata: metadata.value,
  };
  const gated = asked.value;
  if (gated === null || consumers.length === 0) {
    if (command.onlyPropose) return accept({ writes: [], answer: { action: 'updated', asset } });
    const next = gated === null ? free : withGated(free, gated, owners.value);
    const write = changeWrite(asset, next, by.at, command);
    const answer = { action: 'updated' as const, asset: write?.asset ?? asset };
    const writes = write === null ? [] : [write, ...askingAll(facts, next)];
    return accept({ writes, answer });
  }
  if (isHandedToUser(command, gated, asset)) return tooEarlyForUser();
  const supersede = command.supersede === true;
  const how = { supersede, overriding: overridingOf(asset, command), request: request.value };
  const asking = decideAsking(facts, gated, how, by);
  if (!asking.ok) return asking;
  const write = changeWrite(asset, free, by.at, command);
  const writes = write === null ? [] : [write];
  return accept({ ...asking.value, writes: [...writes, ...asking.value.writes] });
}

function checkAllowed(command: UpdateAsset, asset: Asset, { actor }: By): Outcome<never> | null {
  const access = decideAccess(actor, 'update_asset', asset.ownerTeamId);
  if (!access.ok) return access;
  const managed = saysOnlyService(command) ? accept(true) : decideManagement(actor, asset, command);
  if (!managed.ok) return managed;
  return command.precondition?.(asset) === false ? preconditionFailed() : null;
}

/** No manifest says what service an asset belongs to, so that is said here for managed assets as well. */
function saysOnlyService(command: UpdateAsset): boolean {
  return (
    command.serviceId !== undefined &&
    Object.entries(command).every(
      ([field, value]) => value === undefined || besideService.has(field),
    )
  );
}

const besideService: ReadonlySet<string> = new Set<keyof UpdateAsset>([
  ...(['assetId', 'serviceId', 'precondition'] as const),
]);

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

/** The proposal that a PATCH makes, if it needs one. */
function askedOf(command: UpdateAsset, { asset }: AssetFacts): Outcome<Gated | null> {
  const environment = command.environment ?? asset.environment;
  const ownerTeamId = command.ownerTeamId ?? asset.ownerTeamId;
  const moves = environment !== asset.environment || ownerTeamId !== asset.ownerTeamId;
  const { guaranteeMode, needsMode } = command;
  const gated: readonly Gated[] = [
    ...(moves ? [{ kind: 'move' as const, environment, ownerTeamId }] : []),
    ...(guaranteeMode !== undefined && isLowered(asset.guaranteeMode, guaranteeMode)
      ? [{ kind: 'guarantee_mode' as const, guaranteeMode }]
      : []),
    ...(needsMode !== undefined && isLoosened(asset.needsMode, needsMode)
      ? [{ kind: 'needs_mode' as const, needsMode }]
      : []),
  ];
  const [first = null, second] = gated;
  if (second === undefined) return accept(first);
  return refuse(
    'VALIDATION_ERROR',
    `${partNames[first?.kind ?? 'move']} and ${partNames[second.kind]} need separate approval. Send one change at a time.`,
    { field: second.kind },
  );
}

const partNames: Readonly<Record<Gated['kind'], string>> = {
  deprecation: 'A deprecation',
  move: 'A move',
  guarantee_mode: 'a lower guarantee_mode',
  needs_mode: 'a looser needs_mode',
};

interface Owners {
  readonly ownerTeamName: string;
  readonly ownerUserId: Asset['ownerUserId'];
  readonly ownerUserName: Asset['ownerUserName'];
}

function ownersOf(facts: UpdateAssetFacts, command: UpdateAsset): Outcome<Owners> {
  const { asset, newTeam, newUser } = facts;
  const ownerTeamId = command.ownerTeamId ?? asset.ownerTeamId;
  const isHandedOver = ownerTeamId !== asset.ownerTeamId;
  if (isHandedOver && newTeam === null) return notFound('TEAM', ownerTeamId, 'owner_team_id');
  const ownerTeamName = newTeam?.name ?? asset.ownerTeamName;
  if (command.ownerUserId === undefined) {
    // An owning user belongs to the old team, and is not kept.
    return accept(
      isHandedOver
        ? { ownerTeamName, ownerUserId: null, ownerUserName: null }
        : { ownerTeamName, ownerUserId: asset.ownerUserId, ownerUserName: asset.ownerUserName },
    );
  }
  const refused = checkOwner(newUser, command.ownerUserId, ownerTeamId);
  if (refused !== null) return refused;
  const ownerUserId = newUser?.id ?? null;
  return accept({ ownerTeamName, ownerUserId, ownerUserName: newUser?.name ?? null });
}

function freelyChanged(command: UpdateAsset, asset: Asset, owners: Owners): Asset {
  const raises =
    command.guaranteeMode !== undefined && !isLowered(asset.guaranteeMode, command.guaranteeMode);
  const tightens =
    command.needsMode !== undefined && !isLoosened(asset.needsMode, command.needsMode);
  const staysInTeam = (command.ownerTeamId ?? asset.ownerTeamId) === asset.ownerTeamId;
  return {
    ...asset,
    ...(staysInTeam
      ? { ownerUserId: owners.ownerUserId, ownerUserName: owners.ownerUserName }
      : {}),
    guaranteeMode: raises ? (command.guaranteeMode ?? asset.guaranteeMode) : asset.guaranteeMode,
    needsMode: tightens ? command.needsMode : asset.needsMode,
    autoPublish: command.autoPublish ?? asset.autoPublish,
    onDeadline: command.onDeadline ?? asset.onDeadline,
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
    case 'needs_mode':
      return { ...asset, needsMode: gated.needsMode };
    case 'deprecation':
      return asset;
    default:
      return gated satisfies never;
  }
}

function askingAll({ open }: AskingFacts, { needsMode }: Asset): readonly Write[] {
  return open !== null && asksAllNow(needsMode, open.proposal.asks)
    ? [reassessWrite(open, { asks: 'all', verdicts: open.proposal.verdicts })]
    : [];
}

/** Null if nothing differs: a change without effect leaves no trace. */
function changeWrite(
  before: Asset,
  after: Asset,
  at: string,
  command: UpdateAsset,
): WriteOf<'update_asset'> | null {
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
  return { kind: 'update_asset', asset, events: [event] };
}

function auditedFields(asset: Asset) {
  const fields = {
    environment: asset.environment,
    owner_team_id: asset.ownerTeamId,
    owner_user_id: asset.ownerUserId,
    service_id: asset.serviceId,
    guarantee_mode: asset.guaranteeMode,
    needs_mode: asset.needsMode,
    auto_publish: asset.autoPublish,
    on_deadline: asset.onDeadline,
    metadata: asset.metadata,
  };
  const named: Readonly<Record<string, (typeof fields)[keyof typeof fields]>> = fields;
  return named;
}
