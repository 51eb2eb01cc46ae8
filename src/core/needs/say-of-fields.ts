// All that a contract says of some fields, as a text to compare with that of another version. The schema
// of fields (project-fields.ts) leaves out conditions and joins choices; here they stay, together with what
// they look at. docs/decisions/needs.md says why the rest may go.

import { matchesKey } from '../diff/places/key-pattern.ts';
import type { PlaceBook } from '../diff/places/place.types.ts';
import { openReach } from '../diff/places/reach.ts';
import { everyType, type TypeSet, typeSetOf } from '../diff/places/type-set.ts';
import type { Keywords, SchemaDocument, SchemaNode } from '../schema/schema.ts';
import { canonicalJson } from '../value/canonical-json.ts';
import { isJsonObject, type Json } from '../value/json.ts';
import type { Wanted } from './field-path.ts';
import {
  areOfOtherTypes,
  type Copying,
  isTestedChoice,
  openCopying,
  propertyAt,
  readWanted,
} from './project-fields.ts';
import type { ContractSide } from './read-contract.ts';

interface Said {
  readonly text: string;
  /** Whether the schema of the fields says all of it. */
  readonly isExact: boolean;
}

/** Null if it cannot be told apart from the rest. */
export function sayOfFields(
  document: SchemaDocument,
  direction: ContractSide['direction'],
  fields: readonly string[],
): Said | null {
  const wanted = readWanted(fields, { schema: document.json, direction });
  if (!wanted.ok) return null;
  // What is sent is the contract itself, without the fields that are not sent.
  if (direction === 'request') return { text: '', isExact: true };
  const request = direction === 'operation' ? wanted.root.keys.get('request') : undefined;
  if (request !== undefined) request.isSent = true;
  const copying = openCopying(document);
  const saying: Saying = {
    ...{ copying, add: wanted.add, book: copying.book },
    ...{ isExact: true, isKnown: true, entered: new Set<string>(), instances: firstInstance },
    counted: [],
  };
  addTags(saying, [{ node: document.root, instance: always, isTested: false }], wanted.root);
  const root = sayAt(saying, document.root, wanted.root, plainly);
  const definitions = copying.definitions();
  if (definitions === null || !saying.isKnown) return null;
  return { text: canonicalJson([root, definitions, saying.counted]), isExact: saying.isExact };
}

interface Saying {
  readonly copying: Copying;
  readonly add: (at: Wanted, key: string) => Wanted;
  readonly book: PlaceBook;
  /** References that are being followed, with what is wanted there. */
  readonly entered: Set<string>;
  isExact: boolean;
  isKnown: boolean;
  instances: number;
  readonly counted: (readonly string[])[];
}

/** A schema for a place, and the choice or condition that it is a part of. */
interface Reached {
  readonly node: SchemaNode;
  readonly instance: number;
  /** Whether values may be refused because they fit it. */
  readonly isTested: boolean;
  /** The field that it is asked of. */
  readonly key?: string;
}

/** Applies to every value. */
const always = 0;
/** Part of a choice or a condition further up. */
const fromAbove = 1;
const firstInstance = 2;

interface Mentions {
  readonly schemas: Set<string>;
  isDemanded: boolean;
  /** Whether more is asked of values that have it. */
  isAsked: boolean;
  isTested: boolean;
}

/**
 * Adds the fields that decide what holds for those that are wanted. A field may be left out if each value
 * may have it or not, whatever the others are: nothing demands it, or it is described in one way only.
 */
function addTags(saying: Saying, starts: readonly Reached[], at: Wanted): void {
  if (at.isWhole || at.isSent) return;
  const reached = reachedFrom(saying, starts);
  const below: (readonly [Wanted, readonly Reached[]])[] = [...at.keys].map(([key, wanted]) => [
    wanted,
    childrenOf(reached, (node) => {
      const own = propertyAt(node.keywords.properties, key, at);
      const nodes = reach.nodesAtKey({ key: '', nodes: [node] }, key);
      return own === undefined || nodes.includes(own) ? nodes : [own, ...nodes];
    }),
  ]);
  if (at.anyKey !== null) {
    below.push([at.anyKey, childrenOf(reached, anyProperty)]);
  }
  if (at.items !== null) {
    const tested = childrenOf(
      reached,
      ({ keywords: { contains } }) => contains && [contains.schema],
    );
    const own = childrenOf(reached, ({ keywords: { prefixItems = [], items, unevaluatedItems } }) =>
      [...prefixItems, items, unevaluatedItems].filter((node) => node !== undefined),
    );
    below.push([at.items, [...own, ...tested.map((each) => ({ ...each, isTested: true }))]]);
  }
  for (const name of demandingNames(reached, at)) {
    saying.isExact = false;
    saying.add(at, name).isWhole = true;
  }
  for (const name of [...tagsAmong(saying, reached, at), ...listedNames(reached, at)]) {
    if (!at.keys.has(name)) saying.add(at, name).isWhole = true;
  }
  const counted = countedNames(saying, reached, at);
  if (counted.length > 0) {
    saying.counted.push(counted);
    saying.isExact = false;
  }
  for (const [wanted, nodes] of below) addTags(saying, nodes, wanted);
}

/**
 * Required properties whose presence demands a wanted field (`dependentRequired`): with them, each value has that field.
 * The schema of the fields does not mention such a property, because the need does not name it.
 */
function demandingNames(reached: readonly Reached[], at: Wanted): ReadonlySet<string> {
  const along = reached.flatMap(({ node }) => [...(node.keywords.dependentRequired ?? [])]);
  const found = new Set<string>();
  if (at.anyKey !== null || along.length === 0) return found;
  const demanded = new Set([
    ...reached.flatMap(({ node }) => node.keywords.required ?? []),
    ...along.flatMap(([, names]) => names),
  ]);
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const [key, names] of along) {
      const isOpen = demanded.has(key) && !at.keys.has(key);
      if (isOpen && names.some((name) => at.keys.has(name) || found.has(name))) found.add(key);
    }
  }
  return found;
}

const reach = openReach(() => false, 'most');

/** The fields of listed objects: what is said of one of them may refuse the object, with what it says of the others. */
function listedNames(reached: readonly Reached[], at: Wanted): ReadonlySet<string> {
  if (at.keys.size === 0 && at.anyKey === null) return new Set();
  const listed = reached.flatMap(({ node: { keywords } }) => [
    ...(keywords.enum ?? []),
    ...(keywords.const === undefined ? [] : [keywords.const.value]),
  ]);
  return new Set(listed.filter(isJsonObject).flatMap(Object.keys));
}

/**
 * The names of all possible properties, if `minProperties` demands all of them. Then each value has the wanted fields.
 */
function countedNames(
  { book }: Saying,
  reached: readonly Reached[],
  { keys }: Wanted,
): readonly string[] {
  const said = reached.map(({ node }) => node.keywords);
  const least = Math.max(0, ...said.map(({ minProperties = 0 }) => minProperties));
  if (keys.size === 0 || least === 0) return [];
  const all = new Set(said.flatMap(({ properties }) => [...(properties?.keys() ?? [])]));
  const nodesAt = (name: string) => said.flatMap(({ properties }) => properties?.get(name) ?? []);
  const names = [...all].filter((name) => !book.placeOf(nodesAt(name)).view.isNever);
  return least >= names.length ? names.sort() : [];
}

function anyProperty({ keywords }: SchemaNode): readonly SchemaNode[] {
  const { properties, patternProperties, additionalProperties, unevaluatedProperties } = keywords;
  const named = [properties, patternProperties].flatMap((map) => [...(map?.values() ?? [])]);
  return [...named, additionalProperties, unevaluatedProperties].filter(
    (each) => each !== undefined,
  );
}

function childrenOf(
  reached: readonly Reached[],
  children: (node: SchemaNode) => readonly SchemaNode[] | undefined,
): readonly Reached[] {
  return reached.flatMap(({ node, instance, isTested }) =>
    (children(node) ?? []).map((child) => ({
      ...{ node: child, isTested, instance: instance === always ? always : fromAbove },
    })),
  );
}

/** Names that stand in one choice or condition with something wanted, and that decide about it. */
function tagsAmong({ book }: Saying, reached: readonly Reached[], at: Wanted): ReadonlySet<string> {
  const kept = new Set(at.keys.keys());
  const namesOf = new Map<number, Set<string>>();
  for (const { node, instance, key } of reached) {
    if (instance === always) continue;
    const names = namesOf.get(instance) ?? new Set();
    namesOf.set(instance, names);
    for (const name of namesIn(node.keywords)) names.add(name);
    if (key !== undefined) names.add(key);
  }
  if (namesOf.size === 0) return kept;
  const branches = reached.filter(({ instance }) => instance !== always);
  const mentioned = new Map([...namesOf.values()].flatMap((names) => [...names].map(newMentions)));
  for (const { node, isTested } of reached) {
    const { properties, required = [], dependentRequired, dependentSchemas } = node.keywords;
    for (const name of namesIn(node.keywords)) {
      const known = mentioned.get(name);
      if (known === undefined) continue;
      const child = properties?.get(name);
      if (child !== undefined) known.schemas.add(canonicalJson(child.raw));
      // What nothing fits refuses all values that have it.
      if (child !== undefined && book.placeOf([child]).view.isNever) known.schemas.add('nothing');
      known.isTested ||= isTested;
      known.isDemanded ||= required.includes(name);
      known.isAsked ||=
        dependentRequired?.has(name) === true || dependentSchemas?.has(name) === true;
    }
    for (const name of [...(dependentRequired?.values() ?? [])].flat()) {
      const known = mentioned.get(name);
      if (known !== undefined) known.isDemanded = true;
    }
  }
  const has = (some: readonly Reached[], names: readonly (keyof Keywords)[]) =>
    some.some(({ node: { keywords } }) => hasSome(keywords, names));
  const isStrict = has(branches, strictKeywords) || has(reached, namingKeywords);
  /** Whether values can never have this property, because a schema allows only other names. */
  const isShut = (name: string, isDescribed: boolean) =>
    reached.some(({ node: { keywords } }) =>
      keywords.additionalProperties === undefined
        ? keywords.unevaluatedProperties !== undefined && !isDescribed
        : keywords.properties?.has(name) !== true,
    );
  const isTag = (name: string): boolean => {
    const mentions = mentioned.get(name);
    if (mentions === undefined) return false;
    const { schemas, isDemanded, isAsked, isTested } = mentions;
    const isFree = schemas.size <= 1 && !isShut(name, schemas.size > 0);
    return isTested || (isDemanded && (isStrict || isAsked || !isFree));
  };
  const whole = new Set([fromAbove]);
  for (const { node, instance } of branches) {
    if (hasSome(node.keywords, wholeKeywords)) whole.add(instance);
  }
  for (let size = -1; size !== kept.size; ) {
    size = kept.size;
    for (const [instance, names] of namesOf) {
      const isAll = at.anyKey !== null || whole.has(instance);
      if (!isAll && ![...names].some((name) => kept.has(name))) continue;
      for (const name of names) if (isTag(name)) kept.add(name);
    }
  }
  return kept;
}

function namesIn(keywords: Keywords): ReadonlySet<string> {
  const { properties, required, dependentRequired, dependentSchemas } = keywords;
  const maps = [properties, dependentRequired, dependentSchemas];
  const names = maps.flatMap((map) => [...(map?.keys() ?? [])]);
  return new Set([
    ...names,
    ...(required ?? []),
    ...[...(dependentRequired?.values() ?? [])].flat(),
  ]);
}

function hasSome(keywords: Keywords, names: readonly (keyof Keywords)[]): boolean {
  return names.some((name) => keywords[name] !== undefined);
}

function newMentions(name: string): readonly [string, Mentions] {
  return [name, { schemas: new Set(), isDemanded: false, isAsked: false, isTested: false }];
}

/** These may forbid a field that something else demands. */
const namingKeywords = ['patternProperties', 'propertyNames', 'maxProperties'] as const;
const strictKeywords = [
  ...namingKeywords,
  ...(['additionalProperties', 'unevaluatedProperties'] as const),
];
/** These speak of fields without their names. */
const wholeKeywords = [
  ...(['patternProperties', 'propertyNames', 'minProperties', 'maxProperties'] as const),
  ...(['enum', 'const'] as const),
];

function reachedFrom(saying: Saying, starts: readonly Reached[]): readonly Reached[] {
  const seen = new Map<string, Reached>();
  const waiting = [...starts];
  for (let each = waiting.pop(); each !== undefined; each = waiting.pop()) {
    const { node, isTested } = each;
    const key = `${node.id} ${each.instance} ${isTested}`;
    if (seen.has(key)) continue;
    if (!saying.copying.spend()) break;
    seen.set(key, each);
    const { keywords } = node;
    const { anyOf = [], oneOf = [], not, if: condition } = keywords;
    const enter = (node: SchemaNode | undefined, more: Partial<Reached> = {}): void => {
      if (node !== undefined) waiting.push({ instance: each.instance, isTested, ...more, node });
    };
    enter(keywords.ref);
    for (const child of keywords.allOf ?? []) enter(child);
    /** What makes one choice, or one condition with what follows. */
    const apply = (children: readonly (SchemaNode | undefined)[], more: Partial<Reached> = {}) => {
      const instance = each.instance === always ? saying.instances : each.instance;
      for (const child of children) enter(child, { instance, ...more });
    };
    apply(anyOf);
    saying.instances++;
    apply(oneOf, { isTested: isTested || isTestedChoice(saying.book, oneOf) });
    saying.instances++;
    apply([not], { isTested: true });
    saying.instances++;
    apply([condition], { isTested: true });
    apply([keywords.then, keywords.else]);
    for (const [key, child] of keywords.dependentSchemas ?? []) {
      saying.instances++;
      apply([child], { key });
    }
    saying.instances++;
  }
  return [...seen.values()];
}

/** Where a schema stands whose words are said. */
interface Standing {
  /** Whether values may be refused because they fit it. */
  readonly isTested: boolean;
  /** Whether it holds for some values only, so that the schema of the fields does not have its types. */
  readonly isPartial: boolean;
  /** The types that values have there, as far as is known. */
  readonly types: TypeSet;
}

const plainly: Standing = { isTested: false, isPartial: false, types: everyType };
const partly: Standing = { ...plainly, isPartial: true };
const tested: Standing = { ...partly, isTested: true };

function sayAt(saying: Saying, node: SchemaNode, at: Wanted, standing: Standing): Json {
  if (at.isSent || !saying.copying.spend()) return {};
  if (at.isWhole) return saying.copying.copy(node);
  if (typeof node.raw === 'boolean') return node.raw;
  // Whether a list may stand in the place of an object, or an object in that of a list.
  if (standing.isTested && saysOfOthers(node.keywords, at)) {
    saying.isExact = false;
    return saying.copying.copy(node);
  }
  const out: Record<string, Json> = {};
  for (const name of Object.keys(node.keywords).sort()) {
    const said = sayKeyword(saying, node, { name: name as keyof Keywords, at, standing });
    if (said !== undefined) out[name] = said;
  }
  return out;
}

function saysOfOthers(keywords: Keywords, { keys, anyKey, items }: Wanted): boolean {
  const hasFields = keys.size > 0 || anyKey !== null;
  return hasFields ? items === null && hasSome(keywords, ofItems) : hasSome(keywords, ofFields);
}

const ofItems = ['prefixItems', 'items', 'unevaluatedItems', 'contains'] as const;
const ofFields = [
  ...(['properties', 'patternProperties', 'additionalProperties', 'propertyNames'] as const),
  ...(['unevaluatedProperties', 'required', 'dependentRequired', 'dependentSchemas'] as const),
];

interface Asked {
  readonly name: keyof Keywords;
  readonly at: Wanted;
  readonly standing: Standing;
}

function sayKeyword(saying: Saying, node: SchemaNode, asked: Asked): Json | undefined {
  const { keywords, document } = node;
  const { name, at, standing } = asked;
  const { isTested } = standing;
  const { keys, anyKey, items } = at;
  const entering = (from: Standing): Standing => ({
    ...(isTested ? standing : from),
    types: saying.book.placeOf([node]).view.types,
  });
  const say = (child: SchemaNode, from = standing) =>
    sayAt(saying, child, at, from === standing ? from : entering(from));
  const below = { ...standing, types: everyType };
  const inexact = (said: Json | undefined): Json | undefined => {
    if (said !== undefined) saying.isExact = false;
    return said;
  };
  const ofKeys = (child: SchemaNode, isMeant: (key: string) => boolean): Json | undefined => {
    if (typeof child.raw === 'boolean' && name !== 'properties') return child.raw;
    const meant = [...keys].filter(([key]) => isMeant(key)).map(([, wanted]) => wanted);
    const all = anyKey === null ? meant : [...meant, anyKey];
    return all.length === 0 ? undefined : all.map((each) => sayAt(saying, child, each, below));
  };
  const ofMap = (
    map: ReadonlyMap<string, SchemaNode>,
    sayEach: (child: SchemaNode, key: string) => Json | undefined,
  ): Json | undefined => {
    const said = [...map].map(([key, child]): [string, Json | undefined] => [
      key,
      sayEach(child, key),
    ]);
    const kept = said.filter((entry): entry is [string, Json] => entry[1] !== undefined);
    return kept.length === 0 ? undefined : Object.fromEntries(kept);
  };
  const ofItems = (child: SchemaNode, wanted: Wanted): Json => sayAt(saying, child, wanted, below);
  const unlessIdle = (said: Json, from = standing): Json | undefined =>
    isIdle(said, from) ? undefined : said;
  switch (name) {
    case 'properties': {
      const named = keywords.properties ?? new Map<string, SchemaNode>();
      // A contract may have thousands of properties, and a need names few of them.
      const meant = anyKey === null ? [...keys.keys()] : [...named.keys()];
      const children = meant.map((key) => [key, propertyAt(named, key, at)] as const);
      const present = children.filter((entry): entry is [string, SchemaNode] => entry[1] != null);
      return ofMap(new Map(present), (child, key) => ofKeys(child, (each) => each === key));
    }
    case 'patternProperties':
      return ofMap(keywords.patternProperties ?? new Map(), (child, pattern) =>
        ofKeys(child, (key) => matchesKey(document, pattern, key)),
      );
    case 'additionalProperties': {
      const patterns = [...(keywords.patternProperties?.keys() ?? [])];
      const isNamed = (key: string) =>
        keywords.properties?.has(key) === true ||
        patterns.some((pattern) => matchesKey(document, pattern, key));
      return keywords[name] && ofKeys(keywords[name], (key) => !isNamed(key));
    }
    case 'unevaluatedProperties': {
      const said = keywords[name] && ofKeys(keywords[name], () => true);
      return typeof said === 'boolean' ? said : inexact(said);
    }
    case 'required': {
      const kept = keywords.required?.filter((key) => anyKey !== null || keys.has(key)) ?? [];
      return kept.length === 0 ? undefined : kept.toSorted();
    }
    case 'prefixItems':
      return items === null
        ? undefined
        : keywords.prefixItems?.map((child) => ofItems(child, items));
    case 'items':
      return items === null ? undefined : keywords.items && ofItems(keywords.items, items);
    case 'unevaluatedItems': {
      const child = keywords.unevaluatedItems;
      if (child === undefined || items === null) return undefined;
      return typeof child.raw === 'boolean' ? child.raw : inexact(ofItems(child, items));
    }
    case 'contains': {
      const { contains } = keywords;
      if (contains === undefined || items === null) return undefined;
      const { min, max } = contains;
      return inexact([sayAt(saying, contains.schema, items, tested), `${min} to ${max}`]);
    }
    case 'allOf': {
      const said = keywords.allOf?.map((child) => say(child)) ?? [];
      const kept = said.filter((each) => !isIdle(each, standing));
      return kept.length === 0 ? undefined : kept;
    }
    case 'anyOf':
    case 'oneOf': {
      const members = keywords[name] ?? [];
      const from = name === 'oneOf' && isTestedChoice(saying.book, members) ? tested : standing;
      const said = members.map((member) => say(member, from));
      if (said.every((each) => isIdle(each, from))) return undefined;
      return areOfOtherTypes(saying.book, members) ? said : inexact(said);
    }
    case 'not':
      return keywords.not && inexact(unlessIdle(say(keywords.not, tested), tested));
    case 'if': {
      const followers = [keywords.then, keywords.else].filter((child) => child !== undefined);
      const isMeant = followers.some((child) => !isIdle(say(child, partly), partly));
      return isMeant && keywords.if ? inexact(say(keywords.if, tested)) : undefined;
    }
    case 'then':
    case 'else':
      return keywords[name] && inexact(unlessIdle(say(keywords[name], partly), partly));
    case 'dependentSchemas':
      return inexact(
        ofMap(keywords.dependentSchemas ?? new Map(), (child) =>
          unlessIdle(say(child, partly), partly),
        ),
      );
    case 'ref': {
      const target = keywords.ref;
      if (target === undefined) return undefined;
      const key = `${target.id} ${at.id}`;
      if (saying.entered.has(key)) return 'itself';
      saying.entered.add(key);
      const said = unlessIdle(say(target));
      saying.entered.delete(key);
      return said;
    }
    case 'enum':
    case 'const': {
      const values = name === 'enum' ? (keywords.enum ?? []) : [keywords.const?.value ?? null];
      const hasParts = values.some((value) => typeof value === 'object' && value !== null);
      return hasParts ? inexact(values) : values;
    }
    case 'propertyNames':
      return keywords[name] && inexact(saying.copying.copy(keywords[name]));
    case 'minProperties':
    case 'maxProperties':
      return inexact(keywords[name]);
    case 'dependentRequired': {
      const isMeant = (names: readonly string[]) => names.some((each) => keys.has(each));
      const along = [...(keywords.dependentRequired ?? [])];
      const kept = isTested ? along : along.filter(([, names]) => isMeant(names));
      return kept.length === 0 ? undefined : Object.fromEntries(kept);
    }
    case 'dynamicRef':
    case 'problems':
      saying.isKnown = false;
      return undefined;
    case 'types': {
      // Generators repeat the type beside `required`, where it adds nothing.
      const isSaidAgain = (standing.types & ~typeSetOf(keywords.types ?? [])) === 0;
      return isSaidAgain && (keywords.required ?? []).length > 0 ? undefined : keywords.types;
    }
    case 'isFalse':
      return keywords[name];
    case 'minItems':
    case 'maxItems':
    case 'uniqueItems':
      // What holds in some values only is not in the schema of the fields.
      return isTested || items !== null ? keywords[name] : undefined;
    default:
      // Of values without fields.
      return isTested ? keywords[name] : undefined;
  }
}

/** Something that says nothing of fields or items. The types of some values alone say whether these have fields. */
function isIdle(said: Json, standing: Standing): boolean {
  if (Array.isArray(said)) return said.every((each) => isIdle(each, standing));
  if (!isJsonObject(said)) return false;
  return Object.entries(said).every(([name, value]) => {
    if (name === 'types') return !standing.isPartial;
    return name === 'isIdle' || (inPlace.has(name) && isIdle(value, standing));
  });
}

const inPlace = new Set(['ref', 'allOf', 'anyOf', 'oneOf']);
