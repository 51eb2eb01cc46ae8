// What a reconciler works with.

import type { Actor } from '../../core/actor.ts';
import type { Asset, ManagedBy } from '../../core/asset.ts';
import type { Outcome } from '../../core/failure.ts';
import type { TeamId, Timestamp } from '../../core/id.ts';
import type { Team } from '../../core/team.ts';
import type { Verbs } from '../../registry/commands.ts';
import type { Context, Ports } from '../../registry/ports.ts';
import { resolveTeam, slugsOfNamespace, type TeamMapping } from '../permission.ts';
import type { Source, SourceObject } from '../source/source.ts';

export interface World {
  readonly ports: Ports;
  readonly verbs: Verbs;
  readonly source: Source;
  readonly mapping: TeamMapping;
  readonly now: () => Timestamp;
  readonly newId: () => string;
}

/** For whom an object acts, and as whom it is audited. */
export interface Standing {
  readonly team: Team;
  readonly actor: Actor;
}

/** `shop/orders in 5f2c...`: two clusters may each have a shop/orders. */
export function managerOf(world: World, object: SourceObject): ManagedBy {
  const { source } = world;
  return {
    source: source.kind === 'cluster' ? 'kubernetes' : source.kind,
    reference: `${object.namespace}/${object.name} in ${source.identity}`,
  };
}

export function contextOf(world: World, actor: Actor): Context<unknown> {
  return { actor, requestId: null, now: world.now, newId: world.newId };
}

/** Who the object speaks for; `named` is the team that its spec names. */
export async function findStanding(
  world: World,
  object: SourceObject,
  named: string | null,
): Promise<Outcome<Standing>> {
  const { namespace } = object;
  const label = world.source.teamLabelOf(namespace);
  const slugs = slugsOfNamespace({ namespace, label }, world.mapping);
  const teams = await findTeams(world, slugs);
  const resolved = resolveTeam({ namespace, slugs, named, teams });
  if (!resolved.ok) return resolved;
  const actor = actorOf(
    object,
    teams.map((team) => team.id),
  );
  return { ok: true, value: { team: resolved.value, actor } };
}

/** Written by a robot, so what counts is the object: it is what the audit trail names. */
export function actorOf(object: SourceObject, teams: readonly TeamId[]): Actor {
  return {
    type: 'controller',
    id: object.uid,
    name: `${object.kind} ${object.namespace}/${object.name}`,
    scope: 'write',
    teams,
  };
}

export async function findTeams(world: World, slugs: readonly string[]): Promise<readonly Team[]> {
  const found = await Promise.all(slugs.map((slug) => findTeam(world, slug)));
  return found.filter((team) => team !== null);
}

export async function findTeam(world: World, slug: string): Promise<Team | null> {
  const listed = await world.ports.reads.listTeams({
    slug,
    page: 1,
    pageSize: 1,
    includeTotal: false,
  });
  return listed.ok ? (listed.value.results[0] ?? null) : null;
}

/** The living asset of that very name: names that go on behind it sort after it. */
export async function findAsset(
  world: World,
  { fqn, environment }: Pick<Asset, 'fqn' | 'environment'>,
): Promise<Asset | null> {
  const listed = await world.ports.reads.listAssets({
    fqn,
    environment,
    page: 1,
    pageSize: 1,
    includeTotal: false,
    sort: { field: 'fqn', direction: 'ascending' },
  });
  const first = listed.ok ? listed.value.results[0] : undefined;
  return first?.fqn === fqn ? first : null;
}
