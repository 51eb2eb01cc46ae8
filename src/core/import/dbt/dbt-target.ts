// A manifest that dbt made for one target, with the databases and schemas of another one: of
// production, for a pull request that builds elsewhere.

import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { objectAt } from '../read-json.ts';

type Entries = ReadonlyMap<string, JsonObject>;

const sections = ['nodes', 'sources'] as const;
const parts = ['database', 'schema'] as const;

/**
 * The names of tables stay, so a model with another alias is seen to move. So is one that is configured for another
 * schema or database, whatever the target makes of it.
 *
 * @example inSchemasOf(production, ofPullRequest) // analytics.orders in place of pr_12.orders
 */
export function inSchemasOf(production: Json, manifest: Json): Json {
  if (!isJsonObject(manifest)) return manifest;
  const known = entriesOf(production);
  const own = entriesOf(manifest);
  const schemas = schemasOf(own, known);
  const moved = (id: string, node: JsonObject): JsonObject => {
    const same = known.get(id);
    const to = same !== undefined && isMeantAs(node, same) ? same : schemas.get(placeOf(node));
    if (to === undefined) return node;
    const { database: _, schema: __, ...rest } = node;
    const there = parts.flatMap((part) => (to[part] === undefined ? [] : [[part, to[part]]]));
    return { ...rest, ...Object.fromEntries(there) };
  };
  const changed = sections.flatMap((section) => {
    const nodes = objectAt(manifest, section);
    if (nodes === undefined) return [];
    const entries = Object.entries(nodes).map(([id, node]) => [
      id,
      isJsonObject(node) ? moved(id, node) : node,
    ]);
    return [[section, Object.fromEntries(entries)]];
  });
  return { ...manifest, ...Object.fromEntries(changed) };
}

/** For a new node: where production has what stands beside it, if that is one place. */
function schemasOf(own: Entries, known: Entries): Entries {
  const found = new Map<string, JsonObject | null>();
  for (const [id, node] of own) {
    const there = known.get(id);
    if (there === undefined || !isMeantAs(node, there)) continue;
    const place = placeOf(node);
    const before = found.get(place);
    const isOther = before !== undefined && (before === null || placeOf(before) !== placeOf(there));
    found.set(place, isOther ? null : there);
  }
  return new Map([...found].flatMap(([place, node]) => (node === null ? [] : [[place, node]])));
}

function placeOf(node: JsonObject): string {
  return JSON.stringify(parts.map((part) => node[part] ?? null));
}

/** Whether both are configured alike: as rendered, or as written, which a target does not change. */
function isMeantAs(node: JsonObject, other: JsonObject): boolean {
  const placesIn = (key: string) => [node, other].map((each) => placeOf(objectAt(each, key) ?? {}));
  const [rendered, itsRendered] = placesIn('config');
  const [written, itsWritten] = placesIn('unrendered_config');
  const isWritten = written !== placeOf({});
  return rendered === itsRendered || (isWritten && written === itsWritten);
}

function entriesOf(manifest: Json): Entries {
  return new Map(
    sections.flatMap((section) =>
      Object.entries(objectAt(manifest, section) ?? {}).flatMap(([id, node]) =>
        isJsonObject(node) ? [[id, node] as const] : [],
      ),
    ),
  );
}
