// Terms of the schemas that a node leads to. They keep the resources entered on the way, because
// `$dynamicRef` depends on them.

import type { SchemaNode, SchemaResource } from '../../schema/schema.ts';
import type { Json } from '../../value/json.ts';
import { isJsonObject } from '../../value/json.ts';
import type { Engine, Wrap } from './engine.types.ts';
import { closedTerm, nodeTerm } from './forms.ts';
import type { NodeTerm, Store, Term } from './forms.types.ts';

/** The terms of a node's children, which continue its dynamic scope. */
export function childTerms(
  engine: Engine,
  term: NodeTerm,
  wrap: Wrap,
  termOf: typeof nodeTerm = nodeTerm,
): (node: SchemaNode) => Term {
  const { store } = engine;
  return (node) => {
    if (node.resource === term.node.resource) return wrap(termOf(store, node, term.scope));
    const left = enterScope(term.scope, term.node.resource);
    return wrap(termOf(store, node, enterScope(left, node.resource)));
  };
}

/** A child as its producer writes it. */
export function closedChild(store: Store): Wrap {
  return (child) =>
    child.tag !== 'node' || isScalar(child.node) ? child : closedTerm(store, [child]);
}

/** Whether a schema has no objects at any depth, so that closing it changes nothing. */
export function isScalar({ keywords }: SchemaNode): boolean {
  const { types, enum: listed, const: only } = keywords;
  if (types?.every((type) => type !== 'array' && type !== 'object')) return true;
  const values = only === undefined ? listed : [only.value];
  return values !== undefined && values.length <= maxListed && values.every(isScalarValue);
}

/** Longer lists are not searched, because each place that leads to one would search it again. */
const maxListed = 50;

function isScalarValue(value: Json): boolean {
  return !Array.isArray(value) && !isJsonObject(value);
}

export function referenceTerm(engine: Engine, term: NodeTerm): Term | undefined {
  const { ref } = term.node.keywords;
  return ref && childTerms(engine, term, (plain) => plain)(ref);
}

/** The target of `$dynamicRef`: the anchor in the outermost entered resource that has it. */
export function dynamicTerm(engine: Engine, term: NodeTerm): Term | undefined {
  const { dynamicRef } = term.node.keywords;
  if (dynamicRef === undefined) return undefined;
  for (const resource of enterScope(term.scope, term.node.resource)) {
    const target = resource.dynamicAnchor(dynamicRef.anchor);
    if (target !== undefined) return childTerms(engine, term, (plain) => plain)(target);
  }
  return childTerms(engine, term, (plain) => plain)(dynamicRef.target);
}

/**
 * The scope after entering a resource. A resource without dynamic anchors changes nothing, nor does
 * one that was entered before, because only the outermost counts. So there are finitely many
 * scopes.
 */
function enterScope(
  scope: readonly SchemaResource[],
  resource: SchemaResource,
): readonly SchemaResource[] {
  if (scope.includes(resource) || !resource.hasDynamicAnchors) return scope;
  return [...scope, resource];
}
