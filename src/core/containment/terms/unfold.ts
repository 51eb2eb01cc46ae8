// What a term says about one kind of value: keywords become atoms, applicators become formulas, and
// references are followed. Only one level is unfolded: items and properties stay terms.

import { assertsText } from '../../schema/formats/formats.ts';
import type { NumberFormat } from '../../schema/formats/number-formats.ts';
import { findNumberFormat } from '../../schema/formats/number-formats.ts';
import { asksForWrittenIntegers } from '../../schema/keywords.ts';
import { findRepeatedClass } from '../../schema/patterns/repeated-class.ts';
import type {
  JsonNumber,
  SchemaNode,
  SchemaProblem,
  TypeName,
  WideSize,
} from '../../schema/schema.ts';
import { isOnlyReference, jsonPathOf, meaningOf } from '../../schema/schema.ts';
import type { Json } from '../../value/json.ts';
import type { Rational } from '../../value/rational.ts';
import { parseRational, rationalOf } from '../../value/rational.ts';
import { kindOf, valueKey } from '../../value/value-key.ts';
import { overlappingBranches } from './apart.ts';
import type { Engine, Unfolding, Wrap } from './engine.types.ts';
import { evaluatedForm, hasUnevaluated } from './evaluated.ts';
import { andForm, approximation, atMostOneForm, atomForm, constTerm, orForm } from './forms.ts';
import type { Form, Kind, NodeTerm, Store, Term } from './forms.types.ts';
import { mayHaveKind } from './node-kinds.ts';
import { notForm } from './not-form.ts';
import { childTerms, dynamicTerm, referenceTerm } from './term-scope.ts';

/**
 * The most nested applicators at one place. If there are more, the schema refers to itself in a
 * circle.
 */
const maxUnfoldDepth = 150;

/** A placeholder for a form that is being made. */
const pending: Form = { id: -1, tag: 'everything', negation: undefined };

/** See `Engine.formOf`. The result is cached on the term. */
export function unfoldTerm(engine: Engine, term: Term, kind: Kind): Form {
  const known = term.forms[kind];
  // A term that is met again before its form is known refers only to itself, which defines no set.
  const { nesting } = engine;
  if (known === pending) {
    nesting.cuts++;
    return unknownForm(engine, term, 'The schema refers to itself in a circle.');
  }
  if (known !== undefined) return known;
  if (nesting.unfold > maxUnfoldDepth) {
    nesting.cuts++;
    return unknownForm(engine, term, 'The schema nests too deeply.');
  }
  term.forms[kind] = pending;
  nesting.unfold++;
  engine.steps.left--;
  const form = unfold(engine, term, kind);
  nesting.unfold--;
  term.forms[kind] = form;
  return form;
}

const nothingOpen: ReadonlySet<Term> = new Set();

const unfolding: Unfolding = {
  ownForms,
  applicatorForms,
  namedRegion,
  onlyOneForm,
  childTerms,
  referenceTerm,
  dynamicTerm,
  unknownForm,
};

function unfold(engine: Engine, term: Term, kind: Kind): Form {
  const { store } = engine;
  switch (term.tag) {
    case 'all':
      return store.everything;
    case 'none':
      return store.nothing;
    case 'not':
      return notForm(store, engine.formOf(term.term, kind));
    case 'both':
      return andForm(
        store,
        term.terms.map((part) => engine.formOf(part, kind)),
      );
    case 'either':
      return orForm(
        store,
        term.terms.map((part) => engine.formOf(part, kind)),
      );
    case 'const':
      return valuesForm(store, [term.value], kind);
    case 'node':
      return unfoldNode(engine, term, kind);
    case 'closed':
      if (kind !== 'array' && kind !== 'object') {
        return andForm(
          store,
          term.terms.map((part) => engine.formOf(part, kind)),
        );
      }
      return evaluatedForm(
        { engine, unfolding, kind, role: 'producer', open: nothingOpen },
        term.terms,
      );
    default:
      return term satisfies never;
  }
}

function unfoldNode(engine: Engine, term: NodeTerm, kind: Kind): Form {
  if (!mayHaveKind(engine.store.kinds, term.node, kind)) return engine.store.nothing;
  if (isOnlyReference(term.node.keywords)) {
    const target = referenceTerm(engine, term);
    if (target !== undefined) return engine.formOf(target, kind);
  }
  if (hasUnevaluated(term.node.keywords, kind)) {
    return evaluatedForm({ engine, unfolding, kind, role: 'consumer', open: nothingOpen }, [term]);
  }
  const own = ownForms(engine, term, kind, (child) => child);
  if (own[0] === engine.store.nothing) return engine.store.nothing;
  return andForm(engine.store, [...own, ...applicatorForms(engine, term, kind)]);
}

/**
 * What the node itself says about a kind, without its applicators at the same place and without the
 * unevaluated keywords, which depend on these.
 */
function ownForms(engine: Engine, term: NodeTerm, kind: Kind, wrap: Wrap): Form[] {
  const { store } = engine;
  const { keywords } = term.node;
  if (keywords.isFalse) return [store.nothing];
  const forms: Form[] = [];
  for (const problem of keywords.problems ?? []) {
    const form = problemForm(store, term, kind, problem);
    if (form !== undefined) forms.push(form);
  }
  if (keywords.types !== undefined) forms.push(typesForm(store, term.node, keywords.types, kind));
  if (keywords.enum !== undefined) forms.push(valuesForm(store, keywords.enum, kind));
  if (keywords.const !== undefined) forms.push(valuesForm(store, [keywords.const.value], kind));
  if (forms.includes(store.nothing)) return [store.nothing];
  if (kind === 'number') addNumberForms(engine, term, forms);
  if (kind === 'string') addStringForms(engine, term, forms);
  if (kind === 'array') addArrayForms(engine, term, wrap, forms);
  if (kind === 'object') addObjectForms(engine, term, wrap, forms);
  return forms;
}

/** An unknown set, if the problem concerns values of the kind. */
function problemForm(
  store: Store,
  term: NodeTerm,
  kind: Kind,
  problem: SchemaProblem,
): Form | undefined {
  const { uri, message, keyword, concerns, wideSize } = problem;
  if (wideSize !== undefined) return wideSizeForm(store, wideSize, kind);
  const known = uri === undefined ? undefined : meaningOf(problem);
  const name = known ?? `#${term.id} ${keyword}`;
  const place = jsonPathOf(term.node);
  const form = atomForm(store, { tag: 'unknown', name, place, reason: message });
  if (concerns === undefined) return form;
  if (kind !== 'object') return undefined;
  const absent = concerns.map((key) => atomForm(store, { tag: 'property', key, term: store.none }));
  return orForm(store, [andForm(store, absent), form]);
}

/**
 * A limit too large to count. All values that can be counted are within it; of larger ones it is
 * only known that equal limits have the same meaning.
 */
function wideSizeForm(store: Store, size: WideSize, kind: Kind): Form | undefined {
  if (kind !== size.kind) return undefined;
  const count = Number.MAX_SAFE_INTEGER;
  const tag = ({ string: 'max_length', array: 'max_items', object: 'max_keys' } as const)[
    size.kind
  ];
  const within = approximation(store, {
    ...{ name: `at most ${size.most}`, over: store.everything },
    under: atomForm(store, { tag, count }),
  });
  return size.isExceeded ? notForm(store, within) : within;
}

function typesForm(store: Store, node: SchemaNode, types: readonly TypeName[], kind: Kind): Form {
  if (kind !== 'number') return types.includes(kind) ? store.everything : store.nothing;
  if (types.includes('number')) return store.everything;
  if (!types.includes('integer')) return store.nothing;
  const whole = atomForm(store, { tag: 'multiple', of: 1 });
  if (!asksForWrittenIntegers(node.dialect)) return whole;
  // 1.0 and 1 are the same number here, so it is not known which of them was written.
  return approximation(store, { name: 'written integer', over: whole, under: store.nothing });
}

/** Those of the values that are of the kind. Arrays and objects are written out part by part. */
function valuesForm(store: Store, values: readonly Json[], kind: Kind): Form {
  const own = values.filter((value) => kindOf(value) === kind);
  if (own.length === 0) return store.nothing;
  if (kind === 'null') return store.everything;
  if (kind === 'array' || kind === 'object') {
    return orForm(
      store,
      own.map((value) => structuredValueForm(store, value)),
    );
  }
  const byKey = new Map(own.map((value) => [valueKey(value), value]));
  if (kind === 'boolean' && byKey.size === 2) return store.everything;
  return atomForm(store, { tag: 'values', values: byKey });
}

function structuredValueForm(store: Store, value: Json): Form {
  const exactly = (part: Json): Term => constTerm(store, valueKey(part), part);
  if (Array.isArray(value)) {
    const items: readonly Json[] = value;
    return andForm(store, [
      atomForm(store, { tag: 'min_items', count: items.length }),
      atomForm(store, { tag: 'max_items', count: items.length }),
      ...items.map((item, index) =>
        atomForm(store, { tag: 'each_item', from: index, to: index + 1, term: exactly(item) }),
      ),
    ]);
  }
  const members = Object.entries(value as Readonly<Record<string, Json>>);
  return andForm(store, [
    atomForm(store, { tag: 'max_keys', count: members.length }),
    ...members.map(([key, member]) => atomForm(store, { tag: 'has', key, term: exactly(member) })),
  ]);
}

function addNumberForms(engine: Engine, term: NodeTerm, forms: Form[]): void {
  const { store } = engine;
  const { keywords } = term.node;
  const add = (value: JsonNumber | undefined, make: (exact: Rational) => Form): void => {
    if (value === undefined) return;
    const exact = rationalOf(value);
    forms.push(exact === null ? unknownForm(engine, term, 'A number is too wide.') : make(exact));
  };
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = keywords;
  add(minimum, (bound) => atomForm(store, { tag: 'low', bound, isOpen: false }));
  add(exclusiveMinimum, (bound) => atomForm(store, { tag: 'low', bound, isOpen: true }));
  add(maximum, (bound) => atomForm(store, { tag: 'high', bound, isOpen: false }));
  add(exclusiveMaximum, (bound) => atomForm(store, { tag: 'high', bound, isOpen: true }));
  add(multipleOf, (of) => atomForm(store, { tag: 'multiple', of }));
  if (keywords.format !== undefined && engine.usesFormats) {
    const format = findNumberFormat(keywords.format, term.node.dialect);
    if (format !== null) forms.push(numberFormatForm(store, format));
  }
}

function numberFormatForm(store: Store, { least, greatest, isWhole }: NumberFormat): Form {
  return andForm(store, [
    isWhole ? atomForm(store, { tag: 'multiple', of: 1 }) : store.everything,
    atomForm(store, { tag: 'high', bound: parseRational(greatest) ?? 0, isOpen: false }),
    atomForm(store, { tag: 'low', bound: parseRational(least) ?? 0, isOpen: false }),
  ]);
}

function addStringForms(engine: Engine, term: NodeTerm, forms: Form[]): void {
  const { store } = engine;
  const { minLength, maxLength, pattern, format } = term.node.keywords;
  if (minLength !== undefined) forms.push(atomForm(store, { tag: 'min_length', count: minLength }));
  if (maxLength !== undefined) forms.push(atomForm(store, { tag: 'max_length', count: maxLength }));
  if (pattern !== undefined) addPatternForms(engine, pattern, term, forms);
  if (format !== undefined && engine.usesFormats && assertsText(format, term.node.dialect)) {
    forms.push(atomForm(store, { tag: 'format', name: format }));
  }
}

function addPatternForms(engine: Engine, source: string, term: NodeTerm, forms: Form[]): void {
  const repeated = findRepeatedClass(source);
  // Lengths come first: they make plainer witnesses.
  if (repeated !== undefined) {
    const { min, max } = repeated;
    forms.push(atomForm(engine.store, { tag: 'min_length', count: min }));
    if (Number.isFinite(max)) forms.push(atomForm(engine.store, { tag: 'max_length', count: max }));
  }
  forms.push(patternForm(engine, repeated?.source ?? source, term));
}

function patternForm(engine: Engine, source: string, term: NodeTerm): Form {
  const problem = engine.texts.patternProblem(source);
  if (problem === 'everything') return engine.store.everything;
  if (problem === undefined) return atomForm(engine.store, { tag: 'pattern', source });
  // Equal texts are the same unknown set, whatever they mean. An invalid one has no meaning at all.
  const place = jsonPathOf(term.node);
  const name = `pattern ${source}`;
  return atomForm(engine.store, { tag: 'unknown', name, place, reason: problem });
}

const unbounded = Number.POSITIVE_INFINITY;

function addArrayForms(engine: Engine, term: NodeTerm, wrap: Wrap, forms: Form[]): void {
  const { store } = engine;
  const { minItems, maxItems, uniqueItems, prefixItems, items, contains } = term.node.keywords;
  if (minItems !== undefined) forms.push(atomForm(store, { tag: 'min_items', count: minItems }));
  if (maxItems !== undefined) forms.push(atomForm(store, { tag: 'max_items', count: maxItems }));
  if (uniqueItems) forms.push(atomForm(store, { tag: 'unique' }));
  const child = childTerms(engine, term, wrap);
  prefixItems?.forEach((node, index) => {
    forms.push(
      atomForm(store, { tag: 'each_item', from: index, to: index + 1, term: child(node) }),
    );
  });
  if (items !== undefined) {
    const from = prefixItems?.length ?? 0;
    const rest = child(items);
    if (rest === store.none) forms.push(atomForm(store, { tag: 'max_items', count: from }));
    else forms.push(atomForm(store, { tag: 'each_item', from, to: unbounded, term: rest }));
  }
  if (contains !== undefined) {
    // `contains` evaluates nothing inside an item that a producer would emit, so its schema is not
    // closed.
    const matching = childTerms(engine, term, (plain) => plain)(contains.schema);
    forms.push(countForm(store, contains.min, matching));
    if (contains.max !== undefined) {
      forms.push(atomForm(store, { tag: 'max_count', count: contains.max, term: matching }));
    }
  }
}

function countForm(store: Store, count: number, term: Term): Form {
  if (term === store.all) return atomForm(store, { tag: 'min_items', count });
  if (count === 1) return atomForm(store, { tag: 'some_item', from: 0, to: unbounded, term });
  return atomForm(store, { tag: 'min_count', count, term });
}

function addObjectForms(engine: Engine, term: NodeTerm, wrap: Wrap, forms: Form[]): void {
  const { store } = engine;
  const { keywords } = term.node;
  const { minProperties, maxProperties, propertyNames, properties, patternProperties } = keywords;
  if (minProperties !== undefined) {
    forms.push(atomForm(store, { tag: 'min_keys', count: minProperties }));
  }
  if (maxProperties !== undefined) {
    forms.push(atomForm(store, { tag: 'max_keys', count: maxProperties }));
  }
  const child = childTerms(engine, term, wrap);
  for (const key of keywords.required ?? []) {
    forms.push(atomForm(store, { tag: 'has', key, term: store.all }));
  }
  for (const [key, node] of properties ?? []) {
    forms.push(atomForm(store, { tag: 'property', key, term: child(node) }));
  }
  for (const [source, node] of patternProperties ?? []) {
    const region = patternForm(engine, source, term);
    forms.push(atomForm(store, { tag: 'each_key', region, term: child(node) }));
  }
  if (keywords.additionalProperties !== undefined) {
    const region = notForm(store, namedRegion(engine, term));
    const rest = child(keywords.additionalProperties);
    forms.push(atomForm(store, { tag: 'each_key', region, term: rest }));
  }
  if (propertyNames !== undefined) {
    const names = childTerms(engine, term, (plain) => plain)(propertyNames);
    const region = notForm(store, engine.formOf(names, 'string'));
    forms.push(atomForm(store, { tag: 'each_key', region, term: store.none }));
  }
  for (const [key, needed] of keywords.dependentRequired ?? []) {
    forms.push(
      orForm(store, [
        atomForm(store, { tag: 'property', key, term: store.none }),
        andForm(
          store,
          needed.map((other) => atomForm(store, { tag: 'has', key: other, term: store.all })),
        ),
      ]),
    );
  }
}

/** The keys that a node's `properties` and `patternProperties` name, as a form of strings. */
function namedRegion(engine: Engine, term: NodeTerm): Form {
  const { properties, patternProperties } = term.node.keywords;
  return orForm(engine.store, [
    valuesForm(engine.store, [...(properties?.keys() ?? [])], 'string'),
    ...[...(patternProperties?.keys() ?? [])].map((source) => patternForm(engine, source, term)),
  ]);
}

function applicatorForms(engine: Engine, term: NodeTerm, kind: Kind): Form[] {
  const { store } = engine;
  const { keywords } = term.node;
  const child = childTerms(engine, term, (plain) => plain);
  const formOf = (node: SchemaNode): Form => engine.formOf(child(node), kind);
  const forms: Form[] = [];
  const target = referenceTerm(engine, term);
  if (target !== undefined) forms.push(engine.formOf(target, kind));
  const dynamic = dynamicTerm(engine, term);
  if (dynamic !== undefined) forms.push(engine.formOf(dynamic, kind));
  for (const node of keywords.allOf ?? []) forms.push(formOf(node));
  if (keywords.anyOf !== undefined) forms.push(orForm(store, keywords.anyOf.map(formOf)));
  if (keywords.oneOf !== undefined) {
    const branches = keywords.oneOf.map(formOf);
    forms.push(orForm(store, branches), onlyOneForm(engine, kind, keywords.oneOf, branches));
  }
  if (keywords.not !== undefined) forms.push(notForm(store, formOf(keywords.not)));
  if (keywords.if !== undefined) {
    const condition = formOf(keywords.if);
    if (keywords.then !== undefined) {
      forms.push(orForm(store, [notForm(store, condition), formOf(keywords.then)]));
    }
    if (keywords.else !== undefined) forms.push(orForm(store, [condition, formOf(keywords.else)]));
  }
  if (kind === 'object') {
    for (const [key, node] of keywords.dependentSchemas ?? []) {
      const absent = atomForm(store, { tag: 'property', key, term: store.none });
      forms.push(orForm(store, [absent, formOf(node)]));
    }
  }
  return forms;
}

/** No two of the branches hold. Only branches that may have values in common are compared. */
function onlyOneForm(
  { store }: Engine,
  kind: Kind,
  branches: readonly SchemaNode[],
  forms: readonly Form[],
): Form {
  if (kind !== 'object') return atMostOneForm(store, forms);
  const overlapping = overlappingBranches(store.shapes, branches).map(
    (index) => forms[index] ?? store.nothing,
  );
  return atMostOneForm(store, overlapping);
}

function unknownForm(engine: Engine, term: Term, reason: string): Form {
  const place = term.tag === 'node' ? jsonPathOf(term.node) : '$';
  return atomForm(engine.store, { tag: 'unknown', name: `#${term.id}`, place, reason });
}
