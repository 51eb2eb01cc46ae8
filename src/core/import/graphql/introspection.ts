// Prints the result of an introspection query as SDL, which the reader reads.

import { buildClientSchema, type IntrospectionQuery, printSchema } from 'graphql/utilities';
import { parseJson } from '../../value/json.ts';
import { fatal, type ImportProblem } from '../candidate.ts';
import { arrayAt, objectAt, textAt } from '../read-json.ts';

type Printed =
  | {
      readonly ok: true;
      readonly sdl: string;
      /** The place of each type in the file, by its name. */
      readonly places: ReadonlyMap<string, string>;
    }
  | { readonly ok: false; readonly problem: ImportProblem };

/** @example printIntrospection('{"data": {"__schema": {...}}}').sdl // 'type Query { ... }' */
export function printIntrospection(text: string): Printed {
  const parsed = parseJson(text);
  if (!parsed.ok) return refuse(parsed.message);
  const data = objectAt(parsed.value, 'data');
  const schema = objectAt(data ?? parsed.value, '__schema');
  if (schema === undefined) return refuse('It has no __schema.');
  const base = `${data === undefined ? '$' : '$.data'}.__schema.types`;
  const named = (arrayAt(schema, 'types') ?? []).map(
    (type, index) => [textAt(type, 'name') ?? '', `${base}[${index}]`] as const,
  );
  try {
    // The library checks the form, and throws if it is another.
    const query = { __schema: schema } as unknown as IntrospectionQuery;
    const sdl = printSchema(buildClientSchema(query, { assumeValid: true }));
    return { ok: true, sdl, places: new Map(named) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const [sentence = message] = message.split('\n');
    return refuse(sentence);
  }
}

function refuse(why: string): Extract<Printed, { ok: false }> {
  const message = `The introspection of the GraphQL schema could not be read. ${why}`;
  return { ok: false, problem: fatal('INVALID_SDL', message) };
}
