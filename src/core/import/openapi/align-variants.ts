// Variants that a discriminator tells apart, on the two sides of a comparison: contracts of earlier releases do
// not say them, one side may have more of them, and a mapping may have changed.

import { isSameJson } from '../../value/canonical-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { arrayAt, memberOf, objectAt, textAt } from '../read-json.ts';
import { byPointer } from './by-pointer.ts';
import { pointerTokens, toPointer } from './openapi-document.ts';
import {
  discriminatorIn,
  fitting,
  hasDiscriminator,
  mappingIn,
  ownTags,
  propertiesIn,
  propertyOf,
  refIn,
  schemasOf,
  tagged,
  withoutDiscriminator,
  withVariants,
} from './variants.ts';
import type { Aligned } from './written-members.ts';

/**
 * Says the variants of both sides in the same way.
 *
 * - Both sides list their variants.
 * - Who reads a base takes a tag that only the next side knows for the base, and nobody has sent it yet.
 * - If mappings changed, the schemas behind the values of each are compared, whatever their names are.
 */
export function alignVariants<Old extends Aligned, Next extends Aligned>(
  old: Old,
  next: Next,
): readonly [Old, Next] {
  if (!mayDiscriminate(next.schema)) return [old, next];
  const [was, is] = [old.schema, next.schema].map((schema) =>
    isJsonObject(schema) ? withVariants(byPointer(schema)) : schema,
  ) as [Json, Json];
  const [before, after] = withTags(was, is);
  const [first, sent] = withFirstVariants(before, after, old.hasUnreadVariants === true);
  const read = withNewTags(first, after);
  return [
    read === old.schema ? old : { ...old, schema: read },
    sent === next.schema ? next : { ...next, schema: sent },
  ];
}

/** Most definitions are shared by the operations of a document, and a variant may stand without its base. */
function mayDiscriminate(schema: Json): boolean {
  const shared = Object.entries(objectAt(schema, '$defs') ?? {});
  const isVaried = shared.some(([name, each]) => name.endsWith('/base') || hasDiscriminator(each));
  return isVaried || hasDiscriminator(objectAt(schema, 'properties') ?? {});
}

/** A union as `withVariants` writes it. */
interface Union {
  readonly property: string;
  /** The values of the property, by the reference to each variant. */
  readonly tags: ReadonlyMap<string, readonly Json[]>;
}

function unionIn(definition: Json | undefined): Union | null {
  const property = textAt(objectAt(definition, 'discriminator'), 'propertyName');
  const members = arrayAt(definition, 'anyOf') ?? [];
  if (property === undefined || members.length === 0) return null;
  const tags = members.flatMap((member) => {
    const values = arrayAt(objectAt(objectAt(member, 'properties'), property), 'enum');
    const ref = textAt(arrayAt(member, 'allOf')?.[0], '$ref');
    return values === undefined || ref === undefined ? [] : [[ref, values] as const];
  });
  return tags.length === 0 ? null : { property, tags: new Map(tags) };
}

/**
 * Who reads a base takes a tag for the base if only the next side has it. So what the owner writes refers to
 * definitions of its own on the old side. If a tag is gone at the same time, that is another name for a variant.
 */
function withNewTags(old: Json, next: Json): Json {
  const others = objectAt(next, '$defs') ?? {};
  const read = Object.entries(objectAt(old, '$defs') ?? {}).flatMap(([name, definition]) => {
    const [was, is] = [unionIn(definition), unionIn(others[name])];
    if (was === null || is === null) return [];
    const [known, stated] = [tagsOf(was), tagsOf(is)];
    const added = stated.filter((tag) => !known.includes(tag));
    const isGone = known.some((tag) => !stated.includes(tag));
    if (
      added.length === 0 ||
      isGone ||
      memberOf(objectAt(old, '$defs'), baseOf(name)) === undefined
    )
      return [];
    const members = arrayAt(definition, 'anyOf') ?? [];
    const base = tagged([{ $ref: refTo(baseOf(name)) }], was.property, added);
    return [[name, { ...(definition as JsonObject), anyOf: [...members, base] }] as const];
  });
  return withCopies(old, 'read', (member) => owned.has(member), new Map(read));
}

/**
 * A base that had no variants. Its discriminator counts only if it names another property: any value of that property
 * was one of the base. If its variants were not read, nothing is known of what callers sent, so that is compared without
 * them.
 */
function withFirstVariants(old: Json, next: Json, isUnread: boolean): readonly [Json, Json] {
  const definitions = objectAt(old, '$defs') ?? {};
  const before = new Map<string, JsonObject>();
  const after = new Map<string, JsonObject>();
  for (const [name, definition] of Object.entries(objectAt(next, '$defs') ?? {})) {
    const [was, is] = [objectAt(definitions, name), unionIn(definition)];
    if (was === undefined || is === null || unionIn(was) !== null || !isOfFamily(was)) continue;
    const stated = propertyOf(discriminatorIn(was) ?? {});
    const isSame = stated === undefined || stated === is.property;
    before.set(name, isSame ? withoutDiscriminator(was) : was);
    after.set(name, { allOf: [{ $ref: refTo(baseOf(name)) }], 'x-variants': tagsOf(is) });
  }
  if (before.size === 0 || !isJsonObject(old)) return [old, next];
  return [
    { ...old, $defs: { ...definitions, ...Object.fromEntries(before) } },
    isUnread ? withCopies(next, 'sent', (member) => !owned.has(member), after) : next,
  ];
}

/** Whether a schema is a base, or a variant of one. */
function isOfFamily(schema: JsonObject): boolean {
  const refs = (arrayAt(schema, 'allOf') ?? []).map((part) => textAt(part, '$ref'));
  return discriminatorIn(schema) !== undefined || refs.some((ref) => ref?.endsWith('~1base'));
}

function tagsOf({ tags }: Union): readonly Json[] {
  return [...tags.values()].flat();
}

function baseOf(name: string): string {
  return `${name}/base`;
}

function refTo(name: string): string {
  return toPointer(['$defs', name]);
}

/** The members that the owner writes. Callers write the others. */
const owned: ReadonlySet<string> = new Set(['response', 'responses', 'callbacks']);

/** The schema, in which some members have definitions of their own. */
function withCopies(
  schema: Json,
  stem: string,
  isOwn: (member: string) => boolean,
  definitions: ReadonlyMap<string, JsonObject>,
): Json {
  if (definitions.size === 0 || !isJsonObject(schema)) return schema;
  const shared = objectAt(schema, '$defs') ?? {};
  const prefix = freePrefix(stem, Object.keys(shared));
  const copies = Object.entries(shared).map(([name, definition]) => [
    `${prefix}/${name}`,
    referringTo(prefix, definitions.get(name) ?? definition),
  ]);
  const members = Object.entries(objectAt(schema, 'properties') ?? {}).map(([name, member]) => [
    name,
    isOwn(name) ? referringTo(prefix, member) : member,
  ]);
  return {
    ...schema,
    properties: Object.fromEntries(members),
    $defs: { ...shared, ...Object.fromEntries(copies) },
  };
}

/** One that no definition has. */
function freePrefix(stem: string, names: readonly string[]): string {
  let prefix = stem;
  while (names.some((name) => name.startsWith(`${prefix}/`))) prefix = `${prefix}-${stem}`;
  return prefix;
}

const definitionRef = '#/$defs/';

function referringTo(prefix: string, value: Json): Json {
  if (Array.isArray(value)) return value.map((each) => referringTo(prefix, each));
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([key, member]) => {
    const isRef = key === '$ref' && typeof member === 'string' && member.startsWith(definitionRef);
    const rest = isRef ? member.slice(definitionRef.length) : '';
    return [key, isRef ? `${definitionRef}${prefix}~1${rest}` : referringTo(prefix, member)];
  });
  return Object.fromEntries(members);
}

/**
 * Names the members of listed unions by the values that lead to them, on both sides, if what they lead to changed: by
 * the mapping, or by the names of the schemas if no side has one. A side without a mapping beside one that has one is named
 * as far as the other one gives its names to other schemas.
 */
function withTags(old: Json, next: Json): readonly [Json, Json] {
  const [was, is] = [listedIn(old), listedIn(next)];
  const known = new Map(
    [...was].flatMap(([property, before]) => {
      const after = is.get(property);
      if (after === undefined) return [];
      const [first, second] = [tagsIn(before), tagsIn(after)];
      const isBoth = first.length > 0 && second.length > 0;
      const isRenamed = namesAny(old, second) || namesAny(next, first);
      const isNeither = first.length + second.length === 0;
      const refs = [...before.refs, ...after.refs];
      const tags = isNeither ? refs.map(nameOf) : [...first, ...second];
      const isAlike = isSameJson(before.mappings, after.mappings);
      // A tag that was added to one side would hide that it is gone from the schema there.
      const isSaid =
        isAlike && (saysTags(old, before, property) || saysTags(next, after, property));
      if (isSaid) return [];
      return isBoth || isRenamed || isNeither ? [[property, new Set(tags)] as const] : [];
    }),
  );
  if (known.size === 0 || !isChanged(old, next, was, is)) return [old, next];
  return [taggedWithin(old, known), taggedWithin(next, known)];
}

/** Whether a member of the unions says itself which values its tag may have. */
function saysTags(side: Json, { refs }: Listed, property: string): boolean {
  if (!isJsonObject(side)) return false;
  const schemas = schemasOf(side);
  return [...refs].some(
    (ref) => ownTags(schemas, { allOf: [{ $ref: ref }] }, property, new Set()).length > 0,
  );
}

/** What listed unions say that have the same property. */
interface Listed {
  readonly mappings: readonly JsonObject[];
  readonly refs: ReadonlySet<string>;
}

type ListedUnions = ReadonlyMap<string, Listed>;

function tagsIn({ mappings }: Listed): readonly string[] {
  return mappings.flatMap((mapping) => Object.keys(mapping));
}

function nameOf(ref: string): string {
  return pointerTokens(ref)?.at(-1) ?? '';
}

/** Whether one of the values is the name of a schema. */
function namesAny(schema: Json, values: readonly string[]): boolean {
  const definitions = objectAt(schema, '$defs') ?? {};
  return values.some((value) => Object.hasOwn(definitions, value));
}

/** Whether a mapping changed, or a definition that a member of a union leads to. */
function isChanged(old: Json, next: Json, was: ListedUnions, is: ListedUnions): boolean {
  const mappings = [was, is].map((side) => [...side.values()].flatMap((each) => each.mappings));
  if (!isSameJson(mappings[0] ?? [], mappings[1] ?? [])) return true;
  const reached = new Set([...was.values()].flatMap(({ refs }) => [...refs].map(nameOf)));
  for (const name of reached) {
    const definition = memberOf(objectAt(old, '$defs'), name) ?? null;
    if (!isSameJson(definition, memberOf(objectAt(next, '$defs'), name) ?? null)) return true;
    for (const ref of refsWithin(definition)) reached.add(nameOf(ref));
  }
  return false;
}

function refsWithin(value: Json): readonly string[] {
  const found: string[] = [];
  const pending: Json[] = [value];
  for (let each = pending.pop(); each !== undefined; each = pending.pop()) {
    if (typeof each !== 'object' || each === null) continue;
    const ref = isJsonObject(each) ? textAt(each, '$ref') : undefined;
    if (ref !== undefined) found.push(ref);
    pending.push(...(Object.values(each) as Json[]));
  }
  return found;
}

function listedIn(schema: Json): ListedUnions {
  const found = new Map<string, { mappings: JsonObject[]; refs: Set<string> }>();
  const pending: Json[] = [schema];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const property = isJsonObject(value) ? listedBy(value) : undefined;
    if (property !== undefined) {
      const listed = found.get(property) ?? { mappings: [], refs: new Set() };
      const mapping = objectAt(objectAt(value, 'discriminator'), 'mapping');
      if (mapping !== undefined) listed.mappings.push(mapping);
      for (const member of [
        ...(arrayAt(value, 'oneOf') ?? []),
        ...(arrayAt(value, 'anyOf') ?? []),
      ]) {
        for (const ref of refsWithin(member)) listed.refs.add(ref);
      }
      found.set(property, listed);
    }
    pending.push(...(Object.values(value) as Json[]));
  }
  return found;
}

/** The property that tells the members of a union apart. */
function listedBy(schema: JsonObject): string | undefined {
  const stated = objectAt(schema, 'discriminator');
  if (stated === undefined || unionIn(schema) !== null) return undefined;
  const isListed = arrayAt(schema, 'oneOf') !== undefined || arrayAt(schema, 'anyOf') !== undefined;
  return isListed ? textAt(stated, 'propertyName') : undefined;
}

/** A reference in an `allOf` of its own. */
function isWrapped(schema: Json): boolean {
  return (
    isJsonObject(schema) &&
    Object.keys(schema).length === 1 &&
    arrayAt(schema, 'allOf')?.length === 1
  );
}

/** A variant that has variants itself takes their tags alone. */
function takesTag(definition: Json | undefined, property: string, tag: Json): boolean {
  const union = unionIn(definition);
  return union === null || union.property !== property || tagsOf(union).includes(tag);
}

/** With the values that the mappings of either side know, by the property. */
function taggedWithin(root: Json, known: ReadonlyMap<string, ReadonlySet<string>>): Json {
  if (!isJsonObject(root)) return root;
  const schemas = schemasOf(root);
  const within = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(within);
    if (!isJsonObject(value)) return value;
    const property = listedBy(value);
    const members = Object.entries(value).map(([key, member]): readonly [string, Json] => {
      const isUnion = key === 'oneOf' || key === 'anyOf';
      const list = isUnion && Array.isArray(member) ? member : null;
      if (list === null || property === undefined || !known.has(property)) {
        return [key, within(member)];
      }
      const tags = mappingIn(schemas, value, ['$defs']);
      return [key, list.map((each) => named(each, property, tags))];
    });
    return Object.fromEntries(members);
  };
  const named = (member: Json, property: string, tags: ReadonlyMap<string, string>): Json => {
    const ref = refIn(
      schemas,
      isWrapped(member) ? (arrayAt(member, 'allOf')?.[0] ?? null) : member,
    );
    const mapped = [...tags].flatMap(([tag, target]) => (target === ref ? [tag] : []));
    const name = nameOf(ref ?? '');
    const isNamed = tags.size === 0 && known.get(property)?.has(name) === true;
    const values = isNamed ? [name] : mapped;
    const own = isJsonObject(member)
      ? ownTags(schemas, { allOf: [member] }, property, new Set())
      : [];
    const roots = isJsonObject(member) ? [member] : [];
    const fit = fitting(values, propertiesIn(schemas, roots, property)).filter((value) =>
      takesTag(schemas.get(ref ?? '')?.schema, property, value),
    );
    return fit.length === 0 || own.length > 0 ? within(member) : tagged([member], property, fit);
  };
  return within(root);
}
