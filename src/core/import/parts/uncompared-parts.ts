// What AsyncAPI documents, CustomResourceDefinitions and contracts of ODCS say around their schemas, and no
// contract holds. As in OpenAPI, a change of it leaves the verdict open.

import { isJsonObject, type Json } from '../../value/json.ts';
import { type ImportProblem, itemProblem } from '../candidate.ts';
import type { InputKind } from '../document-kinds.ts';
import { uncomparedOfSdl } from '../graphql/uncompared-sdl.ts';
import { uncomparedParts as uncomparedOfOpenApi } from '../openapi/uncompared.ts';
import { memberOf, placeOf, textAt } from '../read-json.ts';

type Row = readonly [place: string, what: string];

const carried = 'how the broker carries the messages';
const credentials = 'the credentials that are presented';

/** By place; `*` stands for every member, or every item by its name. */
const rows: Readonly<Partial<Record<InputKind, readonly Row[]>>> = {
  asyncapi: [
    ['servers', 'the addresses of the servers'],
    ['channels/*/servers', 'the addresses of the servers'],
    ['channels/*/parameters', 'what stands in the address of the channel'],
    ['channels/*/bindings', carried],
    ['channels/*/messages/*/bindings', carried],
    ['channels/*/publish/bindings', carried],
    ['channels/*/subscribe/bindings', carried],
    ['channels/*/publish/message/bindings', carried],
    ['channels/*/subscribe/message/bindings', carried],
    ['operations/*/bindings', carried],
    ['components/messages/*/bindings', carried],
    ['channels/*/publish/security', credentials],
    ['channels/*/subscribe/security', credentials],
    ['operations/*/security', credentials],
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
  dbt: [['nodes/*/access', 'who may refer to the model']],
  odcs: [
    ['servers', 'where the data is'],
    ['schema/*/relationships', 'what the table refers to'],
    ['servicelevels/retention', 'how long the data is kept'],
    ['servicelevels/availability', 'how often the data is available'],
    ['models/*/fields/*/precision', 'how many digits a number has'],
    ['models/*/fields/*/scale', 'how many digits a number has'],
  ],
};

/** @example uncomparedParts('crd', { spec: { scope: 'Cluster' } })[0].place // '$.spec.scope' */
export function uncomparedParts(kind: InputKind, document: Json): readonly ImportProblem[] {
  if (kind === 'openapi') return uncomparedOfOpenApi(document);
  if (kind === 'graphql') return typeof document === 'string' ? uncomparedOfSdl(document) : [];
  const found = (rows[kind] ?? []).flatMap(([place, what]) =>
    partsAt(document, place.split('/')).map((part) => unread(part, what)),
  );
  if (kind === 'asyncapi') return [...found, ...formatsOf(document)];
  return kind === 'odcs' ? [...found, ...typesOf(document), ...levelsOf(document)] : found;
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
      membersOf(value)
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

const messagePlaces = [
  ...['channels/*/messages/*', 'components/messages/*'],
  ...['channels/*/publish/message', 'channels/*/subscribe/message'],
];

/** The format of each message that is not JSON: the contract holds its schema alone. */
function formatsOf(document: Json): readonly ImportProblem[] {
  const usual = textAt(document, 'defaultContentType');
  return messagePlaces
    .flatMap((place) => partsAt(document, place.split('/')))
    .flatMap((message) => {
      const { value } = message;
      const format = textAt(value, 'contentType') ?? usual ?? 'application/json';
      if (textAt(value, '$ref') !== undefined || /[/+]json\b/i.test(format)) return [];
      return [unread(within(message, 'contentType', format), 'the format of the message')];
    });
}

const times = new Set(['date', 'timestamp', 'time']);

/** What stands beside a logical type, of which the values are known. */
function typesOf(document: Json): readonly ImportProblem[] {
  return partsAt(document, ['schema', '*', 'properties', '*']).flatMap((property) => {
    const logicalType = textAt(property.value, 'logicalType');
    if (logicalType === undefined) return [];
    const told = (key: string, what: string) => {
      const value = memberOf(property.value, key);
      return value === undefined ? [] : [unread(within(property, key, value), what)];
    };
    return [
      ...told('physicalType', 'the type in the database'),
      ...(times.has(logicalType) ? told('logicalTypeOptions', 'how the time is written') : []),
    ];
  });
}

const readLevels = new Set(['latency', 'ly', 'freshness']);

function levelsOf(document: Json): readonly ImportProblem[] {
  return partsAt(document, ['slaProperties', '*']).flatMap(({ value, place }) => {
    const property = textAt(value, 'property');
    if (property === undefined || readLevels.has(property)) return [];
    return [unread({ value, place, label: `slaProperties ${property}` }, 'what is promised')];
  });
}

function unread({ value, place, label }: Part, what: string): ImportProblem {
  const message = `${label.trim()}: ${what} changed, which is not compared.`;
  return { ...itemProblem('UNCOMPARED_PART', message, place), unread: value };
}
