// An asset goes on standing for what its consumers use: the endpoint that they call, the root that their
// queries begin with. A document can give either to something else under the same name.

import { type ImportedAs, type ImportIdentity, isElsewhere } from '../../asset.ts';
import { accept, type Outcome, refuse } from '../../failure.ts';
import { counted } from '../../value/counted.ts';
import type { StandsFor } from '../commands.ts';
import type { AssetFacts } from '../facts.ts';

/**
 * What is known about the asset from now on; refused if its consumers use something else. What was not known is
 * no difference.
 *
 * @example decideStandsFor(facts, {}, { kind: 'openapi', identity }).value // { openapi: identity }
 */
export function decideStandsFor(
  { asset, consumers }: Pick<AssetFacts, 'asset' | 'consumers'>,
  known: ImportedAs,
  { kind, identity }: StandsFor,
): Outcome<ImportedAs> {
  const before = known[kind];
  if (before === undefined) return accept({ ...known, [kind]: identity });
  if (!isElsewhere(before, identity)) return accept(known);
  if (consumers.length === 0) return accept({ ...known, [kind]: identity });
  return refuse(
    'ASSET_HAS_CONSUMERS',
    `${asset.fqn} stands for ${nameOf(before)}, and ${nameOf(identity)} is something else to its ${counted(consumers.length, 'consumer')}. Give that one a contract with another fqn, and keep ${nameOf(before)} until nobody consumes it.`,
  );
}

/** @example nameOf({ thing: 'get /orders/{}', path: '/orders/{id}' }) // 'GET /orders/{id}' */
function nameOf({ thing = '', path }: ImportIdentity): string {
  const [method = ''] = thing.split(' ');
  return path === undefined ? thing : `${method.toUpperCase()} ${path}`;
}
