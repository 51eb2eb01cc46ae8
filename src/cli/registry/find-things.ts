// Finds objects of a registry by the names that people use: a team's name, an asset's FQN, an id.

import { isId } from '../../core/id.ts';
import type { Client } from '../../wire/client.ts';
import { wrongUsage } from '../exit-code.ts';
import { mustAnswer } from './connection/connect.ts';

interface FoundAsset {
  readonly id: string;
  readonly fqn: string;
  readonly environment: string;
  readonly active_contract_id: string | null;
  readonly active_contract_version: string | null;
}

/** Null if no asset has that name, apart from deleted ones. */
export async function findAsset(
  client: Client,
  fqn: string,
  environment: string,
): Promise<FoundAsset | null> {
  const query = { fqn, environment, page_size: 1, include_total: false, sort: 'fqn' } as const;
  const { results } = mustAnswer(await client.listAssets({ query }));
  // The exact name sorts before the names below it.
  const found = results.find((asset) => asset.fqn === fqn);
  return found ?? null;
}

export async function mustFindAsset(
  client: Client,
  name: string,
  environment: string,
): Promise<FoundAsset> {
  if (isId(name)) return mustAnswer(await client.getAsset({ params: { asset_id: name } }));
  const found = await findAsset(client, name, environment);
  if (found !== null) return found;
  throw wrongUsage(
    `The registry has no asset ${name} in ${environment}. To search: concordat asset list --search <words>`,
  );
}

/** A team by its id, its slug or its name. */
export async function mustFindTeam(client: Client, name: string): Promise<string> {
  if (isId(name)) return name;
  const bySlug = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(name)
    ? mustAnswer(await client.listTeams({ query: { slug: name, page_size: 1 } })).results
    : [];
  const found =
    bySlug[0] ?? mustAnswer(await client.listTeams({ query: { name, page_size: 1 } })).results[0];
  if (found !== undefined) return found.id;
  throw wrongUsage(`The registry has no team ${name}. To list its teams: concordat team list`);
}

/** A service by its id or its name. */
export async function mustFindService(client: Client, name: string): Promise<string> {
  if (isId(name)) return name;
  const [found] = mustAnswer(await client.listServices({ query: { name, page_size: 1 } })).results;
  if (found !== undefined) return found.id;
  throw wrongUsage(
    `The registry has no service ${name}. To list its services: concordat service list`,
  );
}

/** A named team, otherwise the only one of the key. */
export async function mustFindConsumer(client: Client, team: string | undefined): Promise<string> {
  if (team !== undefined) return mustFindTeam(client, team);
  const [own, ...others] = mustAnswer(await client.getIdentity()).team_ids;
  if (own !== undefined && others.length === 0) return own;
  throw wrongUsage(
    'The key does not act for exactly one team. Say which team consumes it: --team.',
  );
}

interface Affected {
  readonly id: string;
  readonly name: string;
}

/** The teams with an active registration on the asset. */
export async function listConsumers(client: Client, assetId: string): Promise<readonly Affected[]> {
  const found: Affected[] = [];
  for (let cursor: string | undefined; ; ) {
    const query = { asset_id: assetId, status: 'active' as const, page_size: 100, cursor };
    const { results, next_cursor } = mustAnswer(await client.listRegistrations({ query }));
    for (const { consumer_team_id: id, consumer_team_name: name } of results) {
      found.push({ id, name });
    }
    if (next_cursor === null || next_cursor === undefined) return found;
    cursor = next_cursor;
  }
}

/** The number of parallel requests, so that other clients are served, too. */
const questionsAtOnce = 6;

export async function inTurns<T, R>(
  items: readonly T[],
  ask: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const answers: R[] = [];
  const waiting = items.entries();
  const worker = async () => {
    for (const [index, item] of waiting) answers[index] = await ask(item);
  };
  await Promise.all(Array.from({ length: questionsAtOnce }, worker));
  return answers;
}
