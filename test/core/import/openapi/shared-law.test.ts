// The law of shared comparisons: the operations of one document, compared one after the other with what they
// have in common compared once, have the results that each has alone. The documents are small ones in the
// manner of payment APIs, in which objects expand into each other; what changes is chosen at random.

import { expect, test } from 'vitest';
import type { Change, CompatibilityMode, ContractTerms } from '../../../../src/core/comparison.ts';
import { compare, shareComparisons } from '../../../../src/core/diff/compare.ts';
import { toContractTerms } from '../../../../src/core/import/candidate.ts';
import { alignTerms } from '../../../../src/core/import/openapi/align-terms.ts';
import { parseOpenApi } from '../../../../src/core/import/openapi/openapi.ts';
import type { Json, JsonObject } from '../../../../src/core/value/json.ts';
import { applyEdit } from '../../laws/edits.ts';
import { type Random, randomFrom } from '../../laws/values.ts';

const documents = Number(process.env.SHARED_DOCUMENTS ?? 10);

const objects = ['Account', 'Charge', 'Customer', 'Invoice', 'Refund'];
const modes: readonly CompatibilityMode[] = ['backward', 'backward', 'forward', 'full'];
const scalars: readonly JsonObject[] = [
  { type: 'string' },
  { type: 'integer', minimum: 0 },
  { type: 'string', maxLength: 5 },
  { type: 'boolean', nullable: true },
  { enum: ['a', 'b'] },
  { type: 'string', description: 'A word', default: 'x' },
];

function pick<T>(random: Random, list: readonly [T, ...T[]] | readonly T[]): T {
  const one = list[Math.floor(random() * list.length)];
  if (one === undefined) throw new Error('The list is empty.');
  return one;
}

function referenceIn(random: Random): JsonObject {
  return { $ref: `#/components/schemas/${pick(random, objects)}` };
}

function fieldIn(random: Random): JsonObject {
  const kind = random();
  if (kind < 0.4) return pick(random, scalars);
  if (kind < 0.65) return { anyOf: [{ type: 'string' }, referenceIn(random)] };
  if (kind < 0.75) return referenceIn(random);
  if (kind < 0.85) return { type: 'array', items: referenceIn(random) };
  if (kind < 0.92) return { oneOf: [referenceIn(random), referenceIn(random)] };
  return { allOf: [referenceIn(random), { properties: { seen: pick(random, scalars) } }] };
}

function objectIn(random: Random, name: string): JsonObject {
  const names = ['id', 'at', 'of', 'by'].slice(0, 1 + Math.floor(random() * 4));
  const properties = Object.fromEntries(names.map((each) => [each, fieldIn(random)]));
  const required = names.filter(() => random() < 0.4);
  return {
    type: 'object',
    properties: { ...properties, object: { enum: [name] } },
    ...(required.length > 0 && { required }),
    ...(random() < 0.1 && { additionalProperties: false }),
  };
}

function operationIn(random: Random): JsonObject {
  const content = (schema: Json) => ({ 'application/json': { schema } });
  const list = {
    type: 'object',
    properties: { data: { type: 'array', items: referenceIn(random) } },
  };
  const parameters = [{ name: 'expand', in: 'query', schema: pick(random, scalars) }];
  return {
    parameters: random() < 0.5 ? parameters : [],
    ...(random() < 0.5 && { requestBody: { content: content(fieldIn(random)) } }),
    responses: {
      200: { description: '', content: content(random() < 0.3 ? list : fieldIn(random)) },
      default: { description: '', content: content({ $ref: '#/components/schemas/Account' }) },
    },
  };
}

function documentIn(random: Random): { readonly schemas: Json; readonly paths: Json } {
  const paths = ['/a', '/b', '/c', '/d/{id}', '/e'].map((path) => [
    path,
    { post: operationIn(random) },
  ]);
  return {
    schemas: Object.fromEntries(objects.map((name) => [name, objectIn(random, name)])),
    paths: Object.fromEntries(paths),
  };
}

const hows = ['drop', 'merge', 'wrap', 'nudge', 'swap', 'replace'];

function edited(random: Random, json: Json, count: number): Json {
  let next = json;
  for (let left = count; left > 0; left--) {
    const how = pick(random, hows);
    const place = Math.floor(random() * 200);
    const which = Math.floor(random() * 5);
    next = applyEdit(next, { place, how, which, part: fieldIn(random) });
  }
  return next;
}

function termsOf({ schemas, paths }: { readonly schemas: Json; readonly paths: Json }) {
  const info = { title: 'Pay', version: '1' };
  const { candidates } = parseOpenApi({ openapi: '3.0.3', info, paths, components: { schemas } });
  return new Map(candidates.flatMap(({ fqn, terms }) => (terms === null ? [] : [[fqn, terms]])));
}

function pairsIn(random: Random): readonly (readonly [ContractTerms, ContractTerms])[] {
  const old = documentIn(random);
  const schemas = edited(random, old.schemas, 1 + Math.floor(random() * 3));
  const next = { schemas, paths: random() < 0.3 ? edited(random, old.paths, 1) : old.paths };
  const [before, after] = [termsOf(old), termsOf(next)];
  const compatibilityMode = pick(random, modes);
  return [...before].flatMap(([fqn, terms]) => {
    const later = after.get(fqn);
    if (later === undefined) return [];
    const was = { ...toContractTerms(terms, null), compatibilityMode };
    return [alignTerms(was, toContractTerms(later, was))];
  });
}

/** Changes of one object may stand in another order: in that in which its parts were first read. */
function inTextOrder<Of extends { readonly changes: readonly Change[] }>(of: Of): Of {
  const textOf = ({ path, type, description }: Change) => `${path} ${type} ${description}`;
  const changes = of.changes.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
  return { ...of, changes };
}

test('Operations that share a comparison have the results that each has alone', () => {
  const seen = { pairs: 0, breaking: 0, changed: 0 };
  for (let seed = 0; seed < documents; seed++) {
    const sharing = shareComparisons();
    for (const [old, next] of pairsIn(randomFrom(seed))) {
      const { steps: _, ...alone } = compare(old, next);
      const { steps: __, ...shared } = compare(old, next, {}, sharing);
      expect({ seed, ...inTextOrder(shared) }).toEqual({ seed, ...inTextOrder(alone) });
      seen.pairs++;
      if (alone.isBreaking) seen.breaking++;
      if (alone.changes.length > 0) seen.changed++;
    }
  }
  // The documents are of use: most operations change, and many of them break.
  expect(seen.pairs).toBeGreaterThan(documents * 3);
  expect(seen.changed).toBeGreaterThan(seen.pairs / 3);
  expect(seen.breaking).toBeGreaterThan(seen.pairs / 10);
});

/** A charge is reached through a customer, through a list of charges, and as it is. */
function chargesWith(status: JsonObject): { readonly schemas: Json; readonly paths: Json } {
  const charge = { $ref: '#/components/schemas/charge' };
  const answering = (schema: Json) => {
    const content = { 'application/json': { schema } };
    return { get: { responses: { 200: { description: '', content } } } };
  };
  const customer = { $ref: '#/components/schemas/customer' };
  const list = { type: 'object', properties: { data: { type: 'array', items: charge } } };
  return {
    schemas: {
      customer: {
        type: 'object',
        properties: { latest: { anyOf: [{ type: 'string' }, charge] } },
      },
      charge: {
        type: 'object',
        properties: { status },
        required: ['status'],
      },
    },
    paths: {
      '/charge': answering(charge),
      '/charges': answering(list),
      '/customer': answering(customer),
      '/version': answering({ type: 'string' }),
    },
  };
}

test('A change of a shared definition is found in each operation that reaches it, at its own place', () => {
  const sharing = shareComparisons();
  const old = termsOf(chargesWith({ enum: ['open', 'paid'] }));
  const next = termsOf(chargesWith({ enum: ['open', 'paid', 'failed'] }));
  const found = [...old].map(([fqn, terms]) => {
    const later = next.get(fqn);
    if (later === undefined) throw new Error('Each operation is in both documents.');
    const was = toContractTerms(terms, null);
    const aligned = alignTerms(was, toContractTerms(later, was));
    const { changes } = compare(...aligned, {}, sharing);
    return [fqn, changes.map(({ path, breaking, witness }) => ({ path, breaking, witness }))];
  });
  expect(Object.fromEntries(found)).toEqual({
    'api.pay.get_charge': [
      {
        path: '$.properties.response.properties.status',
        breaking: true,
        witness: { response: { status: 'failed' } },
      },
    ],
    'api.pay.get_charges': [
      {
        path: '$.properties.response.properties.data.items.properties.status',
        breaking: true,
        witness: { response: { data: [{ status: 'failed' }] } },
      },
    ],
    'api.pay.get_customer': [
      {
        path: '$.properties.response.properties.latest.properties.status',
        breaking: true,
        witness: { response: { latest: { status: 'failed' } } },
      },
    ],
    'api.pay.get_version': [],
  });
});
