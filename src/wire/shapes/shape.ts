// The building blocks of every shape. The `meta` of a shape is its documentation: openapi.json is
// made from the same objects that validate requests, so the two always agree.

import { z } from 'zod';
import { reasonLength } from '../../core/decide/reason.ts';
import { isExactNumber, isJsonObject, type Json, type JsonObject } from '../../core/value/json.ts';

export const exampleId = {
  team: '0198c5a0-4c1e-7a52-9d0b-5b1f4f0c2a11',
  otherTeam: '0198c5a0-4c1e-7a52-9d0b-5b1f4f0c2a12',
  asset: '0198c5a1-09f3-7d0e-8a44-3a2f6f1b7c21',
  otherAsset: '0198c5a1-09f3-7d0e-8a44-3a2f6f1b7c22',
  contract: '0198c5a1-7be0-7c3f-b2a8-90d4c1e55f31',
  otherContract: '0198c5a1-7be0-7c3f-b2a8-90d4c1e55f32',
  registration: '0198c5a2-11aa-7f10-9c77-6d2e8b3a4f41',
  proposal: '0198c5a2-a4d2-7b6c-8e19-1f7c5d9e0b51',
  comment: '0198c5a2-b3c4-7d5e-8f60-718293a4b5c6',
  dependency: '0198c5a2-d09e-7c41-8f25-4b7a9e1c6d55',
  run: '0198c5a2-f00d-7b18-a6c4-2e9d5f8b3a57',
  event: '0198c5a3-3c55-7e88-a1f0-2b8d4c6a9e61',
  key: '0198c5a3-c0de-7123-95b4-7e3f1a5d8c71',
  source: '0198c5a4-9d1f-7c22-8a3b-6f5e4d3c2b91',
  sourceObject: '0198c5a4-ab37-7d81-9e60-1c2d3e4f5a93',
  service: '0198c5a3-e0d1-7b2c-9d4e-5f6071829304',
  trust: '0198c5a3-f1d0-7a2b-8c3d-4e5f60718293',
  user: '0198c5a4-5eed-7456-b6c3-9a1d2e4f7b81',
  webhook: '0198c5a4-c3d2-7e10-9b4a-2f6a8c1d0e95',
  delivery: '5d2c9a31-7b64-4f0e-8c15-a9e3d7f0b297',
} as const;

export const exampleTime = '2026-03-14T09:26:53.589Z';
/** For fields that must be in the future. */
export const exampleOfLater = '2099-05-03T00:00:00.000Z';

/** Ids are compared as text, so they are put in lower case here, once. */
export function id(description: string, example: string) {
  return z
    .guid()
    .toLowerCase()
    .meta({ description, examples: [example] });
}

export function text(description: string, example: string, maxLength = 10_000) {
  return z
    .string()
    .max(maxLength)
    .meta({ description, examples: [example] });
}

/** Text that must not be blank, such as a name. */
export function requiredText(description: string, example: string, maxLength = 10_000) {
  return z
    .string()
    .max(maxLength)
    .regex(/\S/, 'must not be empty')
    .meta({ description, examples: [example] });
}

/** The verbs check it with core/decide/reason.ts. */
export function reason(description: string) {
  return z
    .string()
    .max(10_000)
    .meta({
      description: `${description} At least ${reasonLength} letters, digits or punctuation marks. It is kept in the audit trail.`,
      examples: ['Legal wants it gone today.'],
    });
}

export function flag(description: string, example = true) {
  return z.boolean().meta({ description, examples: [example] });
}

export function count(description: string, example = 1) {
  return z
    .int()
    .min(0)
    .meta({ description, examples: [example] });
}

/** A day in a request or a response, without a time. */
export function day(description: string, example = '2099-05-03') {
  return z.iso.date().meta({ description, examples: [example] });
}

/** A time in a response: always UTC, with a `Z`. */
export function timestamp(description: string) {
  return z.iso.datetime().meta({ description, examples: [exampleTime] });
}

/** A time in a request: any offset is accepted. */
export function moment(description: string, example = exampleTime) {
  return z.iso
    .datetime({ offset: true })
    .refine(isInCalendar, 'must lie between the years 1 and 9999')
    .meta({ description, examples: [example] });
}

/** Checks the year in UTC. Outside these years, Postgres and JavaScript write dates differently. */
function isInCalendar(text: string): boolean {
  const year = new Date(text).getUTCFullYear();
  return year >= 1 && year <= 9999;
}

export function choice<const T extends readonly [string, ...string[]]>(
  values: T,
  description: string,
  example: T[number] = values[0],
) {
  return z.enum(values).meta({ description, examples: [example] });
}

/**
 * A free-form object, passed on unchanged: zod would copy it key by key, and a copy loses a
 * `__proto__` key or a number past 2^53.
 */
export function jsonObject(description: string, example: Record<string, unknown>) {
  return z
    .custom<JsonObject>(isJsonObject, 'must be an object')
    .meta({ description, type: 'object', examples: [example] });
}

/** Any JSON value, passed on unchanged. */
export function jsonValue(description: string, example: unknown) {
  return z.custom<Json>(isJson, 'must be a JSON value').meta({ description, examples: [example] });
}

function isJson(value: unknown): value is Json {
  if (value === null || isExactNumber(value)) return true;
  return ['string', 'number', 'boolean', 'object'].includes(typeof value);
}

/** A contract's schema. */
export function jsonSchema(description: string) {
  return jsonObject(description, exampleSchema);
}

export const exampleSchema = {
  type: 'object',
  properties: { id: { type: 'integer' }, total: { type: 'number' } },
  required: ['id'],
};

/** The query parameters of every paged list; a `-` before a field of `sort` means descending. */
export function pageQuery<const T extends readonly [string, ...string[]]>(sorts: T) {
  return {
    page: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(1)
      .meta({ description: 'The page number, from 1.', examples: [1] }),
    page_size: z
      .int()
      .min(1)
      .max(100)
      .default(20)
      .meta({ description: 'Number of results per page; at most 100.', examples: [20] }),
    cursor: cursor.optional(),
    include_total: includeTotal,
    sort: choice(sorts, 'The field to sort by; with `-` in front, descending.').optional(),
  };
}

export const cursor = z
  .string()
  .min(1)
  .max(2000)
  .meta({
    description:
      'The `next_cursor` of the previous page. Unlike `page`, it is equally fast on every page.',
    examples: ['eyJmcW4iOiJzaG9wLnB1YmxpYy5vcmRlcnMifQ'],
  });

export const includeTotal = z
  .boolean()
  .default(true)
  .meta({ description: 'Whether to return the total number of results.', examples: [true] });

export const nextCursor = z
  .string()
  .nullable()
  .meta({
    description: 'The `cursor` of the next page; null on the last page.',
    examples: ['eyJmcW4iOiJzaG9wLnB1YmxpYy5vcmRlcnMifQ', null],
  });

export const pageAnswer = {
  total: count(
    'Total number of results on all pages; absent with `include_total=false`.',
    42,
  ).optional(),
  page: z
    .int()
    .min(1)
    .meta({ description: 'The page number; absent with a cursor.', examples: [1] })
    .optional(),
  page_size: z
    .int()
    .min(1)
    .meta({ description: 'Number of results per page.', examples: [20] }),
  next_cursor: nextCursor,
};

export const NoBody = z
  .strictObject({})
  .meta({ id: 'NoBody', description: 'An empty body, which may be omitted.', examples: [{}] });
