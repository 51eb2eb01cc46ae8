// Reads the facts for a decision, under the lock that keeps them true. The lock is a separate
// statement, because a statement that waited would read the rest as it was before the wait.

import {
  type CommonQueryMethods,
  type DatabaseTransactionConnection,
  type FragmentSqlToken,
  sql,
} from 'slonik';
import { z } from 'zod';
import type { ContractSummary, SunsetsTold } from '../../core/contract.ts';
import type {
  AssetFacts,
  BaseContract,
  ContractFacts,
  NameFacts,
  OpenProposal,
  ProposalFacts,
  RegistrationFacts,
  TeamFacts,
} from '../../core/decide/facts.ts';
import type { Consumer } from '../../core/registration.ts';
import type { SecretCipher } from '../../core/secret-cipher.ts';
import type { Team, Trust } from '../../core/team.ts';
import { isJsonObject, type Json } from '../../core/value/json.ts';
import type { Transaction } from '../../registry/transaction.ts';
import {
  apiKeyColumns,
  apiKeyRow,
  assetColumns,
  assetOf,
  assetRow,
  assetTables,
  contractColumns,
  contractOf,
  contractRow,
  contractSummaryColumns,
  contractSummaryOf,
  contractSummaryRow,
  contractTables,
  endsBetween,
  id,
  idRow,
  isActive,
  nothingRow,
  registrationColumns,
  registrationListColumns,
  registrationRow,
  registrationTables,
  serviceColumns,
  serviceRow,
  serviceTables,
  teamColumns,
  teamRow,
  timestamp,
  trustColumns,
  trustRow,
  writtenRow,
} from '../postgres/rows.ts';
import { statement } from '../postgres/statement.ts';
import { proposalColumns, proposalOf, proposalRow, proposalTables } from '../read/proposal-rows.ts';
import { baseContractId } from '../read/read-assets.ts';
import { commentFactsOf } from '../read/read-comments.ts';
import { dependencyFactsOf } from '../read/read-dependencies.ts';
import { provisioningFactsOf } from '../read/read-provisioned.ts';
import { serviceFactsOf } from '../read/read-services.ts';
import { userFactsOf } from '../read/read-users.ts';
import { webhookFactsOf, webhooksOfTeam } from '../read/read-webhooks.ts';
import {
  baseMembers,
  consumersOfAsset,
  highestVersionOfAsset,
  importedAsColumn,
  importedAsRow,
} from './asset-facts.ts';
import { holdTeams, lockForBulk, lockForImport, readImportFacts } from './import-facts.ts';
import { findStreak, listAnswers, lockForRuns } from './run-results-facts.ts';
import { lockGone, lockTakeOver } from './take-over-facts.ts';

type Connection = DatabaseTransactionConnection;

type Facts = Omit<Transaction, 'apply' | 'now'>;

export function factsOf(connection: Connection, cipher: SecretCipher | null): Facts {
  return {
    lockAsset: async (assetId) => {
      // Sent together with the facts and executed before them, so they are read once the lock is
      // held.
      await connection.query(lockAssetById(assetId));
      return findAssetFacts(connection, assetId);
    },
    lockProposal: (proposalId) => lockProposal(connection, proposalId),
    lockContract: (contractId) => lockContract(connection, contractId),
    lockRegistration: (registrationId) => lockRegistration(connection, registrationId),
    lockName: (name) => lockName(connection, name.fqn, name.environment),
    lockTeamNames: async () => {
      // Closes this race: two teams with one name. The second waits, and finds the first.
      await connection.query(
        sql.type(nothingRow)`select pg_advisory_xact_lock(hashtextextended('team names', 0))`,
      );
    },
    lockTeam: (teamId) => lockTeam(connection, cipher, teamId),
    lockTeamRow: (teamId, which) => lockTeamRow(connection, teamId, which),
    holdTeam: (teamId) =>
      // Closes this race: a team gets assets or registrations while it is deleted.
      connection.maybeOne(
        sql.type(teamRow)`
          select ${teamColumns} from team
          where team.id = ${teamId} and team.deleted_at is null
          for share`,
      ),
    findTeamByName: (name) =>
      connection.maybeOne(
        sql.type(teamRow)`
          select ${teamColumns} from team
          where lower(team.name) = lower(${name}) and team.deleted_at is null`,
      ),
    findTeamsBySlug: (slugs) =>
      connection.any(
        sql.type(teamRow)`
          select ${teamColumns} from team
          where team.slug = any(${sql.array(slugs, 'text')}) and team.deleted_at is null`,
      ),
    lockTrust: (trustId) => lockTrust(connection, trustId),
    lockForExchange: async (trustId, tokenDigest) => {
      const digest = Buffer.from(tokenDigest).toString('hex');
      // Closes this race: one token is exchanged twice at once, perhaps by two trusts. The second
      // waits, and finds it used.
      await connection.query(sql.type(nothingRow)`
        select pg_advisory_xact_lock(hashtextextended(${`token ${digest}`}, 0))`);
      const trust = await lockTrust(connection, trustId);
      if (trust === null) return null;
      const found = await connection.one(sql.type(exchangeRow)`
        select
          exists (
            select from used_token
            where digest = decode(${digest}, 'hex')) as "isUsed",
          (select count(*)::integer from api_key
            where api_key.trust_id = ${trustId} and api_key.expires_at > now()) as "liveKeys"`);
      return { trust, ...found };
    },
    lockApiKey: (apiKeyId) =>
      // Closes this race: one key is revoked twice. The second revocation sees the first.
      connection.maybeOne(
        sql.type(apiKeyRow)`
          select ${apiKeyColumns} from api_key where api_key.id = ${apiKeyId} for update`,
      ),
    lockEndingKeys: (after, before, limit) =>
      // Closes this race: two sweeps. The second skips the keys that the first reports.
      connection.any(
        sql.type(apiKeyRow)`
          select ${apiKeyColumns} from api_key
          where ${endsBetween(after, before)} and api_key.end_noted_at is null
          order by api_key.expires_at
          limit ${limit}
          for update skip locked`,
      ),
    findImportedAs: async (assetId) => {
      const { importedAs } = await connection.one(
        sql.type(importedAsRow)`
          select ${importedAsColumn} from asset where id = ${assetId}`,
      );
      return importedAs;
    },
    findRegistration: (assetId, teamId) =>
      connection.maybeOne(
        sql.type(registrationRow)`
          select ${registrationColumns} from ${registrationTables}
          where registration.asset_id = ${assetId} and registration.consumer_team_id = ${teamId}`,
      ),
    ...commentFactsOf(connection),
    ...dependencyFactsOf(connection),
    findContract: async (contractId) => {
      const row = await connection.maybeOne(
        sql.type(contractSummaryRow)`
          select ${contractSummaryColumns} from ${contractTables} where contract.id = ${contractId}`,
      );
      return row === null ? null : contractSummaryOf(row);
    },
    findSunsetsTold: async (contractId) => {
      const row = await connection.one(
        sql.type(sunsetsRow)`
          select coalesce(sunsets_told, '{}') as told from contract where id = ${contractId}`,
      );
      return row.told;
    },
    findMigrationTarget: (registrationId) => findMigrationTarget(connection, registrationId),
    lockForImport: (assetIds) => lockForImport(connection, assetIds),
    lockForBulk: (question) => lockForBulk(connection, question),
    getImportFacts: (question) => readImportFacts(connection, question),
    lockTakeOver: (question) => lockTakeOver(connection, question),
    lockGone: (identity) => lockGone(connection, identity),
    lockForRuns: (names) => lockForRuns(connection, names),
    findStreak: (assetId, triggeredBy) => findStreak(connection, assetId, triggeredBy),
    listAnswers: (contractId) => listAnswers(connection, contractId),
    holdTeams: (teamIds) => holdTeams(connection, teamIds),
    ...serviceFactsOf(connection),
    ...userFactsOf(connection),
    ...provisioningFactsOf(connection),
    ...webhookFactsOf(connection, cipher),
  };
}

const sunsetsRow = z.object({
  told: z.custom<SunsetsTold>((value) => isJsonObject(value as Json)),
});

/** Serializes all changes of an asset, across replicas. */
const lockAsset = (assetId: FragmentSqlToken) =>
  sql.type(idRow)`select id from asset where id = ${assetId} for update`;

const lockAssetById = statement(
  sql.type(writtenRow)`select id from asset where id = ${''}::uuid for update`,
);

const factsRow = assetRow.extend({
  base: z.custom<BaseContract | null>((value) => value === null || typeof value === 'object'),
  highestVersion: z.string().nullable(),
  consumers: z.custom<readonly Consumer[]>(Array.isArray),
  openProposal: z.custom<OpenProposal | null>(
    (value) => value === null || typeof value === 'object',
  ),
});

const factsByAsset = statement(sql.type(factsRow)`
  select ${assetColumns},
    (
      select json_build_object(${baseMembers})
      from contract
      where id = ${baseContractId(sql.fragment`asset.id`)}
    ) as base,
    ${highestVersionOfAsset},
    ${consumersOfAsset},
    (
      select json_build_object('id', id, 'status', status, 'proposedDigest', proposed_digest,
        'version', proposed ->> 'version')
      from proposal
      where asset_id = asset.id and status in ('pending', 'approved')
    ) as "openProposal"
  from ${assetTables}
  where asset.id = ${''}`);

async function readAssetFacts(connection: Connection, assetId: string): Promise<AssetFacts> {
  const facts = await findAssetFacts(connection, assetId);
  if (facts === null) throw new Error(`Asset ${assetId} is locked, and not there.`);
  return facts;
}

export async function findAssetFacts(
  connection: CommonQueryMethods,
  assetId: string,
): Promise<AssetFacts | null> {
  const row = await connection.maybeOne(factsByAsset(assetId));
  if (row === null) return null;
  const { base, highestVersion, consumers, openProposal } = row;
  return { asset: assetOf(row), base, highestVersion, consumers, openProposal };
}

/**
 * Locks the asset of an object, then reads the object. If the object moved to a re-created asset in
 * between, it starts again with that asset.
 */
async function underItsAsset<T extends { readonly assetId: string }>(
  connection: Connection,
  assetId: FragmentSqlToken,
  read: () => Promise<T | null>,
): Promise<{ readonly thing: T; readonly facts: AssetFacts } | null> {
  for (;;) {
    const locked = await connection.maybeOne(lockAsset(assetId));
    if (locked === null) return null;
    const thing = await read();
    if (thing === null) return null;
    if (thing.assetId === locked.id) {
      return { thing, facts: await readAssetFacts(connection, locked.id) };
    }
  }
}

async function lockProposal(
  connection: Connection,
  proposalId: string,
): Promise<ProposalFacts | null> {
  const found = await underItsAsset(
    connection,
    sql.fragment`(select asset_id from proposal where id = ${proposalId})`,
    () =>
      connection.maybeOne(
        sql.type(proposalRow)`
          select ${proposalColumns('all')} from ${proposalTables} where proposal.id = ${proposalId}`,
      ),
  );
  if (found === null) return null;
  const { thing, facts } = found;
  return { ...facts, proposal: proposalOf(thing), proposedDigest: thing.proposedDigest };
}

async function lockContract(
  connection: Connection,
  contractId: string,
): Promise<ContractFacts | null> {
  const found = await underItsAsset(
    connection,
    sql.fragment`(select asset_id from contract where id = ${contractId})`,
    () =>
      connection.maybeOne(
        sql.type(contractRow)`
          select ${contractColumns} from ${contractTables} where contract.id = ${contractId}`,
      ),
  );
  return found === null ? null : { ...found.facts, contract: contractOf(found.thing) };
}

async function lockRegistration(
  connection: Connection,
  registrationId: string,
): Promise<RegistrationFacts | null> {
  const found = await underItsAsset(
    connection,
    sql.fragment`(select asset_id from registration where id = ${registrationId})`,
    () =>
      connection.maybeOne(
        sql.type(registrationRow)`
          select ${registrationColumns} from ${registrationTables}
          where registration.id = ${registrationId}`,
      ),
  );
  return found === null ? null : { ...found.facts, registration: found.thing };
}

/**
 * The range begins at the version for which the team named a date, and ends before consumers were
 * asked again.
 */
async function findMigrationTarget(
  connection: Connection,
  registrationId: string,
): Promise<ContractSummary | null> {
  const row = await connection.maybeOne(sql.type(contractSummaryRow)`
    with told as (
      select contract.asset_id, max(contract.ordinal) as ordinal
      from registration
      join proposal on proposal.asset_id = registration.asset_id
      join contract on contract.id = proposal.published_contract_id
      join lateral (
        select response, until from acknowledgement
        where proposal_id = proposal.id and round = proposal.round
          and team_id = registration.consumer_team_id
        order by ordinal desc
        limit 1
      ) answer on answer.response = 'migrating' and answer.until is not null
      where registration.id = ${registrationId}
      group by contract.asset_id
    ), asked_again as (
      select min(contract.ordinal) as ordinal
      from told
      join proposal on proposal.asset_id = told.asset_id
      join contract on contract.id = proposal.published_contract_id
      where contract.ordinal > told.ordinal
    )
    select ${contractSummaryColumns} from ${contractTables}
    join told on told.asset_id = contract.asset_id
    cross join asked_again
    where contract.ordinal >= told.ordinal and contract.status <> 'archived'
      and (asked_again.ordinal is null or contract.ordinal < asked_again.ordinal)
    order by contract.ordinal desc
    limit 1`);
  return row === null ? null : contractSummaryOf(row);
}

const nameRow = z.object({
  living: id.nullable(),
  predecessor: id.nullable(),
  predecessorConsumers: z.int(),
});

/** Serializes create, restore and move of one name, and all of them with imports. */
async function lockName(
  connection: Connection,
  fqn: string,
  environment: string,
): Promise<NameFacts> {
  await connection.query(
    sql.type(writtenRow)`
      select pg_advisory_xact_lock_shared(hashtextextended('imports', 2)),
        pg_advisory_xact_lock(hashtextextended(${`${environment}/${fqn}`}, 1))`,
  );
  return connection.one(sql.type(nameRow)`
    select living.id as living, predecessor.id as predecessor,
      (
        select count(*)::integer
        from registration
        where registration.asset_id = predecessor.id and ${isActive}
      ) as "predecessorConsumers"
    from (select 1) one
    left join asset living
      on living.fqn = ${fqn} and living.environment = ${environment}
      and living.deleted_at is null
    left join lateral (
      select id from asset
      where fqn = ${fqn} and environment = ${environment} and deleted_at is not null
      order by deleted_at desc, id desc
      limit 1
    ) predecessor on true`);
}

const departingRow = registrationRow.extend({
  environment: z.string(),
  ownerTeamId: id,
  assetDeletedAt: timestamp.nullable(),
});

/** Closes this race: two changes of one team. The second starts from the result of the first. */
function lockTeamRow(
  connection: Connection,
  teamId: string,
  which: 'living' | 'any' = 'living',
): Promise<Team | null> {
  const isMeant = which === 'any' ? sql.fragment`` : sql.fragment`and team.deleted_at is null`;
  return connection.maybeOne(sql.type(teamRow)`
    select ${teamColumns} from team where team.id = ${teamId} ${isMeant}
    for update`);
}

const exchangeRow = z.object({ isUsed: z.boolean(), liveKeys: z.int() });

/** Closes this race: the trust is deleted twice, or while it issues a key. The second waits. */
function lockTrust(connection: Connection, trustId: string): Promise<Trust | null> {
  return connection.maybeOne(sql.type(trustRow)`
    select ${trustColumns} from trust where trust.id = ${trustId} for update`);
}

/**
 * Serializes the deletion of a team with changes that give it assets or registrations. Assets are
 * locked first, as everywhere. They are found by team first, because for an "or" Postgres would
 * walk all assets.
 */
async function lockTeam(
  connection: Connection,
  cipher: SecretCipher | null,
  teamId: string,
): Promise<TeamFacts | null> {
  const lockedAssets = await connection.anyFirst(sql.type(idRow)`
    select id from asset
    where id = any(array(
      select id from asset where owner_team_id = ${teamId}
      union
      select asset_id from registration where consumer_team_id = ${teamId}))
    order by id
    for update`);
  const team = await lockTeamRow(connection, teamId);
  if (team === null) return null;
  const ownedAssets = await connection.any(sql.type(assetRow)`
    select ${assetColumns} from ${assetTables}
    where asset.owner_team_id = ${teamId} and asset.deleted_at is null
    order by asset.fqn`);
  const ownedServices = await connection.any(sql.type(serviceRow)`
    select ${serviceColumns} from ${serviceTables}
    where service.owner_team_id = ${teamId} and service.deleted_at is null
    order by service.name
    for update of service`);
  const registrations = await connection.any(sql.type(departingRow)`
    select ${registrationListColumns}, asset.environment, asset.owner_team_id as "ownerTeamId",
      asset.deleted_at as "assetDeletedAt"
    from ${registrationTables}
    where registration.consumer_team_id = ${teamId}`);
  // Those of trusts end with them.
  const apiKeys = await connection.any(sql.type(apiKeyRow)`
    select ${apiKeyColumns} from api_key
    where api_key.team_id = ${teamId} and revoked_at is null and trust_id is null`);
  const trusts = await connection.any(sql.type(trustRow)`
    select ${trustColumns} from trust where trust.team_id = ${teamId} order by trust.id`);
  const webhooks = await webhooksOfTeam(connection, cipher, teamId);
  const owned = ownedAssets.map(assetOf);
  return {
    ...{ team, lockedAssets, ownedAssets: owned, ownedServices },
    ...{ registrations, apiKeys, trusts, webhooks },
  };
}
