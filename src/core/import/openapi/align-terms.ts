// Brings two forms of one promise into the same form before they are compared. A GraphQL type is a
// `response` until one of its fields takes arguments, and an `operation` from then on. An OpenAPI
// request of a form accepts no JSON, which matters only when compared with one that does, and a
// request without headers accepts none. The JSON of the main status stands apart from the other
// statuses, and which one that is may differ.

import type { Direction } from '../../comparison.ts';
import { isSameJson } from '../../value/canonical-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { arrayAt, memberOf, objectAt, textAt } from '../read-json.ts';
import { alignRanges } from './align-ranges.ts';
import { alignVariants } from './align-variants.ts';
import { parameterPlaces } from './openapi-request.ts';
import { mainMember, mainStatus } from './openapi-responses.ts';
import {
  type Aligned,
  contentAt,
  responsesOf,
  statusAt,
  statusNames,
  writtenAt,
  writtenParts,
} from './written-members.ts';

/**
 * Aligns both terms. If one is an operation and the other a response, both become operations. A
 * form refuses JSON if the other one accepts it. Groups of parameters that only the next one has
 * are added to the old one, empty. Otherwise the terms stay as they are.
 *
 * @example alignTerms(active, next) // [{ ...active, direction: 'operation', ... }, next]
 */
export function alignTerms<Old extends Aligned, Next extends Aligned>(
  old: Old,
  next: Next,
): readonly [Old, Next] {
  const areNamed = old.hasNamedTypes === true && next.hasNamedTypes === true;
  if (!areNamed) return alignForms(old, next);
  const [before, after] = [typesOf(old), typesOf(next)];
  const [was, is] = [withTurned(before, after), withTurned(after, before)];
  const changed = Object.keys(is).filter((name) => !isSameType(was[name], is[name]));
  return alignForms(withTypesByName(old, was, []), withTypesByName(next, is, changed));
}

const sameTypes = new WeakMap<object, WeakMap<object, boolean>>();

/** Most types are defined in many schemas of a document, as one object. */
function isSameType(old: Json | undefined, next: Json | undefined): boolean {
  if (!isJsonObject(old) || !isJsonObject(next)) return false;
  const known = sameTypes.get(old) ?? new WeakMap<object, boolean>();
  const answer = known.get(next) ?? isSameJson(old, next);
  sameTypes.set(old, known.set(next, answer));
  return answer;
}

/** The definitions of other types. */
function typesOf({ schema }: Aligned): JsonObject {
  const definitions = Object.entries(objectAt(schema, '$defs') ?? {});
  return Object.fromEntries(
    definitions.filter(([, definition]) => textAt(definition, 'x-type') !== undefined),
  );
}

/**
 * A scalar has no contract that would report its change. So an enum that becomes a scalar, or the
 * reverse, is compared by its values: a scalar accepts any. A type with fields is another type,
 * because callers select fields of it, and none of a scalar. A type that is given only by name
 * cannot be compared.
 */
function withTurned(types: JsonObject, others: JsonObject): JsonObject {
  const turned = Object.entries(types).flatMap(([name, definition]): readonly [string, Json][] => {
    const other = others[name];
    const isTurned = isScalar(definition) && isJsonObject(other) && !isScalar(other);
    if (!isTurned || Object.keys(other).length === 1) return [[name, definition]];
    if (textAt(other, 'type') !== 'object') return [];
    return [[name, { 'x-type': `scalar ${name}` }]];
  });
  return Object.fromEntries(turned);
}

function isScalar(definition: Json): boolean {
  return memberOf(objectAt({ definition }, 'definition'), 'x-scalar') === true;
}

/**
 * Replaces the definition of each other type by its name: a change of that type is reported at its
 * own contract. The names of changed types become an annotation, so that this contract gets a
 * version.
 */
function withTypesByName<Terms extends Aligned>(
  terms: Terms,
  types: JsonObject,
  changed: readonly string[],
): Terms {
  const { schema } = terms;
  if (!isJsonObject(schema)) return terms;
  const named = Object.entries(types).map(([key, definition]) => [key, nameOf(definition)]);
  const $defs = { ...objectAt(schema, '$defs'), ...Object.fromEntries(named) };
  return {
    ...terms,
    schema: {
      ...schema,
      ...(Object.keys($defs).length > 0 && { $defs }),
      ...(changed.length > 0 && { 'x-changed-types': changed }),
    },
  };
}

const names = new WeakMap<object, JsonObject>();

/** Values of different types are always distinct, whatever their fields. */
function nameOf(definition: Json): JsonObject {
  const known = isJsonObject(definition) ? names.get(definition) : undefined;
  if (known !== undefined) return known;
  const __typename = { const: textAt(definition, 'x-type') ?? '' };
  const made = { type: 'object', properties: { __typename }, required: ['__typename'] };
  if (isJsonObject(definition)) names.set(definition, made);
  return made;
}

function alignForms<Old extends Aligned, Next extends Aligned>(
  old: Old,
  next: Next,
): readonly [Old, Next] {
  if (old.direction === 'response' && next.direction === 'operation') {
    return [withoutGoneFields(toOperation(old), next), next];
  }
  if (old.direction === 'operation' && next.direction === 'response') {
    const wrapped = toOperation(next);
    return [withoutGoneFields(old, wrapped), wrapped];
  }
  if (old.direction !== 'operation' || next.direction !== 'operation') return [old, next];
  if (isGraphqlForm(old)) return [withoutGoneFields(old, next), next];
  const [was, is] = alignRanges(...withMainInPlace(...withAnswers(...alignVariants(old, next))));
  const placed = withEmptyPlaces(refusingJson(was, is), is);
  return [withEmptyHeaders(placed, is), refusingJson(is, was)];
}

/**
 * The direction of a GraphQL type, as the form of its schema shows: `__typename` is at the root of
 * a response, and one level deeper in an operation.
 *
 * @example directionOfForm({ type: 'object', properties: { response: {} } }, 'response') //
 * 'operation'
 */
export function directionOfForm(schema: Json, known: Direction): Direction {
  if (known !== 'response' && known !== 'operation') return known;
  const properties = objectAt(schema, 'properties');
  if (memberOf(properties, '__typename') !== undefined) return 'response';
  const response = objectAt(objectAt(properties, 'response'), 'properties');
  return memberOf(response, '__typename') === undefined ? known : 'operation';
}

/** Whether an operation is a GraphQL type. An OpenAPI response may also have a `__typename`. */
function isGraphqlForm({ schema, hasPlaces }: Aligned): boolean {
  return hasPlaces !== true && directionOfForm(schema, 'response') === 'operation';
}

/**
 * The arguments of a removed field are removed with it, which is already reported in the response.
 */
function withoutGoneFields<Terms extends Aligned>(old: Terms, next: Aligned): Terms {
  const parts = objectAt(old.schema, 'properties');
  const request = objectAt(parts, 'request');
  const taken = objectAt(request, 'properties') ?? {};
  const answered = objectAt(objectAt(parts, 'response'), 'properties');
  const nextParts = objectAt(next.schema, 'properties');
  const stays = objectAt(objectAt(nextParts, 'response'), 'properties');
  const isGone = (name: string) =>
    memberOf(answered, name) !== undefined && memberOf(stays, name) === undefined;
  const kept = Object.entries(taken).filter(([name]) => !isGone(name));
  if (kept.length === Object.keys(taken).length || !isJsonObject(old.schema)) return old;
  const left = { ...request, properties: Object.fromEntries(kept) };
  return { ...old, schema: { ...old.schema, properties: { ...parts, request: left } } };
}

/**
 * If an operation accepts both, JSON is described; one that describes only a form accepts no JSON.
 */
function refusingJson<Terms extends Aligned>(terms: Terms, other: Aligned): Terms {
  const { schema } = terms;
  const parts = objectAt(schema, 'properties');
  const request = objectAt(parts, 'request');
  const places = objectAt(request, 'properties');
  if (memberOf(places, 'form') === undefined || memberOf(places, 'body') !== undefined)
    return terms;
  const otherRequest = objectAt(objectAt(other.schema, 'properties'), 'request');
  if (memberOf(objectAt(otherRequest, 'properties'), 'body') === undefined) return terms;
  if (!isJsonObject(schema)) return terms;
  const refused = { ...request, properties: { ...places, body: { not: {} } } };
  return { ...terms, schema: { ...schema, properties: { ...parts, request: refused } } };
}

/**
 * A contract holds the JSON of one status apart from the other statuses, as its response. This moves the response
 * back to its status on both sides in two cases: it belongs to another status or media type than before, or it
 * belongs to a range or the default and the named statuses changed. Then a status that one side does not name
 * is compared with the range or the default of that side. In the first case the two responses are also
 * compared with each other, because consumers read the response without looking at the status.
 */
function withMainInPlace<Old extends Aligned, Next extends Aligned>(
  old: Old,
  next: Next,
): readonly [Old, Next] {
  const [was, is] = [mainOf(old), mainOf(next)];
  if (was === null || is === null) return [old, next];
  const isSingle = /^\d+$/.test(was);
  const hasSameNames = isSameJson(statusNames(old).toSorted(), statusNames(next).toSorted());
  const isAnother = was !== is || movesType(old, next, is) || movesType(next, old, was);
  const isRange = [old, next].some((side) =>
    responseTypes(side).some((type) => type.endsWith('*')),
  );
  const isCovering = isRange && !isSameJson(typeNames(old), typeNames(next));
  if (!isAnother && !isCovering && (isSingle || hasSameNames)) return [old, next];
  return [inPlace(old, was, isAnother), inPlace(next, is, isAnother)];
}

/**
 * JSON that is added to a status beside other media types is one of them, and whoever asks for the others gets
 * them. An operation that answered nothing, and now does, has a response, whatever media type that has.
 */
function withAnswers<Old extends Aligned, Next extends Aligned>(
  old: Old,
  next: Next,
): readonly [Old, Next] {
  const had = memberOf(objectAt(old.schema, 'properties'), 'response') !== undefined;
  if (had || responsesOf(old) === undefined || !isJsonObject(next.schema)) return [old, next];
  const main = mainOf(next);
  if (main !== null) {
    const isBeside = typesAt(old, effectiveStatus(old, main)).length > 0;
    return [old, isBeside ? inPlace(next, main, false) : next];
  }
  const [answered] = successOf(next).flatMap((status) => typesAt(next, status));
  if (answered === undefined || successOf(old).some((status) => typesAt(old, status).length > 0)) {
    return [old, next];
  }
  const properties = { ...objectAt(next.schema, 'properties'), response: answered[1] };
  return [old, { ...next, schema: { ...next.schema, properties } }];
}

/** The media types of a status that stand apart from the response, each with its schema. */
function typesAt(side: Aligned, status: string | undefined): readonly (readonly [string, Json])[] {
  if (status === undefined) return [];
  return Object.entries(contentAt(side, status)).filter(([name]) => name.includes('/'));
}

/** The statuses of success; without any, the default stands for them. */
function successOf(side: Aligned): readonly string[] {
  const success = statusNames(side).filter((status) => status.startsWith('2'));
  return success.length > 0 ? success : ['default'];
}

/** The name under which a side describes a status. */
export function effectiveStatus(side: Aligned, status: string): string | undefined {
  const names = [status, `${status.slice(0, 1)}XX`, 'default'];
  return names.find((name) => statusNames(side).includes(name));
}

/** The status whose JSON is the response. Null if there is none, or no status says where it belongs. */
export function mainOf(side: Aligned): string | null {
  const responses = responsesOf(side);
  const response = memberOf(objectAt(side.schema, 'properties'), 'response');
  if (response === undefined || responses === undefined) return null;
  return textAt(responses, mainMember) ?? mainStatus(statusNames(side)) ?? null;
}

/** Whether one side describes a media type apart that the other side has in its response. */
function movesType(one: Aligned, other: Aligned, status: string): boolean {
  const apart = contentAt(other, status);
  return responseTypes(one).some((type) => memberOf(apart, type) !== undefined);
}

function responseTypes({ schema }: Aligned): readonly string[] {
  const types = writtenAt(schema, objectAt(schema, 'properties'), 'media_types');
  const own = writtenAt(schema, objectAt(types, 'properties'), 'response');
  const named = Object.keys(objectAt(own, 'properties') ?? {});
  return named.length === 0 ? ['application/json'] : named;
}

/** The media types of all statuses. */
function typeNames(side: Aligned): readonly string[] {
  const apart = statusNames(side).flatMap((status) => Object.keys(contentAt(side, status)));
  return [...new Set([...responseTypes(side), ...apart])].toSorted();
}

function inPlace<Terms extends Aligned>(terms: Terms, status: string, isKept: boolean): Terms {
  const { schema } = terms;
  const { response, ...parts } = objectAt(schema, 'properties') ?? {};
  if (response === undefined || !isJsonObject(schema)) return terms;
  const responses = responsesOf(terms);
  const statuses = objectAt(responses, 'properties');
  const types = writtenAt(schema, parts, 'media_types');
  const { response: _, ...otherTypes } = objectAt(types, 'properties') ?? {};
  const own = statusAt(terms, status);
  const contents = responseTypes(terms).map((type) => [type, response] as const);
  const content = {
    ...{ type: 'object', ...own },
    properties: { ...objectAt(own, 'properties'), ...Object.fromEntries(contents) },
  };
  const placed = { ...responses, properties: { ...statuses, [status]: content } };
  // References into the response still lead somewhere.
  const isReferredTo = JSON.stringify(schema).includes('#/properties/response');
  const properties = {
    ...parts,
    ...(types !== undefined && { media_types: { ...types, properties: otherTypes } }),
    responses: placed,
    ...((isKept || isReferredTo) && { response }),
  };
  return { ...terms, schema: { ...schema, properties } };
}

/**
 * A call always has a query, a path and headers, even if empty. So a group of parameters that the
 * old request lacks counts as empty: new demands in it are then noticed, even if the group itself
 * is optional. GraphQL fields may have the same names, but are not such groups.
 */
function withEmptyPlaces<Terms extends Aligned>(old: Terms, next: Aligned): Terms {
  const parts = objectAt(old.schema, 'properties') ?? {};
  const { request = noParameters } = parts;
  const had = new Set(writtenParts(old.schema, request).flatMap(propertyNames));
  const nextParts = writtenParts(
    next.schema,
    memberOf(objectAt(next.schema, 'properties'), 'request'),
  );
  const demanded = new Set(nextParts.flatMap((part) => arrayAt(part, 'required') ?? []));
  const isHidden = nextParts.some((part) => Object.entries(part).some(mayHideGroups));
  const lacking = parameterPlaces.filter(
    (name) =>
      !had.has(name) &&
      !demanded.has(name) &&
      (isHidden ||
        nextParts.some((part) => mayDemand(memberOf(objectAt(part, 'properties'), name)))),
  );
  if (lacking.length === 0 || !isJsonObject(old.schema)) return old;
  const empty = Object.fromEntries(lacking.map((name) => [name, noParameters]));
  const filled = { allOf: [request, { type: 'object', properties: empty }] };
  return { ...old, schema: { ...old.schema, properties: { ...parts, request: filled } } };
}

/**
 * An answer always has headers, even if none are described. So headers that the old side does not describe count as
 * empty, and a header that receivers of a webhook must now send is noticed.
 */
function withEmptyHeaders<Terms extends Aligned>(old: Terms, next: Aligned): Terms {
  const parts = objectAt(old.schema, 'properties');
  const webhook = lackingHeaders(writtenMember(old, 'request'), writtenMember(next, 'request'));
  const [had, has] = [old, next].map((side) => writtenMember(side, 'callback_responses'));
  const callbacks = Object.keys(has?.members ?? {}).flatMap((name): readonly [string, Json][] => {
    const answers = lackingHeaders(memberAt(had, name), memberAt(has, name));
    return answers === null ? [] : [[name, answers]];
  });
  const lacking = {
    ...(webhook !== null && { request: webhook }),
    ...(callbacks.length > 0 && { callback_responses: membersOf(callbacks) }),
  };
  if (Object.keys(lacking).length === 0 || !isJsonObject(old.schema)) return old;
  const filled = Object.entries(lacking).map(([name, empty]): readonly [string, Json] => [
    name,
    { allOf: [memberOf(parts, name) ?? {}, empty] },
  ]);
  const properties = { ...parts, ...Object.fromEntries(filled) };
  return { ...old, schema: { ...old.schema, properties } };
}

const statusName = /^(?:[1-5](?:\d\d|XX)|default)$/;

/** The statuses whose headers the next side describes, and the old side does not. Null if there are none. */
function lackingHeaders(old: Written | undefined, next: Written | undefined): JsonObject | null {
  const lacking = Object.keys(next?.members ?? {}).filter((name) => {
    const own = statusName.test(name) ? memberAt(old, name) : undefined;
    const isDemanding = mayDemand(memberOf(memberAt(next, name)?.members, 'headers'));
    return own !== undefined && isDemanding && memberOf(own.members, 'headers') === undefined;
  });
  const empty = membersOf([['headers', noParameters]]);
  return lacking.length === 0 ? null : membersOf(lacking.map((name) => [name, empty]));
}

function membersOf(members: readonly (readonly [string, Json])[]): JsonObject {
  return { type: 'object', properties: Object.fromEntries(members) };
}

interface Written {
  readonly document: Json;
  readonly members: JsonObject;
}

function writtenMember({ schema }: Aligned, name: string): Written | undefined {
  return memberAt({ document: schema, members: objectAt(schema, 'properties') ?? {} }, name);
}

/** What a member describes, or what it refers to. */
function memberAt(parent: Written | undefined, name: string): Written | undefined {
  if (parent === undefined || memberOf(parent.members, name) === undefined) return undefined;
  const written = writtenAt(parent.document, parent.members, name);
  return { document: parent.document, members: objectAt(written, 'properties') ?? {} };
}

/** Whether a keyword of a request may say something of a group of parameters, other than that it is there. */
function mayHideGroups([keyword, value]: readonly [string, Json]): boolean {
  if (plainKeywords.has(keyword) || typeof value === 'boolean') return false;
  return describing.test(`"${keyword}" ${JSON.stringify(value)}`);
}

const plainKeywords = new Set(['$ref', '$defs', 'allOf', 'properties', 'required']);

const describing = /"(?:properties|(?:pattern|additional|unevaluated)Properties|\$\w*[rR]ef)"/;

function propertyNames(part: JsonObject): readonly string[] {
  return Object.keys(objectAt(part, 'properties') ?? {});
}

const noParameters: JsonObject = { type: 'object', properties: {} };

/** Whether a schema does more than list the allowed properties. */
function mayDemand(place: Json | undefined): boolean {
  if (place === undefined) return false;
  const names = isJsonObject(place) ? Object.keys(place) : ['a schema of all or nothing'];
  return names.some((name) => name !== 'type' && name !== 'properties');
}

function toOperation<Terms extends Aligned>(terms: Terms): Terms {
  return { ...terms, direction: 'operation', schema: wrap(terms.schema) };
}

/** The arguments of a field without arguments. */
const noArguments: JsonObject = { type: 'object', properties: {}, additionalProperties: false };

/** GraphQL reserves names with two leading underscores, so they are not fields. */
function requestOf(response: JsonObject): JsonObject {
  const names = Object.keys(objectAt(response, 'properties') ?? {});
  const fields = names.filter((name) => !name.startsWith('__'));
  const properties = Object.fromEntries(fields.map((name) => [name, noArguments]));
  return { type: 'object', properties };
}

/** Definitions stay at the root, because references lead there. */
function wrap(schema: Aligned['schema']): JsonObject {
  if (!isJsonObject(schema)) return { type: 'object', properties: { response: schema } };
  const { $defs, title, description, ...response } = schema;
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    type: 'object',
    properties: { request: requestOf(response), response },
    ...($defs === undefined ? {} : { $defs }),
  };
}
