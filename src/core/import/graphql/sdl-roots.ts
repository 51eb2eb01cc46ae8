// The types that operations begin with.

import { type DefinitionNode, Kind } from 'graphql/language';

export const rootKinds = ['query', 'mutation', 'subscription'] as const;

/** The name of the type, by the kind of operation. */
export type Roots = ReadonlyMap<string, string>;

/** Without a definition of the schema, the roots are the types of these names, and what extensions add. */
export function statedRoots(definitions: readonly DefinitionNode[]): Roots {
  const stated = definitions.flatMap((node) =>
    node.kind === Kind.SCHEMA_DEFINITION || node.kind === Kind.SCHEMA_EXTENSION
      ? (node.operationTypes ?? [])
      : [],
  );
  const roots = stated.map(({ operation, type }) => [operation, type.name.value] as const);
  if (definitions.some(({ kind }) => kind === Kind.SCHEMA_DEFINITION)) return new Map(roots);
  const names = definitions.flatMap((node) =>
    node.kind === Kind.OBJECT_TYPE_DEFINITION || node.kind === Kind.OBJECT_TYPE_EXTENSION
      ? [node.name.value]
      : [],
  );
  const usual = rootKinds.map(
    (kind) => [kind, kind.charAt(0).toUpperCase() + kind.slice(1)] as const,
  );
  return new Map([...usual.filter(([, name]) => names.includes(name)), ...roots]);
}
