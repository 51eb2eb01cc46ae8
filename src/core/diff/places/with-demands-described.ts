// A name that is demanded is declared: every value has it, whatever describes it. As written, the producer of an
// object that demands a name which nothing describes would write no value, and every change would be compatible.

import { type SchemaNode, saysSomething } from '../../schema/schema.ts';
import { isJsonObject, type Json } from '../../value/json.ts';
import type { PlaceBook } from './place.types.ts';
import { openReach, type Reach, type Spot } from './reach.ts';
import { contextsOf, rewriteSchema } from './rewrite-schema.ts';
import { withoutBranches } from './without-marked.ts';

/** The same schema, in which each demanded name that nothing describes may be anything. It accepts what it did. */
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
  // What stands here evaluates no name for them: the demand cannot be met.
  const isShut = ({ keywords }: SchemaNode) => saysSomething(keywords.unevaluatedProperties);
  if (spot.nodes.some(isShut)) return none;
  const named = reach.namedKeys(spot);
  const missingAt = (node: SchemaNode) =>
    [...reach.demandedKeys({ key: '', nodes: [node] })].filter(
      (name) => !named.has(name) && reach.nodesAtKey(spot, name).length === 0,
    );
  // Elsewhere a demand is one of some values, which may be open to any name.
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
