import type { Comparison, ContractTerms } from '../../core/comparison.ts';
import type { Contract, ContractFormat } from '../../core/contract.ts';
import { decideAccess, decideManagement, overridingOf } from '../../core/decide/access.ts';
import type { FirstContract, PublishContract, PublishResult } from '../../core/decide/commands.ts';
import {
  contractOfTerms,
  followersOf,
  publishWrites,
} from '../../core/decide/contracts/new-version.ts';
import {
  breakingOf,
  decidePublish,
  type PublishDecision,
  proposedDigestOf,
} from '../../core/decide/contracts/publish.ts';
import type { AssetFacts } from '../../core/decide/facts.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import type { ProposedTerms } from '../../core/proposal.ts';
import { isSameJson } from '../../core/value/canonical-json.ts';
import { isJsonObject, type Json } from '../../core/value/json.ts';
import type { Verb } from '../commands.ts';
import {
  type Context,
  type Engine,
  type PublishBase,
  type StartOver,
  startOver,
} from '../ports.ts';
import { proposalOfFacts, proposeWrites } from '../proposals/proposing.ts';
import { settleProposal } from '../proposals/settle-proposal.ts';
import type { Transaction } from '../transaction.ts';
import { compareWithBase, completeTerms, examineTerms } from './terms.ts';

/**
 * Each time somebody else came first, somebody came first: with turns taken in each process, this
 * many losses in a row want as many processes.
 */
const attemptLimit = 100;

/** Compares before the transaction; under the lock it only sees that the comparison still holds. */
export const publishContract: Verb<PublishContract, PublishResult> = async (
  ports,
  context,
  command,
) => {
  const first = await findBase(ports.reads.getPublishBase, context, command);
  if (!first.ok) return first;
  const examined = await examineTerms(ports.engine, command, 'schema', first.value);
  if (!examined.ok) return examined;
  let judged: Judged = { ...first.value, ...examined.value };

  const outcome = await ports.inTurn(command.assetId, async ({ hasWaited }) => {
    for (let attempt = 0; attempt < attemptLimit; attempt++) {
      if (attempt > 0 || hasWaited) {
        const found = await findBase(ports.reads.getPublishBase, context, command);
        if (!found.ok) return found;
        judged = await judgeAgain(ports.engine, command, judged, found.value);
      }
      const outcome = await ports.attempt(context, (transaction) =>
        decideUnderLock(transaction, context, command, judged),
      );
      if (!('startOver' in outcome)) return outcome;
    }
    return refuse(
      'REGISTRY_UNAVAILABLE',
      `${attemptLimit} other publishes changed this asset at the same time. Try again in a moment.`,
    );
  });
  if (outcome.ok && outcome.value.action === 'proposal_created' && !command.dryRun) {
    await settleProposal(ports, context, command.assetId);
  }
  return outcome;
};

interface Judged extends PublishBase {
  readonly terms: ContractTerms;
  readonly schemaDigest: string;
  readonly comparison: Comparison | null;
}

/** The digest stays; the comparison is made with what is newest now. */
async function judgeAgain(
  engine: Engine,
  command: PublishContract,
  before: Judged,
  found: PublishBase,
): Promise<Judged> {
  const { schemaDigest } = before;
  const { asset, base } = found;
  const terms = completeTerms(command, base);
  const next = { terms, schemaDigest };
  const comparison = await compareWithBase(engine, base, next, asset.guaranteeMode);
  return { ...found, ...next, comparison };
}

async function findBase(
  getPublishBase: (assetId: string) => Promise<PublishBase | null>,
  context: Context<never>,
  command: PublishContract,
): Promise<Outcome<PublishBase>> {
  const found = await getPublishBase(command.assetId);
  if (found === null || found.asset.deletedAt !== null) return notFound('ASSET', command.assetId);
  const access = decideAccess(context.actor, 'publish_contract', found.asset.ownerTeamId);
  if (!access.ok) return access;
  const managed = decideManagement(context.actor, found.asset, command);
  return managed.ok ? accept(found) : managed;
}

async function decideUnderLock(
  transaction: Transaction,
  context: Context<PublishResult>,
  command: PublishContract,
  judged: Judged,
): Promise<Outcome<PublishResult> | StartOver> {
  const facts = await transaction.lockAsset(command.assetId);
  if (facts === null || !isStillTrue(facts, judged)) return startOver;

  const proposed = proposedTerms(command, judged);
  const decision = decidePublish(facts, {
    terms: judged.terms,
    schemaDigest: judged.schemaDigest,
    comparison: judged.comparison,
    proposedDigest: proposedDigestOf(proposed),
    version: command.version,
    supersede: command.supersede,
  });
  if (!decision.ok) return decision;
  switch (decision.value.action) {
    case 'unchanged':
      return judged.base === null
        ? startOver
        : accept({ action: 'unchanged', dryRun: command.dryRun, contract: judged.base });
    case 'publish':
      return publish(transaction, context, command, facts, judged, proposed, decision.value);
    case 'existing':
    case 'propose':
      return propose(transaction, context, command, facts, judged, proposed, decision.value);
    default:
      return decision.value satisfies never;
  }
}

/** What the comparison was made from: another owner, mode or newest contract asks for a new one. */
function isStillTrue(facts: AssetFacts, judged: Judged): boolean {
  return (
    facts.asset.deletedAt === null &&
    facts.base?.id === judged.base?.id &&
    facts.base?.status === judged.base?.status &&
    facts.asset.guaranteeMode === judged.asset.guaranteeMode &&
    facts.asset.ownerTeamId === judged.asset.ownerTeamId &&
    facts.asset.managedBy?.reference === judged.asset.managedBy?.reference
  );
}

/** Only an import changes all types of a GraphQL schema together. Changed by hand, they are compared in full. */
function formatBeside(base: Contract | null, schema: Json): ContractFormat {
  if (base?.format !== 'graphql') return base?.format ?? 'jsonschema';
  const typesOf = (whole: Json) => (isJsonObject(whole) ? (whole.$defs ?? null) : null);
  return isSameJson(typesOf(base.schema), typesOf(schema)) ? 'graphql' : 'jsonschema';
}

export function proposedTerms(
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
    format: command.format ?? formatBeside(base, terms.schema),
    direction: terms.direction,
    dialect: terms.dialect ?? null,
    version: command.version ?? null,
    source: command.source ?? 'api',
    sourceReference: command.sourceReference ?? null,
    commit: command.commit ?? null,
  };
}

async function publish(
  transaction: Transaction,
  context: Context<PublishResult>,
  command: PublishContract,
  facts: AssetFacts,
  judged: Judged,
  proposed: ProposedTerms,
  decision: Extract<PublishDecision, { action: 'publish' }>,
): Promise<Outcome<PublishResult>> {
  const { version, changeType } = decision;
  const dryRun = command.dryRun || command.onlyPropose === true;
  const changes = judged.comparison?.changes ?? [];
  const contract: Contract = contractOfTerms(facts, context, proposed, {
    version,
    changeType,
    id: context.newId(),
    at: transaction.now(),
  });
  if (!dryRun) {
    await transaction.apply(
      publishWrites(facts, contract, {
        version,
        changeType,
        changes,
        breaksBackward: judged.comparison?.breaksBackward ?? false,
        moved: followersOf(facts),
        proposalId: null,
        ...overridingOf(facts.asset, command),
      }),
    );
  }
  return accept({
    action: 'published',
    dryRun,
    contract: dryRun ? { ...contract, id: null } : contract,
    changes,
    breakingChanges: breakingOf(changes),
    changeType,
  });
}

async function propose(
  transaction: Transaction,
  context: Context<PublishResult>,
  command: PublishContract,
  facts: AssetFacts,
  judged: Judged,
  proposed: ProposedTerms,
  decision: Extract<PublishDecision, { action: 'propose' | 'existing' }>,
): Promise<Outcome<PublishResult> | StartOver> {
  const { dryRun } = command;
  const changes = judged.comparison?.changes ?? [];
  const told = {
    action: 'proposal_created' as const,
    changes,
    breakingChanges: breakingOf(changes),
  };
  if (decision.action === 'existing') {
    const existing = await transaction.lockProposal(decision.proposalId);
    if (existing === null) return startOver;
    return accept({ ...told, dryRun, proposal: existing.proposal, existing: true });
  }
  const superseded =
    decision.supersedes === null ? null : await transaction.lockProposal(decision.supersedes);
  const proposal = proposalOfFacts(facts, context, {
    id: context.newId(),
    proposed,
    changes,
    at: transaction.now(),
  });
  if (!dryRun) {
    const overriding = overridingOf(facts.asset, command);
    await transaction.apply(
      proposeWrites(facts, proposal, superseded?.proposal ?? null, overriding),
    );
  }
  const view = dryRun ? { ...proposal, id: null } : proposal;
  return accept({ ...told, dryRun, proposal: view, existing: false });
}
