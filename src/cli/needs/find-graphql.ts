// Which fields of which types GraphQL operations read.

import { realpathSync } from 'node:fs';
import { gatherReads } from '../../core/needs/find/gather-reads.ts';
import { findGraphqlReads } from '../../core/needs/find/graphql/find-graphql-reads.ts';
import { readOperationSchema } from '../../core/needs/find/graphql/operation-schema.ts';
import { readTextFile, unreadable } from '../input/read-text.ts';
import type { FindOptions, Found } from './found.ts';
import { readInputs } from './list-inputs.ts';

export async function findInGraphql(
  inputs: readonly string[],
  schemaPath: string,
  { prefix }: Pick<FindOptions, 'prefix'>,
): Promise<Found> {
  const read = readOperationSchema(await readTextFile(schemaPath), prefix);
  if (!read.ok) throw unreadable({ path: schemaPath }, '$', read.message);
  const { schema } = read;
  const own = realpathSync(schemaPath);
  const files = await readInputs(
    inputs,
    ['.graphql', '.gql'],
    (path) => realpathSync(path) === own,
  );
  const places = findGraphqlReads(files, schema);
  const fqnOf = ([type = '']: readonly string[]) => schema.fqns.get(type) ?? null;
  return { origin: 'graphql', places, assets: gatherReads(places, fqnOf) };
}
