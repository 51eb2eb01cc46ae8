// One schema made of another by a small change, of the kinds that people make.

import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { isJsonObject } from '../../../src/core/value/json.ts';

interface Edit {
  readonly place: number;
  readonly how: string;
  readonly which: number;
  readonly part: Json;
}

/** Changes one subschema: the nth object that stands in the schema. */
export function applyEdit(schema: Json, edit: Edit): Json {
  const count = countObjects(schema);
  if (count === 0) return edit.part;
  let left = edit.place % count;
  const walk = (at: Json): Json => {
    if (Array.isArray(at)) return at.map(walk);
    if (!isJsonObject(at)) return at;
    const isHere = left-- === 0;
    const inside = Object.fromEntries(Object.entries(at).map(([name, part]) => [name, walk(part)]));
    return isHere ? change(inside, edit) : inside;
  };
  return walk(schema);
}

function countObjects(at: Json): number {
  if (Array.isArray(at)) return at.reduce((sum: number, part: Json) => sum + countObjects(part), 0);
  if (!isJsonObject(at)) return 0;
  return 1 + Object.values(at).reduce((sum: number, part) => sum + countObjects(part), 0);
}

/** Keywords that a hurried reader takes for each other. */
const near: Readonly<Record<string, string>> = {
  minimum: 'exclusiveMinimum',
  exclusiveMinimum: 'minimum',
  maximum: 'exclusiveMaximum',
  exclusiveMaximum: 'maximum',
  minLength: 'maxLength',
  maxLength: 'minLength',
  properties: 'patternProperties',
  additionalProperties: 'unevaluatedProperties',
  unevaluatedProperties: 'additionalProperties',
  items: 'contains',
  contains: 'items',
  anyOf: 'oneOf',
  oneOf: 'anyOf',
  allOf: 'anyOf',
  // biome-ignore lint/suspicious/noThenProperty: `then` is a keyword; nothing awaits this table.
  then: 'else',
};

function change(at: JsonObject, edit: Edit): Json {
  const names = Object.keys(at);
  const chosen = names[edit.which % Math.max(1, names.length)];
  switch (edit.how) {
    case 'drop':
      return Object.fromEntries(Object.entries(at).filter(([name]) => name !== chosen));
    case 'merge':
      return isJsonObject(edit.part) ? { ...at, ...edit.part } : edit.part;
    case 'wrap':
      return 'definitions' in at || '$defs' in at ? at : { anyOf: [at, edit.part] };
    case 'nudge': {
      const old = chosen === undefined ? undefined : at[chosen];
      if (chosen === undefined) return at;
      if (typeof old === 'number') return { ...at, [chosen]: Math.max(0, old + 1) };
      if (Array.isArray(old) && old.length > 1) return { ...at, [chosen]: old.slice(1) };
      if (typeof old === 'boolean') return { ...at, [chosen]: !old };
      return at;
    }
    case 'swap': {
      const other = chosen === undefined ? undefined : near[chosen];
      if (chosen === undefined || other === undefined) return at;
      const { [chosen]: moved = null, ...rest } = at;
      return { ...rest, [other]: moved };
    }
    default:
      return 'definitions' in at || '$defs' in at ? at : edit.part;
  }
}
