// What is wrong with a value, and where. The validator alone decides whether a value is valid. This
// file only explains its answer: it asks the validator about one keyword, or one part, at a time.

import { type Validity, validate } from '../containment/validate/validator.ts';
import type { Keywords, SchemaNode } from '../schema/schema.ts';
import { isExactNumber, isJsonObject, type Json, type JsonObject } from '../value/json.ts';
import { stepText } from '../value/json-path.ts';
import { demandOf, quote, scalarNames } from './fault-words.ts';
import { isPersonalAt, isPersonalName, type ValuePlace } from './personal.ts';

export interface Fault {
  /** The place in the value: `$.lines[0].sku`. A name that is personal data is `*`. */
  readonly path: string;
  /** The keyword of the schema, or the guarantee, that the value does not keep. */
  readonly rule: string;
  /** What is demanded: `must be at least 1`. */
  readonly message: string;
  /** What is there instead; absent if nothing is, and for objects, lists and personal data. */
  readonly value?: Json;
}

export interface CheckedValue {
  /** `undecided`: the steps were spent, or a part of the schema cannot be read. */
  readonly verdict: 'valid' | 'invalid' | 'undecided';
  /** Empty unless the value is invalid; then at least one. */
  readonly faults: readonly Fault[];
}

/** More faults of one value tell a reader nothing new. */
const maxFaults = 20;

/**
 * @param place where the value stands, if it is a part of one that other schemas describe, too
 * @example checkValue(parseSchema({ minimum: 3 }).root, 2).faults // [{ path: '$', rule: 'minimum', ... }]
 */
export function checkValue(
  schema: SchemaNode,
  value: Json,
  place: ValuePlace = { root: schema, steps: [] },
): CheckedValue {
  const verdict = verdicts[validate(schema, value)];
  if (verdict !== 'invalid') return { verdict, faults: [] };
  const start: Spot = { path: '$', place, asked: { times: 0 }, within: [] };
  return { verdict, faults: faultsAt(schema, value, start).slice(0, maxFaults) };
}

const verdicts = {
  accepted: 'valid',
  rejected: 'invalid',
  gave_up: 'undecided',
} as const satisfies Record<Validity, CheckedValue['verdict']>;

/** More questions to the validator about one value do not help anybody to read the answer. */
const maxAsked = 5_000;

/** The steps of each of them. */
const maxSteps = 50_000;

/** Where a value stands. */
interface Spot {
  readonly path: string;
  /** The same, from the root of what is described. */
  readonly place: ValuePlace;
  /** How often the validator was asked, for all places together. */
  readonly asked: { times: number };
  /** The schemas that are being explained for the same value, because references may loop. */
  readonly within: readonly SchemaNode[];
}

/** The faults of a value that the schema rejects. */
function faultsAt(node: SchemaNode, value: Json, around: Spot): readonly Fault[] {
  const { keywords } = node;
  if (around.within.includes(node)) return [];
  const spot: Spot = { ...around, within: [...around.within, node] };
  if (keywords.isFalse) return [fault(spot, value, 'false', 'is not allowed here')];
  const faults = [
    ...scalarFaults(node, value, spot),
    ...partFaults(node, value, spot),
    ...branchFaults(node, value, spot),
  ];
  if (faults.length > 0) return withoutRepeated(faults);
  const rest = restFaults(node, value, spot);
  return rest.length > 0 ? rest : [fault(spot, value, 'schema', 'does not match the schema')];
}

function fault({ path, place }: Spot, value: Json, rule: string, message: string): Fault {
  // An object or a list may contain personal data, and is too long to be read in a message.
  const isScalar = value === null || typeof value !== 'object' || isExactNumber(value);
  return { path, rule, message, ...(isScalar && !isPersonalAt(place) && { value }) };
}

function inside(spot: Spot, step: string | number): Spot {
  const place = { ...spot.place, steps: [...spot.place.steps, step] };
  const isHidden = typeof step === 'string' && isPersonalName(spot.place, step);
  return { ...spot, path: `${spot.path}${isHidden ? '.*' : stepText(step)}`, place, within: [] };
}

function withoutRepeated(faults: readonly Fault[]): readonly Fault[] {
  const told = new Map(faults.map((each) => [`${each.path} ${each.message}`, each]));
  return [...told.values()];
}

/** Whether the keywords named, without the others, reject the value. */
function rejects(
  spot: Spot,
  node: SchemaNode,
  value: Json,
  ...names: readonly (keyof Keywords)[]
): boolean {
  const { keywords } = node;
  const named = names.filter((name) => keywords[name] !== undefined);
  if (named.length === 0) return false;
  return isRejected(
    spot,
    withKeywords(node, Object.fromEntries(named.map((name) => [name, keywords[name]]))),
    value,
  );
}

function withKeywords(node: SchemaNode, keywords: Keywords): SchemaNode {
  const { document, id, raw, dialect, resource, parent, steps } = node;
  return { document, id, raw, dialect, resource, parent, steps, keywords };
}

function isRejected(spot: Spot, node: SchemaNode, value: Json): boolean {
  return ask(spot, node, value) === 'rejected';
}

function isAccepted(spot: Spot, node: SchemaNode, value: Json): boolean {
  return ask(spot, node, value) === 'accepted';
}

function ask({ asked }: Spot, node: SchemaNode, value: Json): Validity {
  if (++asked.times > maxAsked) return 'gave_up';
  return validate(node, value, { stepBudget: maxSteps });
}

function scalarFaults(node: SchemaNode, value: Json, spot: Spot): readonly Fault[] {
  const failing = scalarNames.filter((name) => rejects(spot, node, value, name));
  // The other keywords mean nothing for a value of the wrong type.
  const told = failing.includes('types') ? (['types'] as const) : failing;
  return told.map((name) =>
    fault(spot, value, name === 'types' ? 'type' : name, demandOf(node.keywords, name) ?? ''),
  );
}

function partFaults(node: SchemaNode, value: Json, spot: Spot): readonly Fault[] {
  if (isJsonObject(value)) return memberFaults(node, value, spot);
  if (!Array.isArray(value)) return [];
  const { prefixItems = [], items } = node.keywords;
  return value.flatMap((item, index) =>
    faultsOf(prefixItems[index] ?? items, item, inside(spot, index)),
  );
}

function faultsOf(node: SchemaNode | undefined, value: Json, spot: Spot): readonly Fault[] {
  return node !== undefined && isRejected(spot, node, value) ? faultsAt(node, value, spot) : [];
}

function memberFaults(node: SchemaNode, value: JsonObject, spot: Spot): readonly Fault[] {
  const { required = [], dependentRequired, properties, propertyNames } = node.keywords;
  const isMissing = (key: string): boolean => !Object.hasOwn(value, key);
  const missing = (key: string, rule: string, message: string): readonly Fault[] =>
    isMissing(key) ? [{ path: `${spot.path}${stepText(key)}`, rule, message }] : [];
  return [
    ...required.flatMap((key) => missing(key, 'required', 'is required, but missing')),
    ...[...(dependentRequired ?? [])]
      .filter(([key]) => !isMissing(key))
      .flatMap(([key, needed]) =>
        needed.flatMap((name) =>
          missing(name, 'dependentRequired', `is required beside ${quote(key)}, but missing`),
        ),
      ),
    ...Object.entries(value).flatMap(([key, part]) => {
      const at = inside(spot, key);
      const isNameWrong = propertyNames !== undefined && isRejected(spot, propertyNames, key);
      return [
        ...faultsOf(properties?.get(key), part, at),
        ...(isNameWrong ? [nameFault(spot, key)] : []),
        ...unnamedFaults(node, key, part, at),
      ];
    }),
  ];
}

function nameFault(spot: Spot, key: string): Fault {
  const at = inside(spot, key);
  const found = fault(at, key, 'propertyNames', 'has a name that is not allowed');
  const { value: _, ...hidden } = found;
  return isPersonalName(spot.place, key) ? hidden : found;
}

/** What `patternProperties` and `additionalProperties` say of one member. */
function unnamedFaults(node: SchemaNode, key: string, part: Json, at: Spot): readonly Fault[] {
  const { additionalProperties, patternProperties, properties } = node.keywords;
  const alone: JsonObject = { [key]: part };
  const byPattern = [...(patternProperties ?? [])].flatMap(([pattern, schema]) => {
    const one = withKeywords(node, { patternProperties: new Map([[pattern, schema]]) });
    return isRejected(at, one, alone) ? faultsAt(schema, part, at) : [];
  });
  if (byPattern.length > 0 || properties?.has(key) || additionalProperties === undefined) {
    return byPattern;
  }
  if (!rejects(at, node, alone, 'patternProperties', 'additionalProperties')) return [];
  return additionalProperties.keywords.isFalse
    ? [fault(at, part, 'additionalProperties', notInSchema)]
    : faultsAt(additionalProperties, part, at);
}

const notInSchema = 'is not a property of the schema';

/** The faults of other schemas that apply to the same value. */
function branchFaults(node: SchemaNode, value: Json, spot: Spot): readonly Fault[] {
  const { ref, allOf = [], dependentSchemas } = node.keywords;
  const dependent = [...(dependentSchemas ?? [])].flatMap(([key, schema]) =>
    isJsonObject(value) && Object.hasOwn(value, key) ? [schema] : [],
  );
  return [
    ...[ref, ...allOf, ...dependent].flatMap((each) => faultsOf(each, value, spot)),
    ...unionFaults(node, value, spot, 'anyOf'),
    ...unionFaults(node, value, spot, 'oneOf'),
    ...conditionFaults(node, value, spot),
    ...(rejects(spot, node, value, 'not')
      ? [fault(spot, value, 'not', demandOf(node.keywords, 'not') ?? '')]
      : []),
  ];
}

function unionFaults(
  node: SchemaNode,
  value: Json,
  spot: Spot,
  rule: 'anyOf' | 'oneOf',
): readonly Fault[] {
  if (!rejects(spot, node, value, rule)) return [];
  const branches = node.keywords[rule] ?? [];
  const matching = branches.flatMap((branch, index) =>
    isAccepted(spot, branch, value) ? [index + 1] : [],
  );
  if (matching.length > 1) {
    const which = matching.join(' and ');
    return [fault(spot, value, rule, `matches alternatives ${which}, but only one may match`)];
  }
  // Of "a text or null", the text explains most: the alternatives of the value's own type.
  const [only, another] = branches.filter((branch) => !hasOtherType(spot, branch, value));
  if (only !== undefined && another === undefined) return faultsAt(only, value, spot);
  return [fault(spot, value, rule, `matches none of ${branches.length} alternatives`)];
}

function hasOtherType(spot: Spot, branch: SchemaNode, value: Json): boolean {
  const { ref } = branch.keywords;
  return (
    rejects(spot, branch, value, 'types') ||
    (ref !== undefined && rejects(spot, ref, value, 'types'))
  );
}

function conditionFaults(node: SchemaNode, value: Json, spot: Spot): readonly Fault[] {
  const { if: condition, then, else: otherwise } = node.keywords;
  if (condition === undefined || !rejects(spot, node, value, 'if', 'then', 'else')) return [];
  if (isAccepted(spot, condition, value)) return faultsOf(then, value, spot);
  return isRejected(spot, condition, value) ? faultsOf(otherwise, value, spot) : [];
}

/** Members that are allowed only if another schema describes them. */
function restFaults(node: SchemaNode, value: Json, spot: Spot): readonly Fault[] {
  if (!isJsonObject(value) || node.keywords.unevaluatedProperties === undefined) return [];
  return Object.entries(value).flatMap(([key, part]) => {
    const { [key]: _, ...others } = value;
    return isAccepted(spot, node, others)
      ? [fault(inside(spot, key), part, 'unevaluatedProperties', notInSchema)]
      : [];
  });
}
