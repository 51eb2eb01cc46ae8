// A need as a consumer states it, against the contract that it is stated for.

import type { ContractTerms } from '../comparison.ts';
import { openComparisonOf } from '../containment/contains.ts';
import { itemsOf, openReach } from '../diff/places/reach.ts';
import { asRead, otherReadings } from '../diff/rewrite/readings.ts';
import { hasGuarantee, isGuaranteeName } from '../guarantees.ts';
import {
  type FoundFields,
  type Need,
  needKey,
  readsNothing,
  type StatedNeed,
  type UnmetNeed,
} from '../need.ts';
import { checkSchema } from '../schema/check-schema.ts';
import { parseSchema } from '../schema/parse-schema.ts';
import type { SchemaNode, TypeName } from '../schema/schema.ts';
import { canonicalJson } from '../value/canonical-json.ts';
import { isJsonObject, type Json } from '../value/json.ts';
import { stepText } from '../value/json-path.ts';
import { type FieldStep, fieldsAround, parseField } from './field-path.ts';
import { projectFields } from './project-fields.ts';
import { type ContractSide, fieldOf, readContract } from './read-contract.ts';

interface NeedProblem {
  readonly code: 'VALIDATION_ERROR' | 'INVALID_SCHEMA' | 'SCHEMA_TOO_LARGE' | 'UNSUPPORTED_DIALECT';
  readonly message: string;
}

type MadeNeed =
  | { readonly ok: true; readonly need: Need }
  | { readonly ok: false; readonly problem: NeedProblem };

/** @example makeNeed({ fields: ['$.amount'] }, contract) // { ok: true, need: { schema: ... } } */
export function makeNeed(stated: StatedNeed, contract: ContractSide): MadeNeed {
  // A misspelt name would rely on nothing.
  const unknown = stated.guarantees?.find((name) => !isGuaranteeName(name));
  if (unknown !== undefined) {
    return refused(
      'VALIDATION_ERROR',
      `${JSON.stringify(unknown)} is not a guarantee. Write freshness or nullability.amount.`,
    );
  }
  if ('schema' in stated) {
    const { dialect } = parseSchema(stated.schema, contract.dialect);
    return checked({ stated, schema: stated.schema, dialect });
  }
  const projected = projectFields(contract, stated.fields);
  if (projected.ok)
    return checked({ stated, schema: projected.schema, dialect: projected.dialect });
  switch (projected.reason) {
    case 'not_a_field': {
      const shown = JSON.stringify(projected.field);
      return refused(
        'VALIDATION_ERROR',
        `${shown} is not a field. Write $.amount or $.lines[*].sku.`,
      );
    }
    case 'too_large':
      return refused(
        'SCHEMA_TOO_LARGE',
        'The schema of these fields is too large. State fewer fields, or a schema.',
      );
    case 'needs_a_schema':
      return refused(
        'INVALID_SCHEMA',
        'The contract has dynamic references, or several dialects, so fields cannot be read from it. State a schema.',
      );
    default:
      return projected satisfies never;
  }
}

/**
 * The fields that the contract has; of one that it does not have, the nearest part of it that it has,
 * in which the other may be. All of them if it has none. A name that it writes in other letters is meant as
 * well, because databases ignore case.
 */
export function knownFields(contract: ContractSide, fields: readonly string[]): readonly string[] {
  const { root } = parseSchema(contract.schema, contract.dialect);
  const kept = new Set<string>();
  let waiting = new Set(fields.flatMap((field) => spellingsOf(root, field)));
  while (waiting.size > 0) {
    const projected = projectFields(contract, [...waiting]);
    if (!projected.ok) return fields;
    const known = new Set(projected.known);
    for (const field of known) kept.add(field);
    // With what is around it, a field would count as known: it is a part of that.
    const unknown = [...waiting].filter((field) => !known.has(field));
    waiting = new Set(unknown.flatMap((field) => fieldsAround(field)[1] ?? []));
  }
  return kept.size > 0 ? [...kept] : fields;
}

/** A path can have many spellings if names differ in capitals on every level. Beyond this limit, the part counts as read whole. */
const maxSpellings = 64;

function spellingsOf(root: SchemaNode, field: string): readonly string[] {
  const reach = openReach(() => false, 'most');
  let spellings: readonly (readonly [path: string, nodes: readonly SchemaNode[]])[] = [
    ['$', [root]],
  ];
  for (const step of parseField(field) ?? []) {
    if (spellings.length > maxSpellings) break;
    spellings = spellings.flatMap(([path, nodes]) => {
      const spot = reach.spotOf(nodes);
      if (step === 'items') return [[`${path}[*]`, itemsOf(reach, spot).nodes] as const];
      if (step === 'any_key') return [[`${path}.*`, reach.nodesAtOtherKeys(spot)] as const];
      const names = reach.declaredKeys(spot);
      const isSame = (name: string) => name.toLowerCase() === step.key.toLowerCase();
      const others = names.has(step.key) ? [] : [...names].filter(isSame);
      return (others.length === 0 ? [step.key] : others).map(
        (name) => [path + stepText(name), reach.nodesAtKey(spot, name)] as const,
      );
    });
  }
  return spellings.map(([path]) => path);
}

/**
 * What was found, as a need; null if its fields cannot be read from the contract. No finder sees which
 * guarantees a consumer relies on.
 */
export function needOfFound({ fields }: FoundFields, contract: ContractSide): Need | null {
  if (fields === null) return needOfFound({ fields: ['$'] }, contract);
  const made = makeNeed({ fields: knownFields(contract, fields), guarantees: [] }, contract);
  return made.ok ? made.need : null;
}

/**
 * What the stated fields are of a later version, or null if nothing was added to them: a field that is
 * an object or a list has its new parts, too.
 */
export function needOfLater(need: Need, contract: ContractSide): Need | null {
  if (fieldsWithParts(need).length === 0) return null;
  const made = makeNeed(need.stated, contract);
  return made.ok && needKey(made.need) !== needKey(need) ? made.need : null;
}

/**
 * The text that a digest is made of: equal for needs of which the same is asked, now and of later
 * versions. Of stated fields more is asked than of their schema.
 */
export function digestText(need: Need): string {
  const { stated } = need;
  if (!('fields' in stated) || readsNothing(need)) return needKey(need);
  return canonicalJson([needKey(need), [...new Set(stated.fields)].sort()]);
}

/** The stated fields but those whose values are known to have no parts, so that none can be added. */
function fieldsWithParts({ stated, schema, dialect }: Need): readonly string[] {
  if (!('fields' in stated)) return [];
  const { root } = parseSchema(schema, dialect);
  const reach = openReach(() => false, 'sure');
  const hasParts = (field: string): boolean => {
    let nodes: readonly SchemaNode[] = [root];
    for (const step of parseField(field) ?? []) {
      if (typeof step === 'string') return true;
      nodes = reach.nodesAtKey(reach.spotOf(nodes), step.key);
    }
    const { nodes: all } = reach.spotOf(nodes);
    return !all.some(({ keywords: { types } }) => types?.every(isScalar) === true);
  };
  return [...new Set(stated.fields)].filter(hasParts).sort();
}

function isScalar(type: TypeName): boolean {
  return type !== 'object' && type !== 'array';
}

function refused(code: NeedProblem['code'], message: string): MadeNeed {
  return { ok: false, problem: { code, message } };
}

function checked(need: Need): MadeNeed {
  const { schema, dialect, stated } = need;
  // Without `$schema` a need is read in the dialect of the contract. What that ignores, the consumer may rely on.
  const refusesIgnored = 'schema' in stated && !(isJsonObject(schema) && '$schema' in schema);
  const [fault] = checkSchema(schema, { dialect, refusesIgnored });
  if (fault === undefined) return { ok: true, need };
  return refused(fault.code, `The need is not a valid schema at ${fault.path}: ${fault.message}`);
}

/**
 * Whether everything that the contract emits is in the need, and the contract has each field and
 * guarantee of it; for a request, whether the contract takes everything that the need sends.
 *
 * @example findUnmet(need, contract) // { path: '$.total', message: '... has no field `$.total`.' }
 */
export function findUnmet(
  need: Need,
  contract: ContractSide & Pick<ContractTerms, 'guarantees'>,
  options: { readonly stepBudget?: number } = {},
): UnmetNeed | null {
  const absent = need.stated.guarantees?.find((name) => !hasGuarantee(contract.guarantees, name));
  if (absent !== undefined) {
    const path = `$.guarantees.${absent}`;
    return { path, message: `The contract has no guarantee \`${absent}\`.` };
  }
  const found = findUnmetAsWritten(need, contract, options);
  if (found !== null) return found;
  const doubted = otherReadings.find((reading) => {
    const [needed, described] = [asRead(reading, need), asRead(reading, contract)];
    // A need of what is described is met, whatever else there is.
    if (reading.isWider || (needed === need && described === contract)) return false;
    return findUnmetAsWritten(needed, described, options) !== null;
  });
  return doubted === undefined ? null : undecidedNeed(`${doubted.doubt}.`);
}

function undecidedNeed(doubt: string): UnmetNeed {
  return { message: `It could not be decided whether the contract meets the need: ${doubt}` };
}

function findUnmetAsWritten(
  need: Need,
  contract: ContractSide,
  options: { readonly stepBudget?: number },
): UnmetNeed | null {
  if (readsNothing(need)) return null;
  const { parts } = readContract(need, contract, options);
  const [lost] = parts.flatMap((part) => part.lost);
  if (lost !== undefined) {
    const path = fieldOf(lost.path);
    return { path, message: `The contract has no field \`${path}\`.` };
  }
  const listless = findListless(need, contract, options);
  if (listless !== null) {
    return { path: listless, message: `The contract has no list for \`${listless}\`.` };
  }
  for (const { refused: value, direction } of parts) {
    if (value === null) continue;
    const message =
      direction === 'request'
        ? 'The contract refuses a value that the need allows to send.'
        : 'The contract allows a value that the need refuses.';
    return { witness: value.value, message };
  }
  const doubt = parts.find(({ undecided }) => undecided !== null)?.undecided;
  return doubt == null ? null : undecidedNeed(doubt);
}

/** A stated field that is every item of what is a list in no value: the names of properties do not show it. */
function findListless(
  { stated }: Need,
  contract: ContractSide,
  options: { readonly stepBudget?: number },
): string | null {
  if (!('fields' in stated)) return null;
  const lists = stated.fields.filter(
    (field) => field.endsWith(']') && parseField(field)?.at(-1) === 'items',
  );
  if (lists.length === 0) return null;
  const document = parseSchema(contract.schema, contract.dialect);
  const isListless = (field: string): boolean => {
    const steps = parseField(field)?.slice(0, -1) ?? [];
    const noList = parseSchema(holding(steps, { not: { type: 'array' } }), document.dialect);
    const { contains } = openComparisonOf(document, noList, options);
    return contains(document.root, noList.root, { closed: true }).verdict === 'yes';
  };
  return lists.find(isListless) ?? null;
}

/** Says this of what stands at the end of the steps, where that is. */
function holding(steps: readonly FieldStep[], said: Json): Json {
  return steps.reduceRight<Json>((inner, step) => {
    if (step === 'items') return { items: inner };
    if (step === 'any_key') return { additionalProperties: inner };
    return { properties: Object.fromEntries([[step.key, inner]]) };
  }, said);
}
