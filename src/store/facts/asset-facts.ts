// The columns of an asset that both a single change and an import read, for a query in which it is
// `asset`.

import { sql } from 'slonik';
import { z } from 'zod';
import type { ImportedAs } from '../../core/asset.ts';
import { isJsonObject, type Json } from '../../core/value/json.ts';
import { isActive, isLeaving } from '../postgres/rows.ts';

export const importedAsRow = z.object({
  importedAs: z.custom<ImportedAs>((value) => isJsonObject(value as Json)),
});
export const importedAsColumn = sql.fragment`coalesce(asset.imported_as, '{}') as "importedAs"`;

/** The members of `BaseContract`, from the row of a contract. */
export const baseMembers = sql.fragment`
  'id', id, 'version', version, 'status', status, 'compatibilityMode', compatibility_mode,
  'guarantees', guarantees, 'direction', direction, 'schemaDigest', schema_digest`;

export const highestVersionOfAsset = sql.fragment`
  (
    select version from contract where asset_id = asset.id order by ordinal desc limit 1
  ) as "highestVersion"`;

export const consumersOfAsset = sql.fragment`
  (
    select coalesce(json_agg(json_build_object('teamId', team.id, 'teamName', team.name,
      'registrationId', registration.id, 'contractId', contract.id,
      'contractVersion', contract.version, 'needDigest', registration.need_digest,
      'foundDigest', registration.found_digest, 'isLeaving', ${isLeaving}) order by team.name, team.id), '[]'::json)
    from registration
    join contract on contract.id = registration.contract_id
    join team on team.id = registration.consumer_team_id
    where registration.asset_id = asset.id and ${isActive}
  ) as consumers`;
