// Prepares each row of the route table at startup: the parsers of its path and query, and the
// defaults of the query.

import { z } from 'zod';
import { accept, type Outcome } from '../../core/failure.ts';
import { problemOfText } from '../../core/value/storable.ts';
import { mayLackBody, type Route, takesIdempotencyKey } from '../../wire/route.ts';
import type { FieldProblem } from '../../wire/shapes/problem.ts';
import { parseOptions, toValidationFailure, validationFailure } from '../../wire/shapes/problem.ts';

export interface Plan {
  readonly row: Route;
  readonly rate: 'read' | 'write';
  readonly mayLackBody: boolean;
  readonly takesIdempotencyKey: boolean;
  /** Parses the parameters that Express found in the path. */
  readonly parseParams: (params: Readonly<Record<string, unknown>>) => Outcome<unknown>;
  readonly parseQuery: (search: string) => Outcome<unknown>;
}

export function planRoute(row: Route): Plan {
  return {
    row,
    rate: row.scope === 'public' || row.scope === 'read' ? 'read' : writeUnlessGet(row),
    mayLackBody: mayLackBody(row),
    takesIdempotencyKey: takesIdempotencyKey(row),
    parseParams: paramsParser(row),
    parseQuery: queryParser(row),
  };
}

function writeUnlessGet(row: Route): 'read' | 'write' {
  return row.method === 'GET' ? 'read' : 'write';
}

function paramsParser(row: Route): Plan['parseParams'] {
  const shape = row.params;
  if (shape === undefined) return () => accept(undefined);
  return (params) => {
    const parsed = shape.safeParse(params, parseOptions);
    return parsed.success
      ? accept(parsed.data)
      : { ok: false, failure: toValidationFailure(parsed.error) };
  };
}

function decoded(text: string): string | null {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function queryParser(row: Route): Plan['parseQuery'] {
  const shape = row.query ?? z.strictObject({});
  const kinds = kindsOf(shape);
  const without = parseQuery(shape, kinds, '');
  return (search) => (search === '' ? without : parseQuery(shape, kinds, search));
}

function parseQuery(
  shape: z.ZodObject,
  kinds: ReadonlyMap<string, string>,
  search: string,
): Outcome<unknown> {
  const broken = search.split('&').find((part) => decoded(part) === null);
  if (broken !== undefined) {
    return refuseField(broken.split('=', 1)[0] ?? '', 'is not percent-encoded UTF-8');
  }
  const read = new Map<string, unknown>();
  const problems: FieldProblem[] = [];
  for (const [name, text] of new URLSearchParams(search)) {
    const kind = kinds.get(name);
    const problem = problemOfText(text, [name]);
    if (problem !== null) problems.push(problem);
    else if (read.has(name)) problems.push({ field: name, message: 'is given more than once' });
    else if (kind === 'integer' && !wholeNumber.test(text)) {
      problems.push({ field: name, message: 'must be a whole number of at most 15 digits' });
    } else read.set(name, typed(text, kind));
  }
  if (problems.length > 0) return { ok: false, failure: validationFailure(problems) };
  const parsed = shape.safeParse(Object.fromEntries(read), parseOptions);
  return parsed.success
    ? accept(parsed.data)
    : { ok: false, failure: toValidationFailure(parsed.error) };
}

/** Up to 2^53; larger numbers would be rounded. */
const wholeNumber = /^-?\d{1,15}$/;

/** Converts text in a URL to the expected number or boolean; other text stays as it is. */
function typed(text: string, kind: string | undefined): unknown {
  if (kind === 'integer' && wholeNumber.test(text)) return Number(text);
  if (kind === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

function kindsOf(shape: z.ZodObject): ReadonlyMap<string, string> {
  const { properties = {} } = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' });
  const kinds = new Map<string, string>();
  for (const [name, member] of Object.entries(properties)) {
    if (typeof member === 'object' && typeof member.type === 'string') kinds.set(name, member.type);
  }
  return kinds;
}

function refuseField(field: string, message: string): Outcome<never> {
  return { ok: false, failure: validationFailure([{ field, message }]) };
}
