// A GraphQL type is a `response` until one of its fields takes arguments, and an `operation` from
// then on: the same promise in two forms, which have to be one before they are compared.

import type { ContractTerms } from '../diff/diff.types.ts';
import { isJsonObject, type JsonObject } from '../json.ts';

/** What aligning looks at and may change. */
type Aligned = Pick<ContractTerms, 'schema' | 'direction'>;

/**
 * Both terms as operations where one is an operation and the other a response; else as they are.
 *
 * @example alignTerms(active, next) // [{ ...active, direction: 'operation', ... }, next]
 */
export function alignTerms<Old extends Aligned, Next extends Aligned>(
  old: Old,
  next: Next,
): readonly [Old, Next] {
  if (old.direction === 'response' && next.direction === 'operation') {
    return [toOperation(old), next];
  }
  if (old.direction === 'operation' && next.direction === 'response') {
    return [old, toOperation(next)];
  }
  return [old, next];
}

function toOperation<Terms extends Aligned>(terms: Terms): Terms {
  return { ...terms, direction: 'operation', schema: wrap(terms.schema) };
}

/** Definitions stay at the root, where references look for them. */
function wrap(schema: Aligned['schema']): JsonObject {
  if (!isJsonObject(schema)) return { type: 'object', properties: { response: schema } };
  const { $defs, title, description, ...response } = schema;
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    type: 'object',
    properties: { response },
    ...($defs === undefined ? {} : { $defs }),
  };
}
