// A demanded name counts as declared, because every value has it, even if no schema describes it.
// Otherwise the producer of an object that demands an undescribed name would write no value at all,
// and every change would be compatible.

import { type SchemaNode, saysSomething } from '../../schema/schema.ts';
import { isJsonObject, type JsonObject, searchSchemas } from '../../value/json.ts';
import type { PlaceBook } from '../places/place.types.ts';
import { openReach, type Reach, type Spot } from '../places/reach.ts';
import { contextsOf, rewriteSchema } from './rewrite-schema.ts';
import { withoutBranches } from './without-marked.ts';

/**
 * The same schema, but each demanded name that no schema describes is described as any value. It
 * accepts the same values.
 */
export function withDemandsDescribed(book: PlaceBook, root: SchemaNode): SchemaNode {
  if (!mayDemandOthers(book.document.json)) return root;
  const reach = openReach((node) => book.placeOf([node]).view.isNever, 'written');
  const start = contextsOf(reach, root, (spot) => {
    const added = addedAt(reach, spot);
    return { dropped: new Set(), ...(added.size > 0 && { added }) };
  });
  return rewriteSchema(book, root, start).plain;
}

/** Whether an object in the document demands a name that it may not describe itself. */
function demandsOthers(object: JsonObject): boolean {
  if ('dependentRequired' in object || 'dependencies' in object) return true;
  const { required, properties = null } = object;
  if (!Array.isArray(required)) return false;
  const names = isJsonObject(properties) ? properties : {};
  return !required.every((name) => typeof name === 'string' && Object.hasOwn(names, name));
}

const mayDemandOthers = searchSchemas(demandsOthers);

type Added = ReadonlyMap<SchemaNode, readonly string[]>;

const none: Added = new Map();

function addedAt(reach: Reach, spot: Spot): Added {
  if (!spot.nodes.some(isDescribing)) return none;
  // With `unevaluatedProperties` here, nothing evaluates such a name, so the demand cannot be met.
  const isShut = ({ keywords }: SchemaNode) => saysSomething(keywords.unevaluatedProperties);
  if (spot.nodes.some(isShut)) return none;
  const named = reach.namedKeys(spot);
  // Another branch that refuses unknown names does not describe them.
  const isNamed = (name: string) =>
    named.has(name) || reach.nodesAtKey(spot, name).some(({ keywords }) => !keywords.isFalse);
  const missingAt = (node: SchemaNode) => {
    if (node.keywords.additionalProperties?.keywords.isFalse) return [];
    return [...reach.demandedKeys({ key: '', nodes: [node] })].filter((name) => !isNamed(name));
  };
  // The demands of other nodes concern some values only, and these may be open to any name.
  const always = withoutBranches(spot.nodes);
  const speaking = new Set(always.some(isDescribing) ? always : []);
  const missing = spot.nodes
    .filter((node) => isDescribing(node) || speaking.has(node))
    .map((node) => [node, missingAt(node)] as const);
  return new Map(missing.filter(([, names]) => names.length > 0));
}

function isDescribing({ keywords }: SchemaNode): boolean {
  return keywords.properties !== undefined || keywords.patternProperties !== undefined;
}
