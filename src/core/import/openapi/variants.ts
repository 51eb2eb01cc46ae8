// The variants of a schema with a `discriminator` that no `oneOf` lists: schemas that have the base in their
// `allOf`, or that the `mapping` names. Nothing refers to them, so they are written as what they are: a union of
// the variants, each with the values that its tag may have (docs/decisions/openapi.md).

import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { arrayAt, memberOf, objectAt, textAt } from '../read-json.ts';
import { findByTokens, pointerTokens, toPointer } from './openapi-document.ts';

/** A schema that has a name in the document. */
interface Named {
  readonly holder: readonly string[];
  readonly name: string;
  readonly schema: JsonObject;
}

/** By the reference to it. */
type Schemas = ReadonlyMap<string, Named>;

/**
 * Writes the variants of each base into the document. A contract is such a document, too: what an earlier release
 * imported gets the variants that its mappings name.
 *
 * @example withVariants(document).components.schemas.Pet.anyOf[0] // { allOf: [{ $ref: '#/components/schemas/Cat' }], properties: { kind: { enum: ['cat'] } } }
 */
export function withVariants(document: JsonObject): JsonObject {
  if (!hasDiscriminator(document)) return document;
  // In OpenAPI 3.0, nothing stands beside a reference.
  const is30 = textAt(document, 'openapi')?.startsWith('3.0') === true;
  const schemas = withoutAliases(schemasOf(document), is30);
  const family = familyOf(schemas, is30);
  const unions = [...schemas.keys()].flatMap((ref) => unionsOf(schemas, family, ref));
  const plainRefs = new Map(unions.map(({ ref }) => [ref, plainRefOf(schemas, ref)]));
  const cuts = cutsOf(schemas, unions);
  const written = new Map(unions.map((each) => [each.ref, unionSchema(schemas, each, plainRefs)]));
  for (const [ref, { schema }] of schemas) {
    const plain = plainRefs.get(ref);
    const cut = [...(cuts.get(ref) ?? [])].map(
      (base) => [base, plainRefs.get(base) ?? base] as const,
    );
    if (plain === undefined && cut.length === 0) continue;
    const own = plain === undefined ? schema : withoutDiscriminator(schema);
    written.set(plain ?? ref, withRefsInPlace(schemas, own, new Map(cut)));
  }
  return withInlineVariants(withSchemas(document, written));
}

/** Schemas without a name, whose mapping leads to their variants. */
function withInlineVariants(document: JsonObject): JsonObject {
  const schemas = schemasOf(document);
  const roots = new Set<Json>([...schemas.values()].map(({ schema }) => schema));
  const visit = (value: Json, isNamed: boolean): Json => {
    if (Array.isArray(value))
      return kept(
        value,
        value.map((each) => visit(each, isNamed)),
      );
    if (!isJsonObject(value)) return value;
    const isRoot = roots.has(value);
    const entries = Object.entries(value).map(([key, member]): readonly [string, Json] => [
      key,
      visit(member, (isNamed || isRoot) && inPlace.includes(key)),
    ]);
    const isChanged = entries.some(([key, member]) => value[key] !== member);
    const own = isChanged ? Object.fromEntries(entries) : value;
    return isNamed || isRoot ? own : inlineUnion(schemas, own);
  };
  return visit(document, false) as JsonObject;
}

function kept(before: readonly Json[], after: readonly Json[]): readonly Json[] {
  return after.some((each, index) => each !== before[index]) ? after : before;
}

function inlineUnion(schemas: Schemas, schema: JsonObject): JsonObject {
  const property = propertyOf(schema);
  if (property === undefined) return schema;
  const holder = ['components', 'schemas'];
  const mapping = mappingIn(schemas, schema, holder);
  const fallback = fallbackOf(schemas, schema, holder);
  const variants = new Set([...mapping.values(), ...(fallback === undefined ? [] : [fallback])]);
  if (variants.size === 0 || listsAny(schemas, schema, variants)) return schema;
  const byVariant = Map.groupBy(mapping, ([, ref]) => ref);
  const tags = new Map(
    [...byVariant].map(([ref, entries]) => {
      const mapped = entries.map(([tag]) => tag);
      const own = ownTags(schemas, schemas.get(ref)?.schema ?? {}, property, new Set());
      const known = propertiesIn(schemas, [ref, schema], property);
      return [ref, fitting(tagsFrom(mapped, own, ''), known)];
    }),
  );
  const partsOf = (ref: string) => [{ $ref: ref }, bare(schema)];
  return {
    discriminator: statedOf(schema, property),
    anyOf: [...variantsOf({ property, tags, fallback }, partsOf), ...noValue(schema, bare(schema))],
  };
}

/** Each variant with its tags, and what all other tags lead to. */
function variantsOf(
  { property, tags, fallback }: Omit<Union, 'ref'>,
  partsOf: (variant: string) => readonly Json[],
): readonly JsonObject[] {
  const variants = [...tags].map(([variant, values]) => tagged(partsOf(variant), property, values));
  const known = [...tags.values()];
  if (fallback === undefined || known.some((values) => values.length === 0)) return variants;
  const others = { not: { enum: known.flat() } };
  const properties = known.length === 0 ? {} : { properties: { [property]: others } };
  return [...variants, { allOf: partsOf(fallback), ...properties }];
}

/** With any tag, if none is known. */
export function tagged(
  parts: readonly Json[],
  property: string,
  tags: readonly Json[],
): JsonObject {
  if (tags.length === 0) return { allOf: parts };
  return { allOf: parts, properties: { [property]: { enum: tags } } };
}

function statedOf(holder: JsonObject | undefined, property: string): JsonObject {
  return objectAt(holder, 'discriminator') ?? { propertyName: property };
}

/** The branch for no value, if the base accepts that. */
function noValue(schema: JsonObject, base: Json): readonly JsonObject[] {
  const types = arrayAt(schema, 'type') ?? [];
  const isNullable = memberOf(schema, 'nullable') === true || types.includes('null');
  return isNullable ? [{ allOf: [base], enum: [null] }] : [];
}

/** Whether a `discriminator` stands anywhere. */
export const hasDiscriminator = standsAnywhere((object) => propertyOf(object) !== undefined);

/** Remembers its answers, because it is asked again and again of the same definitions. */
export function standsAnywhere(isOne: (object: JsonObject) => boolean): (value: Json) => boolean {
  const answers = new WeakMap<object, boolean>();
  return (value) => {
    if (typeof value !== 'object' || value === null) return false;
    const known = answers.get(value);
    if (known !== undefined) return known;
    const pending: Json[] = [value];
    let found = false;
    for (let next = pending.pop(); next !== undefined && !found; next = pending.pop()) {
      if (isJsonObject(next) && isOne(next)) found = true;
      for (const member of Object.values(next as object) as Json[]) {
        if (typeof member === 'object' && member !== null) pending.push(member);
      }
    }
    answers.set(value, found);
    return found;
  };
}

/** Swagger 2.0 states the name of the property alone. */
export function propertyOf(schema: Json): string | undefined {
  return (
    textAt(schema, 'discriminator') ?? textAt(objectAt(schema, 'discriminator'), 'propertyName')
  );
}

/** Whether a file holds schemas by their names, and is none itself. */
function isMap(file: Json): boolean {
  return isJsonObject(file) && !Object.keys(file).some((key) => wordsOfFiles.test(key));
}

const wordsOfFiles =
  /^(?:\$ref|type|properties|items|allOf|anyOf|oneOf|not|enum|discriminator|openapi|swagger|asyncapi|components|paths)$/;

export function schemasOf(document: JsonObject): Schemas {
  const files = Object.keys(objectAt(document, 'x-files') ?? {});
  const roots = [[], ...files.map((file) => ['x-files', file])];
  const holders = [
    ...roots.flatMap((root) => [
      [...root, 'components', 'schemas'],
      [...root, 'definitions'],
      [...root, '$defs'],
    ]),
    ...(files.length === 0 ? [] : [['x-files']]),
    ...roots.slice(1).filter((root) => isMap(findByTokens(document, root) ?? null)),
  ];
  const entries = holders.flatMap((holder) => {
    const held = findByTokens(document, holder);
    if (held === undefined || !isJsonObject(held)) return [];
    return Object.entries(held).flatMap(([name, schema]) =>
      isJsonObject(schema)
        ? [[toPointer([...holder, name]), { holder, name, schema }] as const]
        : [],
    );
  });
  return new Map(entries);
}

function named(schemas: Schemas, ref: string): Named {
  return schemas.get(ref) ?? { holder: [], name: '', schema: {} };
}

interface Family {
  /** The schemas that each one has in its `allOf`. */
  readonly parents: ReadonlyMap<string, readonly string[]>;
  readonly children: ReadonlyMap<string, readonly string[]>;
}

function familyOf(schemas: Schemas, is30: boolean): Family {
  const parents = new Map(
    [...schemas].map(([ref, { schema }]) => {
      const parts = allOfIn(schema);
      const own = !is30 && Object.keys(schema).length > 1 ? [schema] : [];
      return [ref, [...parts, ...own].flatMap((part) => refIn(schemas, part) ?? [])] as const;
    }),
  );
  const children = new Map<string, string[]>();
  for (const [child, refs] of parents) {
    for (const parent of refs) children.set(parent, [...(children.get(parent) ?? []), child]);
  }
  return { parents, children };
}

/** The parts of an `allOf`, and those within them. */
function allOfIn(schema: JsonObject): readonly JsonObject[] {
  const parts = (arrayAt(schema, 'allOf') ?? []).filter(isJsonObject);
  return parts.flatMap((part) => [part, ...allOfIn(part)]);
}

/** Schemas that are only another name are no parts of others: those refer to what it stands for. */
function withoutAliases(schemas: Schemas, is30: boolean): Schemas {
  const targets = new Map(
    [...schemas].flatMap(([ref, { schema }]) => {
      const isAlias = is30 || Object.keys(schema).length === 1;
      const target = isAlias ? refIn(schemas, schema) : undefined;
      return target === undefined ? [] : [[ref, target] as const];
    }),
  );
  if (targets.size === 0) return schemas;
  const lasts = new Map([...targets.keys()].map((ref) => [ref, lastOf(ref, targets)]));
  return new Map(
    [...schemas].map(([ref, each]) => {
      const schema = targets.has(ref) ? each.schema : withRefsInPlace(schemas, each.schema, lasts);
      return [ref, { ...each, schema }];
    }),
  );
}

function lastOf(ref: string, targets: ReadonlyMap<string, string>): string {
  const seen = new Set([ref]);
  let last = ref;
  for (let next = targets.get(ref); next !== undefined; next = targets.get(next)) {
    // Names that only stand for each other stand for nothing.
    if (seen.has(next)) return ref;
    seen.add(next);
    last = next;
  }
  return last;
}

/** The named schema that a schema refers to. */
export function refIn(schemas: Schemas, schema: Json): string | undefined {
  const tokens = pointerTokens(textAt(schema, '$ref') ?? '');
  const ref = tokens === null ? undefined : toPointer(tokens);
  return ref !== undefined && schemas.has(ref) ? ref : undefined;
}

/** The schema itself, and all that its relations lead to, each once. */
function reach(
  start: string,
  relations: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const found = new Set([start]);
  for (const ref of found) for (const next of relations.get(ref) ?? []) found.add(next);
  return [...found];
}

/** The discriminator of a schema, which may stand in a part of its `allOf`. */
export function discriminatorIn(schema: JsonObject): JsonObject | undefined {
  return [schema, ...allOfIn(schema)].find((part) => propertyOf(part) !== undefined);
}

interface Union {
  readonly ref: string;
  /** The property that tells them apart. */
  readonly property: string;
  /** The values of that property, by the schema that they lead to. */
  readonly tags: ReadonlyMap<string, readonly Json[]>;
  /** What all other values lead to, since OpenAPI 3.2. */
  readonly fallback: string | undefined;
}

/** None if the schema has no variants, or lists them itself. */
function unionsOf(schemas: Schemas, family: Family, base: string): readonly Union[] {
  const ancestors = reach(base, family.parents);
  const property = ancestors
    .map((ref) => discriminatorIn(named(schemas, ref).schema))
    .find((each) => each !== undefined);
  const stated = property === undefined ? undefined : propertyOf(property);
  if (property === undefined || stated === undefined) return [];
  const { schema, holder } = named(schemas, base);
  const ownMapping = mappingOf(schemas, base, stated);
  const descendants = reach(base, family.children).slice(1);
  const variants = new Set([...ownMapping.values(), ...descendants]);
  if (listsAny(schemas, discriminatorIn(schema) ?? schema, variants)) return [];
  const fallback = fallbackOf(schemas, property, holder);
  const isMapped = ancestors.some((ref) => mappingOf(schemas, ref, stated).size > 0);
  const entriesFor = (ref: string) => {
    const holders = new Set([...ancestors, ...reach(ref, family.parents)]);
    return [...holders].flatMap((each) => [...mappingOf(schemas, each, stated)]);
  };
  const mapped = (ref: string) => [
    ...new Set(entriesFor(ref).flatMap(([tag, target]) => (target === ref ? [tag] : []))),
  ];
  variants.delete(base);
  if (variants.size === 0 && fallback === undefined) return [];
  // A mapping that does not name the base says that no value is only a base.
  if (!isMapped || mapped(base).length > 0) variants.add(base);
  const tags = [...variants].flatMap((ref) => {
    const { schema, name } = named(schemas, ref);
    const known = mapped(ref);
    const own = ref === base ? [] : ownTags(schemas, schema, stated, new Set(ancestors));
    const called = textAt(schema, 'x-ms-discriminator-value') ?? name;
    const said = tagsFrom(known, own, called);
    // A mapping may give the name of one schema to another one. Then no value leads to the first.
    const isNamed = known.length === 0 && said.includes(called);
    if (isNamed && entriesFor(ref).some(([tag]) => tag === called)) return [];
    return [[ref, fitting(said, propertiesIn(schemas, [base, ref], stated))] as const];
  });
  return [{ ref: base, property: stated, tags: new Map(tags), fallback }];
}

/** What a property is said to be, by schemas and by all that they include. */
export function propertiesIn(
  schemas: Schemas,
  roots: readonly (string | JsonObject)[],
  property: string,
): readonly Json[] {
  const found: Json[] = [];
  const seen = new Set<string | JsonObject>(roots);
  for (const each of seen) {
    const schema = typeof each === 'string' ? named(schemas, each).schema : each;
    for (const part of [schema, ...allOfIn(schema)]) {
      const target = refIn(schemas, part);
      if (target !== undefined) seen.add(target);
      const stated = memberOf(objectAt(part, 'properties'), property);
      if (stated !== undefined) found.push(stated);
    }
  }
  return found.map((stated) => {
    const target = refIn(schemas, stated);
    return target === undefined ? stated : named(schemas, target).schema;
  });
}

/** Keywords of which it is known which tags they take, and those that take all. */
const plainKeywords =
  /^(type|enum|const|nullable|title|description|default|examples?|deprecated|readOnly|writeOnly|\$comment|x-.*)$/;

/**
 * The tags as values that the property takes: a mapping names numbers and booleans by their text, and the names of schemas often
 * differ from the values by capitals alone. Empty if none is known to be one, because a branch that no value has would
 * hide all that changes in it.
 */
export function fitting(tags: readonly Json[], properties: readonly Json[]): readonly Json[] {
  const stated = properties.filter((each) => each !== true);
  if (!stated.every((each) => isJsonObject(each) && isPlain(each))) return [];
  const listed = stated.flatMap((each) => valuesIn(each) ?? []);
  const takes = (value: Json) => stated.every((each) => accepts(each, value));
  const values = tags.map((tag) => {
    const alike = listed.filter((each) => String(each).toLowerCase() === String(tag).toLowerCase());
    const number = typeof tag === 'string' && String(Number(tag)) === tag ? [Number(tag)] : [];
    const flags = [true, false].filter((flag) => String(flag) === tag);
    const close = new Set(alike).size === 1 ? alike : [];
    return [tag, ...number, ...flags, ...close].find(takes);
  });
  return [...new Set(values)].filter((value) => value !== undefined);
}

function isPlain(schema: JsonObject): boolean {
  return Object.keys(schema).every((key) => plainKeywords.test(key));
}

function valuesIn(schema: Json): readonly Json[] | undefined {
  const single = memberOf(schema, 'const');
  return single === undefined ? arrayAt(schema, 'enum') : [single];
}

function accepts(schema: Json, value: Json): boolean {
  const values = valuesIn(schema);
  const type = memberOf(schema, 'type');
  const types = Array.isArray(type) ? type : type === undefined ? undefined : [type];
  const kinds = typeof value === 'number' ? ['number', 'integer'] : [typeof value];
  const isOfType = types === undefined || types.some((each) => kinds.includes(String(each)));
  return isOfType && (values === undefined || values.includes(value));
}

/** What the mapping says, unless the variant itself has other values for the property. */
function tagsFrom(mapped: readonly Json[], own: readonly Json[], name: string): readonly Json[] {
  const stated = mapped.length > 0 ? mapped : [name];
  const isRefused = own.length > 0 && !stated.some((tag) => own.includes(tag));
  return isRefused ? own : stated;
}

/** The values that a variant itself allows for the property. */
export function ownTags(
  schemas: Schemas,
  schema: JsonObject,
  property: string,
  seen: Set<string>,
): readonly Json[] {
  const target = (part: Json) => {
    const ref = refIn(schemas, part);
    if (ref === undefined || seen.has(ref)) return undefined;
    seen.add(ref);
    return named(schemas, ref).schema;
  };
  const stated = memberOf(objectAt(schema, 'properties'), property);
  const holder = stated === undefined ? undefined : (target(stated) ?? stated);
  const single = memberOf(holder, 'const');
  const values = single === undefined ? (arrayAt(holder, 'enum') ?? []) : [single];
  if (values.length > 0) return values;
  for (const part of arrayAt(schema, 'allOf') ?? []) {
    const within = target(part) ?? part;
    const found = isJsonObject(within) ? ownTags(schemas, within, property, seen) : [];
    if (found.length > 0) return found;
  }
  return [];
}

/** The named schemas that a mapping leads to, by the value of the property. */
function mappingOf(schemas: Schemas, ref: string, property: string): ReadonlyMap<string, string> {
  const { schema, holder } = named(schemas, ref);
  const stated = discriminatorIn(schema);
  if (stated === undefined || propertyOf(stated) !== property) return new Map();
  return mappingIn(schemas, stated, holder);
}

export function mappingIn(
  schemas: Schemas,
  schema: JsonObject,
  holder: readonly string[],
): ReadonlyMap<string, string> {
  const mapping = objectAt(objectAt(schema, 'discriminator'), 'mapping') ?? {};
  const entries = Object.entries(mapping).flatMap(([tag, target]) => {
    const found = typeof target === 'string' ? targetOf(schemas, target, holder) : undefined;
    return found === undefined ? [] : [[tag, found] as const];
  });
  return new Map(entries);
}

/** The schema that a mapping names by a reference, or by its name alone. */
function targetOf(schemas: Schemas, target: string, holder: readonly string[]): string | undefined {
  const found = refIn(schemas, { $ref: target }) ?? toPointer([...holder, target]);
  return schemas.has(found) ? found : undefined;
}

export function fallbackOf(
  schemas: Schemas,
  holder: JsonObject,
  place: readonly string[],
): string | undefined {
  const target = textAt(objectAt(holder, 'discriminator'), 'defaultMapping');
  return target === undefined ? undefined : targetOf(schemas, target, place);
}

/**
 * Whether it is a union of its variants already, which stand without variants of their own where `withVariants` wrote
 * it. A union of other schemas may stand in a base, too.
 */
function listsAny(schemas: Schemas, schema: JsonObject, variants: ReadonlySet<string>): boolean {
  const members = ['oneOf', 'anyOf'].flatMap((key) => arrayAt(schema, key) ?? []);
  const parts = members.filter(isJsonObject).flatMap((member) => [member, ...allOfIn(member)]);
  return parts.some((part) => variants.has((refIn(schemas, part) ?? '').replace(plainEnd, '')));
}

const plainEnd = /(?:~1base)+$/;

/** The base without its variants, which the variants themselves include. */
function plainRefOf(schemas: Schemas, ref: string): string {
  const { holder, name } = named(schemas, ref);
  let plain = `${name}/base`;
  while (schemas.has(toPointer([...holder, plain]))) plain = `${plain}/base`;
  return toPointer([...holder, plain]);
}

/** For each schema, the bases that it includes as one of their variants. */
function cutsOf(
  schemas: Schemas,
  unions: readonly Union[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const cuts = new Map<string, Set<string>>();
  const variants = new Map(
    unions.map(({ ref, tags, fallback }) => [
      ref,
      fallback === undefined ? [...tags.keys()] : [...tags.keys(), fallback],
    ]),
  );
  for (const { ref: base } of unions) {
    const reached = new Set(variants.get(base));
    for (const ref of reached) {
      const { schema } = named(schemas, ref);
      for (const next of refsInPlace(schemas, schema)) {
        if (next === base) cuts.set(ref, (cuts.get(ref) ?? new Set()).add(base));
        else for (const each of [next, ...(variants.get(next) ?? [])]) reached.add(each);
      }
    }
  }
  return cuts;
}

/** Keywords whose schemas apply to the same value. */
const inPlace = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'];

function partsInPlace(schema: JsonObject): readonly Json[] {
  return inPlace.flatMap((key) => {
    const value = memberOf(schema, key) ?? null;
    if (Array.isArray(value)) return value;
    return key === 'dependentSchemas' && isJsonObject(value) ? Object.values(value) : [value];
  });
}

function refsInPlace(schemas: Schemas, schema: JsonObject): readonly string[] {
  const found: string[] = [];
  const pending: Json[] = [schema];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (!isJsonObject(next)) continue;
    const ref = refIn(schemas, next);
    if (ref !== undefined) found.push(ref);
    pending.push(...partsInPlace(next));
  }
  return found;
}

/** One of the variants, each with the values that its tag may have. */
function unionSchema(
  schemas: Schemas,
  { ref, property, tags, fallback }: Union,
  plainRefs: ReadonlyMap<string, string>,
): JsonObject {
  const { schema } = named(schemas, ref);
  const plain = plainRefs.get(ref) ?? ref;
  const partsOf = (variant: string) => {
    const own = plainRefs.get(variant) ?? variant;
    const parts = includes(schemas, variant, ref) ? [own] : [own, plain];
    return parts.map(($ref) => ({ $ref }));
  };
  const variants = variantsOf({ property, tags, fallback }, partsOf);
  const discriminator = statedOf(discriminatorIn(schema), property);
  return { discriminator, anyOf: [...variants, ...noValue(schema, { $ref: plain })] };
}

/** Whether every value of a schema is one of the other. */
function includes(schemas: Schemas, ref: string, base: string): boolean {
  const reached = new Set([ref]);
  for (const each of reached) {
    const { schema } = named(schemas, each);
    for (const part of [schema, ...allOfIn(schema)]) {
      const next = refIn(schemas, part);
      if (next !== undefined) reached.add(next);
    }
  }
  return reached.has(base);
}

export function withoutDiscriminator(schema: JsonObject): JsonObject {
  const rest = bare(schema);
  const parts = arrayAt(schema, 'allOf');
  if (parts === undefined) return rest;
  const within = (part: Json) => (isJsonObject(part) ? withoutDiscriminator(part) : part);
  return { ...rest, allOf: parts.map(within) };
}

function bare({ discriminator: _, ...rest }: JsonObject): JsonObject {
  return rest;
}

function withRefsInPlace(
  schemas: Schemas,
  schema: JsonObject,
  targets: ReadonlyMap<string, string>,
): JsonObject {
  if (targets.size === 0) return schema;
  const within = (value: Json): Json =>
    isJsonObject(value) ? withRefsInPlace(schemas, value, targets) : value;
  const members = Object.entries(schema).map(([key, value]): readonly [string, Json] => {
    const target = key === '$ref' ? targets.get(refIn(schemas, schema) ?? '') : undefined;
    if (target !== undefined) return [key, target];
    if (!inPlace.includes(key)) return [key, value];
    if (Array.isArray(value)) return [key, value.map(within)];
    return [key, key === 'dependentSchemas' ? mapped(value, within) : within(value)];
  });
  return Object.fromEntries(members);
}

function mapped(value: Json, map: (member: Json) => Json): Json {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, map(member)]));
}

/** The document with schemas in place of others, or in addition to them. */
function withSchemas(document: JsonObject, written: ReadonlyMap<string, JsonObject>): JsonObject {
  const byHolder = Map.groupBy(written, ([ref]) =>
    toPointer((pointerTokens(ref) ?? []).slice(0, -1)),
  );
  return [...byHolder].reduce((whole, [holder, entries]) => {
    const tokens = pointerTokens(holder) ?? [];
    const members = entries.map(([ref, schema]) => [pointerTokens(ref)?.at(-1) ?? '', schema]);
    return withMembers(whole, tokens, Object.fromEntries(members));
  }, document);
}

function withMembers(whole: JsonObject, path: readonly string[], members: JsonObject): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return { ...whole, ...members };
  return { ...whole, [key]: withMembers(objectAt(whole, key) ?? {}, rest, members) };
}
