// Operations through the API: required and no longer accepted parts of requests are proposed, in
// one step or several, by imports and by the plain API alike.

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/value/json.ts';
import {
  must,
  openRegistryForFile,
  publish,
  register,
  uniqueName,
} from '../../support/client/client-world.ts';

const { world } = await openRegistryForFile();

const string = { type: 'string' };
const parameter = (where: string, required: boolean) => ({
  name: 'x-by',
  in: where,
  required,
  schema: string,
});
const bodyOf = (schema: JsonObject, type = 'application/json') => ({
  content: { [type]: { schema } },
});
const answered = {
  responses: { 200: { description: '', ...bodyOf({ type: 'object', properties: { a: string } }) } },
};
const silent = { responses: { 204: { description: '' } } };
const person = { type: 'object', properties: { name: string } };
const form = 'multipart/form-data';

/** An imported operation with a consumer team, and a function that imports it again. */
async function imported(operation: JsonObject) {
  const title = uniqueName('api');
  const { client, teamId } = world.producer;
  const send = async (post: JsonObject) => {
    const spec = { openapi: '3.1.0', info: { title, version: '1' }, paths: { '/a': { post } } };
    const body = { spec, owner_team_id: teamId, auto_create_proposals: true };
    const { endpoints } = must(await client.importOpenapi({ body }), 200);
    const [endpoint] = endpoints;
    const contractId = endpoint?.contract_id ?? null;
    const open = must(
      await client.listProposals({ query: { asset_id: endpoint?.asset_id ?? '' } }),
      200,
    );
    return { contractId, assetId: endpoint?.asset_id ?? '', proposals: open.results.length };
  };
  const made = await send(operation);
  await register(world.consumer, made.contractId ?? '');
  return { send, made };
}

describe('A change that is proposed, not published:', () => {
  test.each<[string, JsonObject, JsonObject]>([
    [
      'a required query parameter',
      answered,
      { ...answered, parameters: [parameter('query', true)] },
    ],
    ['a required header', answered, { ...answered, parameters: [parameter('header', true)] }],
    ['a required cookie', answered, { ...answered, parameters: [parameter('cookie', true)] }],
    [
      'a required body',
      answered,
      { ...answered, requestBody: { required: true, ...bodyOf(person) } },
    ],
    [
      'a required form',
      answered,
      { ...answered, requestBody: { required: true, ...bodyOf(person, form) } },
    ],
    [
      'a query parameter that goes',
      { ...answered, parameters: [parameter('query', false)] },
      answered,
    ],
    ['a header that goes', { ...answered, parameters: [parameter('header', false)] }, answered],
    ['a body that goes', { ...answered, requestBody: bodyOf(person) }, answered],
    [
      'a property of a body that goes',
      { ...answered, requestBody: bodyOf(person) },
      { ...answered, requestBody: bodyOf({ type: 'object', properties: {} }) },
    ],
    [
      'a field of a form that goes',
      { ...answered, requestBody: bodyOf(person, form) },
      { ...answered, requestBody: bodyOf({ type: 'object', properties: {} }, form) },
    ],
    [
      'a response that goes',
      { ...answered, requestBody: bodyOf(person) },
      { ...silent, requestBody: bodyOf(person) },
    ],
    [
      'a response that appears',
      { ...silent, requestBody: bodyOf(person) },
      { ...answered, requestBody: bodyOf(person) },
    ],
    ['all that was said', answered, silent],
  ])('%s', async (_name, old, next) => {
    const { send, made } = await imported(old);
    expect(await send(next)).toEqual({ ...made, proposals: 1 });
  });
});

test('an optional parameter is published at once, even if there was no request before', async () => {
  const { send, made } = await imported(answered);
  const next = await send({ ...answered, parameters: [parameter('query', false)] });
  expect(next.proposals).toBe(0);
  expect(next.contractId).not.toBe(made.contractId);
});

test('an import in two steps: what was removed is proposed, and what is required later, too', async () => {
  const offered = { ...answered, parameters: [parameter('query', false)] };
  const { send, made } = await imported(offered);
  expect(await send(answered)).toEqual({ ...made, proposals: 1 });
  const twice = await imported(answered);
  const wider = await twice.send(offered);
  const demanded = { ...answered, parameters: [parameter('query', true)] };
  expect(await twice.send(demanded)).toEqual({ ...wider, proposals: 1 });
});

describe('by the plain API', () => {
  const schemaOf = (request: JsonObject | null): JsonObject => ({
    type: 'object',
    properties: {
      ...(request === null ? {} : { request }),
      response: { type: 'object', properties: { a: string } },
    },
  });
  const query = (required: readonly string[]) => ({
    type: 'object',
    properties: { 'x-by': string },
    ...(required.length === 0 ? {} : { required }),
  });
  const holding = (place: JsonObject, required: readonly string[] = []) => ({
    type: 'object',
    properties: { query: place },
    ...(required.length === 0 ? {} : { required }),
  });

  test.each<[string, JsonObject]>([
    ['a required parameter', holding(query(['x-by']), ['query'])],
    ['a required parameter in a place that is not demanded itself', holding(query(['x-by']))],
    ['the same by an allOf', { allOf: [holding(query(['x-by']))] }],
    ['a body that is no object', { type: 'string' }],
  ])('%s where there was no request', async (_name, request) => {
    const { made } = await imported(answered);
    const { client } = world.producer;
    const next = await publish(client, made.assetId, { schema: schemaOf(request) });
    expect(next.action).toBe('proposal_created');
  });

  test('a request that is removed before another one is required', async () => {
    const { made } = await imported({ ...answered, parameters: [parameter('query', false)] });
    const { client } = world.producer;
    const dropped = await publish(client, made.assetId, { schema: schemaOf(null) });
    expect(dropped.action).toBe('proposal_created');
  });
});
