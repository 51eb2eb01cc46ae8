// A tagged union: every branch demands one key, each with values of its own. Then no value is in two
// branches, which is all that `oneOf` says beyond `anyOf`. Read off the schemas alone, so that nothing
// is unfolded for it.

import type { SchemaNode } from '../schema/schema.ts';
import { valueKey } from './value-key.ts';

/** References that lead to references are followed this far. */
const maxReferences = 20;

const known = new WeakMap<readonly SchemaNode[], boolean>();

/** Whether no object is in two of the branches, by the tag that each demands. */
export function areTagged(branches: readonly SchemaNode[]): boolean {
  const answer = known.get(branches);
  if (answer !== undefined) return answer;
  const found = hasCommonTag(branches.map(withoutReference));
  known.set(branches, found);
  return found;
}

/** What a branch refers to holds for it, whatever stands beside the reference. */
function withoutReference(branch: SchemaNode): SchemaNode {
  let node = branch;
  for (let count = 0; count < maxReferences; count++) {
    const { ref } = node.keywords;
    if (ref === undefined || node.keywords.properties !== undefined) return node;
    node = ref;
  }
  return node;
}

function hasCommonTag(branches: readonly SchemaNode[]): boolean {
  const [first] = branches;
  if (first === undefined) return false;
  for (const key of first.keywords.required ?? []) {
    if (isTag(key, branches)) return true;
  }
  return false;
}

function isTag(key: string, branches: readonly SchemaNode[]): boolean {
  const seen = new Set<string>();
  for (const { keywords } of branches) {
    const tag = keywords.properties?.get(key)?.keywords;
    if (tag === undefined || !keywords.required?.includes(key)) return false;
    const values = tag.const === undefined ? tag.enum : [tag.const.value];
    if (values === undefined) return false;
    const own = new Set(values.map(valueKey));
    for (const text of own) {
      if (seen.has(text)) return false;
      seen.add(text);
    }
  }
  return true;
}
