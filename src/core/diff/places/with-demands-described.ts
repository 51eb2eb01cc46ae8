// A demanded name counts as declared, because every value has it, even if no schema describes it.
// Otherwise the producer of an object that demands an undescribed name would write no value at all,
// and every change would be compatible.

import { type SchemaNode, saysSomething } from '../../schema/schema.ts';
import { isJsonObject, type Json } from '../../value/json.ts';
import type { PlaceBook } from './place.types.ts';
import { openReach, type Reach, type Spot } from './reach.ts';
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
    return { dropped: new Set(), dropsProperties: false, ...(added.size > 0 && { added }) };
  });
  return rewriteSchema(book, root, start).plain;
}

/** Whether some object demands a name that it does not describe itself. */
function mayDemandOthers(json: Json): boolean {
  const waiting: Json[] = [json];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (Array.isArray(value)) waiting.push(...value);
    else if (isJsonObject(value)) {
      const { required, properties, ...others } = value;
      if (['dependentRequired', 'dependencies'].some((name) => name in others)) {
        return true;
      }
      const names = properties !== undefined && isJsonObject(properties) ? properties : {};
      const isNamed = (name: Json) => typeof name === 'string' && Object.hasOwn(names, name);
      if (Array.isArray(required) && !required.every(isNamed)) return true;
      for (const key in value) waiting.push(value[key] ?? null);
    }
  }
  return false;
}

type Added = ReadonlyMap<SchemaNode, readonly string[]>;

const none: Added = new Map();

function addedAt(reach: Reach, spot: Spot): Added {
  if (!spot.nodes.some(isDescribing)) return none;
  // With `unevaluatedProperties` here, nothing evaluates such a name, so the demand cannot be met.
  const isShut = ({ keywords }: SchemaNode) => saysSomething(keywords.unevaluatedProperties);
  if (spot.nodes.some(isShut)) return none;
  const named = reach.namedKeys(spot);
  const missingAt = (node: SchemaNode) =>
    [...reach.demandedKeys({ key: '', nodes: [node] })].filter(
      (name) => !named.has(name) && reach.nodesAtKey(spot, name).length === 0,
    );
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
