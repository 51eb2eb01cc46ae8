// Rare refusals: owners, assets that are managed elsewhere, names and versions that were taken
// while a proposal waited.

import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  createAsset,
  must,
  mustRefuse,
  narrowerSchema,
  openParty,
  openRegistryForFile,
  orderSchema,
  proposedAsset,
  publish,
  publishedAsset,
  publishOk,
  register,
  widerSchema,
} from '../../support/client/client-world.ts';

const { registry, world } = await openRegistryForFile();

const nobody = '0198c5a0-4c1e-7a52-9d0b-5b1f4f0c2a99';

async function createUser(teamId: string | null): Promise<string> {
  const id = randomUUID();
  await registry.database.query(
    `insert into app_user (id, email, name, team_id, role, created_at, updated_at)
     values ($1, $2, 'Ada Byron', $3, 'editor', now(), now())`,
    [id, `${id}@example.com`, teamId],
  );
  return id;
}

describe('The owning user of an asset', () => {
  test('is a member of the owning team, on create and on PATCH', async () => {
    const { client, teamId } = world.producer;
    const member = await createUser(teamId);
    const stranger = await createUser(world.other.teamId);
    const body = { fqn: 'owned.by.ada', owner_team_id: teamId };
    const create = (owner_user_id: string) =>
      client.createAsset({ body: { ...body, owner_user_id } });
    mustRefuse(await create(nobody), 404, 'USER_NOT_FOUND');
    mustRefuse(await create(stranger), 422, 'OWNER_NOT_MEMBER');
    const params = { asset_id: must(await create(member), 201).id };
    expect(must(await client.getAsset({ params }), 200)).toMatchObject({
      owner_user_id: member,
      owner_user_name: 'Ada Byron',
    });
    const toStranger = await client.updateAsset({ params, body: { owner_user_id: stranger } });
    mustRefuse(toStranger, 422, 'OWNER_NOT_MEMBER');
    const toNobody = await client.updateAsset({ params, body: { owner_user_id: null } });
    expect(must(toNobody, 200)).toMatchObject({ owner_user_id: null, owner_user_name: null });
  });

  test('of a key must exist', async () => {
    const body = {
      name: 'k',
      team_id: world.other.teamId,
      user_id: nobody,
      scopes: ['read' as const],
    };
    mustRefuse(await world.admin.issueApiKey({ body }), 404, 'USER_NOT_FOUND');
  });
});

describe('An asset that is managed elsewhere', () => {
  test('cannot be written here: every write is 409, unless an admin overrides', async () => {
    const { assetId, contractId } = await publishedAsset(world.producer);
    await registry.database.query(
      "update asset set managed_source = 'kubernetes', managed_reference = 'shop/orders' where id = $1",
      [assetId],
    );
    const params = { asset_id: assetId };
    const { client } = world.producer;
    const code = 'ASSET_MANAGED_ELSEWHERE';
    const patch = { metadata: { a: 1 } };
    mustRefuse(await client.updateAsset({ params, body: patch }), 409, code);
    mustRefuse(await client.publishContract({ params, body: { schema: widerSchema } }), 409, code);
    const deprecate = {
      params: { contract_id: contractId },
      body: { status: 'deprecated' as const },
    };
    mustRefuse(await client.updateContract(deprecate), 409, code);
    mustRefuse(await client.deleteAsset({ params }), 409, code);

    const byProducer = await client.updateAsset({
      params,
      body: { ...patch, override: true, reason: 'It has to be.' },
    });
    expect(byProducer.ok).toBe(false);
    const override = { ...patch, override: true, reason: 'It has to be.' };
    expect(must(await world.admin.updateAsset({ params, body: override }), 200)).toMatchObject({
      managed_by: { source: 'kubernetes', reference: 'shop/orders' },
    });
    must(
      await world.admin.deleteAsset({ params, query: { override: true, reason: 'It has to be.' } }),
      204,
    );
  });
});

describe('A deleted team', () => {
  test('cannot be given an asset', async () => {
    const { id } = await createAsset(world.producer);
    const moved = await world.producer.client.updateAsset({
      params: { asset_id: id },
      body: { owner_team_id: nobody },
    });
    expect(mustRefuse(moved, 404, 'TEAM_NOT_FOUND').field).toBe('owner_team_id');
  });

  test('prevents restoring its deleted asset', async () => {
    const leaving = await openParty(world.admin, 'leaving');
    const params = { asset_id: (await createAsset(leaving)).id };
    must(await leaving.client.deleteAsset({ params }), 204);
    must(await world.admin.deleteTeam({ params: { team_id: leaving.teamId } }), 204);
    mustRefuse(await world.admin.restoreAsset({ params }), 422, 'OWNER_TEAM_NOT_FOUND');
  });
});

describe('A missing object', () => {
  test('is 404 on every path', async () => {
    const { admin } = world;
    const ofNobody = { asset_id: nobody };
    mustRefuse(
      await admin.getAssetContract({ params: { ...ofNobody, version: 'latest' } }),
      404,
      'ASSET_NOT_FOUND',
    );
    mustRefuse(
      await admin.diffAsset({ params: ofNobody, query: { from: '1.0.0' } }),
      404,
      'ASSET_NOT_FOUND',
    );
    mustRefuse(await admin.listAssetFields({ params: ofNobody }), 404, 'ASSET_NOT_FOUND');
    mustRefuse(
      await admin.checkValues({ params: { contract_id: nobody }, body: { values: [1] } }),
      404,
      'CONTRACT_NOT_FOUND',
    );
    mustRefuse(
      await admin.getContract({ params: { contract_id: nobody } }),
      404,
      'CONTRACT_NOT_FOUND',
    );
  });

  test('is shown only to admins if it was deleted', async () => {
    const params = { asset_id: (await createAsset(world.producer)).id };
    const asked = await world.producer.client.getAsset({
      params,
      query: { include_deleted: true },
    });
    mustRefuse(asked, 403, 'FORBIDDEN');
  });
});

describe('While a proposal is open', () => {
  test('another question for the consumers is 409 PROPOSAL_PENDING', async () => {
    const { assetId, contractId } = await proposedAsset(world.producer, [world.consumer]);
    const { client } = world.producer;
    const moved = await client.updateAsset({
      params: { asset_id: assetId },
      body: { environment: 'elsewhere' },
    });
    mustRefuse(moved, 409, 'PROPOSAL_PENDING');
    const deprecated = await client.updateContract({
      params: { contract_id: contractId },
      body: { status: 'deprecated' },
    });
    mustRefuse(deprecated, 409, 'PROPOSAL_PENDING');
  });
});

describe('A registration', () => {
  test('cannot move to an archived contract', async () => {
    const { assetId, contractId } = await publishedAsset(world.producer);
    const { client } = world.producer;
    const next = await publishOk(client, assetId, { schema: widerSchema });
    const { id } = await register(world.consumer, next);
    const params = { contract_id: contractId };
    must(await client.updateContract({ params, body: { status: 'archived' } }), 200);
    const moved = await world.consumer.client.updateRegistration({
      params: { registration_id: id },
      body: { contract_id: contractId },
    });
    mustRefuse(moved, 409, 'CONTRACT_ARCHIVED');
  });
});

describe('A proposal whose version was taken meanwhile', () => {
  /** A proposal that requested a version, and a compatible publish that took one meanwhile. */
  async function waited(asked: string, taken: string): Promise<string> {
    const { assetId } = await publishedAsset(world.producer);
    const { client } = world.producer;
    const result = await publish(client, assetId, { schema: narrowerSchema, version: asked });
    if (result.action !== 'proposal_created') throw new Error('It should have been proposed.');
    await publishOk(client, assetId, {
      schema: { ...orderSchema, description: 'Orders.' },
      version: taken,
    });
    return result.proposal.id ?? '';
  }

  test.each([
    ['2.0.0', '2.0.0', 409, 'VERSION_CONFLICT'],
    ['2.1.0', '2.0.0', 422, 'VERSION_TOO_SMALL'],
  ] as const)('with version %s after %s is %d %s', async (asked, taken, status, code) => {
    const params = { proposal_id: await waited(asked, taken) };
    const { client } = world.producer;
    const { message } = mustRefuse(await client.publishProposal({ params }), status, code);
    expect(message).toContain('Withdraw it');
    expect(message).toContain('3.0.0 or a higher one');
    const forced = await world.admin.forceProposal({ params, body: { reason: 'It has to be.' } });
    mustRefuse(forced, status, code);
    // Consumers are not asked again about a version that cannot be published.
    mustRefuse(await client.rebaseProposal({ params }), status, code);
    const proposal = must(await world.admin.getProposal({ params }), 200);
    expect(proposal.status).toBe('pending');
  });
});

describe('A move whose target name was taken meanwhile', () => {
  test('is 409 ASSET_EXISTS, published or forced', async () => {
    const { assetId, fqn, contractId } = await publishedAsset(world.producer);
    await register(world.consumer, contractId);
    const { client, teamId } = world.producer;
    const moved = await client.updateAsset({
      params: { asset_id: assetId },
      body: { environment: 'taken' },
    });
    const answer = must(moved, 200);
    if (!('action' in answer)) throw new Error('It should have been proposed.');
    const body = { fqn, owner_team_id: teamId, environment: 'taken' };
    must(await client.createAsset({ body }), 201);
    const params = { proposal_id: answer.proposal.id ?? '' };
    const forced = await world.admin.forceProposal({ params, body: { reason: 'It has to be.' } });
    mustRefuse(forced, 409, 'ASSET_EXISTS');
    must(await world.consumer.client.acknowledgeProposal({ params, body: {} }), 200);
    mustRefuse(await client.publishProposal({ params }), 409, 'ASSET_EXISTS');
  });
});

describe('An impact and a diff', () => {
  const files = {
    buildtool: { manifest: {} },
    openapi: { spec: {} },
    graphql: { schema: 'type A { a: Int }' },
    odcs: { contract: {} },
  };
  const asks = Object.entries(files).flatMap(([kind, file]) =>
    (['impact', 'diff'] as const).flatMap((what) =>
      // The specification's example of a manifest's impact request includes the team.
      (['conflict_mode', 'owner_team_id'] as const)
        .filter((field) => `${kind} ${what} ${field}` !== 'buildtool impact owner_team_id')
        .map((field) => ({ path: `${kind}/${what}`, field, file })),
    ),
  );

  test.each(asks)(
    '$path refuses $field, which concerns only writing',
    async ({ path, field, file }) => {
      const said = field === 'conflict_mode' ? 'fail' : world.producer.teamId;
      const answer = await fetch(`${registry.url}/api/v1/sync/${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${world.producer.key}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ ...file, [field]: said }),
      });
      expect(answer.status).toBe(400);
      const { detail } = JSON.parse(await answer.text());
      expect(detail.code).toBe('VALIDATION_ERROR');
      expect(JSON.stringify(detail)).toContain(field);
    },
  );
});

test.each(['force', 'withdraw'])(
  'To %s without a reason is refused, and changes nothing',
  async (act) => {
    const { proposalId } = await proposedAsset(world.producer, [world.consumer]);
    for (const body of [{}, { reason: '' }, { reason: 'short' }]) {
      const answer = await fetch(`${registry.url}/api/v1/proposals/${proposalId}/${act}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${registry.bootstrapKey}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      });
      expect(answer.status).toBe(400);
      expect(JSON.parse(await answer.text()).detail).toMatchObject({
        code: 'VALIDATION_ERROR',
        field: 'reason',
      });
    }
    const params = { proposal_id: proposalId };
    expect(must(await world.admin.getProposal({ params }), 200).status).toBe('pending');
  },
);

test('The versions of a deleted asset are shown to nobody', async () => {
  const { assetId } = await publishedAsset(world.producer);
  const params = { asset_id: assetId };
  expect(must(await world.other.client.listAssetContracts({ params }), 200).total).toBe(1);
  must(await world.producer.client.deleteAsset({ params }), 204);
  const listed = await world.other.client.listAssetContracts({ params });
  mustRefuse(listed, 404, 'ASSET_NOT_FOUND');
  must(await world.admin.restoreAsset({ params }), 200);
  const [version] = must(await world.other.client.listAssetContracts({ params }), 200).results;
  expect(version?.status).toBe('active');
});
