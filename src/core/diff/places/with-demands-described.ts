// A name that is demanded is declared: every value has it, whatever describes it. As written, the producer of an
// object that demands a name which nothing describes would write no value, and every change would be compatible.

import type { SchemaNode } from '../../schema/schema.ts';
import { isJsonObject, type Json } from '../../value/json.ts';
import type { PlaceBook } from './place.types.ts';
import { openReach, type Reach, type Spot } from './reach.ts';
import { contextsOf, rewriteSchema } from './rewrite-schema.ts';
import { withoutBranches } from './without-marked.ts';

/**
 * The same schema, in which each demanded name that nothing describes may be anything, and every name where more
 * are demanded than are described. It accepts what it did.
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
      if (['dependentRequired', 'dependencies', 'minProperties'].some((name) => name in others)) {
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

type Added = ReadonlyMap<SchemaNode, readonly string[] | null>;

const none: Added = new Map();

function addedAt(reach: Reach, spot: Spot): Added {
  const named = reach.namedKeys(spot);
  const isUndescribed = (name: string) =>
    !named.has(name) && reach.nodesAtKey(spot, name).length === 0;
  const missing = [...reach.demandedKeys(spot)].filter(isUndescribed);
  const isOpening = reach.nodesAtOtherKeys(spot).length > 0;
  const most = isOpening ? Number.POSITIVE_INFINITY : named.size + missing.length;
  const asksMore = ({ keywords: { minProperties = 0 } }: SchemaNode) => minProperties > most;
  if (missing.length === 0 && !spot.nodes.some(asksMore)) return none;
  // What stands here evaluates no name for them: the demand cannot be met.
  const isShut = ({ keywords }: SchemaNode) => keywords.unevaluatedProperties !== undefined;
  if (!spot.nodes.some(isDescribing) || spot.nodes.some(isShut)) return none;
  // Elsewhere a demand is one of some values, which may be open to any name.
  const always = withoutBranches(spot.nodes);
  const speaking = new Set(always.some(isDescribing) ? always : []);
  return new Map(
    spot.nodes.flatMap((node): [SchemaNode, readonly string[] | null][] => {
      if (!isDescribing(node) && !speaking.has(node)) return [];
      if (asksMore(node)) return [[node, null]];
      const { required = [], dependentRequired } = node.keywords;
      const demanded = new Set([...required, ...[...(dependentRequired?.values() ?? [])].flat()]);
      const names = missing.filter((name) => demanded.has(name));
      return names.length === 0 ? [] : [[node, names]];
    }),
  );
}

function isDescribing({ keywords }: SchemaNode): boolean {
  return keywords.properties !== undefined || keywords.patternProperties !== undefined;
}
