// The way a validator came to a schema: what `$dynamicRef` means depends on it, and where it comes
// round on one value there is no end.

import type { SchemaNode, SchemaResource } from '../../schema/schema.ts';

/** A schema and the way to it: `$dynamicRef` means the outermost resource that has its anchor. */
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

/** The same schema on the same value again, without having gone anywhere: it would never end. */
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
