// A registry in memory, small enough to see through: it keeps what a plan says, so that a test can
// import again and see what a second time finds.

import type { Comparison } from '../../../src/core/comparison.ts';
import { compare } from '../../../src/core/diff/compare.ts';
import type { Outcome } from '../../../src/core/failure.ts';
import type { ParsedImport } from '../../../src/core/import/candidate.ts';
import { assetKey, listComparisons } from '../../../src/core/import/plan/assess.ts';
import { importSourceOf, isOfSource } from '../../../src/core/import/plan/import-source.ts';
import { planImport } from '../../../src/core/import/plan/plan.ts';
import type {
  ExistingAsset,
  ExistingProposal,
  ImportFacts,
  ImportOptions,
  ImportPlan,
} from '../../../src/core/import/plan/plan.types.ts';
import type { Consumer } from '../../../src/core/registration.ts';

const teams = ['data', 'orders', 'customer_success', 'ingestion', 'marketing'].map((name) => ({
  id: `team-${name}`,
  name,
}));

const users = [{ id: 'user-ada', email: 'ada@example.com', teamId: 'team-orders' }];

export const emptyRegistry: ImportFacts = { teams, users, assets: [], predecessors: [] };

const defaults: ImportOptions = {
  ownerTeamId: 'team-data',
  environment: 'production',
  conflictMode: 'ignore',
  autoPublishContracts: false,
  autoCreateProposals: false,
  autoRegisterConsumers: false,
  inferConsumersFromRefs: false,
  prune: 'report',
  partial: false,
};

export function compareAll(
  parsed: ParsedImport,
  facts: ImportFacts,
  environment = 'production',
): ReadonlyMap<string, Comparison> {
  const tasks = listComparisons(parsed.candidates, facts, environment);
  return new Map(
    tasks.map(({ key, old, next, guaranteeMode }) => [key, compare(old, next, { guaranteeMode })]),
  );
}

function proposing(key: string, about: Partial<ExistingProposal>) {
  return { openProposal: { id: `proposal-${key}`, terms: null, deprecates: null, ...about } };
}

/** Loads what is of the same source, compares, and plans. */
export function planFor(
  parsed: ParsedImport,
  registry: ImportFacts,
  options: Partial<ImportOptions> = {},
): Outcome<ImportPlan> {
  const chosen = { ...defaults, ...options };
  const facts = factsFor(parsed, registry);
  return planImport(parsed, facts, compareAll(parsed, facts, chosen.environment), chosen);
}

export function factsFor(parsed: ParsedImport, registry: ImportFacts): ImportFacts {
  const source = importSourceOf(parsed);
  const assets = registry.assets.map((asset) => ({
    ...asset,
    isOfThisSource: source !== null && isOfSource(asset, source),
  }));
  return { ...registry, assets };
}

export function planned(outcome: Outcome<ImportPlan>): ImportPlan {
  if (!outcome.ok) throw new Error(outcome.failure.message);
  return outcome.value;
}

/** The registry after the plan. */
export function applyPlan(registry: ImportFacts, plan: ImportPlan): ImportFacts {
  const assets = new Map(
    registry.assets.map((asset) => [assetKey(asset.fqn, asset.environment), asset]),
  );
  const change = (key: string, set: Partial<ExistingAsset>) => {
    const asset = assets.get(key);
    if (asset === undefined) throw new Error(`${key} is not there`);
    assets.set(key, { ...asset, ...set });
  };
  for (const next of plan.changes) {
    const { key } = next;
    const asset = assets.get(key);
    switch (next.kind) {
      case 'create_asset':
        assets.set(key, { ...newAsset(next.fqn), ...pick(next) });
        break;
      case 'update_asset':
        change(key, pick(next));
        break;
      case 'publish_contract':
        change(key, {
          base: { id: `contract-${key}`, version: '1.0.0', status: 'active', terms: next.terms },
        });
        break;
      case 'create_proposal':
        change(key, proposing(key, { terms: next.terms }));
        break;
      case 'propose_move':
        change(key, proposing(key, {}));
        break;
      case 'propose_deprecation':
        change(key, proposing(key, { deprecates: next.contractId }));
        break;
      case 'deprecate_contract':
        if (asset?.base) change(key, { base: { ...asset.base, status: 'deprecated' } });
        break;
      case 'register_consumer': {
        const teamIds = [...(asset?.registeredTeamIds ?? []), next.consumerTeamId];
        change(key, { registeredTeamIds: teamIds, consumers: teamIds.map(consumerOf) });
        break;
      }
      case 'add_dependency':
      case 'remove_dependency': {
        const { upstreamKey } = next;
        const others = (asset?.importedUpstream ?? []).filter((known) => known !== upstreamKey);
        change(key, {
          importedUpstream: next.kind === 'add_dependency' ? [...others, upstreamKey] : others,
        });
        break;
      }
      default:
        next satisfies never;
    }
  }
  return { ...registry, assets: [...assets.values()] };
}

function pick(
  row: Pick<ExistingAsset, 'ownerTeamId' | 'ownerUserId' | 'metadata' | 'importedAs'> & {
    environment?: string;
  },
): Partial<ExistingAsset> {
  const { ownerTeamId, ownerUserId, metadata, importedAs, environment } = row;
  return {
    ownerTeamId,
    ownerUserId,
    metadata,
    importedAs,
    ...(environment === undefined ? {} : { environment }),
  };
}

export function consumerOf(teamId: string): Consumer {
  const [contractId, contractVersion] = ['contract', '1.0.0'];
  return {
    teamId,
    teamName: teamId,
    registrationId: teamId,
    contractId,
    contractVersion,
    needDigest: null,
    foundDigest: null,
    isLeaving: false,
  };
}

function newAsset(fqn: string): ExistingAsset {
  return {
    id: `asset-${fqn}`,
    fqn,
    environment: 'production',
    ownerTeamId: 'team-data',
    ownerUserId: null,
    guaranteeMode: 'notify',
    metadata: {},
    importedAs: {},
    importedFor: null,
    isBeingLeft: false,
    isManagedElsewhere: false,
    base: null,
    registeredTeamIds: [],
    consumers: [],
    needsMode: 'narrow',
    openProposal: null,
    importedUpstream: [],
    manualUpstream: [],
    isOfThisSource: false,
  };
}
