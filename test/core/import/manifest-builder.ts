// Manifests of our own for the tests: small ones said in one line, and large ones.

import type { Json, JsonObject } from '../../../src/core/value/json.ts';

export function manifestOf(
  nodes: Readonly<Record<string, JsonObject>>,
  sources: Readonly<Record<string, JsonObject>> = {},
  version = 'v12',
): JsonObject {
  return {
    metadata: { dbt_schema_version: `https://schemas.getdbt.com/dbt/manifest/${version}.json` },
    nodes,
    sources,
  };
}

export function modelOf(name: string, more: JsonObject = {}): JsonObject {
  return {
    resource_type: 'model',
    package_name: 'shop',
    name,
    alias: name,
    database: 'db',
    schema: 'public',
    columns: columnsOf({ id: 'bigint' }),
    ...more,
  };
}

export function sourceOf(name: string, more: JsonObject = {}): JsonObject {
  return {
    resource_type: 'source',
    package_name: 'shop',
    name,
    identifier: name,
    database: 'db',
    schema: 'raw',
    columns: columnsOf({ id: 'bigint' }),
    ...more,
  };
}

export function columnsOf(types: Readonly<Record<string, string | null>>): JsonObject {
  const columns = Object.entries(types).map(([name, type]) => [name, { name, data_type: type }]);
  return Object.fromEntries(columns);
}

export function testOf(
  name: string,
  nodes: readonly string[],
  kwargs: JsonObject,
  more: JsonObject = {},
): JsonObject {
  return {
    resource_type: 'test',
    package_name: 'shop',
    name: `${name}_test`,
    config: { enabled: true, severity: 'ERROR', where: null },
    depends_on: { nodes },
    column_name: kwargs.column_name ?? null,
    test_metadata: { name, kwargs, namespace: null },
    ...more,
  };
}

/** As many models, each with columns and tests, as a large project has. */
export function largeManifest(models: number, columns: number, tests: number): JsonObject {
  const nodes: [string, Json][] = [];
  const types = ['bigint', 'varchar(255)', 'numeric(38,2)', 'timestamp_ntz(9)', 'array<string>'];
  for (let i = 0; i < models; i++) {
    const id = `model.shop.model_${i}`;
    const named = Array.from({ length: columns }, (_, c) => [
      `column_${c}`,
      {
        name: `column_${c}`,
        data_type: types[c % types.length] ?? null,
        description: 'What it is.',
      },
    ]);
    const upstream = i === 0 ? [] : [`model.shop.model_${Math.floor(i / 2)}`];
    nodes.push([
      id,
      modelOf(`model_${i}`, {
        columns: Object.fromEntries(named),
        depends_on: { nodes: upstream },
        raw_code: 'select 1 as id -- padding\n'.repeat(40),
      }),
    ]);
  }
  for (let i = 0; i < tests; i++) {
    const node = `model.shop.model_${i % models}`;
    const column = `column_${Math.floor(i / models) % columns}`;
    const kwargs = { column_name: column, model: `{{ ref('model_${i % models}') }}` };
    const test = testOf(i % 2 === 0 ? 'not_null' : 'unique', [node], kwargs, {
      attached_node: node,
    });
    nodes.push([`test.shop.test_${i}`, test]);
  }
  return manifestOf(Object.fromEntries(nodes) as Record<string, JsonObject>);
}
