// The law of statuses: whatever else is written beside it, what callers of an operation may get, and what
// receivers of a webhook may answer, is never taken away unasked. Which status has the main JSON, which
// statuses a range or the default covers, and which media types there are changes at random. What has to
// break is computed from the documents alone. The same for bodies that callers send, and what they present.

import { expect, test } from 'vitest';
import { compare } from '../../../../src/core/diff/compare.ts';
import { toContractTerms } from '../../../../src/core/import/candidate.ts';
import { alignTerms } from '../../../../src/core/import/openapi/align-terms.ts';
import { parseOpenApi } from '../../../../src/core/import/openapi/openapi.ts';
import type { JsonObject } from '../../../../src/core/value/json.ts';
import { type Random, randomFrom } from '../../laws/values.ts';

const pairs = Number(process.env.STATUS_PAIRS ?? 400);

/** Media types, each with the fields that its body always has. */
type Body = ReadonlyMap<string, readonly string[]>;
type Statuses = ReadonlyMap<string, Body>;

const allStatuses = ['200', '201', '202', '2XX', '404', '4XX', 'default'];
const allTypes = ['application/json', 'text/csv', 'application/vnd.x+json'];
const withRanges = [...allTypes, 'text/*', '*/*'];
const allFields = ['a', 'b', 'c'];

function some<T>(random: Random, list: readonly T[], chance: number): readonly T[] {
  return list.filter(() => random() < chance);
}

function bodyOf(random: Random, all = allTypes): Body {
  const types = some(random, all, 0.45);
  return new Map(types.map((type) => [type, some(random, allFields, 0.6)]));
}

function statusesOf(random: Random, types = allTypes): Statuses {
  return new Map(some(random, allStatuses, 0.4).map((status) => [status, bodyOf(random, types)]));
}

/** A few small edits, so that most of what was there stays. */
function edited(random: Random, old: Statuses, types = allTypes): Statuses {
  const next = new Map(old);
  for (let edits = 1 + Math.floor(random() * 3); edits > 0; edits--) {
    const status = allStatuses[Math.floor(random() * allStatuses.length)] ?? 'default';
    const another = allStatuses[Math.floor(random() * allStatuses.length)] ?? 'default';
    if (random() < 0.25) next.delete(status);
    else
      next.set(status, (random() < 0.5 ? next.get(another) : undefined) ?? bodyOf(random, types));
  }
  return next;
}

function responsesOf(statuses: Statuses): JsonObject {
  const entries = [...statuses].map(([status, body]) => {
    const content = [...body].map(([type, fields]) => {
      const properties = Object.fromEntries(fields.map((field) => [field, { type: 'string' }]));
      return [type, { schema: { type: 'object', properties, required: [...fields] } }];
    });
    return [status, { description: '', content: Object.fromEntries(content) }];
  });
  return Object.fromEntries(entries);
}

function termsOf(document: JsonObject) {
  const { candidates, problems } = parseOpenApi(document);
  expect(problems).toEqual([]);
  const [candidate] = candidates;
  if (candidate?.terms == null) throw new Error('The operation has no contract.');
  return toContractTerms(candidate.terms, null);
}

const about = { openapi: '3.1.0', info: { title: 'Shop', version: '1' } };
const parameters = [{ name: 'q', in: 'query', schema: {} }];

function operationOf(statuses: Statuses): JsonObject {
  const post = { parameters, responses: responsesOf(statuses) };
  return { ...about, paths: { '/a': { post } } };
}

function webhookOf(statuses: Statuses): JsonObject {
  const requestBody = { content: { 'application/json': { schema: { type: 'string' } } } };
  const post = { requestBody, responses: responsesOf(statuses) };
  return { ...about, webhooks: { made: { post } } };
}

function isBreaking(old: JsonObject, next: JsonObject): boolean {
  return compare(...alignTerms(termsOf(old), termsOf(next))).changes.some((each) => each.breaking);
}

function effective(statuses: Statuses, status: string): Body | undefined {
  const range = `${status.slice(0, 1)}XX`;
  return statuses.get(status) ?? statuses.get(range) ?? statuses.get('default');
}

/** Whether a media type or a field of it goes. */
function losesOf(was: Body, is: Body): boolean {
  return [...was].some(([type, fields]) => lacks(fields, is.get(type)));
}

/** Whether a caller misses something: a media type without a name is described by a range of types. */
function missesOf(was: Body, is: Body): boolean {
  const types = [...was.keys(), ...is.keys()];
  return types.some((type) => lacks(describing(was, type), describing(is, type)));
}

function describing(body: Body, type: string): readonly string[] | undefined {
  return body.get(type) ?? body.get(`${type.split('/')[0]}/*`) ?? body.get('*/*');
}

function lacks(was: readonly string[] | undefined, is: readonly string[] | undefined): boolean {
  return was !== undefined && (is === undefined || was.some((field) => !is.includes(field)));
}

function mustBreak(old: Statuses, next: Statuses): boolean {
  const named = [...new Set([...old.keys(), ...next.keys()])];
  // Each range stands for a status that nobody names.
  const asked = named.map((status) => status.replace('XX', '99'));
  return asked.some((status) => {
    const [was, is] = [effective(old, status), effective(next, status)];
    if (was === undefined) return false;
    return is === undefined ? status.startsWith('2') : missesOf(was, is);
  });
}

/** The status whose JSON stands for the response. */
function mainOf(statuses: Statuses): string | undefined {
  const stated = ['200', '201', '2XX'].filter((status) => statuses.has(status));
  const types = ['application/json', 'application/vnd.x+json', '*/*'];
  const all = stated.length > 0 ? stated : ['default'];
  return all.find((status) => types.some((type) => statuses.get(status)?.has(type)));
}

/** The fields of that JSON. */
function responseOf(statuses: Statuses): readonly string[] | undefined {
  const body = statuses.get(mainOf(statuses) ?? '');
  const types = ['application/json', 'application/vnd.x+json', '*/*'];
  return types.map((type) => body?.get(type)).find(Boolean);
}

/** Whether an operation answers that answered nothing, or has JSON under a status that had no body. */
function appears(old: Statuses, next: Statuses): boolean {
  const main = mainOf(next);
  if (mainOf(old) !== undefined) return false;
  if (main !== undefined) return (effective(old, main)?.size ?? 0) === 0;
  return !answers(old) && answers(next);
}

function answers(statuses: Statuses): boolean {
  const success = [...statuses.keys()].filter((status) => status.startsWith('2'));
  const all = success.length > 0 ? success : ['default'];
  return all.some((status) => (statuses.get(status)?.size ?? 0) > 0);
}

test('No caller loses an answer unasked, and nobody is asked about nothing', () => {
  const random = randomFrom(20);
  let broken = 0;
  for (let pair = 0; pair < pairs; pair++) {
    const old = statusesOf(random, withRanges);
    const next = edited(random, old, withRanges);
    const [was, is] = [responseOf(old), responseOf(next)];
    // What has become the response has to have all that the response had.
    const expected = mustBreak(old, next) || lacks(was, is) || appears(old, next);
    if (expected) broken++;
    // One that has no JSON any more may ask.
    if (!expected && was !== undefined && is === undefined) continue;
    const documents = [operationOf(old), operationOf(next)] as const;
    expect({ documents, breaks: isBreaking(...documents) }).toEqual({
      documents,
      breaks: expected,
    });
  }
  expect(broken).toBeGreaterThan(pairs / 10);
  expect(broken).toBeLessThan(pairs * 0.9);
});

/** A receiver answers with what it answered before: nothing of it may go, and nothing be demanded. */
function refusesAnswers(old: Statuses, next: Statuses): boolean {
  return [...old].some(([status, was]) => {
    const is = next.get(status);
    if (is === undefined) return true;
    return losesOf(was, is) || losesOf(new Map([...is].filter(([type]) => was.has(type))), was);
  });
}

test('No receiver of a webhook is refused unasked, and nobody is asked about nothing', () => {
  const random = randomFrom(21);
  for (let pair = 0; pair < pairs; pair++) {
    const old = statusesOf(random);
    const next = edited(random, old);
    const expected = refusesAnswers(old, next);
    const documents = [webhookOf(old), webhookOf(next)] as const;
    expect({ documents, breaks: isBreaking(...documents) }).toEqual({
      documents,
      breaks: expected,
    });
  }
});

function sendingTo(body: Body): JsonObject {
  const { content } = responsesOf(new Map([['200', body]]))['200'] as { content: JsonObject };
  const post = { parameters, requestBody: { content, required: true }, responses: { 204: {} } };
  return { ...about, paths: { '/a': { post } } };
}

test('No body that callers send is refused unasked', () => {
  const random = randomFrom(22);
  for (let pair = 0; pair < pairs; pair++) {
    const old = bodyOf(random);
    const next = random() < 0.5 ? bodyOf(random) : new Map([...old, ...bodyOf(random)]);
    if (old.size === 0) continue;
    if (!refusesAnswers(new Map([['200', old]]), new Map([['200', next]]))) continue;
    const documents = [sendingTo(old), sendingTo(next)] as const;
    expect({ documents, breaks: isBreaking(...documents) }).toEqual({ documents, breaks: true });
  }
});

/** What a caller presents: each with its kind and its scopes. */
type Alternative = readonly (readonly [scheme: string, scopes: readonly string[]])[];

const securitySchemes = {
  key: { type: 'apiKey', in: 'header', name: 'X-Key' },
  bearer: { type: 'http', scheme: 'bearer' },
  login: { type: 'oauth2', flows: {} },
  staff: { type: 'oauth2', flows: {} },
};

function alternativeOf(random: Random): Alternative {
  const named = some(random, Object.keys(securitySchemes), 0.4);
  return named.map((name) => [
    name,
    ['key', 'bearer'].includes(name) ? [] : some(random, ['r', 'w'], 0.5),
  ]);
}

function securedBy(alternatives: readonly Alternative[], responses: JsonObject): JsonObject {
  const security = alternatives.map((each) => Object.fromEntries(each));
  const post = { parameters, ...responses, security: security as JsonObject[] };
  return { ...about, paths: { '/a': { post } }, components: { securitySchemes } };
}

/** Whether what is presented is enough; schemes of one kind stand for each other. */
function suffices(presented: Alternative, demanded: Alternative): boolean {
  const [first, ...rest] = demanded;
  if (first === undefined) return true;
  const kindOf = (name: string) => (name === 'staff' ? 'login' : name);
  return presented.some(([name, scopes], index) => {
    const fits =
      kindOf(name) === kindOf(first[0]) && first[1].every((scope) => scopes.includes(scope));
    return fits && suffices(presented.toSpliced(index, 1), rest);
  });
}

test('No caller has to present more unasked, with or without responses', () => {
  const random = randomFrom(23);
  const stated = [{}, { responses: {} }, { responses: { 204: {} } }];
  for (let pair = 0; pair < pairs; pair++) {
    const alternatives = () => Array.from({ length: random() * 3 }, () => alternativeOf(random));
    const [old, next] = [alternatives(), alternatives()];
    const offered = old.length === 0 ? [[]] : old;
    const isRefused = (each: Alternative) =>
      next.length > 0 && !next.some((demanded) => suffices(each, demanded));
    if (!offered.some(isRefused)) continue;
    const responses = stated[pair % stated.length] ?? {};
    const documents = [securedBy(old, responses), securedBy(next, responses)] as const;
    expect({ documents, breaks: isBreaking(...documents) }).toEqual({ documents, breaks: true });
  }
});
