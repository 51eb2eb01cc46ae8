// Makes the one query of an import for the facts about all of its assets, and converts its result.

import { termsOf } from '../../core/contract.ts';
import type { DependencySource } from '../../core/dependency.ts';
import type { TeamId } from '../../core/id.ts';
import { assetKey } from '../../core/import/plan/assess.ts';
import type {
  FoundAsset,
  FoundBase,
  FoundProposal,
  ImportFound,
} from '../../core/import/plan/found.ts';
import {
  describedAs,
  type ImportSource,
  importSourceOf,
  isOfSource,
  listRetitled,
} from '../../core/import/plan/import-source.ts';
import { keepNames } from '../../core/import/plan/keep-names.ts';
import type {
  ExistingAsset,
  ExistingContract,
  ImportFacts,
} from '../../core/import/plan/plan.types.ts';
import type { Json } from '../../core/value/json.ts';
import type { Ports } from '../ports.ts';
import type { CheckedImport } from './check-import.ts';
import type { ImportQuestion, ReadImport } from './import.types.ts';

/** The file under the names that the registry has for its assets, and what the registry knows of them. */
export async function askRegistry(
  reads: Pick<Ports['reads'], 'getImportFacts'>,
  read: ReadImport,
  environment: string,
  teamIds: readonly TeamId[],
): Promise<AskedImport> {
  const question = questionOf(read, environment, teamIds);
  const found = await reads.getImportFacts(question);
  const parsed = keepNames(read.parsed, found.assets.map(named), environment);
  if (parsed === read.parsed) return { read, question, found };
  const renamed = { ...read, parsed };
  const again = questionOf(renamed, environment, teamIds);
  return { read: renamed, question: again, found: await reads.getImportFacts(again) };
}

interface AskedImport {
  readonly read: ReadImport;
  readonly question: ImportQuestion;
  readonly found: ImportFound;
}

export function questionOf(
  { parsed, fingerprints }: Pick<ReadImport, 'parsed' | 'fingerprints'>,
  environment: string,
  teamIds: readonly TeamId[],
): ImportQuestion {
  const { candidates } = parsed;
  const names = candidates.map((candidate, index) => ({
    fqn: candidate.fqn,
    environment: candidate.environment ?? environment,
    fingerprint: fingerprints[index] ?? null,
  }));
  const teamNames = candidates.flatMap(({ ownerTeamName, consumers }) => [
    ...(ownerTeamName === undefined ? [] : [ownerTeamName]),
    ...consumers.map(({ team }) => team),
  ]);
  return {
    names,
    environments: [...new Set([environment, ...names.map((name) => name.environment)])],
    source: importSourceOf(parsed),
    teamNames: [...new Set(teamNames)],
    teamIds,
    emails: lowered(candidates.flatMap(({ ownerUserEmail }) => ownerUserEmail ?? [])),
  };
}

function lowered(names: readonly string[]): readonly string[] {
  return [...new Set(names.map((name) => name.toLowerCase()))];
}

/**
 * The facts in the form that the plan needs. `teamId` is the team that the file belongs to, if the
 * caller names one.
 */
export function toImportFacts(
  found: ImportFound,
  { stated }: Pick<CheckedImport, 'stated'>,
  question: ImportQuestion,
  teamId: TeamId | null,
): ImportFacts {
  const retitled = new Set(findRetitled(found, question));
  const team = teamId ?? teamOfFile(found, question, retitled);
  const toExisting = (each: FoundAsset): ExistingAsset => {
    const { asset, base, openProposal, upstream } = each;
    const keysOf = (isMeant: (source: DependencySource) => boolean) =>
      upstream
        .filter(({ source }) => isMeant(source))
        .map(({ fqn, environment }) => assetKey(fqn, environment));
    const terms = stated.get(assetKey(asset.fqn, asset.environment));
    const schema = base?.schema ?? terms?.schema ?? null;
    return {
      id: asset.id,
      fqn: asset.fqn,
      environment: asset.environment,
      ownerTeamId: asset.ownerTeamId,
      ownerUserId: asset.ownerUserId,
      guaranteeMode: asset.guaranteeMode,
      metadata: asset.metadata,
      importedAs: each.importedAs,
      importedFor: each.importedFor,
      isBeingLeft: each.isBeingLeft,
      isManagedElsewhere: asset.managedBy !== null,
      base: base === null ? null : toExistingContract(base, schema),
      registeredTeamIds: each.registeredTeamIds,
      consumers: each.consumers,
      needsMode: asset.needsMode,
      openProposal: openProposal === null ? null : toExistingProposal(openProposal),
      importedUpstream: keysOf((source) => source !== 'manual'),
      manualUpstream: keysOf((source) => source === 'manual'),
      isOfThisSource:
        question.source !== null &&
        (isOfSource(named(each), question.source) || retitled.has(each)) &&
        isBroughtBy(each, team, question.source),
    };
  };
  return {
    teams: found.teams,
    users: found.users,
    assets: found.assets.map(toExisting),
    predecessors: found.predecessors.map(toExisting),
  };
}

function named({ asset: { fqn, environment }, importedAs }: FoundAsset) {
  return { fqn, environment, importedAs };
}

/** The assets of an API that had another title before, or of a contract that had another id. */
function findRetitled(
  { assets }: ImportFound,
  { names, source }: ImportQuestion,
): readonly FoundAsset[] {
  if (source?.described === undefined) return [];
  const inFile = new Set(names.map(({ fqn, environment }) => assetKey(fqn, environment)));
  const brought = assets.map((each) => ({ asset: named(each), team: broughtFor(each), each }));
  const current = new Set(
    brought.flatMap(({ asset }) => {
      const { fqn, environment } = asset;
      const isCurrent = inFile.has(assetKey(fqn, environment)) && isOfSource(asset, source);
      return isCurrent ? [`${environment} ${describedAs(asset, source)}`] : [];
    }),
  );
  return listRetitled(brought, source, (described, environment) =>
    current.has(`${environment} ${described}`),
  ).map(({ each }) => each);
}

/**
 * Whether this team's imports brought the asset. Types and operations of another team never count
 * as vanished, whoever sends the file. A dbt project may bring models that another team owns from
 * the start, because its models name their owners.
 */
function isBroughtBy(each: FoundAsset, team: TeamId | null, source: ImportSource): boolean {
  const { asset } = each;
  if (broughtFor(each) !== team) return false;
  return source.kind === 'dbt' || asset.ownerTeamId === team;
}

function broughtFor({ asset, importedFor }: FoundAsset): TeamId {
  return importedFor ?? asset.ownerTeamId;
}

/**
 * The team that a previewed file belongs to, since the caller of a preview names none: the team
 * that brought most of its assets, or of its models if the file names no existing asset. Without either
 * nothing counts as vanished, unless it describes nothing at all.
 */
function teamOfFile(
  { assets }: ImportFound,
  { names, source }: ImportQuestion,
  retitled: ReadonlySet<FoundAsset>,
): TeamId | null {
  if (source === null) return null;
  const inFile = new Set(names.map(({ fqn, environment }) => assetKey(fqn, environment)));
  // Assets that the file only refers to belong to another source.
  const own = assets.filter((each) => retitled.has(each) || isOfSource(named(each), source));
  const byName = own.filter(
    (each) =>
      retitled.has(each) ||
      names.length === 0 ||
      inFile.has(assetKey(each.asset.fqn, each.asset.environment)),
  );
  const known = byName.length > 0 ? byName : ofNodes(own, new Set(source.nodes));
  const counts = [...Map.groupBy(known, broughtFor)].map(([team, { length }]) => ({
    team,
    length,
  }));
  const [first] = counts.sort((a, b) => b.length - a.length || (a.team < b.team ? -1 : 1));
  return first?.team ?? null;
}

/**
 * The assets of the teams that have at least half of their models in the file: another team may have a project of the
 * same name, with some models of the same names.
 */
function ofNodes(assets: readonly FoundAsset[], nodes: ReadonlySet<string>) {
  return [...Map.groupBy(assets, broughtFor).values()].flatMap((group) => {
    const kept = group.filter(({ importedAs }) => nodes.has(importedAs.dbt?.of ?? ''));
    return kept.length * 2 >= group.length ? kept : [];
  });
}

function toExistingContract(base: FoundBase, schema: Json): ExistingContract {
  const { id, version, status, hasUnreadVariants, ...rest } = base;
  const terms = termsOf({ ...rest, schema, ...(hasUnreadVariants && { hasUnreadVariants }) });
  return { id, version, status, terms };
}

function toExistingProposal({ id, proposed }: FoundProposal) {
  return {
    id,
    terms: proposed.kind === 'schema' ? termsOf(proposed) : null,
    deprecates: proposed.kind === 'deprecation' ? proposed.contractId : null,
  };
}
