// Builds dbt manifests for tests of the API, one line per model.

import type { Json, JsonObject } from '../../src/core/value/json.ts';

export interface Model {
  readonly name: string;
  /** The names of models that it references. */
  readonly refs?: readonly string[];
  readonly columns?: Readonly<Record<string, string>>;
  readonly description?: string;
  readonly meta?: JsonObject;
}

/** @example manifestOf('shop', [{ name: 'orders', refs: ['customers'] }]) */
export function manifestOf(project: string, models: readonly Model[]): JsonObject {
  const nodes = models.map((model): [string, Json] => {
    const id = `model.${project}.${model.name}`;
    const columns = Object.entries(model.columns ?? { id: 'bigint' });
    return [
      id,
      {
        unique_id: id,
        resource_type: 'model',
        package_name: project,
        name: model.name,
        alias: model.name,
        database: project,
        schema: 'public',
        fqn: [project, model.name],
        original_file_path: `models/${model.name}.sql`,
        config: { materialized: 'table', meta: model.meta ?? {} },
        tags: [],
        description: model.description ?? '',
        columns: Object.fromEntries(
          columns.map(([name, type]) => [
            name,
            { name, data_type: type, description: model.description ?? '' },
          ]),
        ),
        depends_on: { nodes: (model.refs ?? []).map((ref) => `model.${project}.${ref}`) },
      },
    ];
  });
  return {
    metadata: { dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v12.json' },
    nodes: Object.fromEntries(nodes),
    sources: {},
  };
}
