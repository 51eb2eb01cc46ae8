// The terms that plain pairs (plain-pair.ts) are asked about.

import type { SchemaNode, SchemaResource } from '../../schema/schema.ts';
import { nodeTerm, placeTerm } from '../terms/forms.ts';
import type { Store, Term } from '../terms/forms.types.ts';
import { isOnlyReference } from '../terms/node-kinds.ts';

/** References to references: so many are followed at once. */
const maxHops = 20;

/**
 * What a node refers to is taken for it. A nested one is known by its place: most are looked at once,
 * and their parts were compared word for word. Flat ones, as they stand in every second property, by
 * their texts.
 */
export function plainTerm(
  store: Store,
  start: SchemaNode,
  scope: readonly SchemaResource[] = [],
): Term {
  if (scope.length > 0) return nodeTerm(store, start, scope);
  const node = referred(start);
  return isNested(node) ? placeTerm(store, node) : nodeTerm(store, node);
}

function referred(start: SchemaNode): SchemaNode {
  let node = start;
  for (let hops = 0; hops < maxHops; hops++) {
    const { ref } = node.keywords;
    // In another resource `$dynamicRef` may mean something else.
    if (ref?.resource !== node.resource || !isOnlyReference(node.keywords)) break;
    node = ref;
  }
  return node;
}

/** A record, or a list or union of what is itself made of parts. */
function isNested({ keywords }: SchemaNode): boolean {
  const { properties, items, anyOf, oneOf } = keywords;
  if (properties !== undefined) return true;
  if (items !== undefined && hasParts(items)) return true;
  return (anyOf?.some(hasParts) || oneOf?.some(hasParts)) ?? false;
}

function hasParts({ keywords: { properties, items, anyOf, oneOf } }: SchemaNode): boolean {
  return [properties, items, anyOf, oneOf].some((part) => part !== undefined);
}
