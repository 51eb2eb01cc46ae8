// The paths of objects on the API server.

import { group, type KindName, kinds, version } from '../crd/kinds.ts';

const plurals: ReadonlyMap<KindName, string> = new Map(
  kinds.map((kind) => [kind.kind, kind.plural]),
);

/** The collection of a kind, over all namespaces or in one; '' for a kind without namespaces. */
export function collectionPath(kind: KindName, namespace?: string): string {
  const inside = namespace ? `namespaces/${encodeURIComponent(namespace)}/` : '';
  return `/apis/${group}/${version}/${inside}${plurals.get(kind)}`;
}

export function objectPath(kind: KindName, namespace: string, name: string): string {
  return `${collectionPath(kind, namespace)}/${encodeURIComponent(name)}`;
}
