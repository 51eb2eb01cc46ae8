import type { Asset } from '../../core/asset.ts';
import type { NameFacts } from '../../core/decide/facts.ts';
import type { Transaction } from '../transaction.ts';

/** The name that a move wants: locked before any asset, as everywhere. Null where it keeps its name. */
export async function findName(
  transaction: Transaction,
  { fqn, environment: current }: Pick<Asset, 'fqn' | 'environment'>,
  environment: string,
): Promise<NameFacts | null> {
  return environment === current ? null : transaction.lockName({ fqn, environment });
}
