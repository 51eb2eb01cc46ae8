import type { Asset } from '../../core/asset.ts';
import type { NameFacts } from '../../core/decide/facts.ts';
import type { Transaction } from '../transaction.ts';

/**
 * Looks up who holds the name in the target environment; null if the environment stays the same. A
 * name is always locked before an asset, so two moves cannot deadlock.
 */
export async function findName(
  transaction: Transaction,
  { fqn, environment: current }: Pick<Asset, 'fqn' | 'environment'>,
  environment: string,
): Promise<NameFacts | null> {
  return environment === current ? null : transaction.lockName({ fqn, environment });
}
