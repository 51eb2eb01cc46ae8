// Of which kinds a node may have values, told by its types and those of what it refers to: a union of
// two hundred objects need not be unfolded to find that it has no strings.

import type { Keywords, SchemaNode, TypeName } from '../../schema/schema.ts';
import type { Kind } from '../../value/value-key.ts';

/** Of each type its kind, as one bit. */
export const kindBits: Readonly<Record<TypeName, number>> = {
  ...{ null: 1, boolean: 2, integer: 4, number: 4, string: 8, array: 16, object: 32 },
};
export const allKinds = 63;

/** References and unions within one another are looked into this deep. */
const maxDepth = 20;

/** What was found of references and unions. */
export type KnownKinds = Map<SchemaNode, number>;

/**
 * False only where the node surely has no value of the kind.
 *
 * @example of {anyOf: [{type: 'string'}, {type: 'null'}]}: true for strings, false for objects
 */
export function mayHaveKind(known: KnownKinds, node: SchemaNode, kind: Kind): boolean {
  return (kindsOf(known, node) & kindBits[kind]) !== 0;
}

/** Whether a node says nothing but what another one says. */
export function isOnlyReference(keywords: Keywords): boolean {
  for (const name in keywords) if (name !== 'ref') return false;
  return keywords.ref !== undefined;
}

/** The kinds of which a node may have values, as bits: perhaps too many, never too few. */
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
  // Met again on the way, the node is taken to have all of them, which is never wrong.
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
