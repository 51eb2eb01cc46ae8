// A name that one branch declares and another one does not. The other branch lets it go: a later version may
// give it another content there, and each step of that is compatible.

import { type Keywords, type SchemaNode, saysSomething } from '../../schema/schema.ts';
import { type JsonObject, searchSchemas } from '../../value/json.ts';
import type { PlaceBook } from '../places/place.types.ts';
import { openReach, type Reach, type Spot } from '../places/reach.ts';
import { contextsOf, rewriteSchema } from '../rewrite/rewrite-schema.ts';

/**
 * The same schema, but each branch lets every name that another branch declares have any value, except
 * where it refuses undeclared names. `removed` are names that are let go on purpose.
 */
export function withNamesLetGo(
  book: PlaceBook,
  root: SchemaNode,
  removed: ReadonlySet<string>,
): SchemaNode {
  if (!mayBranch(book.document.json)) return root;
  const reach = openReach((node) => book.placeOf([node]).view.isNever, 'most');
  const start = contextsOf(reach, root, (spot) => {
    const added = addedAt(reach, spot, removed);
    return { dropped: new Set(), ...(added.size > 0 && { added }) };
  });
  return rewriteSchema(book, root, start).plain;
}

const branching = ['anyOf', 'oneOf', 'then', 'else', 'dependentSchemas', 'dependencies'] as const;

function hasBranches(object: JsonObject): boolean {
  return branching.some((name) => name in object);
}

const mayBranch = searchSchemas(hasBranches);

/** Beyond this, the question costs more than such a name is worth. */
const maxNames = 100;

function addedAt(
  reach: Reach,
  spot: Spot,
  removed: ReadonlySet<string>,
): ReadonlyMap<SchemaNode, readonly string[]> {
  const branches = new Set(spot.nodes.flatMap(({ keywords }) => branchesOf(keywords)));
  if (branches.size === 0) return new Map();
  // Declaring a name would make it evaluated.
  if (spot.nodes.some(({ keywords }) => saysSomething(keywords.unevaluatedProperties))) {
    return new Map();
  }
  const declared = [...reach.declaredKeys(spot)].filter((name) => !removed.has(name));
  const names = declared.slice(0, maxNames);
  const added = [...branches].flatMap((node): readonly (readonly [SchemaNode, string[]])[] => {
    const { properties, additionalProperties, isFalse } = node.keywords;
    if (isFalse === true || saysSomething(additionalProperties)) return [];
    const missing = names.filter((name) => properties?.has(name) !== true);
    return missing.length === 0 ? [] : [[node, missing]];
  });
  return new Map(added);
}

function branchesOf({
  anyOf = [],
  oneOf = [],
  then,
  else: otherwise,
  dependentSchemas,
}: Keywords): readonly SchemaNode[] {
  const one = [then, otherwise].filter((node) => node !== undefined);
  return [...anyOf, ...oneOf, ...one, ...(dependentSchemas?.values() ?? [])];
}
