// The schema of some fields of a contract. What is read is everything that the contract emits, with
// only these fields described; what is sent is the contract without the fields that are not sent.

import type { Direction } from '../comparison.ts';
import { effective } from '../diff/operation-rest.ts';
import { matchesKey } from '../diff/places/key-pattern.ts';
import { openPlaces } from '../diff/places/place.ts';
import type { PlaceBook } from '../diff/places/place.types.ts';
import { itemsOf, openReach, type Reach } from '../diff/places/reach.ts';
import { everyType, numberTypes, typeNamesOf } from '../diff/places/type-set.ts';
import { areApart } from '../diff/rewrite/apart.ts';
import { effectiveStatus, mainOf } from '../import/openapi/align-terms.ts';
import type { Dialect } from '../schema/dialects.ts';
import {
  definitionsKeyword,
  dependentKeyword,
  holdingOf,
  isAnnotation,
  type Keyword,
  keywordsOf,
} from '../schema/keywords.ts';
import { parseSchema } from '../schema/parse-schema.ts';
import { isBareReference } from '../schema/places.ts';
import { type SchemaDocument, type SchemaNode, saysSomething, stepsOf } from '../schema/schema.ts';
import { isJsonObject, type Json, type JsonObject } from '../value/json.ts';
import { isKnownField, readFields, type Wanted, type WantedFields } from './field-path.ts';

type ProjectedFields =
  | {
      readonly ok: true;
      readonly schema: Json;
      readonly dialect: Dialect;
      readonly known: readonly string[];
    }
  | { readonly ok: false; readonly reason: 'not_a_field'; readonly field: string }
  | { readonly ok: false; readonly reason: 'too_large' | 'needs_a_schema' };

interface Terms {
  readonly schema: Json;
  readonly direction: Direction;
  readonly dialect?: Dialect;
}

/**
 * @example
 * projectFields({ schema: { properties: { a: { type: 'string' }, b: {} }, required: ['a'] }, ... },
 *   ['$.a']).schema // { properties: { a: { type: 'string' } }, required: ['a'] }
 */
export function projectFields(terms: Terms, fields: readonly string[]): ProjectedFields {
  const wanted = readWanted(fields, terms);
  if (!wanted.ok) return { ok: false, reason: 'not_a_field', field: wanted.field };
  const document = parseSchema(terms.schema, terms.dialect);
  const { dialect } = document;
  if (fields.length === 0) return { ok: true, schema: {}, dialect, known: [] };
  const projecting = openProjecting(document, wanted.add);
  markDirection(projecting, terms.direction, wanted.root);
  const projected = copySchema(projecting, document.root, wanted.root);
  const definitions = copyTargets(projecting);
  if (projecting.left <= 0) return { ok: false, reason: 'too_large' };
  if (!projecting.isPlain) return { ok: false, reason: 'needs_a_schema' };
  for (const [every, own] of projecting.joined) every.isFound ||= own.isFound;
  const root = withMissing(projected, wanted.root);
  const hasDefinitions = projecting.targets.length > 0;
  return {
    ok: true,
    schema: hasDefinitions
      ? { ...asObject(root), [definitionsKeyword(dialect)]: definitions }
      : root,
    dialect,
    known: fields.filter((field) => isKnownField(wanted.root, field)),
  };
}

/** What is wanted of a contract. */
export function readWanted(fields: readonly string[], terms: Terms): WantedFields {
  const wanted = readFields(fields, terms.direction);
  if (wanted.ok && readsMain(wanted.root, terms))
    wanted.add(wanted.root, 'response').isWhole = true;
  return wanted;
}

/** Whether these fields include the JSON of the main status, which a contract keeps apart, as `response`. */
function readsMain({ keys }: Wanted, terms: Terms): boolean {
  const statuses = keys.get('responses');
  const main = statuses?.hasStatuses === true ? mainOf(terms) : null;
  if (statuses === undefined || main === null) return false;
  if (statuses.isWhole || statuses.anyKey !== null) return true;
  return [...statuses.keys].some(
    ([status, { isWhole }]) => isWhole && effectiveStatus(terms, status) === main,
  );
}

/** The schema of a wanted property by its name. A status that is not named is that of its range, or the default. */
export function propertyAt(
  properties: ReadonlyMap<string, SchemaNode> | undefined,
  key: string,
  { hasStatuses }: Wanted,
): SchemaNode | undefined {
  if (!hasStatuses || !/^\d/.test(key)) return properties?.get(key);
  return (properties && effective(properties, key)) ?? undefined;
}

function openProjecting(document: SchemaDocument, add: Projecting['add']): Projecting {
  return {
    ...{ document, add, names: new Map(), targets: [], joined: [] },
    ...{ book: openPlaces(document, 'old'), reach: openReach(() => false, 'most') },
    ...{ left: maxSteps, isPlain: true },
  };
}

function copyTargets(projecting: Projecting): Readonly<Record<string, Json>> {
  const definitions: Record<string, Json> = {};
  // Copying one may add others.
  for (const { name, node, copied } of projecting.targets) {
    definitions[name] = copySchema(projecting, node, copied);
  }
  return definitions;
}

/** Copies parts of a schema as they are written, without annotations. */
export interface Copying {
  readonly book: PlaceBook;
  copy(node: SchemaNode): Json;
  /** What the copies refer to; null if they are too large, or mean something else in another place. */
  definitions(): Readonly<Record<string, Json>> | null;
  /** False once everything is spent. */
  spend(): boolean;
}

export function openCopying(document: SchemaDocument): Copying {
  const projecting = openProjecting(document, (at) => at);
  return {
    book: projecting.book,
    copy: (node) => copySchema(projecting, node, 'whole'),
    definitions() {
      const definitions = copyTargets(projecting);
      return projecting.left > 0 && projecting.isPlain ? definitions : null;
    },
    spend: () => spend(projecting, 1),
  };
}

interface Projecting {
  readonly document: SchemaDocument;
  readonly add: (at: Wanted, key: string) => Wanted;
  readonly book: PlaceBook;
  readonly reach: Reach;
  /** The definition of each copied target. */
  readonly names: Map<string, string>;
  /** What is sent of every property, and of one that has it, too. */
  readonly joined: (readonly [every: Wanted, own: Wanted])[];
  readonly targets: {
    readonly name: string;
    readonly node: SchemaNode;
    readonly copied: Copied;
  }[];
  left: number;
  /** False if a part means something else in another place, as dynamic references do. */
  isPlain: boolean;
}

/** Subschemas and pieces of text that are copied: ten times those of the largest schema. */
const maxSteps = 100_000;
const textPerStep = 100;

/** Marks what is sent, and adds what the contract demands there. */
function markSent(projecting: Projecting, nodes: readonly SchemaNode[], wanted: Wanted): void {
  wanted.isSent = true;
  if (wanted.isWhole || !spend(projecting, 1)) return;
  const { reach } = projecting;
  const spot = reach.spotOf(nodes);
  const named = reach.namedKeys(spot);
  const counted = countedKeys(reach, nodes, wanted);
  for (const key of new Set([
    ...reach.demandedKeys(spot),
    ...testedKeys(projecting, nodes, wanted),
    ...counted,
  ])) {
    const stated = wanted.keys.get(key);
    // What is demanded is declared, also where nothing describes it.
    if (stated !== undefined) {
      stated.isFound ||= stated.isWhole && !named.has(key);
      continue;
    }
    const added = projecting.add(wanted, key);
    added.isWhole = true;
    // Nobody stated it, so nobody misses it.
    added.isFound = true;
  }
  const { anyKey } = wanted;
  if (anyKey !== null) {
    for (const own of wanted.keys.values()) joinSent(projecting, own, anyKey);
    const others = [...named].filter((key) => !wanted.keys.has(key));
    const nodesOfOthers = others.flatMap((key) => reach.nodesAtKey(spot, key));
    markSent(projecting, [...reach.nodesAtOtherKeys(spot), ...nodesOfOthers], anyKey);
  }
  for (const [key, below] of wanted.keys) {
    markSent(projecting, reach.nodesAtKey(spot, key), below);
  }
  if (wanted.items !== null) markSent(projecting, itemsOf(reach, spot).nodes, wanted.items);
}

/** Adds what is sent of every property to what is sent of this one. */
function joinSent(projecting: Projecting, own: Wanted, every: Wanted): void {
  if (own === every || !spend(projecting, 1)) return;
  projecting.joined.push([every, own]);
  own.isWhole ||= every.isWhole;
  for (const [key, below] of every.keys) {
    const known = own.keys.get(key);
    if (known === undefined) own.keys.set(key, below);
    else joinSent(projecting, known, below);
  }
  for (const name of ['anyKey', 'items'] as const) {
    const below = every[name];
    if (below === null) continue;
    if (own[name] === null) own[name] = below;
    else joinSent(projecting, own[name], below);
  }
}

/** What may be sent to have as many properties as `minProperties` demands: any, if the stated ones are too few. */
function countedKeys(
  reach: Reach,
  nodes: readonly SchemaNode[],
  { keys }: Wanted,
): Iterable<string> {
  const spot = reach.spotOf(nodes);
  const least = Math.max(0, ...spot.nodes.map(({ keywords }) => keywords.minProperties ?? 0));
  if (least === 0) return [];
  const sure = openReach(() => false, 'sure');
  const sent = new Set([...keys.keys(), ...sure.requiredKeys(sure.spotOf(nodes))]);
  return least > sent.size ? reach.declaredKeys(spot) : [];
}

/**
 * The names of which it may depend whether what is stated is taken: those in `not`, in an overlapping `oneOf` and in `if`.
 * `k` without `c` refused is `c` demanded with `k`, and so is a `c` of another type.
 */
function testedKeys(
  { reach, book }: Projecting,
  nodes: readonly SchemaNode[],
  wanted: Wanted,
): Iterable<string> {
  const names = new Set<string>();
  const sure = openReach(() => false, 'sure');
  const sent = new Set([...wanted.keys.keys(), ...sure.requiredKeys(sure.spotOf(nodes))]);
  const own = new Set(nodes);
  const waiting = new Set(nodes);
  for (const node of waiting) {
    for (const { keywords } of reach.spotOf([node]).nodes) {
      const { not, oneOf = [], if: condition, else: otherwise } = keywords;
      const tested = isTestedChoice(book, oneOf) ? [...oneOf] : [];
      if (not !== undefined) tested.push(not);
      if (condition !== undefined) tested.push(condition);
      for (const each of tested) {
        waiting.add(each);
        // What is sent never fits what demands a name that is not sent. Within another `not` it is a demand.
        const never = [...sure.requiredKeys(sure.spotOf([each]))].some((key) => !sent.has(key));
        if (each !== condition && never && own.has(node)) continue;
        const spot = reach.spotOf([each]);
        // Without `else`, the condition has no effect on a value that lacks a name which it requires.
        const isOpen = each === condition && otherwise === undefined;
        const demanded = reach.demandedKeys(spot);
        for (const key of reach.namedKeys(spot)) if (!isOpen || !demanded.has(key)) names.add(key);
        for (const key of isOpen ? [] : demanded) names.add(key);
      }
    }
  }
  return names;
}

/** Whether a value may be refused because it fits two members. */
export function isTestedChoice(book: PlaceBook, members: readonly SchemaNode[]): boolean {
  return !areApart(members) && !areOfOtherTypes(book, members);
}

export function areOfOtherTypes(book: PlaceBook, members: readonly SchemaNode[]): boolean {
  let seen = 0;
  return members.every((member) => {
    const { types } = book.placeOf([member]).view;
    const isOther = (types & seen) === 0;
    seen |= types;
    return isOther;
  });
}

/** The requests of an operation are sent, and everything else in it is read. */
function markDirection(projecting: Projecting, direction: Direction, wanted: Wanted): void {
  const { document, reach } = projecting;
  if (direction === 'request') markSent(projecting, [document.root], wanted);
  const request = wanted.keys.get('request');
  if (direction !== 'operation' || request === undefined) return;
  const spot = reach.spotOf([document.root]);
  markSent(projecting, reach.nodesAtKey(spot, 'request'), request);
}

/** What to copy at a place. `nothing` forbids the value. */
type Copied = Wanted | 'whole' | 'nothing';

const nothing: JsonObject = { not: {} };

function copySchema(projecting: Projecting, node: SchemaNode, copied: Copied): Json {
  if (copied === 'nothing') return nothing;
  if (copied !== 'whole') copied.isFound ||= copied.isWhole && !isNever(projecting, node);
  const { raw } = node;
  if (!isJsonObject(raw)) return raw;
  if (!spend(projecting, 1)) return {};
  // What stands in another dialect cannot be copied out of its place.
  if (node.dialect !== projecting.document.dialect) projecting.isPlain = false;
  if (copied === 'whole' || copied.isWhole) {
    return copyKeywords(projecting, node, raw, () => 'whole');
  }
  if (!copied.isSent) return copyRead(projecting, node, raw, copied);
  const sent = copyKeywords(projecting, node, raw, (keyword, key) => sentAt(copied, keyword, key));
  const unsent = unsentInBranches(projecting, node, copied);
  if (unsent.length === 0 || isBareReference(raw, node.dialect)) return sent;
  const { allOf: parts = [] } = sent;
  // What is no object has no properties, and may be sent.
  const absent = {
    not: { type: 'object', anyOf: unsent.map((key) => ({ required: [key] })) },
  };
  return { ...sent, allOf: [...(Array.isArray(parts) ? parts : []), absent] };
}

/**
 * Properties that some branch of the schema has, and that are not sent. They are forbidden in that branch, so another
 * branch might let them in.
 */
function unsentInBranches(
  projecting: Projecting,
  { keywords }: SchemaNode,
  { keys, anyKey }: Wanted,
): readonly string[] {
  const { anyOf = [], oneOf = [], then, else: otherwise, dependentSchemas } = keywords;
  const branches = [...anyOf, ...oneOf, then, otherwise, ...(dependentSchemas?.values() ?? [])];
  const known = branches.filter((each) => each !== undefined);
  if (known.length === 0 || anyKey !== null) return [];
  const { reach } = projecting;
  const unsent = [...reach.declaredKeys(reach.spotOf(known))].filter((key) => !keys.has(key));
  spend(projecting, unsent.length);
  return unsent.toSorted();
}

/** What nothing fits is no field. */
function isNever({ book }: Projecting, node: SchemaNode): boolean {
  return book.placeOf([node]).view.isNever;
}

/** Properties that are not sent are forbidden; everything else stays. */
function sentAt(wanted: Wanted, keyword: string, key: string): Copied {
  switch (keyword) {
    case 'properties':
      return wanted.keys.get(key) ?? wanted.anyKey ?? 'nothing';
    case 'items':
    case 'prefixItems':
    case 'additionalItems':
      return wanted.items ?? 'whole';
    case 'patternProperties':
    case 'additionalProperties':
      // A key that is wanted for itself may be among them.
      return (wanted.keys.size === 0 ? wanted.anyKey : null) ?? 'whole';
    default:
      return inPlace.has(keyword) ? wanted : 'whole';
  }
}

const inPlace = new Set([
  ...['$ref', 'allOf', 'anyOf', 'oneOf', 'then', 'else', 'dependentSchemas', 'dependencies'],
]);

/** A schema as it is written, without annotations, and with its references into the definitions. */
function copyKeywords(
  projecting: Projecting,
  node: SchemaNode,
  raw: JsonObject,
  copiedAt: (keyword: string, key: string) => Copied,
): JsonObject {
  const { dialect } = node;
  const out: Record<string, Json> = {};
  for (const name of isBareReference(raw, dialect) ? ['$ref'] : Object.keys(raw)) {
    const value = raw[name];
    const keyword = keywordsOf(dialect).get(name);
    if (value === undefined || keyword === undefined || !isKept(keyword, dialect)) continue;
    if (keyword.use === 'refers') {
      out[name] = referenceTo(projecting, node, name, copiedAt(name, ''));
      continue;
    }
    const copy = (steps: readonly (string | number)[], inner: Json, key: string): Json => {
      if (!isJsonObject(inner)) {
        const isRefused = typeof inner === 'boolean' && copiedAt(name, key) === 'nothing';
        return isRefused ? nothing : inner;
      }
      const child = node.document.nodeBelow([...stepsOf(node), name, ...steps]);
      if (child === undefined) projecting.isPlain = false;
      return child === undefined ? {} : copySchema(projecting, child, copiedAt(name, key));
    };
    out[name] = copyValue(projecting, { dialect, name, value, copy });
  }
  return out;
}

/** These annotations tell requests from responses. */
const marks = new Set(['readOnly', 'writeOnly']);

function isKept({ name, use }: Keyword, dialect: Dialect): boolean {
  return marks.has(name) || (!isAnnotation(dialect, name) && use !== 'names' && use !== 'holds');
}

interface CopiedValue {
  readonly dialect: Dialect;
  readonly name: string;
  readonly value: Json;
  readonly copy: (steps: readonly (string | number)[], inner: Json, key: string) => Json;
}

function copyValue(projecting: Projecting, { dialect, name, value, copy }: CopiedValue): Json {
  switch (holdingOf(dialect, name, Array.isArray(value))) {
    case 'schema':
      return copy([], value, '');
    case 'schemas':
      if (!Array.isArray(value)) return value;
      return value.map((inner: Json, index) => copy([index], inner, ''));
    case 'schema_map':
      if (!isJsonObject(value)) return value;
      return Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [key, copy([key], inner, key)]),
      );
    default:
      spend(projecting, JSON.stringify(value).length / textPerStep);
      return value;
  }
}

/** What all that the contract emits is in: nothing is said but of the wanted places. */
function copyRead(projecting: Projecting, node: SchemaNode, raw: JsonObject, wanted: Wanted): Json {
  const { keywords, dialect } = node;
  const read = (child: SchemaNode, at = wanted) => copySchema(projecting, child, at);
  const out: Record<string, Json> = {};
  if (!isBareReference(raw, dialect)) {
    const written: Record<string, Json> = {};
    for (const name of ['type', 'nullable']) {
      const value = raw[name];
      if (value !== undefined && keywordsOf(dialect).has(name)) written[name] = value;
    }
    Object.assign(out, typesLeft(projecting, node, written.type) ?? written);
  }
  const { anyKey } = wanted;
  const isWanted = (key: string) => anyKey !== null || wanted.keys.has(key);
  const required = keywords.required?.filter(isWanted) ?? [];
  if (required.length > 0) out.required = required;
  const together = [...(keywords.dependentRequired ?? [])]
    .map(([key, others]) => [key, others.filter(isWanted)] as const)
    .filter(([key, others]) => isWanted(key) && others.length > 0);
  if (together.length > 0) out[dependentKeyword(dialect)] = Object.fromEntries(together);
  const properties = readProperties(projecting, node, wanted);
  if (Object.keys(properties).length > 0) out.properties = properties;
  if (anyKey !== null)
    Object.assign(
      out,
      readOthers(node, (child) => read(child, anyKey)),
    );
  const { items } = wanted;
  if (items !== null) {
    Object.assign(
      out,
      readItems(node, (child) => read(child, items)),
      // How many items there are, which is to items what `required` is to fields.
      listBounds(raw, dialect, items),
    );
  }
  const parts = partsOf(node, read);
  if (keywords.ref !== undefined) {
    const reference = referenceTo(projecting, node, '$ref', wanted);
    parts.push({ $ref: reference });
  }
  if (keywords.dynamicRef !== undefined) projecting.isPlain = false;
  const [only] = parts;
  if (only === undefined) return out;
  return parts.length === 1 && isEmpty(out) ? only : { ...out, allOf: parts };
}

/**
 * The types that listed values have, or that `not` leaves of those that are written; null if neither says anything. Without
 * them, a choice such as `{ enum: [null] }` would take every object, whatever its fields.
 */
function typesLeft(
  { book }: Projecting,
  node: SchemaNode,
  written: Json | undefined,
): JsonObject | null {
  const { keywords, dialect } = node;
  const { enum: listed, const: only, not } = keywords;
  if (listed === undefined && only === undefined && not === undefined) return null;
  const { types, isNever } = book.placeOf([node]).view;
  if (isNever) return nothing;
  if (types === everyType) return null;
  const names = typeNamesOf((types & numberTypes) === 0 ? types : types | numberTypes);
  if (dialect !== 'openapi-3.0') {
    const isLeft = (name: Json) => names.some((left) => left === name || areNumbers(left, name));
    const left = written === undefined ? names : [written].flat().filter(isLeft);
    return left.length === 0 ? null : { type: left };
  }
  // It has one type, and no type for null.
  const [type, another] = names.filter((name) => name !== 'null');
  const nullable = names.includes('null') ? { nullable: true } : {};
  if (type !== undefined && another === undefined) {
    return { type: areNumbers(type, written) ? 'integer' : type, ...nullable };
  }
  const values = listed ?? (only === undefined ? [] : [only.value]);
  const isListed = values.length > 0;
  return !isListed || values.some((value) => typeof value === 'object' && value !== null)
    ? null
    : { enum: values };
}

/** Listed integers are numbers to the view, and may be written as integers. */
function areNumbers(left: string, written: Json | undefined): boolean {
  return left === 'number' && written === 'integer';
}

function readProperties(
  projecting: Projecting,
  { keywords, document }: SchemaNode,
  wanted: Wanted,
): JsonObject {
  const { properties, patternProperties = [], additionalProperties: others } = keywords;
  const { unevaluatedProperties: rest } = keywords;
  // A property may be called __proto__.
  const out = new Map<string, Json>();
  const named = wanted.anyKey === null ? [] : (properties?.keys() ?? []);
  for (const key of new Set([...wanted.keys.keys(), ...named])) {
    const own = propertyAt(properties, key, wanted);
    const matching = [...patternProperties].filter(([each]) => matchesKey(document, each, key));
    const known = [...(own === undefined ? [] : [own]), ...matching.map(([, child]) => child)];
    if (known.length === 0 && saysSomething(others)) known.push(others);
    const at = [wanted.keys.get(key), wanted.anyKey].filter((each) => each != null);
    const copied = (child: SchemaNode) =>
      isNever(projecting, child) ? [] : at.map((each) => copySchema(projecting, child, each));
    const copies = known.flatMap(copied);
    if (known.length === 0 && saysSomething(rest)) copies.push(...copied(rest).map(perhaps));
    const [only] = copies;
    if (only !== undefined) out.set(key, copies.length === 1 ? only : { allOf: copies });
  }
  return Object.fromEntries(out);
}

/** Of what another part may have evaluated: it is declared, and nothing is demanded. */
function perhaps(schema: Json): Json {
  return { anyOf: [{}, schema] };
}

function readOthers(
  { keywords }: SchemaNode,
  read: (child: SchemaNode) => Json,
): Readonly<Record<string, Json>> {
  const { patternProperties, additionalProperties, unevaluatedProperties } = keywords;
  const out: Record<string, Json> = {};
  if (patternProperties !== undefined) {
    const entries = Array.from(patternProperties, ([key, child]) => [key, read(child)] as const);
    out.patternProperties = Object.fromEntries(entries);
  }
  if (saysSomething(additionalProperties)) out.additionalProperties = read(additionalProperties);
  else if (saysSomething(unevaluatedProperties)) {
    out.additionalProperties = perhaps(read(unevaluatedProperties));
  }
  return out;
}

function listBounds(raw: JsonObject, dialect: Dialect, items: Wanted): JsonObject {
  if (isBareReference(raw, dialect)) return {};
  const names = ['minItems', 'maxItems', ...(items.isWhole ? ['uniqueItems'] : [])];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = raw[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

function readItems(
  { keywords, dialect }: SchemaNode,
  read: (child: SchemaNode) => Json,
): JsonObject {
  const { prefixItems, items, unevaluatedItems } = keywords;
  const others =
    items === undefined ? unevaluatedItems && perhaps(read(unevaluatedItems)) : read(items);
  if (prefixItems === undefined) return others === undefined ? {} : { items: others };
  const named = prefixItems.map(read);
  const [first, rest] = keywordsOf(dialect).has('prefixItems')
    ? ['prefixItems', 'items']
    : ['items', 'additionalItems'];
  return { [first]: named, ...(others !== undefined && { [rest]: others }) };
}

/** In place of a choice: any of what it may choose. */
function partsOf({ keywords }: SchemaNode, read: (child: SchemaNode) => Json): Json[] {
  const { allOf = [], anyOf, oneOf, dependentSchemas } = keywords;
  const parts = allOf.map((child) => read(child));
  for (const members of [anyOf, oneOf]) {
    if (members !== undefined) parts.push({ anyOf: members.map((child) => read(child)) });
  }
  const branches = [keywords.then, keywords.else].map((child) => child && read(child));
  if (branches.some((each) => each !== undefined)) {
    parts.push({ anyOf: branches.map((each) => each ?? {}) });
  }
  for (const child of dependentSchemas?.values() ?? []) parts.push({ anyOf: [{}, read(child)] });
  return parts.filter((part) => !isIdle(part));
}

/** Something that neither says anything nor declares a field. */
function isIdle(part: Json): boolean {
  if (!isJsonObject(part)) return false;
  const members = part.anyOf;
  if (Array.isArray(members) && Object.keys(part).length === 1) return members.every(isIdle);
  return isEmpty(part);
}

function isEmpty(object: JsonObject): boolean {
  return Object.keys(object).length === 0;
}

function referenceTo(
  projecting: Projecting,
  node: SchemaNode,
  keyword: string,
  copied: Copied,
): string {
  const target = node.keywords.ref;
  const { document, names, targets } = projecting;
  if (keyword !== '$ref' || copied === 'nothing' || target?.document !== document) {
    projecting.isPlain = false;
    return '#';
  }
  const place = JSON.stringify([stepsOf(target), copied === 'whole' || copied.id]);
  const known = names.get(place);
  const name = known ?? `d${names.size + 1}`;
  if (known === undefined) {
    names.set(place, name);
    targets.push({ name, node: target, copied });
  }
  return `#/${definitionsKeyword(document.dialect)}/${name}`;
}

/** A field that the contract does not have is declared as well: the need is then not met. */
function withMissing(schema: Json, wanted: Wanted): Json {
  const missing = missingAt(wanted);
  return missing === null ? schema : { allOf: [schema, missing] };
}

function missingAt(wanted: Wanted): JsonObject | null {
  if (wanted.isWhole) return wanted.isFound ? null : {};
  const known = [...wanted.keys].map(([key, below]) => [key, missingAt(below)] as const);
  const isMissing = known.some(([, missing]) => missing !== null);
  // Where one name is declared, only declared names are sent.
  const properties = known.flatMap(([key, missing]) =>
    missing === null && !(wanted.isSent && isMissing) ? [] : [[key, missing ?? {}] as const],
  );
  const items = wanted.items === null ? null : missingAt(wanted.items);
  const others = wanted.anyKey === null ? null : missingAt(wanted.anyKey);
  const out: JsonObject = {
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(items !== null && { items }),
    // An empty schema would let in no name that it is asked about.
    ...(others !== null && { additionalProperties: isEmpty(others) ? { type: allTypes } : others }),
  };
  return isEmpty(out) ? null : out;
}

const allTypes = ['null', 'boolean', 'number', 'string', 'array', 'object'];

/** False once everything is spent. */
function spend(projecting: Projecting, steps: number): boolean {
  projecting.left -= steps;
  return projecting.left > 0;
}

function asObject(schema: Json): JsonObject {
  return isJsonObject(schema) ? schema : { allOf: [schema] };
}
