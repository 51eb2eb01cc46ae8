import { defaultGuaranteeMode } from '../../core/asset.ts';
import { decideAccess } from '../../core/decide/access.ts';
import type { DeclareContract, Declared, FirstContract } from '../../core/decide/commands.ts';
import { decideFirstVersion } from '../../core/decide/contracts/publication.ts';
import type { AssetFacts } from '../../core/decide/facts.ts';
import { accept, type Outcome } from '../../core/failure.ts';
import { byOf } from '../apply-decided.ts';
import { assetOfLine, type CheckedAsset, checkAsset, makeAsset } from '../assets/create-asset.ts';
import type { Verb } from '../commands.ts';
import type { Context, Engine } from '../ports.ts';
import { type ExaminedTerms, examineTerms } from './terms.ts';

/**
 * Creates an asset with its first version. It has no consumers yet, so nobody has to be asked. The
 * asset is kept even if its contract is refused: the first claim of a name wins.
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
      ? decideFirstVersion(facts, command, examined.value, byOf(context, transaction))
      : examined;
    await transaction.apply([write, ...(first.ok ? first.value.writes : [])]);
    const published = first.ok ? accept(first.value.answer) : first;
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
