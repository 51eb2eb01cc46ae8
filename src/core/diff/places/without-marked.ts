import type { SchemaNode } from '../../schema/schema.ts';
import { isJsonObject, type Json } from '../../value/json.ts';
import type { PlaceBook } from './place.types.ts';
import { itemsOf, openReach, type Reach, type Spot } from './reach.ts';
import { type Context, rewriteSchema } from './rewrite-schema.ts';

/**
 * A schema without the properties that OpenAPI marks: readOnly ones are not in requests, writeOnly
 * ones not in responses, neither declared nor demanded.
 */
export function withoutMarked(
  book: PlaceBook,
  root: SchemaNode,
  mark: 'readOnly' | 'writeOnly',
): SchemaNode {
  if (!holdsMark(book.document.json, mark)) return root;
  const reach = openReach((node) => book.placeOf([node]).view.isNever);
  const contexts = new Map<string, Context>();
  const at = (spot: Spot): Context => {
    const known = contexts.get(spot.key);
    if (known !== undefined) return known;
    const made = contextAt(reach, spot, mark, at);
    contexts.set(spot.key, made);
    return made;
  };
  return rewriteSchema(book, root, at(reach.spotOf([root]))).plain;
}

function contextAt(reach: Reach, spot: Spot, mark: string, at: (spot: Spot) => Context): Context {
  const declared = reach.declaredKeys(spot);
  const isMarked = (key: string) =>
    reach.atKey(spot, key).nodes.some(({ raw }) => isJsonObject(raw) && raw[mark] === true);
  const context: Context = {
    dropped: new Set([...declared].filter(isMarked)),
    dropsProperties: true,
    atKey: (key) => at(reach.atKey(spot, key)),
    atOtherKeys: () => at(reach.atOtherKeys(spot)),
    atItems: () => at(itemsOf(reach, spot)),
    below: () =>
      spot.nodes.length === 0
        ? []
        : [
            ...[...reach.namedKeys(spot)].map(context.atKey),
            context.atOtherKeys(),
            context.atItems(),
          ],
  };
  return context;
}

function holdsMark(json: Json, mark: string): boolean {
  const waiting: Json[] = [json];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (Array.isArray(value)) waiting.push(...value);
    else if (isJsonObject(value)) {
      if (value[mark] === true) return true;
      for (const key in value) waiting.push(value[key] ?? null);
    }
  }
  return false;
}
