// What AsyncAPI documents, CustomResourceDefinitions and contracts of ODCS say around their schemas, and no
// contract holds. As in OpenAPI, a change of it leaves the verdict open.

import { isJsonObject, type Json } from '../../value/json.ts';
import { type ImportProblem, itemProblem } from '../candidate.ts';
import { uncomparedOfDbt } from '../dbt/uncompared-dbt.ts';
import type { InputKind } from '../document-kinds.ts';
import { uncomparedOfSdl } from '../graphql/uncompared-sdl.ts';
import { uncomparedOfOdcs } from '../odcs/uncompared-odcs.ts';
import { findByTokens, mediaTypeOf, pointerTokens } from '../openapi/openapi-document.ts';
import { uncomparedParts as uncomparedOfOpenApi } from '../openapi/uncompared.ts';
import { arrayAt, memberOf, objectAt, placeOf, textAt } from '../read-json.ts';
import { followed, statedWithTraits } from './message-traits.ts';

type Row = readonly [place: string, what: string];

const carried = 'how the broker carries the messages';
const credentials = 'the credentials that are presented';

const actions = ['publish', 'subscribe'].map((action) => `channels/*/${action}`);
const operations = ['operations/*', ...actions];
const messages = [
  'channels/*/messages/*',
  ...actions.flatMap((action) =>
    ['', '/oneOf/*', '/oneOf/*/oneOf/*'].map((choice) => `${action}/message${choice}`),
  ),
];

/** Messages and operations may say this themselves, or by their traits. */
const saidByTraits: readonly (readonly [key: string, what: string, places: readonly string[]])[] = [
  ['bindings', carried, [...messages, ...operations]],
  ['security', credentials, operations],
  ['contentType', 'the format of the message', messages],
  ['correlationId', 'where the id stands that replies name', messages],
];

/** By place; `*` stands for every member, or every item by its name. */
const rows: Readonly<Partial<Record<InputKind, readonly Row[]>>> = {
  asyncapi: [
    ['servers', 'the addresses of the servers'],
    ['channels/*/servers', 'the addresses of the servers'],
    ['channels/*/parameters', 'what stands in the address of the channel'],
    ['operations/*/reply/address', 'where the reply is sent'],
    ['channels/*/bindings', carried],
    ['components/securitySchemes/*', credentials],
  ],
  crd: [
    ['spec/scope', 'whether the objects are in a namespace'],
    ['spec/names/plural', 'the address of the objects'],
    ['spec/preserveUnknownFields', 'whether unknown fields are kept'],
    ['spec/conversion', 'how versions are converted'],
    ['spec/versions/*/storage', 'the version in which objects are stored'],
    ['spec/versions/*/subresources', 'what is changed apart from the object'],
    ['spec/versions/*/selectableFields', 'by which fields objects are found'],
  ],
  dbt: [
    ['nodes/*/config/column_types', 'the types of the columns'],
    ['nodes/*/columns/*/quote', 'whether its name is quoted'],
    ...['snapshot_meta_column_names', 'dbt_valid_to_current', 'hard_deletes'].map(
      (key): Row => [`nodes/*/config/${key}`, 'what a snapshot adds to its rows'],
    ),
    ...['sources/*', 'sources/*/config'].flatMap((place): Row[] => [
      [`${place}/freshness`, 'how old the data may be'],
      [`${place}/loaded_at_field`, 'by what the age of the data is measured'],
      [`${place}/loaded_at_query`, 'by what the age of the data is measured'],
    ]),
  ],
  odcs: [
    ['servers', 'where the data is'],
    ['server', 'where the data is'],
    ['database', 'where the data is'],
    ['driver', 'where the data is'],
    ['slaDefaultElement', 'what the promises are about'],
    ['slaDefaultColumn', 'what the promises are about'],
    ['schema/*/relationships', 'what the table refers to'],
    ['schema/*/physicalName', 'what the database calls it'],
    // These places are those of the Data Contract Specification.
    ['quality', 'what is promised'],
    ['models/*/additionalFields', 'whether it may have other fields'],
    ['models/*/config', 'what databases and files call it'],
  ],
};

/** What no place of a table tells. */
const others: Readonly<Partial<Record<InputKind, (document: Json) => readonly ImportProblem[]>>> = {
  asyncapi: saidInAsyncApi,
  dbt: uncomparedOfDbt,
  odcs: uncomparedOfOdcs,
};

/** @example uncomparedParts('crd', { spec: { scope: 'Cluster' } })[0].place // '$.spec.scope' */
export function uncomparedParts(kind: InputKind, document: Json): readonly ImportProblem[] {
  if (kind === 'openapi') return uncomparedOfOpenApi(document);
  if (kind === 'graphql') return typeof document === 'string' ? uncomparedOfSdl(document) : [];
  if (kind !== 'crd' && !Array.isArray(document)) return uncomparedIn(kind, document);
  // A file may hold several documents, in any order.
  return (Array.isArray(document) ? (document as readonly Json[]) : [document]).flatMap(
    (each, index) => {
      const name = textAt(objectAt(each, 'metadata'), 'name') ?? String(index);
      return uncomparedIn(kind, each).map((problem) => {
        const { message, place } = problem;
        const at = Array.isArray(document) ? place.replace('$', `$[${index}]`) : place;
        return { ...problem, message: `${name}, ${message}`, place: at };
      });
    },
  );
}

function uncomparedIn(kind: InputKind, document: Json): readonly ImportProblem[] {
  const found = (rows[kind] ?? []).flatMap(([place, what]) =>
    partsAt(document, place.split('/')).flatMap((part) =>
      saysNothing(part.value)
        ? []
        : [unread({ ...part, value: withTargets(part.value, document) }, what)],
    ),
  );
  return [...found, ...(others[kind]?.(document) ?? [])];
}

/** Newer versions of dbt write null for what nobody states. */
function saysNothing(value: Json): boolean {
  if (!isJsonObject(value)) return value === null;
  const members = Object.values(value);
  return members.length > 0 && members.every((member) => member === null);
}

interface Part {
  readonly value: Json;
  readonly place: string;
  readonly label: string;
}

function partsAt(document: Json, steps: readonly string[]): readonly Part[] {
  let parts: readonly Part[] = [{ value: document, place: '$', label: '' }];
  for (const step of steps) {
    parts = parts.flatMap(({ value, place, label }) =>
      membersOf(followed(value, document))
        .filter(([key]) => step === '*' || key === step)
        .map(([key, member, name]): Part => {
          return { value: member, place: placeOf(place, key), label: `${label} ${name}` };
        }),
    );
  }
  return parts;
}

function membersOf(value: Json): readonly (readonly [string | number, Json, string])[] {
  if (Array.isArray(value)) {
    return value.map((item, index) => [index, item, textAt(item, 'name') ?? String(index)]);
  }
  return isJsonObject(value) ? Object.entries(value).map(([key, each]) => [key, each, key]) : [];
}

function within({ place, label }: Part, key: string, value: Json): Part {
  return { value, place: placeOf(place, key), label: `${label} ${key}` };
}

/** What a part says, with all that its references lead to. */
function withTargets(value: Json, document: Json): Json {
  const own = followed(value, document);
  const targets: Record<string, Json> = {};
  const pending: Json[] = [own];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    pending.push(...(Object.values(next) as Json[]));
    const reference = textAt(next, '$ref') ?? '';
    const target = findByTokens(document, pointerTokens(reference) ?? []);
    if (target === undefined || target === document || reference in targets) continue;
    targets[reference] = target;
    pending.push(target);
  }
  return Object.keys(targets).length === 0 ? own : { own, targets };
}

function saidInAsyncApi(document: Json): readonly ImportProblem[] {
  const usual = memberOf(document, 'defaultContentType') ?? 'application/json';
  const told = saidByTraits.flatMap(([key, what, places]) =>
    places
      .flatMap((place) => partsAt(document, place.split('/')))
      .flatMap((part) => {
        const stated = statedWithTraits(document, part.value, key);
        const said = saidUnder(key, stated, { document, usual });
        const isChoice = arrayAt(followed(part.value, document), 'oneOf') !== undefined;
        return isChoice || said === undefined ? [] : [unread(within(part, key, said), what)];
      }),
  );
  return [...told, ...repliesIn(document)];
}

/** All that is stated applies, or the last of it; undefined if nothing is said. */
function saidUnder(
  key: string,
  stated: readonly Json[],
  { document, usual }: { readonly document: Json; readonly usual: Json },
): Json | undefined {
  switch (key) {
    case 'contentType': {
      // The contract holds the schema alone.
      const type = mediaTypeOf(String(stated.at(-1) ?? usual));
      return type === 'application/json' ? undefined : type;
    }
    case 'correlationId':
      return memberOf(followed(stated.at(-1) ?? null, document), 'location');
    default:
      return stated.length === 0 ? undefined : withTargets(stated, document);
  }
}

/** Which messages are the reply to an operation: each message is compared by itself. */
function repliesIn(document: Json): readonly ImportProblem[] {
  return partsAt(document, ['operations', '*', 'reply']).map((part) => {
    const reply = followed(part.value, document);
    const refOf = (each: Json | undefined) => textAt(each, '$ref') ?? null;
    const messages = arrayAt(reply, 'messages')?.map(refOf).sort() ?? null;
    const value = { channel: refOf(memberOf(reply, 'channel')), messages };
    return unread({ ...part, value }, 'what is replied');
  });
}

function unread({ value, place, label }: Part, what: string): ImportProblem {
  const message = `${label.trim()}: ${what} changed, which is not compared.`;
  return { ...itemProblem('UNCOMPARED_PART', message, place), unread: value };
}
