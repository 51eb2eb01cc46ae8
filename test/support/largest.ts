// The largest allowed input of each kind.

import type { Json, JsonObject } from '../../src/core/value/json.ts';
import { manifestOf } from './manifest.ts';

/** 9,000 subschemas in close to a MiB: the limits are 10,000 and 1 MiB. */
export function largestSchema(pad: string): JsonObject {
  const properties = Object.fromEntries(
    Array.from({ length: 9_000 }, (_, i): [string, Json] => [
      `column_${i}`,
      { type: 'string', description: `${pad} ${i} `.padEnd(60, 'about ') },
    ]),
  );
  return { type: 'object', properties };
}

/** Overlapping branches of objects without a tag that distinguishes them. */
export function largestUnion(from: number): JsonObject {
  const anyOf = Array.from({ length: 400 }, (_, i) => ({
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: 10 }, (_, k) => [`p${(i * 7 + k) % 97}`, { minimum: from + i + k }]),
    ),
    required: [`p${(i * 7) % 97}`],
  }));
  return { anyOf: [...anyOf], type: 'object' };
}

/** More than 50 MB of dbt. */
export function largeManifest(): JsonObject {
  const columns = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`c${i}`, 'text']));
  const description = 'about '.repeat(200);
  const models = Array.from({ length: 4_000 }, (_, i) => ({
    name: `model_${i}`,
    description,
    columns,
  }));
  return manifestOf('large', models);
}
