// A GraphQL schema as operations are read against it: its types, and the assets that they are.

import { Kind, parse } from 'graphql/language';
import { isJsonText } from '../../../import/document-kinds.ts';
import { parseGraphql } from '../../../import/graphql/graphql.ts';
import { printIntrospection } from '../../../import/graphql/introspection.ts';
import { readSdl, type SdlType } from '../../../import/graphql/sdl-document.ts';
import type { ContractSide } from '../../read-contract.ts';

export interface OperationSchema {
  readonly types: ReadonlyMap<string, SdlType>;
  /** The types of queries, mutations and subscriptions. */
  readonly roots: Readonly<Record<string, string>>;
  /** The contract of each type, as an import would publish it. */
  readonly contracts: ReadonlyMap<string, ContractSide>;
  readonly fqns: ReadonlyMap<string, string>;
}

type ReadSchema =
  | { readonly ok: true; readonly schema: OperationSchema }
  | { readonly ok: false; readonly message: string };

/** @example readOperationSchema('type Query { me: String }').schema.roots.query // 'Query' */
export function readOperationSchema(text: string, prefix?: string): ReadSchema {
  const imported = parseGraphql(text, prefix === undefined ? {} : { prefix });
  const fatal = imported.problems.find((problem) => problem.fatal);
  if (fatal !== undefined) return { ok: false, message: fatal.message };
  const printed = isJsonText(text) ? printIntrospection(text) : { ok: true as const, sdl: text };
  if (!printed.ok) return { ok: false, message: printed.problem.message };
  const fqns = new Map<string, string>();
  const contracts = new Map<string, ContractSide>();
  for (const { label, fqn, terms } of imported.candidates) {
    if (label.kind !== 'graphql') continue;
    fqns.set(label.type_name, fqn);
    if (terms === null) continue;
    contracts.set(label.type_name, { schema: terms.schema, direction: terms.direction });
  }
  const { types } = readSdl(printed.sdl);
  return { ok: true, schema: { types, roots: rootsIn(printed.sdl), contracts, fqns } };
}

function rootsIn(sdl: string): Readonly<Record<string, string>> {
  const roots: Record<string, string> = {
    query: 'Query',
    mutation: 'Mutation',
    subscription: 'Subscription',
  };
  for (const node of parse(sdl, { noLocation: true }).definitions) {
    if (node.kind !== Kind.SCHEMA_DEFINITION && node.kind !== Kind.SCHEMA_EXTENSION) continue;
    for (const { operation, type } of node.operationTypes ?? []) {
      roots[operation] = type.name.value;
    }
  }
  return roots;
}
