// A media type that one side names may be described by a range of types on the other one, such as any type at all.

import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { arrayAt, memberOf, objectAt } from '../read-json.ts';
import { type Aligned, writtenAt } from './written-members.ts';

/**
 * Names each media type on both sides that one of them names, and the other one describes by a range.
 *
 * @example alignRanges(old, next) // old answers any type, next also JSON: old answers JSON, too
 */
export function alignRanges<Old extends Aligned, Next extends Aligned>(
  old: Old,
  next: Next,
): readonly [Old, Next] {
  const [was, is] = answerPlaces(old).reduce<readonly [Old, Next]>(
    ([before, after], place) => withTypesOfRanges(before, after, place),
    [old, next],
  );
  const [first, second] = withBodiesOfRanges(was, is);
  return [withSentTypes(first), withSentTypes(second)];
}

/** A place by the names of members, each in the one before. */
type Place = readonly string[];

/** Where answers stand by their status: those of the operation, of a webhook, and of each callback. */
function answerPlaces(side: Aligned): readonly Place[] {
  return [['responses'], ['request'], ...placesWithin(side, 'callback_responses')];
}

function placesWithin(side: Aligned, member: string): readonly Place[] {
  const names = Object.keys(objectAt(holderAt(side, [member]), 'properties') ?? {});
  return names.map((name) => [member, name]);
}

function holderAt({ schema }: Aligned, place: Place): JsonObject | undefined {
  const root = isJsonObject(schema) ? schema : undefined;
  return place.reduce<JsonObject | undefined>(
    (holder, name) => writtenAt(schema, objectAt(holder, 'properties'), name),
    root,
  );
}

/** With other properties of the member at a place. */
function withPropertiesAt<Terms extends Aligned>(
  terms: Terms,
  place: Place,
  properties: JsonObject,
): Terms {
  const { schema } = terms;
  const within = (holder: JsonObject, [name, ...rest]: Place): JsonObject => {
    if (name === undefined) return { ...holder, properties };
    const members = objectAt(holder, 'properties');
    const member = writtenAt(schema, members, name) ?? { type: 'object' };
    return { ...holder, properties: { ...members, [name]: within(member, rest) } };
  };
  return isJsonObject(schema) ? { ...terms, schema: within(schema, place) } : terms;
}

/**
 * Who receives what the API sends by itself cannot ask for another media type. So the names of all are values, whichever
 * schemas they have.
 */
function withSentTypes<Terms extends Aligned>(terms: Terms): Terms {
  const isWebhook = holderAt(terms, ['responses']) === undefined;
  const places = [...(isWebhook ? [['response']] : []), ...placesWithin(terms, 'callbacks')];
  return places.reduce((side, place) => {
    const listed = membersAt(side, [...place, 'media_types']);
    const named = Object.values(listed).flatMap((each) => arrayAt(each, 'enum') ?? []);
    const apart = Object.keys(membersAt(side, place)).filter((name) => name.includes('/'));
    if (named.length + apart.length === 0) return side;
    const all = { enum: [...named, ...apart] };
    return withPropertiesAt(side, [...place, 'media_types'], { ...listed, all });
  }, terms);
}

function membersAt(side: Aligned, place: Place): JsonObject {
  return objectAt(holderAt(side, place), 'properties') ?? {};
}

function isStatus(name: string): boolean {
  return /^(?:default|\d(?:\d\d|XX))$/.test(name);
}

/** Of answers. Only the most specific name applies to an answer. */
function withTypesOfRanges<Old extends Aligned, Next extends Aligned>(
  old: Old,
  next: Next,
  place: Place,
): readonly [Old, Next] {
  const [before, after] = [contentsOf(old, place), contentsOf(next, place)];
  const statuses = [...new Set([...before.keys(), ...after.keys()])];
  const named = new Set<Contents>();
  const nameTypes = (own: Contents, others: Contents): boolean =>
    statuses.filter((status) => {
      const [content, other] = [effective(own, status), effective(others, status)];
      const added = content && other ? coveredTypes(content, other) : [];
      for (const [type, schema] of added) if (content) content[type] = schema;
      if (added.length > 0) named.add(own);
      return added.length > 0;
    }).length > 0;
  // A range or the default stands for several statuses, so what is named there matters to all of them.
  while ([nameTypes(before, after), nameTypes(after, before)].includes(true));
  return [
    named.has(before) ? withContents(old, place, before) : old,
    named.has(after) ? withContents(next, place, after) : next,
  ];
}

/** The media types that `other` names and `content` describes by a range, each with the schema of that range. */
function coveredTypes(
  content: JsonObject,
  other: JsonObject,
): readonly (readonly [string, Json])[] {
  return Object.keys(other).flatMap((type) => {
    const range = memberOf(content, type) === undefined ? rangeOf(type, content) : undefined;
    return range === undefined ? [] : [[type, content[range] ?? {}] as const];
  });
}

type Contents = Map<string, Record<string, Json>>;

function contentsOf(side: Aligned, place: Place): Contents {
  const statuses = Object.keys(membersAt(side, place)).filter(isStatus);
  return new Map(statuses.map((status) => [status, { ...membersAt(side, [...place, status]) }]));
}

function effective(contents: Contents, status: string): Record<string, Json> | undefined {
  const range = contents.get(`${status.slice(0, 1)}XX`);
  return contents.get(status) ?? range ?? contents.get('default');
}

function withContents<Terms extends Aligned>(
  terms: Terms,
  place: Place,
  contents: Contents,
): Terms {
  return [...contents].reduce(
    (side, [status, content]) => withPropertiesAt(side, [...place, status], content),
    terms,
  );
}

/** The same for the bodies that callers send, where JSON and a form have other names. */
function withBodiesOfRanges<Old extends Aligned, Next extends Aligned>(
  old: Old,
  next: Next,
): readonly [Old, Next] {
  const [before, after] = [bodiesOf(old), bodiesOf(next)];
  const [first, second] = [describedIn(before, after), describedIn(after, before)];
  return [
    withBodies(old, [...first, ...ownNamesOf(before, second)]),
    withBodies(next, [...second, ...ownNamesOf(after, first)]),
  ];
}

/** Each media type of a request: the member that describes it, and its schema. */
type Bodies = ReadonlyMap<string, readonly [member: string, body: Json]>;

function bodiesOf({ schema }: Aligned): Bodies {
  const parts = objectAt(schema, 'properties');
  const types = objectAt(writtenAt(schema, parts, 'media_types'), 'properties');
  const request = objectAt(writtenAt(schema, parts, 'request'), 'properties') ?? {};
  return new Map(
    Object.entries(request).flatMap(([member, body]) => {
      if (member.includes('/')) return [[member, [member, body]] as const];
      const named = objectAt(writtenAt(schema, types, member), 'properties') ?? {};
      return Object.keys(named).map((type) => [type, [member, body]] as const);
    }),
  );
}

/** A media type that a range describes. */
interface Described {
  readonly type: string;
  readonly body: Json;
  /** The member that has its name where it is named. */
  readonly listedIn: string;
  /** What compares its schema: itself if the side has that member for another media type. */
  readonly member: string;
}

function describedIn(own: Bodies, others: Bodies): readonly Described[] {
  const content = Object.fromEntries(Array.from(own, ([type, [, body]]) => [type, body]));
  const had = new Set([...own.values()].map(([member]) => member));
  return [...others].flatMap(([type, [listedIn]]) => {
    const range = own.has(type) ? undefined : rangeOf(type, content);
    if (range === undefined) return [];
    // The range may be what that member describes.
    const isCompared = !had.has(listedIn) || own.get(range)?.[0] === listedIn;
    const member = isCompared ? listedIn : type;
    return [{ type, body: content[range] ?? {}, listedIn, member }];
  });
}

/** The media types of this side that the other one compares by themselves. */
function ownNamesOf(own: Bodies, described: readonly Described[]): readonly Described[] {
  return described.flatMap(({ type, listedIn, member }) => {
    const [, body] = own.get(type) ?? [];
    return member === listedIn || body === undefined ? [] : [{ type, body, listedIn, member }];
  });
}

function withBodies<Terms extends Aligned>(terms: Terms, bodies: readonly Described[]): Terms {
  const { schema } = terms;
  const parts = objectAt(schema, 'properties') ?? {};
  const request = memberOf(parts, 'request');
  if (bodies.length === 0 || request === undefined || !isJsonObject(schema)) return terms;
  const added = Object.fromEntries(bodies.map(({ member, body }) => [member, body]));
  const named = { allOf: [request, { type: 'object', properties: added }] };
  const properties = { ...parts, request: named, ...withNames(schema, parts, bodies) };
  return { ...terms, schema: { ...schema, properties } };
}

/** A range of types names each type that it stands for. */
function withNames(schema: Json, parts: JsonObject, described: readonly Described[]): JsonObject {
  const types = writtenAt(schema, parts, 'media_types');
  const named = described.filter(({ listedIn }) => !listedIn.includes('/'));
  if (types === undefined || named.length === 0) return {};
  const properties = { ...objectAt(types, 'properties') };
  for (const { type, listedIn } of named) {
    const listed = writtenAt(schema, properties, listedIn) ?? { type: 'object' };
    properties[listedIn] = {
      ...listed,
      properties: { ...objectAt(listed, 'properties'), [type]: {} },
    };
  }
  return { media_types: { ...types, properties } };
}

/**
 * What describes a type that is not named: the type itself for one of its charsets, or a range.
 *
 * @example rangeOf('text/csv', { 'text/*': {}, '*\/*': {} }) // 'text/*'
 */
function rangeOf(type: string, content: JsonObject): string | undefined {
  const [main = '', sub] = type.split('/');
  if (sub === undefined) return undefined;
  const plain = type.replace(/;charset=[^;]*$/, '');
  const ranges = [plain, `${main}/*`, '*/*'].filter((range) => range !== type);
  return ranges.find((range) => memberOf(content, range) !== undefined);
}
