// What AsyncAPI documents, CustomResourceDefinitions and contracts of ODCS say around their schemas, and no
// contract holds. As in OpenAPI, a change of it leaves the verdict open.

import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { type ImportProblem, itemProblem } from '../candidate.ts';
import { nameNodes } from '../dbt/dbt-names.ts';
import { isReference, readNodes } from '../dbt/dbt-node.ts';
import type { InputKind } from '../document-kinds.ts';
import { uncomparedOfSdl } from '../graphql/uncompared-sdl.ts';
import { uncomparedOfOdcs } from '../odcs/uncompared-odcs.ts';
import { findByTokens, pointerTokens, resolveObject } from '../openapi/openapi-document.ts';
import { uncomparedParts as uncomparedOfOpenApi } from '../openapi/uncompared.ts';
import { arrayAt, memberOf, objectAt, placeOf, textAt } from '../read-json.ts';
import { namesWithin, type UncomparedType } from '../uncompared-types.ts';

type Row = readonly [place: string, what: string];

const carried = 'how the broker carries the messages';
const credentials = 'the credentials that are presented';

const actions = ['publish', 'subscribe'].map((action) => `channels/*/${action}`);
const operations = ['operations/*', ...actions];
const messages = [
  'channels/*/messages/*',
  ...actions.flatMap((action) => [`${action}/message`, `${action}/message/oneOf/*`]),
];

/** Messages and operations may say this themselves, or by their traits. */
const saidByTraits: readonly (readonly [key: string, what: string, places: readonly string[]])[] = [
  ['bindings', carried, [...messages, ...operations]],
  ['security', credentials, operations],
  ['contentType', 'the format of the message', messages],
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
    ['nodes/*/access', 'who may refer to the model'],
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
    // These places are those of the Data Contract Specification.
    ['quality', 'what is promised'],
    ['models/*/additionalFields', 'whether it may have other fields'],
    ['models/*/config', 'what databases and files call it'],
  ],
};

/** What no place of a table tells. */
const others: Readonly<Partial<Record<InputKind, (document: Json) => readonly ImportProblem[]>>> = {
  asyncapi: saidInAsyncApi,
  dbt: typesOfDbt,
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
    partsAt(document, place.split('/')).map((part) =>
      unread({ ...part, value: withTargets(part.value, document) }, what),
    ),
  );
  return [...found, ...(others[kind]?.(document) ?? [])];
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

/** What a reference leads to, or the value itself. */
function followed(value: Json, document: Json): Json {
  const resolved = isJsonObject(document) ? resolveObject(document, value, '') : null;
  return resolved?.ok === true ? resolved.value : value;
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

/** Of formats, those that are not JSON: the contract holds the schema alone. */
function saidInAsyncApi(document: Json): readonly ImportProblem[] {
  const usual = textAt(document, 'defaultContentType') ?? 'application/json';
  return saidByTraits.flatMap(([key, what, places]) =>
    places
      .flatMap((place) => partsAt(document, place.split('/')))
      .flatMap((part) => {
        const holder = followed(part.value, document);
        const traits = arrayAt(holder, 'traits') ?? [];
        const stated = [holder, ...traits].flatMap(
          (each) => memberOf(followed(each, document), key) ?? [],
        );
        const isFormat = key === 'contentType';
        const said = isFormat && stated.length === 0 ? [usual] : stated;
        const isChoice = arrayAt(holder, 'oneOf') !== undefined;
        const isKnown = isFormat && said.every((each) => /[/+]json\b/i.test(String(each)));
        if (isChoice || isKnown || said.length === 0) return [];
        return [unread(within(part, key, withTargets(said, document)), what)];
      }),
  );
}

/** What the types of columns say beyond their schemas, and what another node says of the same table. */
function typesOfDbt(document: Json): readonly ImportProblem[] {
  const nodes = readNodes(document, []);
  const names = nameNodes(nodes, []);
  const types = new Map<string, UncomparedType>();
  return nodes
    .filter((node) => !isReference(node))
    .flatMap((node) => {
      const isOwner = names.get(node.id)?.isOwner === true;
      const columns = new Set(node.columns.map(({ name }) => name));
      const isNested = node.columns.some(({ name }) => name.includes('.'));
      return node.columns.map(({ name, dataType, place, key }) => {
        const type = types.get(dataType) ?? namesWithin(dataType);
        types.set(dataType, type);
        const at = placeOf(placeOf(`${place}.columns`, key), 'data_type');
        const part = { value: type.unread, place: at, label: `${node.id} ${name}` };
        const told = unread(part, 'the type in the database');
        if (!isOwner || columns.size < node.columns.length) return told;
        return { ...told, compared: isNested ? ownFields(type, name, columns) : type.compared };
      });
    });
}

/** A column of a dotted name takes the place of the field in its struct, which is then not compared. */
function ownFields(
  { compared }: UncomparedType,
  column: string,
  columns: ReadonlySet<string>,
): JsonObject {
  const own = Object.entries(compared).filter(
    ([path]) => path === '' || !columns.has(`${column}${path.replaceAll('[]', '')}`),
  );
  return Object.fromEntries(own);
}

function unread({ value, place, label }: Part, what: string): ImportProblem {
  const message = `${label.trim()}: ${what} changed, which is not compared.`;
  return { ...itemProblem('UNCOMPARED_PART', message, place), unread: value };
}
