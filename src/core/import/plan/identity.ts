// Which endpoint, table, type or object an asset stands for, as an import stored it. Two of these can
// get the same FQN, because an FQN allows fewer characters than their names.

import type { ImportedAs, ImportIdentity } from '../../asset.ts';
import type { JsonObject } from '../../value/json.ts';
import type { Candidate, CandidateTerms } from '../candidate.ts';
import { withPathNames } from '../openapi/path-names.ts';
import { textAt } from '../read-json.ts';

/** What earlier files of the kind of this candidate said that the asset is. */
export function knownAs(
  candidate: Pick<Candidate, 'label'>,
  importedAs: ImportedAs,
): ImportIdentity | undefined {
  return importedAs[candidate.label.kind];
}

/**
 * Whether the asset with the FQN of a candidate is another thing. What is not known is no difference.
 *
 * @example isOther({ of: 'shop', thing: 'get /Users' }, identity) // true for GET /users
 */
export function isOther(before: ImportIdentity | undefined, now: ImportIdentity): boolean {
  if (before?.thing === undefined || before.thing === now.thing) return false;
  return before.object === undefined || before.object !== now.object;
}

/**
 * What to store about an asset. Its contracts go on calling the parameters of its path as the first
 * one did, whoever publishes them, so that path stays.
 */
export function identityAfter(
  before: ImportIdentity | undefined,
  now: ImportIdentity,
): ImportIdentity {
  if (before === undefined || isOther(before, now)) return now;
  const of = isOnlyRead(now) && !isOnlyRead(before) ? before.of : now.of;
  return { ...now, of, ...(before.path === undefined ? {} : { path: before.path }) };
}

/** A source of dbt declares a table that something else makes, in this project or in another one. */
function isOnlyRead({ of }: ImportIdentity): boolean {
  return /^source\.[^.]+\.[^.]+\.[^.]+$/.test(of);
}

/** The terms in a file, with the parameters of the path called as in the contracts of the asset. */
export function inNamesOfContract(
  terms: CandidateTerms,
  { label, identity }: Pick<Candidate, 'label' | 'identity'>,
  importedAs: ImportedAs,
): CandidateTerms {
  const to = knownAs({ label }, importedAs)?.path;
  if (to === undefined || identity.path === undefined) return terms;
  const schema = withPathNames(terms.schema, identity.path, to);
  return schema === terms.schema ? terms : { ...terms, schema };
}

/**
 * The name of what the metadata describes, for people.
 *
 * @example labelOf({ method: 'get', path: '/users', ... }) // 'GET /users'
 */
export function labelOf(metadata: JsonObject): string {
  const [method, path] = [textAt(metadata, 'method'), textAt(metadata, 'path')];
  if (method !== undefined) return `${method.toUpperCase()} ${path ?? ''}`;
  return (
    textAt(metadata, 'build_node_id') ??
    textAt(metadata, 'object_name') ??
    textAt(metadata, 'type_name') ??
    'another asset'
  );
}
