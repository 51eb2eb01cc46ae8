// In the contract of an operation, `response` is the JSON of one status of success. Other statuses and media
// types are described separately, and whoever reads `response` may receive one of those.

import type { ContractTerms } from '../comparison.ts';
import { openReach } from '../diff/places/reach.ts';
import type { Need } from '../need.ts';
import { compareSources } from '../same/same-source.ts';
import { defaultDialect } from '../schema/keywords.ts';
import type { SchemaDocument, SchemaNode } from '../schema/schema.ts';
import { isJsonObject, type Json, someObject } from '../value/json.ts';
import {
  type ParseContract,
  type PartReading,
  parseContract,
  readContract,
} from './read-contract.ts';

interface Change {
  readonly old: ContractTerms;
  readonly next: ContractTerms;
  readonly parseOld: ParseContract;
  readonly parse: ParseContract;
}

/** An answer of a status of success that is not written as it was. */
export interface OtherAnswer {
  readonly status: string;
  readonly was: Placed;
  /** Null if the status or the media type is gone. */
  readonly is: Placed | null;
}

/** A contract in which such an answer is the response. */
interface Placed {
  readonly terms: ContractTerms;
  readonly parse: ParseContract;
}

/** For all needs, because parsing a contract takes longer than reading one need. */
export function listOtherAnswers(change: Change): readonly OtherAnswer[] {
  const { old, next } = change;
  const [was, is] = [
    change.parseOld(old.dialect ?? defaultDialect),
    change.parse(next.dialect ?? defaultDialect),
  ];
  const isSame = compareSources(was, is);
  const after = answersOf(is);
  return [...answersOf(was)].flatMap(([status, types]) => {
    if (!status.startsWith('2')) return [];
    const others = after.get(status) ?? after.get('2XX') ?? after.get('default');
    return [...types].flatMap(([type, nodes]): readonly OtherAnswer[] => {
      const other = others?.get(type) ?? null;
      const isKept =
        other?.length === nodes.length &&
        nodes.every((node, index) => isSame(node, other[index] ?? node));
      const before = isKept ? null : place(old, nodes);
      return before === null
        ? []
        : [{ status, was: before, is: other === null ? null : place(next, other) }];
    });
  });
}

/**
 * The first status of success that is gone, or whose answers are not known to be what the need reads any more.
 *
 * @example findOtherStatus(need, answers, options) // '201', if `a` was a text there and is a number
 */
export function findOtherStatus(
  need: Need,
  answers: readonly OtherAnswer[],
  options: { readonly stepBudget?: number },
): string | null {
  const read = ({ terms, parse }: Placed): readonly PartReading[] =>
    readContract(need, terms, options, parse).parts.filter(
      ({ member = 'response' }) => member === 'response',
    );
  const worse = answers.find(({ was, is }) => {
    const before = read(was);
    if (before.some(({ refused }) => refused !== null)) return false;
    return is === null || read(is).some((part) => isWorse(part, before));
  });
  return worse?.status ?? null;
}

function isWorse({ refused, undecided, lost }: PartReading, was: readonly PartReading[]): boolean {
  if (refused !== null) return true;
  const known = was.flatMap((part) => part.lost.map(({ path }) => path.text));
  if (lost.some(({ path }) => !known.includes(path.text))) return true;
  return undecided !== null && was.every((part) => part.undecided === null);
}

type Answers = ReadonlyMap<string, ReadonlyMap<string, readonly SchemaNode[]>>;

/** The schemas of each status, by media types. */
function answersOf({ root }: SchemaDocument): Answers {
  const reach = openReach(() => false, 'sure');
  const responses = reach.atKey(reach.spotOf([root]), 'responses');
  const contents = [...reach.declaredKeys(responses)].map((status) => {
    const spot = reach.atKey(responses, status);
    const types = [...reach.declaredKeys(spot)].filter((name) => name.includes('/'));
    return [status, new Map(types.map((type) => [type, reach.nodesAtKey(spot, type)]))] as const;
  });
  return new Map(contents);
}

/** Null if it cannot be put in place of the response. */
function place(terms: ContractTerms, nodes: readonly SchemaNode[]): Placed | null {
  const { schema } = terms;
  if (!isJsonObject(schema) || '$ref' in schema || 'allOf' in schema) return null;
  const { properties = null } = schema;
  const refersToResponse = someObject(
    schema,
    ({ $ref }) => typeof $ref === 'string' && /^#\/properties\/response(?:\/|$)/.test($ref),
  );
  if (!isJsonObject(properties) || refersToResponse) return null;
  const answer: Json = { allOf: nodes.map(({ raw }) => raw) };
  const placed = {
    ...terms,
    schema: { ...schema, properties: { ...properties, response: answer } },
  };
  return { terms: placed, parse: parseContract(placed) };
}
