// The kinds of values that a node may have, from its types and those of its references: a union of
// two hundred objects need not be unfolded to find that it has no strings.

import type { SchemaNode, TypeName } from '../../schema/schema.ts';
import type { Kind } from '../../value/value-key.ts';

/** The kind of each type, as one bit. */
export const kindBits: Readonly<Record<TypeName, number>> = {
  ...{ null: 1, boolean: 2, integer: 4, number: 4, string: 8, array: 16, object: 32 },
};
export const allKinds = 63;

/** How deep nested references and unions are followed. */
const maxDepth = 20;

/** The results for nodes with references and unions. */
export type KnownKinds = Map<SchemaNode, number>;

/**
 * False only if the node certainly has no value of the kind.
 *
 * @example of {anyOf: [{type: 'string'}, {type: 'null'}]}: true for strings, false for objects
 */
export function mayHaveKind(known: KnownKinds, node: SchemaNode, kind: Kind): boolean {
  return (kindsOf(known, node) & kindBits[kind]) !== 0;
}

/** The kinds of values that a node may have, as bits: perhaps too many, never too few. */
export function kindsOf(known: KnownKinds, node: SchemaNode, depth = 0): number {
  const { types, ref, anyOf, oneOf, allOf, isFalse } = node.keywords;
  if (isFalse) return 0;
  let kinds = allKinds;
  if (types !== undefined) {
    kinds = 0;
    for (const type of types) kinds |= kindBits[type];
  }
  const isLeaf = ref === undefined && anyOf === undefined && oneOf === undefined && !allOf;
  if (isLeaf || depth > maxDepth) return kinds;
  const found = known.get(node);
  if (found !== undefined) return found;
  // If the node is met again on the way, it counts as having all of these, which is never wrong.
  known.set(node, kinds);
  if (ref !== undefined) kinds &= kindsOf(known, ref, depth + 1);
  for (const part of allOf ?? []) kinds &= kindsOf(known, part, depth + 1);
  for (const union of [anyOf, oneOf]) {
    if (union === undefined || kinds === 0) continue;
    let some = 0;
    for (const branch of union) some |= kindsOf(known, branch, depth + 1);
    kinds &= some;
  }
  known.set(node, kinds);
  return kinds;
}
