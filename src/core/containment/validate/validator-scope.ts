// How the validator reached a schema: `$dynamicRef` depends on it, and a schema that is reached
// again on the same value would never end.

import type { SchemaNode, SchemaResource } from '../../schema/schema.ts';

/**
 * A schema and the resources entered on the way to it. `$dynamicRef` refers to the outermost
 * resource that has its anchor.
 */
export interface Applied {
  readonly node: SchemaNode;
  readonly scope: readonly SchemaResource[];
}

export interface Chain {
  readonly applied: Applied;
  readonly next: Chain | null;
}

export function enterResource({ node, scope }: Applied): Applied {
  const { resource } = node;
  if (!resource.hasDynamicAnchors || scope.includes(resource)) return { node, scope };
  return { node, scope: [...scope, resource] };
}

/**
 * Whether the same schema applies to the same value again, with no change in between: it would
 * never end.
 */
export function isLooping(applied: Applied, above: Chain | null): boolean {
  for (let link = above; link !== null; link = link.next) {
    if (link.applied.node === applied.node && link.applied.scope.length === applied.scope.length) {
      return true;
    }
  }
  return false;
}

export function dynamicTarget(
  scope: readonly SchemaResource[],
  anchor: string,
): SchemaNode | undefined {
  for (const resource of scope) {
    const target = resource.dynamicAnchor(anchor);
    if (target !== undefined) return target;
  }
  return undefined;
}
