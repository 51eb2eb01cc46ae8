// A publish under the lock: its outcome, its writes, and its result for the caller.

import type { Asset } from '../../asset.ts';
import type { Comparison, ContractTerms } from '../../comparison.ts';
import type { Contract, ContractFormat } from '../../contract.ts';
import { accept, type Outcome } from '../../failure.ts';
import type { Verdicts } from '../../need.ts';
import type { ChangeRequest, ProposedTerms } from '../../proposal.ts';
import { isSameJson } from '../../value/canonical-json.ts';
import { isJsonObject, type Json } from '../../value/json.ts';
import { overridingOf } from '../access.ts';
import { type Asking, askingOf, coversNeeds } from '../asking.ts';
import type {
  FirstContract,
  ModeChange,
  PublishContract,
  Published,
  PublishResult,
} from '../commands.ts';
import { type By, type Decided, type StartOver, startOver } from '../decided.ts';
import type { AssetFacts } from '../facts.ts';
import type { AskingFacts } from '../proposals/ask.ts';
import { requestOf } from '../proposals/request.ts';
import { contractOfTerms, followersOf, publishWrites } from '../publishing/new-version.ts';
import { proposalOfFacts, proposeWrites, stepOf } from '../publishing/proposing.ts';
import {
  breakingOf,
  decidePublish,
  type PublishDecision,
  proposedDigestOf,
} from '../publishing/publish.ts';
import type { Write } from '../write.ts';

/** The facts that were read and compared before the lock. */
export interface Judged {
  readonly asset: Asset;
  readonly base: Contract | null;
  readonly terms: ContractTerms;
  readonly schemaDigest: string;
  readonly comparison: Comparison | null;
  /** What the change does to each need of a consumer. */
  readonly verdicts: Verdicts;
}

export function decidePublication(
  facts: AskingFacts,
  command: PublishContract,
  judged: Judged,
  by: By,
): Outcome<Decided<PublishResult>> | StartOver {
  if (!isStillTrue(facts, judged)) return startOver;
  const request = requestOf(command, by.at);
  if (!request.ok) return request;
  const { base, comparison, schemaDigest, terms } = judged;
  const { dryRun, supersede, version } = command;
  const proposed = proposedTerms(command, judged);
  const proposedDigest = proposedDigestOf(proposed);
  const asking = askingOf(facts.consumers, facts.asset.needsMode, judged);
  const asked = { terms, schemaDigest, comparison, asking, proposedDigest, version, supersede };
  const decision = decidePublish(facts, asked);
  if (!decision.ok) return decision;
  switch (decision.value.action) {
    case 'unchanged':
      return base === null
        ? startOver
        : accept({ writes: [], answer: { action: 'unchanged', dryRun, contract: base } });
    case 'publish':
      return accept(
        publication(facts, command, judged, proposed, { ...decision.value, asking }, by),
      );
    case 'existing':
    case 'propose':
      return proposal(
        facts,
        command,
        judged,
        proposed,
        { ...decision.value, asking, request: request.value },
        by,
      );
    default:
      return decision.value satisfies never;
  }
}

/**
 * Whether the comparison is still current: another owner, mode or newest contract requires a new
 * one.
 */
function isStillTrue(facts: AssetFacts, judged: Judged): boolean {
  return (
    facts.asset.deletedAt === null &&
    facts.base?.id === judged.base?.id &&
    facts.base?.status === judged.base?.status &&
    (judged.comparison === null || coversNeeds(facts.consumers, judged.verdicts)) &&
    facts.asset.guaranteeMode === judged.asset.guaranteeMode &&
    facts.asset.ownerTeamId === judged.asset.ownerTeamId &&
    facts.asset.managedBy?.reference === judged.asset.managedBy?.reference
  );
}

/**
 * The first version of an asset that was just created. It has no consumers, so nobody has to be
 * asked.
 */
export function decideFirstVersion(
  facts: AssetFacts,
  command: FirstContract,
  judged: Pick<Judged, 'terms' | 'schemaDigest'>,
  by: By,
): Outcome<Decided<Published>> {
  const first = { ...judged, asset: facts.asset, base: null, comparison: null, verdicts: {} };
  const proposed = proposedTerms(command, first);
  const proposedDigest = proposedDigestOf(proposed);
  const { version } = command;
  const asking = askingOf(facts.consumers, facts.asset.needsMode, first);
  const asked = { ...first, asking, proposedDigest, version, supersede: false };
  const decision = decidePublish(facts, asked);
  if (!decision.ok) return decision;
  if (decision.value.action !== 'publish') throw new Error('A first version broke something.');
  const how = { ...command, dryRun: false };
  return accept(publication(facts, how, first, proposed, { ...decision.value, asking }, by));
}

/**
 * Only an import changes all types of a GraphQL schema together. A contract that is changed alone,
 * by hand or by a DataContract, is compared in full from then on, because nothing else reports
 * changes of the types in it.
 */
function formatBeside(
  base: Contract | null,
  schema: Json,
  stated: ContractFormat = base?.format ?? 'jsonschema',
): ContractFormat {
  if (stated !== 'graphql' || base === null) return stated;
  const typesOf = (whole: Json) => (isJsonObject(whole) ? (whole.$defs ?? null) : null);
  const areTypesKept = isSameJson(typesOf(base.schema), typesOf(schema));
  return base.format === 'graphql' && areTypesKept ? 'graphql' : 'jsonschema';
}

function proposedTerms(
  command: FirstContract,
  judged: Pick<Judged, 'terms' | 'schemaDigest' | 'base'>,
): ProposedTerms {
  const { terms, schemaDigest, base } = judged;
  return {
    kind: 'schema',
    schema: terms.schema,
    schemaDigest,
    compatibilityMode: terms.compatibilityMode,
    guarantees: terms.guarantees,
    format: formatBeside(base, terms.schema, command.format),
    direction: terms.direction,
    dialect: terms.dialect ?? null,
    version: command.version ?? null,
    source: command.source ?? 'api',
    sourceReference: command.sourceReference ?? null,
    commit: command.commit ?? null,
  };
}

interface Decisive {
  readonly asking: Asking;
}

interface Requested extends Decisive {
  readonly request: ChangeRequest;
}

function publication(
  facts: AssetFacts,
  command: Pick<PublishContract, 'dryRun' | 'onlyPropose' | 'override' | 'reason'>,
  judged: Judged,
  proposed: ProposedTerms,
  { version, changeType, asking }: Extract<PublishDecision, { action: 'publish' }> & Decisive,
  by: By,
): Decided<Published> {
  const { comparison, verdicts } = judged;
  const dryRun = command.dryRun || command.onlyPropose === true;
  const changes = comparison?.changes ?? [];
  const contract = contractOfTerms(facts, proposed, { version, changeType }, by);
  const writes = publishWrites(facts, contract, {
    version,
    changeType,
    changes,
    breaksBackward: comparison?.breaksBackward ?? false,
    moved: followersOf(facts),
    verdicts,
    asking,
    proposalId: null,
    ...overridingOf(facts.asset, command),
  });
  return {
    writes: dryRun ? [] : writes,
    answer: {
      action: 'published',
      dryRun,
      contract: dryRun ? { ...contract, id: null } : contract,
      changes,
      breakingChanges: breakingOf(changes),
      changeType,
      ...changedMode(judged),
    },
  };
}

function proposal(
  facts: AskingFacts,
  command: PublishContract,
  judged: Judged,
  proposed: ProposedTerms,
  decision: Extract<PublishDecision, { action: 'propose' | 'existing' }> & Requested,
  by: By,
): Outcome<Decided<PublishResult>> | StartOver {
  const { dryRun } = command;
  const { comparison } = judged;
  const changes = comparison?.changes ?? [];
  const breakingChanges = breakingOf(changes);
  const told = {
    ...{ action: 'proposal_created' as const, dryRun, changes, breakingChanges },
    ...changedMode(judged),
  };
  const open = facts.open?.proposal ?? null;
  if (decision.action === 'existing') {
    if (open === null) return startOver;
    return accept({ writes: [], answer: { ...told, proposal: open, existing: true } });
  }
  const { asking, request } = decision;
  const changeType = stepOf(comparison);
  const made = proposalOfFacts(facts, { proposed, changes, changeType, asking, request }, by);
  const overriding = overridingOf(facts.asset, command);
  const writes: readonly Write[] = dryRun ? [] : proposeWrites(facts, made, open, overriding);
  const view = dryRun ? { ...made, id: null } : made;
  return accept({ writes, answer: { ...told, proposal: view, existing: false } });
}

/** A mode that is tightened is no change of the list, and a first contract changes no mode. */
function changedMode({ base, terms }: Judged): { readonly modeChange?: ModeChange } {
  const to = terms.compatibilityMode;
  if (base === null || base.compatibilityMode === to) return {};
  return { modeChange: { from: base.compatibilityMode, to } };
}
