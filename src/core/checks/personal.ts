// Which parts of a value are personal data: those that any schema for them marks, whether or not it is
// the one that the value breaks.

import type { SchemaNode } from '../schema/schema.ts';
import { isJsonObject } from '../value/json.ts';

type Step = string | number;

/** Where a value stands in a larger one. */
export interface ValuePlace {
  readonly root: SchemaNode;
  readonly steps: readonly Step[];
}

/**
 * The parts of personal data are personal, too.
 *
 * @example isPersonalAt({ root, steps: ['email'] }) // true, with `x-classification: pii` at the property
 */
export function isPersonalAt({ root, steps }: ValuePlace): boolean {
  let nodes = appliedTo([root]);
  for (const step of steps) {
    if (nodes.some(isMarked)) return true;
    nodes = appliedTo(nodes.flatMap((node) => partsAt(node, step)));
  }
  return nodes.some(isMarked);
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
