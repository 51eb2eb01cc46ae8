// In the contract of an operation, `response` is the JSON of one status of success. Other statuses and media
// types are described separately, and whoever reads `response` may receive one of those.

import type { ContractTerms } from '../comparison.ts';
import { openReach, type Spot } from '../diff/places/reach.ts';
import type { Need } from '../need.ts';
import { compareSources } from '../same/same-source.ts';
import { defaultDialect } from '../schema/keywords.ts';
import type { SchemaDocument, SchemaNode } from '../schema/schema.ts';
import { isJsonObject, type Json, someObject } from '../value/json.ts';
import { fieldsAround } from './field-path.ts';
import { listFields } from './list-fields.ts';
import { makeNeed } from './make-need.ts';
import { projectFields } from './project-fields.ts';
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
  /** Null if it cannot be read as the response. */
  readonly was: Placed | null;
  /** Null likewise, and if the status or the media type is gone. */
  readonly is: Placed | null;
}

/** A contract in which such an answer is the response. */
export interface Placed {
  readonly terms: ContractTerms;
  readonly parse: ParseContract;
}

/**
 * For all needs, because parsing a contract takes longer than reading one need. Returns null if a
 * contract may describe a status in another way than by its name, because the list would not be complete.
 */
export function listOtherAnswers(change: Change): readonly OtherAnswer[] | null {
  const { old, next } = change;
  const [was, is] = [
    change.parseOld(old.dialect ?? defaultDialect),
    change.parse(next.dialect ?? defaultDialect),
  ];
  const [before, after] = [answersOf(was), answersOf(is)];
  if (before === null || after === null) return null;
  const isSame = compareSources(was, is);
  const statuses = [...new Set([...before.keys(), ...after.keys()])];
  return statuses
    .filter((status) => status.startsWith('2') || status === 'default')
    .flatMap((status) => {
      const others = answersWith(after, status);
      return [...answersWith(before, status)].flatMap(([type, nodes]): readonly OtherAnswer[] => {
        const other = others.get(type) ?? null;
        const isKept =
          other?.length === nodes.length &&
          nodes.every((node, index) => isSame(node, other[index] ?? node));
        if (isKept) return [];
        return [{ status, was: place(old, nodes), is: other && place(next, other) }];
      });
    });
}

/**
 * The first status of success whose answers may no longer be what the need reads: the status is gone, or the need is
 * not unaffected by its change as one of the response, which `isUnaffected` tells. Of an answer that never was what the
 * need reads, as an error is not, the fields are asked that it has.
 *
 * @example findOtherStatus(need, answers, options, isUnaffected) // '201', if `a` was a text there and is a number
 */
export function findOtherStatus(
  need: Need,
  answers: readonly OtherAnswer[],
  options: { readonly stepBudget?: number },
  isUnaffected: (read: Need, was: Placed, is: Placed) => boolean,
): string | null {
  const read = ({ terms, parse }: Placed): readonly PartReading[] =>
    readContract(need, terms, options, parse).parts.filter(
      ({ member = 'response' }) => member === 'response',
    );
  const worse = answers.find(({ was, is }) => {
    if (was === null) return true;
    const before = read(was);
    const isTaken = before.every(({ refused }) => refused === null);
    if (isTaken && before.every(({ lost }) => lost.length === 0)) {
      return is === null || !isUnaffected(need, was, is);
    }
    if (isTaken && (is === null || read(is).some((part) => isWorse(part, before)))) return true;
    const part = partOf(need, was);
    return part !== null && (is === null || !isUnaffected(part, was, is));
  });
  return worse?.status ?? null;
}

function isWorse({ refused, undecided, lost }: PartReading, was: readonly PartReading[]): boolean {
  if (refused !== null) return true;
  const known = was.flatMap((part) => part.lost.map(({ path }) => path.text));
  if (lost.some(({ path }) => !known.includes(path.text))) return true;
  return undecided !== null && was.every((part) => part.undecided === null);
}

/** The fields of a need that an answer has, as the answer describes them; null if it has none. */
function partOf({ schema, dialect, stated }: Need, { terms }: Placed): Need | null {
  const { fields, isCut } = listFields({ schema, dialect, direction: terms.direction }, []);
  const paths = fields
    .map(({ path }) => path)
    .filter((path) => /^\$\.response(?![^.[])/.test(path));
  const around = new Set(paths.flatMap((path) => fieldsAround(path).slice(1)));
  const leaves = paths.filter((path) => !around.has(path));
  const projected = projectFields(terms, isCut ? ['$.response'] : leaves);
  const known = projected.ok ? projected.known : ['$.response'];
  if (known.length === 0) return null;
  const made = makeNeed({ fields: known, guarantees: [] }, terms);
  return made.ok ? made.need : { schema, dialect, stated };
}

type Answers = ReadonlyMap<string, ReadonlyMap<string, readonly SchemaNode[]>>;

/** The schemas of each status, by media types; null if some status may stand elsewhere. */
function answersOf({ root }: SchemaDocument): Answers | null {
  const reach = openReach(() => false, 'sure');
  const whole = reach.spotOf([root]);
  const responses = reach.atKey(whole, 'responses');
  const statuses = [...reach.declaredKeys(responses)].map(
    (status) => [status, reach.atKey(responses, status)] as const,
  );
  if (![whole, responses, ...statuses.map(([, spot]) => spot)].every(isPlain)) return null;
  return new Map(
    statuses.map(([status, spot]) => {
      const types = [...reach.declaredKeys(spot)].filter((name) => name.includes('/'));
      return [status, new Map(types.map((type) => [type, reach.nodesAtKey(spot, type)]))];
    }),
  );
}

/** Those of a range, or of any status, where the status is not named. */
function answersWith(answers: Answers, status: string): ReadonlyMap<string, readonly SchemaNode[]> {
  return answers.get(status) ?? answers.get('2XX') ?? answers.get('default') ?? new Map();
}

/** Whether the schema describes its members by their names alone. */
function isPlain({ nodes }: Spot): boolean {
  return nodes.every(
    ({ keywords }) =>
      sayOfMembers.every((name) => keywords[name] === undefined) &&
      typeof (keywords.additionalProperties?.raw ?? false) === 'boolean',
  );
}

const sayOfMembers = [
  ...(['dynamicRef', 'anyOf', 'oneOf', 'then', 'else', 'dependentSchemas'] as const),
  ...(['patternProperties', 'unevaluatedProperties'] as const),
];

/** Null if it cannot be put in place of the response. */
function place(terms: ContractTerms, nodes: readonly SchemaNode[]): Placed | null {
  const { schema } = terms;
  if (!isJsonObject(schema) || '$ref' in schema || 'allOf' in schema) return null;
  const { properties = null } = schema;
  const isElsewhere = someObject(
    schema,
    (each) =>
      (typeof each.$ref === 'string' && /^#\/properties\/response(?:\/|$)/.test(each.$ref)) ||
      (each !== schema && typeof each.$id === 'string'),
  );
  if (!isJsonObject(properties) || isElsewhere) return null;
  const answer: Json = { allOf: nodes.map(({ raw }) => raw) };
  const placed = {
    ...terms,
    schema: { ...schema, properties: { ...properties, response: answer } },
  };
  return { terms: placed, parse: parseContract(placed) };
}
