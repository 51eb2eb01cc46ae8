// What data contracts say beside schemas and guarantees. Every version is read as ODCS 3, and its parts are
// told where they stand in the file.

import { isJsonObject, type Json } from '../../value/json.ts';
import { stepsOf } from '../../value/json-path.ts';
import { type ImportProblem, itemProblem } from '../candidate.ts';
import { arrayAt, memberOf, objectAt, textAt } from '../read-json.ts';
import { namesWithin, wholeType } from '../uncompared-types.ts';
import { placeInFile } from './conversion.ts';
import { inVersion3 } from './odcs.ts';
import {
  eachProperty,
  type FoundProperty,
  kindOfProperty,
  unreadOptions,
} from './odcs-property.ts';
import { unreadLevels } from './service-levels.ts';

/** @example uncomparedOfOdcs(contract)[0].place // '$.schema[0].properties[0].physicalType' */
export function uncomparedOfOdcs(document: Json): readonly ImportProblem[] {
  if (!isJsonObject(document)) return [];
  const converted = inVersion3(document);
  const { contract } = converted;
  const isSpecification = textAt(document, 'dataContractSpecification') !== undefined;
  const keyInFile = (key: string) => (isSpecification && otherKeys[key]) || key;
  const inFile = (place: string) => (contract === document ? place : placeInFile(converted, place));
  const properties = (arrayAt(contract, 'schema') ?? []).flatMap((object, index) =>
    [...eachProperty(object, `$.schema[${index}]`)].flatMap((found) =>
      partsOf(found).map(({ key, what, ...part }) => {
        const label = `${textAt(object, 'name') ?? ''} ${found.column} ${key}`;
        return uncompared(label, what, `${inFile(found.place)}.${keyInFile(key)}`, part);
      }),
    ),
  );
  const levels = arrayAt(contract, 'slaProperties') ?? [];
  const promises = unreadLevels(contract).map((level) => {
    const place = inFile(`$.slaProperties[${levels.indexOf(level)}]`);
    const names = [stepsOf(place)[0], textAt(level, 'property'), textAt(level, 'element')];
    const label = names.filter((name) => name !== undefined).join(' ');
    return uncompared(label, 'what is promised', place, { unread: level });
  });
  return [...properties, ...promises];
}

/** The keys of the Data Contract Specification. */
const otherKeys: Readonly<Record<string, string>> = {
  'map.key': 'keys',
  relationships: 'references',
  physicalType: 'config',
};

function uncompared(
  label: string,
  what: string,
  place: string,
  part: Pick<ImportProblem, 'unread' | 'compared'>,
): ImportProblem {
  const message = `${label}: ${what} changed, which is not compared.`;
  return { ...itemProblem('UNCOMPARED_PART', message, place), ...part };
}

interface Part extends Pick<ImportProblem, 'unread' | 'compared'> {
  readonly key: string;
  readonly what: string;
}

const times: readonly (string | undefined)[] = ['date', 'timestamp', 'time'];
const inDatabase = 'the type in the database';

/** What a property says and its schema does not. */
function partsOf({ property, depth }: FoundProperty): readonly Part[] {
  const kind = kindOfProperty(property);
  const part = (key: string, what: string, unread: Json | undefined): readonly Part[] =>
    unread === undefined ? [] : [{ key, what, unread }];
  const declared = memberOf(property, 'declaredType');
  const isTimeOf = times.includes(kind) ? 'how the time is written' : 'what is said of its values';
  return [
    { key: 'physicalType', what: inDatabase, ...physicalTypeOf(property, kind) },
    ...part(
      'physicalName',
      'what the database calls it',
      textAt(property, 'physicalName') ?? memberOf(property, 'name'),
    ),
    ...part('type', inDatabase, declared === undefined ? undefined : { '': declared }).map(
      (type) => ({ ...type, compared: kind === undefined ? {} : { '': kind } }),
    ),
    ...part('logicalTypeOptions', isTimeOf, unreadOptions(property)),
    ...part('relationships', 'what it refers to', memberOf(property, 'relationships')),
    ...part(
      'encryptedName',
      'the column that has it encrypted',
      memberOf(property, 'encryptedName'),
    ),
    ...part('map.key', 'the type of the keys', memberOf(objectAt(property, 'map'), 'key')),
    ...part(
      'primaryKey',
      'what is a key',
      depth > 1 ? memberOf(property, 'primaryKey') : undefined,
    ),
    ...unreadMembers(property, kind).flatMap((key) =>
      part(key, 'what stands in it', memberOf(property, key)),
    ),
  ];
}

/** A property without a logical type has the schema of the physical one. */
function physicalTypeOf(
  property: Json,
  kind: string | undefined,
): Pick<Part, 'unread' | 'compared'> {
  const stated = textAt(property, 'physicalType');
  if (stated === undefined) return { unread: {}, compared: {} };
  return kind === undefined ? namesWithin(stated) : { unread: wholeType(stated) };
}

/** Members of another kind of property, which say nothing of this one. */
function unreadMembers(property: Json, kind: string | undefined): readonly string[] {
  const isList = kind === 'array';
  const readsFields = kind === 'object' || (isList && objectAt(property, 'items') === undefined);
  return [
    ...(readsFields ? [] : ['properties']),
    ...(isList ? [] : ['items']),
    ...(kind === 'map' ? [] : ['map']),
  ];
}
