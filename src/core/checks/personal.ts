// Which parts of a value are personal data: those that any schema for them marks, whether or not it is
// the one that the value breaks.

import type { SchemaNode } from '../schema/schema.ts';
import { isJsonObject } from '../value/json.ts';

type Step = string | number;

/** Where a value stands in a larger one. */
export interface ValuePlace {
  readonly root: SchemaNode;
  readonly steps: readonly Step[];
  /** Members of the larger value that count as personal, whatever the schemas say. */
  readonly redacted?: ReadonlySet<string>;
}

/**
 * The parts of personal data are personal, too.
 *
 * @example isPersonalAt({ root, steps: ['email'] }) // true, with `x-classification: pii` at the property
 */
export function isPersonalAt(place: ValuePlace): boolean {
  return describe(place).isPersonal;
}

/**
 * Whether a value is personal data, or may contain personal data.
 *
 * @example mayHoldPersonal({ root, steps: ['customer'] }) // true, if `customer.email` is marked
 */
export function mayHoldPersonal(place: ValuePlace): boolean {
  const { isPersonal, nodes } = describe(place);
  const within = new Set(nodes);
  for (const node of within) {
    for (const part of appliedTo(allPartsOf(node))) within.add(part);
  }
  return isPersonal || [...within].some(isMarked);
}

/**
 * Whether the name of a member is personal data. Names in `properties` are not; keys of a map are, if
 * the map or its keys are marked.
 */
export function isPersonalName(object: ValuePlace, name: string): boolean {
  const { isPersonal, nodes } = describe(object);
  if (nodes.some(({ keywords }) => keywords.properties?.has(name))) return false;
  const ofNames = nodes.flatMap(({ keywords }) => keywords.propertyNames ?? []);
  return isPersonal || appliedTo(ofNames).some(isMarked);
}

function describe({ root, steps, redacted }: ValuePlace) {
  let nodes = appliedTo([root]);
  let isPersonal = nodes.some(isMarked) || redacted?.has(String(steps[0] ?? '')) === true;
  for (const step of steps) {
    nodes = appliedTo(nodes.flatMap((node) => partsAt(node, step)));
    isPersonal ||= nodes.some(isMarked);
  }
  return { nodes, isPersonal };
}

function allPartsOf({ keywords }: SchemaNode): readonly SchemaNode[] {
  const { prefixItems, items, contains, unevaluatedItems } = keywords;
  const { properties, patternProperties, additionalProperties, unevaluatedProperties } = keywords;
  return [
    ...[...(prefixItems ?? []), items, contains?.schema, unevaluatedItems],
    ...[...(properties?.values() ?? []), ...(patternProperties?.values() ?? [])],
    ...[additionalProperties, unevaluatedProperties, keywords.propertyNames],
  ].filter((part) => part !== undefined);
}

function isMarked({ raw }: SchemaNode): boolean {
  return isJsonObject(raw) && raw['x-classification'] === 'pii';
}

/** All schemas that may say something of the same value. */
function appliedTo(nodes: readonly SchemaNode[]): readonly SchemaNode[] {
  const reached = new Set(nodes);
  for (const { keywords } of reached) {
    const { ref, dynamicRef, allOf, anyOf, oneOf, dependentSchemas } = keywords;
    const { not, if: condition, then, else: otherwise } = keywords;
    for (const each of [
      ...[ref, dynamicRef?.target, not, condition, then, otherwise],
      ...[...(allOf ?? []), ...(anyOf ?? []), ...(oneOf ?? [])],
      ...(dependentSchemas?.values() ?? []),
    ]) {
      if (each !== undefined) reached.add(each);
    }
  }
  return [...reached];
}

function partsAt({ keywords }: SchemaNode, step: Step): readonly SchemaNode[] {
  const { prefixItems, items, contains, unevaluatedItems } = keywords;
  const { properties, patternProperties, additionalProperties, unevaluatedProperties } = keywords;
  const parts =
    typeof step === 'number'
      ? [prefixItems?.[step], items, contains?.schema, unevaluatedItems]
      : [
          ...[properties?.get(step), additionalProperties, unevaluatedProperties],
          ...(patternProperties?.values() ?? []),
        ];
  return parts.filter((part) => part !== undefined);
}
