// A manifest of one target of dbt, with the databases and schemas of another one.

import { expect, test } from 'vitest';
import { inSchemasOf } from '../../../src/core/import/dbt/dbt-target.ts';

const at = (database: string | undefined, schema: string, alias: string) => ({
  ...(database !== undefined && { database }),
  ...{ schema, alias, columns: {} },
});

const configured = (database: string, target: string, schema: string) => ({
  ...at(database, `${target}${schema}`, 'x'),
  config: { schema },
});

const byTarget = { unrendered_config: { schema: '{{ target.schema }}' } };

test.each([
  {
    name: 'what production has stands where it stands there, under its own table name',
    production: { nodes: { 'model.a.x': at('db', 'analytics', 'x') } },
    manifest: { nodes: { 'model.a.x': at('ci', 'pr_1', 'y') }, metadata: { v: 12 } },
    is: { nodes: { 'model.a.x': at('db', 'analytics', 'y') }, metadata: { v: 12 } },
  },
  {
    name: 'a database that production does not name is not named',
    production: { nodes: { 'model.a.x': at(undefined, 'analytics', 'x') } },
    manifest: { nodes: { 'model.a.x': at('ci', 'pr_1', 'x') } },
    is: { nodes: { 'model.a.x': at(undefined, 'analytics', 'x') } },
  },
  {
    name: 'something new stands where what is beside it stands',
    production: { nodes: { 'model.a.x': at('db', 'analytics', 'x') } },
    manifest: { nodes: { 'model.a.x': at('ci', 'pr_1', 'x'), 'model.a.n': at('ci', 'pr_1', 'n') } },
    is: {
      nodes: { 'model.a.x': at('db', 'analytics', 'x'), 'model.a.n': at('db', 'analytics', 'n') },
    },
  },
  {
    name: 'something new stays where it is if production has two places for those beside it',
    production: {
      nodes: { 'model.a.x': at('db', 'sales', 'x'), 'model.a.z': at('db', 'costs', 'z') },
    },
    manifest: {
      nodes: {
        ...{ 'model.a.x': at('ci', 'pr_1', 'x'), 'model.a.z': at('ci', 'pr_1', 'z') },
        'model.a.n': at('ci', 'pr_1', 'n'),
      },
    },
    is: {
      nodes: {
        ...{ 'model.a.x': at('db', 'sales', 'x'), 'model.a.z': at('db', 'costs', 'z') },
        'model.a.n': at('ci', 'pr_1', 'n'),
      },
    },
  },
  {
    name: 'what is configured for another schema stands where production has what is beside it',
    production: {
      nodes: {
        ...{
          'model.a.x': configured('db', '', 'marts'),
          'model.a.z': configured('db', '', 'costs'),
        },
      },
    },
    manifest: {
      nodes: {
        ...{ 'model.a.x': configured('ci', 'pr_', 'costs') },
        'model.a.z': configured('ci', 'pr_', 'costs'),
      },
    },
    is: {
      nodes: {
        ...{
          'model.a.x': configured('db', '', 'costs'),
          'model.a.z': configured('db', '', 'costs'),
        },
      },
    },
  },
  {
    name: 'what is configured for a schema of its own does not stand where it stood',
    production: { nodes: { 'model.a.x': configured('db', '', 'marts') } },
    manifest: { nodes: { 'model.a.x': configured('ci', 'pr_', 'costs') } },
    is: { nodes: { 'model.a.x': configured('ci', 'pr_', 'costs') } },
  },
  {
    name: 'what is configured by the target stands where it stands in production',
    production: { nodes: { 'model.a.x': { ...configured('db', '', 'marts'), ...byTarget } } },
    manifest: { nodes: { 'model.a.x': { ...configured('ci', '', 'pr_1'), ...byTarget } } },
    is: {
      nodes: {
        'model.a.x': { ...configured('db', '', 'marts'), config: { schema: 'pr_1' }, ...byTarget },
      },
    },
  },
  {
    name: 'sources too',
    production: { nodes: {}, sources: { 'source.a.raw.x': at('db', 'raw', 'x') } },
    manifest: { nodes: {}, sources: { 'source.a.raw.x': at('ci', 'raw_1', 'x') } },
    is: { nodes: {}, sources: { 'source.a.raw.x': at('db', 'raw', 'x') } },
  },
])('$name', ({ production, manifest, is }) => {
  expect(inSchemasOf(production, manifest)).toEqual(is);
});
