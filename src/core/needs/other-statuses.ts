// The response of an operation is the JSON of one status of success. Whoever reads it may have it from
// another status, or in another media type, which the contract describes apart.

import type { ContractTerms } from '../comparison.ts';
import { openReach } from '../diff/places/reach.ts';
import type { Need } from '../need.ts';
import { defaultDialect } from '../schema/keywords.ts';
import type { SchemaDocument } from '../schema/schema.ts';
import { isJsonObject, type Json, someObject } from '../value/json.ts';
import { type ParseContract, type PartReading, readContract } from './read-contract.ts';

interface Change {
  readonly old: ContractTerms;
  readonly next: ContractTerms;
  readonly parseOld: ParseContract;
  readonly parse: ParseContract;
  readonly options: { readonly stepBudget?: number };
}

/**
 * The first status of success that is gone, or whose answers are not known to be what the need reads any more.
 *
 * @example findOtherStatus(need, { old, next, options }) // '201', if `a` was a text there and is a number
 */
export function findOtherStatus(need: Need, change: Change): string | null {
  const { old, next, options } = change;
  const before = answersOf(change.parseOld(old.dialect ?? defaultDialect));
  const after = answersOf(change.parse(next.dialect ?? defaultDialect));
  for (const [status, types] of before) {
    if (!status.startsWith('2')) continue;
    const others = after.get(status) ?? after.get('2XX') ?? after.get('default');
    for (const [type, answer] of types) {
      const was = readAnswer(need, old, answer, options);
      if (was === null || was.some(({ refused }) => refused !== null)) continue;
      const other = others?.get(type);
      const is = other === undefined ? null : readAnswer(need, next, other, options);
      if (is === null || is.some((part) => isWorse(part, was))) return status;
    }
  }
  return null;
}

function isWorse({ refused, undecided, lost }: PartReading, was: readonly PartReading[]): boolean {
  if (refused !== null) return true;
  const known = was.flatMap((part) => part.lost.map(({ path }) => path.text));
  if (lost.some(({ path }) => !known.includes(path.text))) return true;
  return undecided !== null && was.every((part) => part.undecided === null);
}

type Answers = ReadonlyMap<string, ReadonlyMap<string, Json>>;

/** The schemas of each status, by media types. */
function answersOf({ root }: SchemaDocument): Answers {
  const reach = openReach(() => false, 'sure');
  const responses = reach.atKey(reach.spotOf([root]), 'responses');
  const contents = [...reach.declaredKeys(responses)].map((status) => {
    const spot = reach.atKey(responses, status);
    const types = [...reach.declaredKeys(spot)].filter((name) => name.includes('/'));
    return [status, new Map(types.map((type) => [type, rawAt(type)]))] as const;
    function rawAt(type: string): Json {
      return { allOf: reach.nodesAtKey(spot, type).map(({ raw }) => raw) };
    }
  });
  return new Map(contents);
}

/** What such a response means for the need; null if it cannot be put in place of the response. */
function readAnswer(
  need: Need,
  terms: ContractTerms,
  answer: Json,
  options: Change['options'],
): readonly PartReading[] | null {
  const { schema } = terms;
  if (!isJsonObject(schema) || '$ref' in schema || 'allOf' in schema) return null;
  const { properties = null } = schema;
  const refersToResponse = someObject(
    schema,
    ({ $ref }) => typeof $ref === 'string' && /^#\/properties\/response(?:\/|$)/.test($ref),
  );
  if (!isJsonObject(properties) || refersToResponse) return null;
  const placed = { ...schema, properties: { ...properties, response: answer } };
  const { parts } = readContract(need, { ...terms, schema: placed }, options);
  return parts.filter(({ member = 'response' }) => member === 'response');
}
