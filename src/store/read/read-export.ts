import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { deadlineActs } from '../../core/asset.ts';
import type { ExportFacts } from '../../core/export/export-facts.ts';
import type { Reads } from '../../registry/ports.ts';
import {
  contractColumns,
  contractOf,
  contractRow,
  isActive,
  jsonObject,
} from '../postgres/rows.ts';

const exportRow = contractRow.extend({
  environment: z.string(),
  guaranteeMode: z.enum(['notify', 'strict', 'ignore']),
  needsMode: z.enum(['narrow', 'protect', 'ignore']),
  onDeadline: z.enum(deadlineActs),
  autoPublish: z.boolean(),
  metadata: jsonObject,
  ownerTeamName: z.string(),
  ownerTeamSlug: z.string(),
  ownerUserEmail: z.string().nullable(),
  consumers: z.custom<ExportFacts['consumers']>(Array.isArray),
});

/** Reads everything that a contract's document contains, in one query. */
export function readExport(pool: DatabasePool): Pick<Reads, 'getExportFacts'> {
  return {
    getExportFacts: async (contractId) => {
      const row = await pool.maybeOne(sql.type(exportRow)`
        select ${contractColumns}, asset.environment, asset.guarantee_mode as "guaranteeMode",
          asset.needs_mode as "needsMode", asset.on_deadline as "onDeadline",
          asset.auto_publish as "autoPublish", asset.metadata, owner.name as "ownerTeamName",
          owner.slug as "ownerTeamSlug", owner_user.email as "ownerUserEmail",
          (select coalesce(json_agg(json_build_object('teamName', team.name,
              'teamSlug', team.slug, 'notes', registration.notes) order by team.name), '[]')
            from registration
            join team on team.id = registration.consumer_team_id
            where registration.asset_id = asset.id and ${isActive}) as consumers
        from contract
        join asset on asset.id = contract.asset_id
        join team owner on owner.id = asset.owner_team_id
        left join app_user owner_user on owner_user.id = asset.owner_user_id
        where contract.id = ${contractId}`);
      if (row === null) return null;
      const {
        environment,
        guaranteeMode,
        needsMode,
        onDeadline,
        autoPublish,
        metadata,
        consumers,
      } = row;
      const { ownerTeamName, ownerTeamSlug, ownerUserEmail } = row;
      const owner = { ownerTeamName, ownerTeamSlug, ownerUserEmail };
      return {
        contract: contractOf(row),
        asset: {
          environment,
          guaranteeMode,
          needsMode,
          onDeadline,
          autoPublish,
          metadata,
          ...owner,
        },
        consumers,
      };
    },
  };
}
