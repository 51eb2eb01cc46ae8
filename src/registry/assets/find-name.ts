import type { Asset } from '../../core/asset.ts';
import type { NameFacts } from '../../core/decide/facts.ts';
import type { Transaction } from '../transaction.ts';

/**
 * Who has the name in the environment that an asset moves to; null where it stays in its own. A name is
 * always locked before an asset, so that two moves do not wait for each other.
 */
export async function findName(
  transaction: Transaction,
  { fqn, environment: current }: Pick<Asset, 'fqn' | 'environment'>,
  environment: string,
): Promise<NameFacts | null> {
  return environment === current ? null : transaction.lockName({ fqn, environment });
}
