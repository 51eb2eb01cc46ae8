// A file that no longer describes something, or not readably, is a change.

import { beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/value/json.ts';
import { must, mustRefuse, openRegistryForFile } from '../../support/client/client-world.ts';
import { manifestOf } from '../../support/manifest.ts';

const { world } = await openRegistryForFile();

let environment: string;
let environments = 0;
beforeEach(() => {
  environments++;
  environment = `e${environments}`;
});

function specOf(responses: JsonObject): JsonObject {
  return {
    openapi: '3.1.0',
    info: { title: 'Shop', version: '1' },
    paths: { '/users': { get: { responses } } },
  };
}

const answerOf = (schema: JsonObject) => ({
  200: { description: 'ok', content: { 'application/json': { schema } } },
});
const described = specOf(answerOf({ type: 'object', properties: { id: { type: 'string' } } }));
const silent = specOf({ 204: { description: 'nothing' } });
const unreadable = specOf(answerOf({ $ref: '#/components/schemas/Gone' }));

const importSpec = (spec: JsonObject, more: JsonObject = {}) =>
  world.producer.client.importOpenapi({
    body: { spec, owner_team_id: world.producer.teamId, environment, ...more },
  });
const diffSpec = async (spec: JsonObject) =>
  must(
    await world.producer.client.diffOpenapi({
      body: { spec, environment, fail_on_breaking: true },
    }),
    200,
  );
const impactSpec = async (spec: JsonObject) =>
  must(await world.producer.client.impactOpenapi({ body: { spec, environment } }), 200);

describe('An operation that no longer has a response', () => {
  test('breaks its consumers, and is proposed to them', async () => {
    must(await importSpec(described), 200);
    const diff = await diffSpec(silent);
    expect(diff).toMatchObject({ status: 'breaking_changes_detected', blocking: true });
    const impact = await impactSpec(silent);
    expect(impact.results).toMatchObject([
      {
        safe_to_publish: false,
        change_type: 'major',
        breaking_changes: [
          { type: 'property_removed', path: '$.properties.response' },
          { type: 'property_removed', path: '$.properties.responses.properties["200"]' },
        ],
      },
    ]);
    const refused = await importSpec(silent, { auto_create_proposals: false });
    mustRefuse(refused, 409, 'BREAKING_CHANGE');
    const asked = must(await importSpec(silent), 200);
    const [proposal] = asked.proposals.details;
    expect(proposal).toMatchObject({ change_type: 'major', breaking_changes_count: 2 });
    const params = { proposal_id: proposal?.proposal_id ?? '' };
    must(await world.producer.client.publishProposal({ params }), 200);
    // The contract promises nothing since, so the same file again changes nothing.
    expect(await diffSpec(silent)).toMatchObject({ status: 'no_changes', blocking: false });
  });

  test('breaks nobody once its contract is deprecated', async () => {
    const { endpoints } = must(await importSpec(described), 200);
    const params = { contract_id: endpoints[0]?.contract_id ?? '' };
    const body = { status: 'deprecated' as const };
    must(await world.producer.client.updateContract({ params, body }), 200);
    for (const spec of [silent, unreadable]) {
      expect(await diffSpec(spec)).toMatchObject({ status: 'no_changes', blocking: false });
      expect(must(await importSpec(spec), 200)).toMatchObject({ contracts_published: 0 });
    }
  });

  test('is an asset without a contract if it never had a response', async () => {
    const made = must(await importSpec(silent), 200);
    expect(made).toMatchObject({ contracts_published: 0, assets: { without_schema: 1 } });
  });
});

describe('An operation that can no longer be read', () => {
  test('is not reported as safe, and keeps its contract', async () => {
    const before = must(await importSpec(described), 200);
    const diff = await diffSpec(unreadable);
    expect(diff).toMatchObject({
      status: 'breaking_changes_detected',
      summary: { modified: 1, breaking: 1 },
      blocking: true,
      parse_errors: [{ code: 'BROKEN_REFERENCE' }],
    });
    const impact = await impactSpec(unreadable);
    expect(impact.results).toMatchObject([
      { safe_to_publish: false, breaking_changes: [{ type: 'compatibility_undecided' }] },
    ]);
    const after = must(await importSpec(unreadable), 200);
    expect(after.contracts.published).toBe(0);
    expect(after.endpoints[0]?.contract_id).toBe(before.endpoints[0]?.contract_id);
  });
});

describe('A model with an invalid mode', () => {
  const underMode = (mode: string): JsonObject =>
    manifestOf('shop', [{ name: 'orders', meta: { svc: { compatibility_mode: mode } } }]);

  test('is not published or judged under another mode', async () => {
    const { client, teamId } = world.producer;
    const owned = { owner_team_id: teamId, environment, auto_publish_contracts: true };
    const upload = async (mode: string) =>
      must(await client.uploadDbt({ body: { manifest: underMode(mode), ...owned } }), 200);
    expect(await upload('fulll')).toMatchObject({
      assets: { created: 1, without_schema: 1 },
      contracts: { published: 0 },
      errors: [{ code: 'UNREADABLE_ITEM', place: expect.stringContaining('compatibility_mode') }],
    });
    expect(await upload('Full')).toMatchObject({ contracts: { published: 1 }, errors: [] });
    const body = { manifest: underMode('non'), environment, fail_on_breaking: true };
    expect(must(await client.diffDbt({ body }), 200)).toMatchObject({ blocking: true });
  });
});

describe('A model whose columns no longer have types', () => {
  const columnsOf = (...names: readonly string[]): JsonObject => {
    const columns = Object.fromEntries(names.map((name) => [name, 'bigint']));
    return manifestOf('shop', [{ name: 'orders', columns }]);
  };
  const bodyOf = (manifest: JsonObject) => ({ manifest, environment, fail_on_breaking: true });

  test('breaks like one that lost some of its columns', async () => {
    const { client, teamId } = world.producer;
    const owned = { owner_team_id: teamId, environment, auto_publish_contracts: true };
    const body = { manifest: columnsOf('id', 'state'), ...owned };
    must(await client.uploadDbt({ body }), 200);
    const some = must(await client.diffDbt({ body: bodyOf(columnsOf('id')) }), 200);
    expect(some).toMatchObject({ summary: { breaking: 1 }, blocking: true });
    const all = must(await client.diffDbt({ body: bodyOf(columnsOf()) }), 200);
    expect(all).toMatchObject({ summary: { breaking: 1 }, blocking: true });
    expect(all.models[0]?.breaking_changes).toHaveLength(2);
    const refused = await client.uploadDbt({ body: { manifest: columnsOf(), ...owned } });
    mustRefuse(refused, 409, 'BREAKING_CHANGE');
  });

  test('does not affect a contract from another source', async () => {
    const { client, teamId } = world.producer;
    const body = { manifest: columnsOf(), owner_team_id: teamId, environment };
    const { models } = must(await client.uploadDbt({ body }), 200);
    const params = { asset_id: models[0]?.asset_id ?? '' };
    const schema = { type: 'object', properties: { id: { type: 'integer' } } };
    must(await client.publishContract({ params, body: { schema } }), 201);
    const diff = must(await client.diffDbt({ body: bodyOf(columnsOf()) }), 200);
    expect(diff).toMatchObject({ status: 'no_changes', blocking: false });
  });
});
