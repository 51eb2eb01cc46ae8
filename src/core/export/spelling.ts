// The words of a manifest and those of the registry. A manifest writes fields in camelCase and choices
// in CamelCase, as Kubernetes does; the registry writes both in lower case. The registry's spelling in
// a manifest is older, and still read.

import { isJsonObject, type Json, type JsonObject } from '../value/json.ts';

/** Choices, by the field that has them. In lower case they are the registry's. */
export const choices = {
  compatibilityMode: ['Backward', 'Forward', 'Full', 'None'],
  guaranteeMode: ['Notify', 'Strict', 'Ignore'],
  needsMode: ['Narrow', 'Protect', 'Ignore'],
  onDeadline: ['Nothing', 'Remind', 'Escalate'],
  format: ['JSONSchema', 'GraphQL', 'OpenAPI', 'Dbt', 'ODCS'],
} as const;

type ChoiceField = keyof typeof choices;

/** Names of guarantees, by the registry's. */
const guaranteeNames: Readonly<Record<string, string>> = {
  max_staleness_minutes: 'maxStalenessMinutes',
  measured_by: 'measuredBy',
  min_rows: 'minRows',
  max_row_delta_pct: 'maxRowDeltaPct',
  accepted_values: 'acceptedValues',
};

/** Fields of a contract and its asset that a change may be about, by the registry's name. */
const changedFields = new Map([
  ['compatibility_mode', 'compatibilityMode'],
  ['guarantee_mode', 'guaranteeMode'],
  ['needs_mode', 'needsMode'],
  ['owner_team_id', 'team'],
]);

/** What is named by a manifest, by the registry's name. */
const olderNames = new Map(Object.entries(guaranteeNames).map(([older, name]) => [name, older]));

interface Respelled {
  readonly spec: JsonObject;
  /** Each older spelling that was found, in a sentence that says what to write. */
  readonly older: readonly string[];
}

/**
 * A spec as the registry spells it, which has one digest however the manifest is written.
 *
 * @example toRegistrySpelling({ compatibilityMode: 'Full' }).spec // { compatibilityMode: 'full' }
 */
export function toRegistrySpelling(spec: JsonObject): Respelled {
  const older: string[] = [];
  const members = Object.entries(spec).map(([key, value]): [string, Json] => {
    if (isChoiceField(key)) return [key, choiceOf(key, value, `spec.${key}`, older)];
    switch (key) {
      case 'schemaFrom':
        return [key, sourceOf(value, older)];
      case 'guarantees':
        return [key, isJsonObject(value) ? guaranteesOf(value, older) : value];
      case 'addConsumers':
        return ['consumers', value];
      case 'needs':
        tellOlderGuarantees(value, older);
        return [key, value];
      case 'consumers':
        older.push('spec: write addConsumers instead of consumers');
        return [key, value];
      case 'purpose':
        return ['notes', value];
      case 'notes':
        older.push('spec: write purpose instead of notes');
        return [key, value];
      case 'acknowledgements':
        return [key, Array.isArray(value) ? answersOf(value, older) : value];
      case 'acknowledge':
        older.push('spec: write acknowledgements, which name a digest, instead of acknowledge');
        return [key, value];
      default:
        return [key, value];
    }
  });
  return { spec: Object.fromEntries(members), older };
}

/** @example toManifestSpelling({ compatibilityMode: 'full' }) // { compatibilityMode: 'Full' } */
export function toManifestSpelling(spec: JsonObject): JsonObject {
  const members = Object.entries(spec).map(([key, value]): [string, Json] => {
    if (isChoiceField(key)) return [key, toChoice(key, value)];
    if (key === 'guarantees' && isJsonObject(value)) return [key, toManifestGuarantees(value)];
    return [key === 'consumers' ? 'addConsumers' : key, value];
  });
  return Object.fromEntries(members);
}

/** @example toChoice('guaranteeMode', 'strict') // 'Strict' */
export function toChoice<Field extends ChoiceField>(
  field: Field,
  value: Json,
): (typeof choices)[Field][number] {
  const known: readonly string[] = choices[field];
  const found = known.find((choice) => choice.toLowerCase() === value);
  // What the registry has is one of its own choices.
  return (found ?? value) as (typeof choices)[Field][number];
}

/** A sentence about guarantees of the registry, in the words of a manifest. */
export function inManifestWords(message: string): string {
  return message.replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, (word) => guaranteeNames[word] ?? word);
}

interface ToldChange {
  readonly type: string;
  readonly path: string;
  readonly description: string;
}

/**
 * A change in the words of a manifest, and unchanged if it is in them already. The fields of a user's
 * schema and the columns of guarantees keep their names.
 *
 * @example toManifestChange({ type: 'property_removed', path: '$.properties.a_b', ... }).type // 'PropertyRemoved'
 */
export function toManifestChange<Told extends ToldChange>(change: Told): Told {
  const path = toManifestPath(change.path);
  const type = change.type.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) =>
    letter.toUpperCase(),
  );
  const field = path.slice('$.'.length);
  const named = change.description.replaceAll(change.path, path);
  const description = isChoiceField(field)
    ? named.replace(
        /( from |: )(\w+)( to | became )(\w+)/,
        (_, first: string, old: string, then: string, next: string) =>
          `${first}${toChoice(field, old)}${then}${toChoice(field, next)}`,
      )
    : named;
  return { ...change, type, path, description };
}

/** @example toManifestPath('$.guarantees.volume.min_rows') // '$.guarantees.volume.minRows' */
export function toManifestPath(path: string): string {
  const guarantees = '$.guarantees.';
  if (path.startsWith(guarantees)) {
    return `${guarantees}${toManifestGuarantee(path.slice(guarantees.length))}`;
  }
  const field = changedFields.get(path.slice('$.'.length));
  return field === undefined ? path : `$.${field}`;
}

/** @example toRegistryGuarantee('acceptedValues.minRows') // 'accepted_values.minRows', as minRows is a column */
export function toRegistryGuarantee(name: string): string {
  return spellGuarantee(name, (word) => olderNames.get(word) ?? word);
}

function toManifestGuarantee(name: string): string {
  return spellGuarantee(name, (word) => guaranteeNames[word] ?? word);
}

/** Respells the name of a guarantee, or of a part of one. Names of columns stay as they are. */
function spellGuarantee(name: string, spell: (word: string) => string): string {
  const [kind = '', ...parts] = name.split('.');
  const isOfColumns = kind !== 'freshness' && kind !== 'volume';
  return [spell(kind), ...(isOfColumns ? parts : parts.map(spell))].join('.');
}

/** An answer that has both names keeps both, and is refused when it is read. */
function answersOf(answers: readonly Json[], older: string[]): Json {
  return answers.map((answer: Json, index) => {
    if (!isJsonObject(answer)) return answer;
    if (answer.notes !== undefined) {
      older.push(`spec.acknowledgements[${index}]: write reason instead of notes`);
      return answer;
    }
    return mapEntries(answer, (name, member) => [name === 'reason' ? 'notes' : name, member]);
  });
}

/** Notes which guarantees of a need have an older spelling. The need itself is not changed. */
function tellOlderGuarantees(needs: Json, older: string[]): void {
  const names = isJsonObject(needs) && Array.isArray(needs.guarantees) ? needs.guarantees : [];
  for (const name of names) {
    const now = typeof name === 'string' ? toManifestGuarantee(name) : name;
    if (now !== name) older.push(`spec.needs.guarantees: write ${now} instead of ${name}`);
  }
}

function isChoiceField(key: string): key is ChoiceField {
  return key !== 'format' && Object.hasOwn(choices, key);
}

function choiceOf(field: ChoiceField, value: Json, path: string, older: string[]): Json {
  const known: readonly string[] = choices[field];
  if (typeof value !== 'string') return value;
  if (known.includes(value)) return value.toLowerCase();
  const now = known.find((choice) => choice.toLowerCase() === value);
  if (now !== undefined) older.push(`${path}: write ${now} instead of ${value}`);
  return value;
}

function sourceOf(value: Json, older: string[]): Json {
  if (!isJsonObject(value) || value.format === undefined) return value;
  return { ...value, format: choiceOf('format', value.format, 'spec.schemaFrom.format', older) };
}

function guaranteesOf(guarantees: JsonObject, older: string[]): JsonObject {
  const naming = (held: JsonObject, path: string) => (key: string) => {
    const now = guaranteeNames[key];
    if (now !== undefined) older.push(`${path}: write ${now} instead of ${key}`);
    const name = olderNames.get(key);
    // Both names at once: the registry refuses the one that it does not know.
    return name === undefined || Object.hasOwn(held, name) ? key : name;
  };
  return spellGuarantees(guarantees, naming, (entry) => (entry === 'Never' ? 'never' : entry));
}

function toManifestGuarantees(guarantees: JsonObject): JsonObject {
  const naming = () => (key: string) => guaranteeNames[key] ?? key;
  return spellGuarantees(guarantees, naming, (entry) => (entry === 'never' ? 'Never' : entry));
}

function spellGuarantees(
  guarantees: JsonObject,
  naming: (held: JsonObject, path: string) => (key: string) => string,
  spellColumn: (entry: Json) => Json,
): JsonObject {
  const path = 'spec.guarantees';
  const nameOf = naming(guarantees, path);
  const members = Object.entries(guarantees).map(([key, value]): [string, Json] => {
    if (!isJsonObject(value)) return [nameOf(key), value];
    if (key === 'freshness' || key === 'volume') {
      const nameIn = naming(value, `${path}.${key}`);
      return [key, mapEntries(value, (name, member) => [nameIn(name), member])];
    }
    const spelled =
      key === 'nullability'
        ? mapEntries(value, (column, entry) => [column, spellColumn(entry)])
        : value;
    return [nameOf(key), spelled];
  });
  return Object.fromEntries(members);
}

function mapEntries(
  held: JsonObject,
  change: (key: string, value: Json) => [string, Json],
): JsonObject {
  return Object.fromEntries(Object.entries(held).map(([key, value]) => change(key, value)));
}
