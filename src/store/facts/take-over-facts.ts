// Reads the assets and claims of a source, under locks that stop its leader from writing.

import { type DatabaseTransactionConnection, sql } from 'slonik';
import { z } from 'zod';
import type { KnownSource, TakeOverFacts } from '../../core/decide/sources/take-over.ts';
import { managedSourceOf } from '../../core/source.ts';
import type { TakeOverQuestion } from '../../registry/sources/sources.ts';
import { isAlive, lockOut } from '../beside/leases.ts';
import {
  assetColumns,
  assetOf,
  assetRow,
  assetTables,
  id,
  idRow,
  registrationListColumns,
  registrationRow,
  registrationTables,
} from '../postgres/rows.ts';

const sourceRow = z.object({
  id,
  identity: z.string(),
  kind: z.enum(['cluster', 'directory', 'git']),
  place: z.string(),
  isAlive: z.boolean(),
}) satisfies z.ZodType<KnownSource>;

type Connection = DatabaseTransactionConnection;

export async function lockTakeOver(
  connection: Connection,
  { sourceId, toSourceId, assetId, assetLimit }: TakeOverQuestion,
): Promise<TakeOverFacts> {
  const to = await findSource(connection, toSourceId);
  const known = await findSource(connection, sourceId);
  if (known === null) return { from: null, to, assets: [], registrations: [], hasMore: false };
  // Waits even for a frozen leader; the take-over raises its fence.
  await lockOut(connection, known.identity);
  const from = await findSource(connection, sourceId);
  const ending = ` in ${known.identity}`;
  const found = await connection.any(sql.type(idRow)`
    select id from asset
    where deleted_at is null and (${assetId ?? null}::uuid is null or id = ${assetId ?? null})
      and (
        managed_source = ${managedSourceOf(known.kind)}
          and right(managed_reference, length(${ending})) = ${ending}
        or id in (select asset_id from registration where ${known.identity} = any(claims))
      )
    order by id
    limit ${assetLimit + 1}`);
  const ids = sql.array(
    found.slice(0, assetLimit).map((row) => row.id),
    'uuid',
  );
  // In the order of ids, like everyone who locks several assets.
  await connection.query(sql.type(idRow)`
    select id from asset where id = any(${ids}) order by id for update`);
  const rows = await connection.any(sql.type(assetRow)`
    select ${assetColumns} from ${assetTables} where asset.id = any(${ids}) order by asset.fqn`);
  const assets = rows.map(assetOf);
  const claimed = await connection.any(sql.type(registrationRow)`
    select ${registrationListColumns} from ${registrationTables}
    where registration.asset_id = any(${ids}) and ${known.identity} = any(registration.claims)
    order by registration.id`);
  const byId = new Map(assets.map((asset) => [asset.id, asset]));
  const registrations = claimed.flatMap((registration) => {
    const asset = byId.get(registration.assetId);
    return asset === undefined ? [] : [{ ...registration, asset }];
  });
  return { from, to, assets, registrations, hasMore: found.length > assetLimit };
}

export async function lockGone(connection: Connection, identity: string): Promise<boolean> {
  const lives = () =>
    connection.exists(sql.type(idRow)`
      select id from controller_lease as lease where identity = ${identity} and ${isAlive}`);
  // A source that lives is not kept waiting.
  if (await lives()) return false;
  await lockOut(connection, identity);
  return !(await lives());
}

function findSource(connection: Connection, sourceId: string): Promise<KnownSource | null> {
  return connection.maybeOne(sql.type(sourceRow)`
    select id, identity, kind, place, ${isAlive} as "isAlive"
    from controller_lease as lease
    where id = ${sourceId}`);
}
