// Which properties a schema names.

import { type Path, rootPath, stepsBetween } from '../diff/places/path.ts';
import { openReach, type Reach } from '../diff/places/reach.ts';
import type { SchemaNode } from '../schema/schema.ts';

/** Whether the need names the property at exactly this place. */
export function openDeclared(root: SchemaNode): (path: Path) => boolean {
  const reach = openReach(() => false, 'most');
  return (path) => isDeclared(reach, root, path);
}

function isDeclared(reach: Reach, root: SchemaNode, path: Path): boolean {
  const steps = stepsBetween(rootPath, path) ?? [];
  let nodes: readonly SchemaNode[] = [root];
  for (let index = 0; index < steps.length; index++) {
    const spot = reach.spotOf(nodes);
    if (steps[index] === 'items') {
      nodes = reach.nodesAtItem(spot, null);
      continue;
    }
    if (steps[index] !== 'properties') return false;
    const key = String(steps[++index]);
    if (!reach.declaredKeys(spot).has(key)) return false;
    nodes = reach.nodesAtKey(spot, key);
  }
  return steps.at(-2) === 'properties';
}
