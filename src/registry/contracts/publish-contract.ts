import { termsOf } from '../../core/contract.ts';
import { decideAccess, decideManagement } from '../../core/decide/access.ts';
import type { PublishContract, PublishResult } from '../../core/decide/commands.ts';
import { decidePublication, type Judged } from '../../core/decide/contracts/publication.ts';
import { startOver } from '../../core/decide/decided.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { accept, type Outcome } from '../../core/failure.ts';
import { meetsUnaffected } from '../../core/need.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';
import type { Context, Ports, PublishBase } from '../ports.ts';
import { lockForAsking } from '../proposals/lock-for-asking.ts';
import { settleProposal } from '../proposals/settle-proposal.ts';
import { reviewNeeds } from '../registrations/review-needs.ts';
import { tryAgain } from '../try-again.ts';
import { findVerdicts } from './consumer-verdicts.ts';
import { compareWithBase, completeTerms, examineTerms } from './terms.ts';

/**
 * Compares before the transaction; under the lock it only checks that the comparison is still
 * current.
 */
export const publishContract: Verb<PublishContract, PublishResult> = async (
  ports,
  context,
  command,
) => {
  const first = await findBase(ports.reads.getPublishBase, context, command);
  if (!first.ok) return first;
  const examined = await examineTerms(ports.engine, command, 'schema', first.value);
  if (!examined.ok) return examined;
  let judged: JudgedHere = await withVerdicts(ports, command, {
    ...first.value,
    ...examined.value,
  });

  const outcome = await ports.inTurn(command.assetId, ({ hasWaited }) =>
    tryAgain(async (hasLost) => {
      if (hasLost || hasWaited) {
        const found = await findBase(ports.reads.getPublishBase, context, command);
        if (!found.ok) return found;
        judged = await judgeAgain(ports, command, judged, found.value);
      }
      return ports.attempt(context, async (transaction) => {
        const facts = await lockForAsking(transaction, command.assetId);
        if (facts === null) return startOver;
        const by = byOf(context, transaction);
        return applyDecided(transaction, decidePublication(facts, command, judged, by));
      });
    }),
  );
  if (outcome.ok && outcome.value.action === 'proposal_created' && !command.dryRun) {
    await settleProposal(ports, context, command.assetId);
  }
  const isNew =
    outcome.ok && outcome.value.action === 'published' && outcome.value.contract.id !== null;
  if (isNew && !isReviewed(judged)) await reviewNeeds(ports, context, command.assetId);
  return outcome;
};

type JudgedHere = Judged & Pick<PublishBase, 'hasNeeds' | 'hasUnmetNeeds'>;

/** Whether no need is left to review: needs that stay met were recorded with the version. */
function isReviewed({ hasNeeds, hasUnmetNeeds, verdicts, comparison }: JudgedHere): boolean {
  const known = Object.values(verdicts);
  const areUnaffected = known.every(({ verdict }) => verdict === 'unaffected');
  const areMet = areUnaffected && meetsUnaffected(comparison?.changes ?? []);
  return !hasNeeds || (!hasUnmetNeeds && known.length > 0 && areMet);
}

/** Compares again with the newest contract. The digest does not change. */
async function judgeAgain(
  ports: Ports,
  command: PublishContract,
  before: Judged,
  found: PublishBase,
): Promise<JudgedHere> {
  const { schemaDigest } = before;
  const { asset, base } = found;
  const terms = completeTerms(command, base);
  const next = { terms, schemaDigest };
  const comparison = await compareWithBase(ports.engine, base, next, asset.guaranteeMode);
  return withVerdicts(ports, command, { ...found, ...next, comparison });
}

/** Most assets have no consumer with a need, and are not asked about any. */
async function withVerdicts(
  ports: Ports,
  { assetId }: PublishContract,
  judged: Omit<JudgedHere, 'verdicts'>,
): Promise<JudgedHere> {
  const { base, comparison, hasNeeds, terms } = judged;
  if (!hasNeeds || base === null || comparison === null) return { ...judged, verdicts: {} };
  const change = { assetId, old: termsOf(base), next: terms, comparison };
  return { ...judged, verdicts: await findVerdicts(ports, change) };
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
