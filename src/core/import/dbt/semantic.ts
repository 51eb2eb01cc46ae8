// The semantic layer of a dbt manifest, of which only the text is compared.

import { isJsonObject, type Json } from '../../value/json.ts';
import { type ImportProblem, itemProblem } from '../candidate.ts';
import { objectAt, placeOf } from '../read-json.ts';

const sections = ['semantic_models', 'metrics', 'saved_queries'];

/** @example listSemanticNodes(manifest)[0].message // 'metric.shop.revenue is not judged.' */
export function listSemanticNodes(manifest: Json): readonly ImportProblem[] {
  return sections.flatMap((section) =>
    Object.entries(objectAt(manifest, section) ?? {}).map(([id, node]) => {
      const place = placeOf(`$.${section}`, id);
      const problem = itemProblem('UNREADABLE_PART', `${id} is not judged.`, place);
      return { ...problem, unread: withoutStamp(node) };
    }),
  );
}

/** Every run of dbt writes another time. */
function withoutStamp(node: Json): Json {
  if (!isJsonObject(node)) return node;
  const { created_at: _time, ...rest } = node;
  return rest;
}
