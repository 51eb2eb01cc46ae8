// Hands everything that a lost source managed to another one, which has the same objects.

import { type Asset, type ManagedBy, managerText } from '../../asset.ts';
import { accept, type Outcome, refuse } from '../../failure.ts';
import type { AssetId } from '../../id.ts';
import type { Registration } from '../../registration.ts';
import { managedSourceOf, type SourceDescription } from '../../source.ts';
import { decideAccess } from '../access.ts';
import type { By, Decided } from '../decided.ts';
import { assetEvent, registrationEvent } from '../events.ts';
import { notFound } from '../not-found.ts';
import { checkReason } from '../reason.ts';
import type { Write } from '../write.ts';

export interface TakeOverSource {
  readonly sourceId: string;
  readonly toSourceId: string;
  /** If absent, everything that the source manages. */
  readonly assetId?: AssetId | undefined;
  readonly reason: string;
  readonly dryRun: boolean;
}

export interface KnownSource extends SourceDescription {
  readonly id: string;
  /** The source was renewed within the last minute. */
  readonly isAlive: boolean;
}

export interface TakeOverFacts {
  readonly from: KnownSource | null;
  readonly to: KnownSource | null;
  readonly assets: readonly Asset[];
  readonly registrations: readonly (Registration & { readonly asset: Asset })[];
  /** Whether there are more assets than one take-over may change. */
  readonly hasMore: boolean;
}

export interface TakenOver extends Pick<TakeOverFacts, 'hasMore' | 'registrations'> {
  readonly from: KnownSource;
  readonly to: KnownSource;
  readonly assets: readonly MovedAsset[];
  readonly dryRun: boolean;
}

interface MovedAsset {
  readonly asset: Asset;
  readonly from: string;
  readonly to: string;
}

export function decideTakeOver(
  facts: TakeOverFacts,
  command: TakeOverSource,
  by: By,
): Outcome<Decided<TakenOver>> {
  const access = decideAccess(by.actor, 'take_over_source', null);
  if (!access.ok) return access;
  const reason = checkReason(command.reason);
  if (!reason.ok) return reason;
  const { from, to, hasMore } = facts;
  if (from === null) return notFound('SOURCE', command.sourceId);
  if (to === null) return notFound('SOURCE', command.toSourceId, 'to_source_id');
  const refused = checkSources(from, to);
  if (refused !== null) return refused;
  const assets = facts.assets.flatMap((asset) => moveAsset(asset, from, to));
  const registrations = facts.registrations.filter(({ claims }) => claims.includes(from.identity));
  const answer: TakenOver = {
    from,
    to,
    assets,
    registrations,
    hasMore,
    dryRun: command.dryRun,
  };
  if (command.dryRun) return accept({ writes: [], answer });
  const moved: Moved = { from, to, reason: reason.value, at: by.at };
  const writes = [
    takeOverWrite(answer, moved),
    ...assets.map((one) => assetWrite(one, moved)),
    ...registrations.map((one) => registrationWrite(one, moved)),
  ];
  return accept({ writes, answer });
}

function checkSources(from: KnownSource, to: KnownSource): Outcome<never> | null {
  if (from.id === to.id) {
    return refuse('VALIDATION_ERROR', 'A source cannot take over from itself. Choose another.', {
      field: 'to_source_id',
    });
  }
  if (!from.isAlive) return null;
  return refuse(
    'SOURCE_ALIVE',
    `Source ${from.identity} (${from.place}) is still reconciled. Stop it first: it is gone once it was not renewed for a minute.`,
  );
}

/** Namespace and name stay, because the other source has the same object. */
function moveAsset(asset: Asset, from: KnownSource, to: KnownSource): readonly MovedAsset[] {
  const { managedBy } = asset;
  const ending = ` in ${from.identity}`;
  const isHeld =
    managedBy?.source === managedSourceOf(from.kind) && managedBy.reference.endsWith(ending);
  if (managedBy === null || !isHeld) return [];
  const place = managedBy.reference.slice(0, -ending.length);
  return [{ asset, from: managedBy.reference, to: `${place} in ${to.identity}` }];
}

interface Moved {
  readonly from: KnownSource;
  readonly to: KnownSource;
  readonly reason: string;
  readonly at: string;
}

function takeOverWrite({ assets, registrations }: TakenOver, { from, to, reason }: Moved): Write {
  const metadata = {
    kind: from.kind,
    place: from.place,
    identity: from.identity,
    to_identity: to.identity,
    to_place: to.place,
    assets: assets.length,
    registrations: registrations.length,
    reason,
  };
  const event = { type: 'source.taken_over', entityType: 'source', metadata } as const;
  return { kind: 'take_over_source', id: from.id, events: [{ ...event, entityId: from.id }] };
}

function assetWrite({ asset, to: reference }: MovedAsset, { to, reason, at }: Moved): Write {
  const managedBy: ManagedBy = { source: managedSourceOf(to.kind), reference };
  const event = assetEvent('asset.updated', asset, {
    team_id: asset.ownerTeamId,
    from: { managed_by: managerText(asset.managedBy) },
    to: { managed_by: managerText(managedBy) },
    reason,
  });
  return {
    kind: 'update_asset',
    asset: { ...asset, managedBy, updatedAt: at },
    events: [event],
  };
}

function registrationWrite(
  { asset, ...registration }: TakeOverFacts['registrations'][number],
  { from, to, reason, at }: Moved,
): Write {
  const renamed = registration.claims.map((one) => (one === from.identity ? to.identity : one));
  // The first claim stays first.
  const claims = [...new Set(renamed)];
  const named = { ...registration, registrationId: registration.id };
  const told = { from: { claims: registration.claims }, to: { claims }, reason };
  return {
    kind: 'update_registration',
    registration: { ...registration, claims, updatedAt: at },
    events: [registrationEvent('registration.updated', named, asset, told)],
  };
}
