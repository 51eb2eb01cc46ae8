// dbt manifests as large as those of real projects: node for node the keys, and about the bytes,
// that dbt 1.11 writes. 5,000 models with 23,800 tests are 83 MB.

export interface LargeManifest {
  readonly models: number;
  readonly tests: number;
  readonly columnsPerModel: number;
  /** Distinguishes projects: their package, their database, and the prefix of every name. */
  readonly project: string;
  /** Teams that own the models in turn; each also consumes the model two before. */
  readonly teams: readonly string[];
  /** This many of the first models lose their last column, which breaks. */
  readonly broken?: number;
}

/** The project for the promise about memory and time. */
export const fiveThousandModels = { models: 5_000, tests: 23_800, columnsPerModel: 14 };
export const oneThousandModels = { models: 1_000, tests: 4_760, columnsPerModel: 14 };

/** @example largeManifest({ ...oneThousandModels, project: 'shop', teams: ['orders'] }) */
export function largeManifest(size: LargeManifest): object {
  const models = Array.from({ length: size.models }, (_, index) => modelNode(size, index));
  const tests = Array.from({ length: size.tests }, (_, index) => testNode(size, index));
  return {
    metadata: {
      dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v12.json',
      dbt_version: '1.11.2',
      project_name: size.project,
      adapter_type: 'snowflake',
    },
    nodes: Object.fromEntries([...models, ...tests].map((node) => [node.unique_id, node])),
    sources: {},
    macros: {},
    exposures: {},
    disabled: {},
    parent_map: Object.fromEntries(
      [...models, ...tests].map((node) => [node.unique_id, node.depends_on.nodes]),
    ),
  };
}

const columnTypes = [
  'bigint',
  'varchar(255)',
  'numeric(38,2)',
  'timestamp_ntz(9)',
  'boolean',
  'date',
  'variant',
];

function columnName(index: number): string {
  return `${['order', 'customer', 'amount', 'created', 'is_active', 'day', 'payload'][index % 7]}_${index}`;
}

function columnOf(index: number) {
  return {
    name: columnName(index),
    description: `Column ${index}, as it comes from the staging layer.`,
    meta: {},
    data_type: columnTypes[index % columnTypes.length],
    constraints: [],
    quote: null,
    config: { meta: {}, tags: [] },
    tags: [],
    granularity: null,
    doc_blocks: [],
  };
}

function modelNode(size: LargeManifest, index: number) {
  const { project, teams } = size;
  const name = `model_${String(index).padStart(5, '0')}`;
  const owner = teams[index % teams.length];
  const consumer = teams[(index + 2) % teams.length];
  const upstream = [Math.floor(index / 2), Math.floor(index / 3)].filter((other) => other < index);
  const nodes = [...new Set(upstream)].map(
    (other) => `model.${project}.model_${String(other).padStart(5, '0')}`,
  );
  const meta = { svc: { owner_team: owner, consumers: [{ team: consumer, purpose: 'Reports' }] } };
  const count = size.columnsPerModel - (index < (size.broken ?? 0) ? 1 : 0);
  const columns = Array.from({ length: count }, (_, column) => columnOf(column));
  const config = { ...commonConfig, materialized: 'table', meta };
  return {
    ...commonNode(project, name, 'model', `models/marts/${name}.sql`),
    config,
    description: `One row for each thing that ${name} is about, deduplicated and dated.`,
    columns: Object.fromEntries(columns.map((column) => [column.name, column])),
    meta,
    relation_name: `"${project}"."analytics"."${name}"`,
    raw_code: `select * from {{ ref('${name}') }} where created_at > current_date - 30\n`.repeat(
      12,
    ),
    depends_on: { macros: [`macro.${project}.generate_schema_name`], nodes },
  };
}

function testNode(size: LargeManifest, index: number) {
  const { project } = size;
  const model = `model_${String(index % size.models).padStart(5, '0')}`;
  const column = Math.floor(index / size.models) % (size.columnsPerModel - 1);
  const test = index % 3 === 0 ? 'unique' : 'not_null';
  const name = `${test}_${model}_${columnName(column)}`;
  const node = `model.${project}.${model}`;
  return {
    ...commonNode(project, name, 'test', 'models/marts/schema.yml'),
    unique_id: `test.${project}.${name}.${index.toString(16).padStart(10, '0')}`,
    config: {
      ...commonConfig,
      materialized: 'test',
      severity: 'ERROR',
      warn_if: '!= 0',
      error_if: '!= 0',
      where: null,
    },
    description: '',
    columns: {},
    relation_name: null,
    raw_code: `{{ test_${test}(**_dbt_generic_test_kwargs) }}`,
    depends_on: {
      macros: [`macro.dbt.test_${test}`, 'macro.dbt.get_where_subquery'],
      nodes: [node],
    },
    column_name: columnName(column),
    file_key_name: `models.${model}`,
    attached_node: node,
    test_metadata: {
      name: test,
      kwargs: {
        column_name: columnName(column),
        model: `{{ get_where_subquery(ref('${model}')) }}`,
      },
      namespace: null,
    },
  };
}

const commonConfig = {
  enabled: true,
  alias: null,
  schema: null,
  database: null,
  tags: [],
  meta: {},
  group: null,
  static_analysis: null,
  incremental_strategy: null,
  batch_size: null,
  lookback: 1,
  begin: null,
  persist_docs: {},
  'post-hook': [],
  'pre-hook': [],
  quoting: {},
  column_types: {},
  full_refresh: null,
  unique_key: null,
  on_schema_change: 'ignore',
  on_configuration_change: 'apply',
  grants: {},
  packages: [],
  docs: { show: true, node_color: null },
  contract: { enforced: false, alias_types: true },
  event_time: null,
  concurrent_batches: null,
  access: 'protected',
  freshness: null,
};

function commonNode(project: string, name: string, type: 'model' | 'test', file: string) {
  return {
    database: project,
    schema: 'analytics',
    name,
    resource_type: type,
    package_name: project,
    path: file.slice(file.indexOf('/') + 1),
    original_file_path: file,
    unique_id: `${type}.${project}.${name}`,
    fqn: [project, 'marts', name],
    alias: name,
    checksum: {
      name: 'sha256',
      checksum: 'a6b59595172e436a043280c1e619c7d73afa56e8483c981e58d8088a04e6c4ce',
    },
    tags: [],
    group: null,
    docs: { show: true, node_color: null },
    patch_path: `${project}://models/marts/schema.yml`,
    build_path: null,
    unrendered_config: { materialized: 'table', meta: {} },
    created_at: 1795255453.7020736,
    doc_blocks: [],
    language: 'sql',
    refs: [{ name, package: null, version: null }],
    sources: [],
    metrics: [],
    functions: [],
    compiled_path: null,
    contract: { enforced: false, alias_types: true, checksum: null },
    access: 'protected',
    constraints: [],
    version: null,
    latest_version: null,
    deprecation_date: null,
  };
}
