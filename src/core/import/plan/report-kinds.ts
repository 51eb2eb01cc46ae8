// The field names in the responses of each import. One row per kind, so that they stay parallel.

import type { Candidate, ImportKind } from '../candidate.ts';
import { textAt } from '../read-json.ts';
import type { RemovedAsset } from './plan.types.ts';

interface ReportNames {
  /** The list in a diff, and in an import's response. */
  readonly list: string;
  readonly total: string;
  readonly withContracts: string;
  /** The count in form B. */
  readonly processed: string;
}

export const reportNames: Readonly<Record<ImportKind, ReportNames>> = {
  dbt: {
    list: 'models',
    total: 'total_models',
    withContracts: 'models_with_contracts',
    processed: 'models_processed',
  },
  openapi: {
    list: 'endpoints',
    total: 'total_endpoints',
    withContracts: 'endpoints_with_contracts',
    processed: 'endpoints_processed',
  },
  graphql: {
    list: 'types',
    total: 'total_types',
    withContracts: 'types_with_contracts',
    processed: 'types_processed',
  },
  odcs: {
    list: 'objects',
    total: 'total_objects',
    withContracts: 'objects_with_contracts',
    processed: 'objects_processed',
  },
};

/** The FQN, and the other names of the item in its own file. */
export function namesOf({ fqn, label }: Pick<Candidate, 'fqn' | 'label'>): NamedItem {
  switch (label.kind) {
    case 'dbt':
      return { fqn, node_id: label.node_id };
    case 'openapi':
      return { fqn, path: label.path, method: label.method };
    case 'graphql':
      return { fqn, type_name: label.type_name, kind: label.type_kind };
    case 'odcs':
      return { fqn, object_name: label.object_name };
    default:
      return label satisfies never;
  }
}

/** The same names for an item that vanished from the file, as its import stored them. */
export function namesOfRemoved(
  kind: ImportKind,
  { asset: { fqn, metadata }, movedTo }: RemovedAsset,
): NamedItem {
  const named = Object.entries(removedNames[kind]).flatMap(([name, key]) => {
    const text = textAt(metadata, key);
    return text === undefined ? [] : [[name, text] as const];
  });
  const moved = movedTo === null ? {} : { moved_to: movedTo };
  return { fqn, ...Object.fromEntries(named), ...moved };
}

/** The metadata key of each name in a report. */
const removedNames: Readonly<Record<ImportKind, Readonly<Record<string, string>>>> = {
  dbt: { node_id: 'build_node_id' },
  openapi: { path: 'path', method: 'method' },
  graphql: { type_name: 'type_name', kind: 'kind' },
  odcs: { object_name: 'object_name' },
};

interface NamedItem {
  readonly fqn: string;
  readonly node_id?: string;
  readonly path?: string;
  readonly method?: string;
  readonly type_name?: string;
  readonly kind?: string;
  readonly object_name?: string;
  readonly moved_to?: string;
}

/** The title and version of the file; only OpenAPI documents have them. */
export interface SourceTitle {
  readonly apiTitle: string;
  readonly apiVersion: string;
}

export function titleOf(title: SourceTitle | undefined): Readonly<Record<string, string>> {
  return title === undefined ? {} : { api_title: title.apiTitle, api_version: title.apiVersion };
}
