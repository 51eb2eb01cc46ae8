// Broken dialects of the compiler of checks, each of one engine.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are pieces of source code.

import type { Mutant } from './mutants.ts';

type Engine = 'postgres' | 'snowflake' | 'bigquery' | 'trino';

const dialect = 'checks/sql/dialect.ts';
const warehouse = 'checks/sql/warehouse-dialects.ts';

export const dialectMutants: readonly (Mutant & { readonly engine: Engine })[] = [
  {
    engine: 'postgres',
    family: 'Postgres: infinity is a number',
    file: dialect,
    from: "return `${x} NOT IN ('NaN', 'Infinity', '-Infinity')`;",
    to: "return `${x} <> 'NaN'`;",
  },
  {
    engine: 'postgres',
    family: 'Postgres: lengths are counted in bytes',
    file: dialect,
    from: 'length: (text) => `char_length(${text})`,',
    to: 'length: (text) => `octet_length(${text})`,',
  },
  {
    engine: 'postgres',
    family: 'Postgres: patterns do not tell small letters from capitals',
    file: dialect,
    from: 'matches: (text, pattern) => `${text} ~ ${quoteText(pattern)}`,',
    to: 'matches: (text, pattern) => `${text} ~* ${quoteText(pattern)}`,',
  },
  {
    engine: 'postgres',
    family: 'Postgres: times are cut to milliseconds',
    file: dialect,
    from: 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"',
    to: 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"',
  },
  {
    engine: 'snowflake',
    family: 'Snowflake: minus infinity is a number',
    file: warehouse,
    from: "['NaN', 'inf', '-inf']",
    to: "['NaN', 'inf']",
  },
  {
    engine: 'snowflake',
    family: 'Snowflake: decimals have no fractions',
    file: warehouse,
    from: 'decimalKind(ownPrecision, ownScale);',
    to: 'decimalKind(ownPrecision, 0);',
  },
  {
    engine: 'snowflake',
    family: 'Snowflake: floats have no fractions',
    file: warehouse,
    from: "REAL/, double, 'FLOAT'",
    to: "REAL/, decimalKind(38, 0), 'FLOAT'",
  },
  {
    engine: 'bigquery',
    family: 'BigQuery: infinity is a number',
    file: warehouse,
    from: '`NOT (IS_NAN(${backticked(name)}) OR IS_INF(${backticked(name)}))`',
    to: '`NOT IS_NAN(${backticked(name)})`',
  },
  {
    engine: 'bigquery',
    family: 'BigQuery: a backslash of a pattern is lost',
    file: warehouse,
    from: 'REGEXP_CONTAINS(${text}, ${quoteEscaped(pattern)})',
    to: 'REGEXP_CONTAINS(${text}, ${quoteText(pattern)})',
  },
  {
    engine: 'bigquery',
    family: 'BigQuery: times have no zone',
    file: warehouse,
    from: "'%Y-%m-%dT%H:%M:%E6SZ'",
    to: "'%Y-%m-%dT%H:%M:%E6S'",
  },
  {
    engine: 'bigquery',
    family: 'BigQuery: integers have 32 bits',
    file: warehouse,
    from: 'BYTEINT/, integerKind(64, true)',
    to: 'BYTEINT/, integerKind(32, true)',
  },
  {
    engine: 'trino',
    family: 'Trino: the end of a pattern is lost',
    file: warehouse,
    from: "pattern.replace(/(?<!\\\\)\\$/g, '\\\\z')",
    to: "pattern.replace(/(?<!\\\\)\\$/g, '')",
  },
  {
    engine: 'trino',
    family: 'Trino: a blank stands before the time',
    file: warehouse,
    from: "' ', 'T'), 'Z')`",
    to: "' ', ' '), 'Z')`",
  },
  {
    engine: 'trino',
    family: 'Trino: NaN is a number',
    file: warehouse,
    from: '`is_finite(${quoteName(name)})`',
    to: "'TRUE'",
  },
  {
    engine: 'trino',
    family: 'Trino: reals have no fractions',
    file: warehouse,
    from: "/REAL/, { kind: 'single' }",
    to: '/REAL/, integerKind(32, true)',
  },
];
