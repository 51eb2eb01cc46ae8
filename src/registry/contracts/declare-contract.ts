import { defaultGuaranteeMode } from '../../core/asset.ts';
import { decideAccess } from '../../core/decide/access.ts';
import type {
  DeclareContract,
  Declared,
  FirstContract,
  Published,
} from '../../core/decide/commands.ts';
import { contractOfTerms, publishWrites } from '../../core/decide/contracts/new-version.ts';
import { decidePublish, proposedDigestOf } from '../../core/decide/contracts/publish.ts';
import type { AssetFacts } from '../../core/decide/facts.ts';
import type { Write } from '../../core/decide/write.ts';
import { accept, type Outcome } from '../../core/failure.ts';
import { assetOfLine, type CheckedAsset, checkAsset, makeAsset } from '../assets/create-asset.ts';
import type { Verb } from '../commands.ts';
import type { Context, Engine } from '../ports.ts';
import type { Transaction } from '../transaction.ts';
import { proposedTerms } from './publish-contract.ts';
import { type ExaminedTerms, examineTerms } from './terms.ts';

/**
 * A new asset and its first version: nobody consumes it yet, so there is nobody to ask. The asset is
 * made although its contract is refused: the first claim of a name wins.
 */
export const declareContract: Verb<DeclareContract, Declared> = async (
  ports,
  context,
  { assetId, asset: wanted, contract: command },
) => {
  const checked = checkAsset(context, wanted);
  if (!checked.ok) return checked;
  const examined = await examineFirst(ports.engine, context, checked.value, command);

  return ports.transact(context, async (transaction) => {
    const made = await makeAsset(transaction, checked.value, assetId);
    if (!made.ok) return made;
    const { write, line } = made.value;
    if (line !== null) {
      await transaction.apply([write]);
      return accept({ asset: assetOfLine(made.value), published: null });
    }
    const facts = { ...factsOfNew, asset: write.asset };
    const first = examined.ok
      ? firstVersion(facts, context, command, examined.value, transaction)
      : examined;
    await transaction.apply([write, ...(first.ok ? first.value.writes : [])]);
    const published = first.ok ? accept(first.value.published) : first;
    return accept({ asset: write.asset, published });
  });
};

const factsOfNew: Omit<AssetFacts, 'asset'> = {
  base: null,
  highestVersion: null,
  consumers: [],
  openProposal: null,
};

async function examineFirst(
  engine: Engine,
  context: Context<never>,
  { ownerTeamId, guaranteeMode = defaultGuaranteeMode }: CheckedAsset,
  command: FirstContract,
): Promise<Outcome<ExaminedTerms>> {
  const access = decideAccess(context.actor, 'publish_contract', ownerTeamId);
  if (!access.ok) return access;
  return examineTerms(engine, command, 'schema', { asset: { guaranteeMode }, base: null });
}

function firstVersion(
  facts: AssetFacts,
  context: Context<never>,
  command: FirstContract,
  examined: ExaminedTerms,
  transaction: Pick<Transaction, 'now'>,
): Outcome<{ readonly published: Published; readonly writes: readonly Write[] }> {
  const proposed = proposedTerms(command, { ...examined, base: null });
  const decision = decidePublish(facts, {
    ...examined,
    proposedDigest: proposedDigestOf(proposed),
    version: command.version,
    supersede: false,
  });
  if (!decision.ok) return decision;
  if (decision.value.action !== 'publish') throw new Error('A first version broke something.');
  const { version, changeType } = decision.value;
  const contract = contractOfTerms(facts, context, proposed, {
    version,
    changeType,
    id: context.newId(),
    at: transaction.now(),
  });
  const writes = publishWrites(facts, contract, {
    version,
    changeType,
    changes: [],
    breaksBackward: false,
    moved: [],
    proposalId: null,
  });
  const none = { changes: [], breakingChanges: [] };
  return accept({
    published: { action: 'published', dryRun: false, contract, changeType, ...none },
    writes,
  });
}
