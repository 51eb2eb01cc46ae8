// Completes keywords and values in a schema, from the engine's table of keywords.

import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { syntaxTree } from '@codemirror/language';
import type { Dialect } from '../../core/schema/dialects.ts';
import { dialectOf, holdingOf, keywordsOf } from '../../core/schema/keywords.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/value/json.ts';
import { writeUriToken } from '../../core/value/pointer-token.ts';
import { jsonPlaceAt, type WrittenPlace, yamlPlaceAt } from './text-places.ts';

interface CompleteOptions {
  /** The schema from the last time that the text could be read. */
  readonly schema: JsonObject;
  readonly dialect: Dialect | undefined;
  readonly isYaml: boolean;
}

export function complete(
  context: CompletionContext,
  { schema, dialect, isYaml }: CompleteOptions,
): CompletionResult | null {
  const place = placeOf(context, isYaml);
  if (place === null || (place.typed === '' && !context.explicit && !isQuoted(context)))
    return null;
  const options = optionsAt(place, schema, dialectOf(schema, dialect));
  if (options.length === 0) return null;
  const isKey = place.key === null && !place.isItem;
  return {
    from: context.pos - place.typed.length,
    options: options.map((label) => ({ label, apply: write(isYaml, isKey) })),
    validFor: /^[\w$/#~.-]*$/,
  };
}

function isQuoted(context: CompletionContext): boolean {
  return context.state.sliceDoc(context.pos - 1, context.pos) === '"';
}

function placeOf({ state, pos }: CompletionContext, isYaml: boolean): WrittenPlace | null {
  const line = state.doc.lineAt(pos);
  const text = line.text.slice(0, pos - line.from);
  if (!isYaml) {
    const read = (from: number, to: number) => state.sliceDoc(from, to);
    return jsonPlaceAt(syntaxTree(state), read, { from: line.from, text });
  }
  const above = (count: number) =>
    line.number - count < 1 ? null : state.doc.line(line.number - count).text;
  return yamlPlaceAt(above, text);
}

function optionsAt(place: WrittenPlace, schema: JsonObject, dialect: Dialect): readonly string[] {
  const { steps, key, isItem } = place;
  const keywords = keywordsOf(dialect);
  if (isItem) {
    const list = steps.at(-1);
    const owner = steps.slice(0, -1);
    if (!isSchemaAt(owner, dialect)) return [];
    if (list === 'required') return fieldsOf(valueAt(schema, owner));
    return list === 'type' ? typeNames : [];
  }
  if (!isSchemaAt(steps, dialect)) return [];
  if (key === null) return [...keywords.keys()];
  switch (keywords.get(key)?.shape) {
    case 'type_name':
    case 'type_names':
      return typeNames;
    case 'reference':
      return targetsOf(schema, dialect);
    case 'flag':
    case 'schema_or_flag':
      return ['true', 'false'];
    case 'schema':
      return dialect === 'openapi-3.0' ? [] : ['true', 'false'];
    default:
      return [];
  }
}

const typeNames = ['string', 'integer', 'number', 'boolean', 'object', 'array', 'null'];

/** Whether the value at the place is a schema: the table says which keywords hold schemas. */
function isSchemaAt(steps: readonly (string | number)[], dialect: Dialect): boolean {
  let held: 'schema' | 'schemas' | 'schema_map' | 'components' | undefined = 'schema';
  for (const [index, step] of steps.entries()) {
    if (held === undefined || held === 'components') return false;
    held =
      held === 'schema'
        ? holdingOf(dialect, String(step), typeof steps[index + 1] === 'number')
        : 'schema';
  }
  return held === 'schema';
}

function valueAt(schema: Json, steps: readonly (string | number)[]): Json | undefined {
  let value: Json | undefined = schema;
  for (const step of steps) {
    if (Array.isArray(value)) value = value[Number(step)];
    else value = isJsonObject(value) ? value[String(step)] : undefined;
  }
  return value;
}

function fieldsOf(schema: Json | undefined): readonly string[] {
  const fields = isJsonObject(schema) ? schema.properties : undefined;
  return isJsonObject(fields) ? Object.keys(fields) : [];
}

function targetsOf(schema: JsonObject, dialect: Dialect): readonly string[] {
  const held = [...keywordsOf(dialect).values()].filter(({ use }) => use === 'holds');
  const names = held.flatMap(({ name }) => {
    const definitions = schema[name];
    if (!isJsonObject(definitions) || name === 'components') return [];
    return Object.keys(definitions).map((key) => `#/${name}/${writeUriToken(key)}`);
  });
  return ['#', ...names];
}

/** Writes the quotes and the colon that are needed, over those that are there already. */
function write(isYaml: boolean, isKey: boolean): Exclude<Completion['apply'], string | undefined> {
  return (view, { label }, from, to) => {
    const { doc } = view.state;
    const isOpen = doc.sliceString(from - 1, from) === '"';
    const isClosed = doc.sliceString(to, to + 1) === '"';
    const start = isOpen ? from - 1 : from;
    const end = isOpen && isClosed ? to + 1 : to;
    const isPlain = label === 'true' || label === 'false';
    const isBare =
      isPlain || (isYaml && !label.startsWith('#') && !/^[?:,[\]{}&*!|>'"%@`-]|[:#] /.test(label));
    const text = isBare ? label : JSON.stringify(label);
    const hasColon = /^\s*:/.test(doc.sliceString(end, doc.lineAt(end).to));
    const insert = isKey && !hasColon ? `${text}: ` : text;
    view.dispatch({
      changes: { from: start, to: end, insert },
      selection: { anchor: start + insert.length },
      userEvent: 'input.complete',
    });
  };
}
