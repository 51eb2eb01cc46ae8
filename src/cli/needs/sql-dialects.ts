/** The names that people use, and those of the parser. */
export const sqlDialects = {
  athena: 'athena',
  bigquery: 'bigquery',
  clickhouse: 'clickhouse',
  databricks: 'databricks',
  duckdb: 'duckdb',
  mysql: 'mysql',
  oracle: 'oracle',
  postgres: 'postgresql',
  redshift: 'redshift',
  snowflake: 'snowflake',
  spark: 'spark',
  sqlite: 'sqlite',
  trino: 'trino',
  tsql: 'tsql',
} as const;

export type SqlDialect = keyof typeof sqlDialects;
