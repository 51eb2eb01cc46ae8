// The terms for plain pairs (plain-pair.ts).

import { isOnlyReference, type SchemaNode, type SchemaResource } from '../../schema/schema.ts';
import { nodeTerm, placeTerm } from '../terms/forms.ts';
import type { Store, Term } from '../terms/forms.types.ts';

/** The most references that are followed in a row. */
const maxHops = 20;

/**
 * The term of a node, or of its target if it is only a reference. A nested schema is identified by
 * its location: most are visited once, and their texts have been compared already. A flat one,
 * which many properties repeat, is identified by its text.
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

/** Whether a node is a record, or a list or union whose parts have parts themselves. */
function isNested({ keywords }: SchemaNode): boolean {
  const { properties, items, anyOf, oneOf } = keywords;
  if (properties !== undefined) return true;
  if (items !== undefined && hasParts(items)) return true;
  return (anyOf?.some(hasParts) || oneOf?.some(hasParts)) ?? false;
}

function hasParts({ keywords: { properties, items, anyOf, oneOf } }: SchemaNode): boolean {
  return [properties, items, anyOf, oneOf].some((part) => part !== undefined);
}
