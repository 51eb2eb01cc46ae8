// A place as a label and edges to other places. Canonical forms and classes are made of these.

import { isOpenApiFormat } from '../../schema/formats/formats.ts';
import { isOpenApi } from '../../schema/keywords.ts';
import { hasMark } from '../../schema/places.ts';
import { meaningOf, type SchemaProblem } from '../../schema/schema.ts';
import { canonicalJson } from '../../value/canonical-json.ts';
import { isJsonObject, type Json } from '../../value/json.ts';
import type { Bound, ObjectRegions, Place, View } from './place.types.ts';
import { everyType } from './type-set.ts';

export interface Signature {
  readonly label: string;
  readonly edges: readonly Edge[];
}

export interface Edge {
  readonly tag: string;
  /** Null if the target is absent. */
  readonly targets: readonly (Place | null)[];
  /**
   * Edges of the same group are a set: their order is irrelevant, and so are repetitions without
   * annotations.
   */
  readonly group: string | null;
}

/** Without annotations if they are null. */
export function signatureOf(place: Place, annotations: Place['annotations'] | null): Signature {
  const { view, book } = place;
  const label = labelOf(view, annotations ?? noAnnotations);
  const asserts = isOpenApi(book.document.dialect) && view.formats.some(isOpenApiFormat);
  const idle = annotations === null ? '' : idleMarks(place);
  const marks = `${idle}${asserts ? 'openapi ' : ''}${view.isOpaque ? `${book.label} ` : ''}`;
  return { label: `${marks}${label}`, edges: edgesOf(view) };
}

/**
 * The marks that the dialect ignores here. In another dialect the same text is another request or
 * response.
 */
function idleMarks({ annotations, annotated, book }: Place): string {
  const idle = ['readOnly', 'writeOnly'].filter((mark) => {
    if (annotations.get(mark)?.includes(true) !== true) return false;
    const sources = annotated.flatMap((node) => book.writtenNode(node) ?? []);
    return sources.some(
      ({ raw, dialect }) => isJsonObject(raw) && raw[mark] === true && !hasMark(raw, dialect, mark),
    );
  });
  return idle.map((mark) => `idle ${mark} `).join('');
}

function edgesOf(view: View): readonly Edge[] {
  return [...arrayEdges(view), ...objectEdges(view), ...logicEdges(view)];
}

/** The label of a place that says nothing apart from its edges. */
const emptyLabel = JSON.stringify([['types', everyType]]);

/** Whether a view consists of unions only. */
export function saysUnionsOnly(view: View): boolean {
  return saysNothing({ ...view, unions: [] });
}

/** Whether a view consists of types and listed values only. */
export function saysValuesOnly(view: View): boolean {
  return saysNothing({ ...view, types: everyType, values: null });
}

function saysNothing(view: View): boolean {
  if (view.isOpaque || edgesOf(view).length > 0) return false;
  return labelOf(view, noAnnotations) === emptyLabel;
}

const noAnnotations: View['annotations'] = new Map();

/** What distinguishes two problems of a keyword. */
export function aboutOf(problem: SchemaProblem): string {
  return meaningOf(problem) ?? problem.message;
}

function labelOf(view: View, annotations: View['annotations']): string {
  const parts: [string, string | number | boolean][] = [['types', view.types]];
  const add = (
    name: string,
    value: string | number | boolean,
    absent: string | number | boolean,
  ) => {
    if (value !== absent) parts.push([name, value]);
  };
  add('written', view.asksForWrittenIntegers, false);
  add('never', view.isNever, false);
  add('values', view.values === null ? '' : `[${[...view.values.keys()].join(',')}]`, '');
  add('minimum', boundText(view.minimum), '');
  add('maximum', boundText(view.maximum), '');
  add('multiples', keysText(view.multiples), '');
  add('wideBounds', keysText(view.wideBounds), '');
  add('minLength', view.minLength, 0);
  add('maxLength', view.maxLength, Number.POSITIVE_INFINITY);
  add('patterns', view.patterns.length === 0 ? '' : JSON.stringify(view.patterns), '');
  add('formats', view.formats.length === 0 ? '' : JSON.stringify(view.formats), '');
  add('minItems', view.minItems, 0);
  add('maxItems', view.maxItems, Number.POSITIVE_INFINITY);
  add('unique', view.isUnique, false);
  add('required', listText(view.required), '');
  add('minProperties', view.minProperties, 0);
  add('maxProperties', view.maxProperties, Number.POSITIVE_INFINITY);
  const dependent = [...view.dependentRequired]
    .map(([key, names]) => `${JSON.stringify(key)}:${listText(names)}`)
    .sort();
  add('dependentRequired', dependent.join(), '');
  const problems = view.problems.map((problem) =>
    JSON.stringify([problem.code, problem.keyword, aboutOf(problem)]),
  );
  add('problems', problems.sort().join(), '');
  add('annotations', annotationText(annotations), '');
  // Written in full, with names: no part may be identified by its position alone.
  return JSON.stringify(parts);
}

function boundText(bound: Bound | null): string {
  if (bound === null) return '';
  const { value, isExclusive } = bound;
  const text = typeof value === 'number' ? value : `${value.numerator}/${value.denominator}`;
  return `${isExclusive ? 'exclusive ' : ''}${text}`;
}

function keysText(map: ReadonlyMap<string, unknown>): string {
  return map.size === 0 ? '' : [...map.keys()].sort().join();
}

function listText(names: ReadonlySet<string>): string {
  return names.size === 0 ? '' : JSON.stringify([...names].sort());
}

function annotationText(annotations: View['annotations']): string {
  const texts = [...annotations].map(([name, values]) => {
    const each = values.map((value: Json) => canonicalJson(value)).sort();
    return `${JSON.stringify(name)}:[${each.join(',')}]`;
  });
  return texts.sort().join();
}

function arrayEdges(view: View): readonly Edge[] {
  const edges: Edge[] = [];
  if (view.items !== null) {
    edges.push({ tag: 'prefix', targets: view.items.prefix, group: null });
    edges.push({ tag: 'rest', targets: [view.items.rest], group: null });
  }
  for (const { place, min, max, evaluates } of view.contains) {
    edges.push({ tag: `contains ${min} ${max} ${evaluates}`, targets: [place], group: 'contains' });
  }
  for (const place of view.unevaluatedItems) {
    edges.push({ tag: 'unevaluatedItems', targets: [place], group: 'unevaluatedItems' });
  }
  return edges;
}

function objectEdges(view: View): readonly Edge[] {
  const edges: Edge[] = [];
  inOrder(view.objects).forEach((regions, index) => {
    const openness = `${regions.isDeclaring ? 'declares' : ''} ${regions.isOpen ? 'open' : ''}`;
    edges.push({ tag: `object ${index} ${openness}`, targets: [regions.additional], group: null });
    edges.push(...keyedEdges('property', regions.properties));
    edges.push(...keyedEdges('pattern', regions.patterns));
  });
  for (const place of view.propertyNames) {
    edges.push({ tag: 'propertyNames', targets: [place], group: 'propertyNames' });
  }
  for (const place of view.unevaluatedProperties) {
    edges.push({ tag: 'unevaluatedProperties', targets: [place], group: 'unevaluatedProperties' });
  }
  edges.push(...keyedEdges('dependent', view.dependentSchemas));
  return edges;
}

/** In an order of the keys that they name, because the order of the nodes is irrelevant. */
function inOrder(objects: readonly ObjectRegions[]): readonly ObjectRegions[] {
  if (objects.length < 2) return objects;
  const named = objects.map((regions) => {
    const { properties, patterns, additional, isDeclaring, isOpen } = regions;
    const keys = [[...properties.keys()].sort(), [...patterns.keys()].sort()];
    return { regions, text: JSON.stringify([keys, additional === null, isDeclaring, isOpen]) };
  });
  return named.sort((a, b) => (a.text < b.text ? -1 : 1)).map(({ regions }) => regions);
}

function keyedEdges(what: string, places: Iterable<readonly [string, Place]>): readonly Edge[] {
  return [...places]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, place]) => ({
      tag: `${what} ${JSON.stringify(key)}`,
      targets: [place],
      group: null,
    }));
}

function logicEdges(view: View): readonly Edge[] {
  const edges: Edge[] = [];
  for (const { kind, members } of view.unions) {
    edges.push({ tag: kind, targets: members, group: 'unions' });
  }
  for (const place of view.nots) edges.push({ tag: 'not', targets: [place], group: 'nots' });
  for (const { condition, whenTrue, whenFalse } of view.ifs) {
    edges.push({ tag: 'if', targets: [condition, whenTrue, whenFalse], group: 'ifs' });
  }
  for (const { anchor, target } of view.dynamic) {
    edges.push({ tag: `dynamic ${JSON.stringify(anchor)}`, targets: [target], group: 'dynamic' });
  }
  return edges;
}
