// What somebody learns before they touch an asset, in one answer, and whether they may.

import { describe, expect, test } from 'vitest';
import {
  createAsset,
  issueKey,
  must,
  mustRefuse,
  narrowerSchema,
  openRegistryForFile,
  proposedAsset,
  publishedAsset,
  publishOk,
  register,
  widerSchema,
} from '../../support/client/client-world.ts';

const { registry, world } = await openRegistryForFile();
const missing = '0198c5a0-4c1e-7a52-9d0b-5b1f4f0c2a99';

const ask = async (
  client: typeof world.admin,
  asset_id: string,
  act: 'read' | 'deploy' | 'change',
  team_id?: string,
) => {
  const { allowed, reasons } = must(
    await client.getPreflight({ params: { asset_id }, query: { act, team_id } }),
    200,
  );
  const codes = (blocks: boolean) =>
    reasons.filter((each) => each.blocks === blocks).map(({ code }) => code);
  return { allowed, blocks: codes(true), warns: codes(false) };
};

const failedRun = (guarantees: readonly { name: string; status: 'failed' }[]) => ({
  status: 'failed' as const,
  triggered_by: 'airflow',
  guarantees: [...guarantees],
});

describe('What may be changed, may be published', () => {
  const published = async () => (await publishedAsset(world.producer)).assetId;
  const proposed = async (answered?: 'approved' | 'blocked') => {
    const { assetId, proposalId } = await proposedAsset(world.producer, [world.consumer]);
    if (answered === undefined) return assetId;
    const body = { response: answered, notes: 'We read it until May.' };
    must(
      await world.consumer.client.acknowledgeProposal({
        params: { proposal_id: proposalId },
        body,
      }),
      200,
    );
    return assetId;
  };
  const setTo = async (status: 'deprecated' | 'archived') => {
    const { assetId, contractId } = await publishedAsset(world.producer);
    for (const each of ['deprecated', status] as const) {
      const params = { contract_id: contractId };
      must(await world.producer.client.updateContract({ params, body: { status: each } }), 200);
    }
    return assetId;
  };
  const situations: Readonly<Record<string, () => Promise<string>>> = {
    'no contract': async () => (await createAsset(world.producer)).id,
    'a contract': published,
    'strict guarantees': async () =>
      (await publishedAsset(world.producer, { guarantee_mode: 'strict' })).assetId,
    'a deprecated contract': () => setTo('deprecated'),
    'an archived contract': () => setTo('archived'),
    'an open proposal': () => proposed(),
    'an agreed proposal': () => proposed('approved'),
    'a blocked proposal': () => proposed('blocked'),
    'another manager': async () => {
      const assetId = await published();
      await registry.database.query(
        "update asset set managed_source = 'kubernetes', managed_reference = 'shop/a in 5f2c' where id = $1",
        [assetId],
      );
      return assetId;
    },
    'failing checks': async () => {
      const params = { asset_id: await published() };
      must(await world.producer.client.recordQualityRun({ params, body: failedRun([]) }), 201);
      return params.asset_id;
    },
  };

  test.each(Object.keys(situations))(
    'with %s, by whoever asks, as a publish is refused or not',
    async (situation) => {
      const assetId = (await situations[situation]?.()) ?? '';
      const reading = { team_id: world.producer.teamId, scopes: ['read' as const] };
      const clients = {
        owner: world.producer.client,
        'the owner who only reads': world.admin.as(await issueKey(world.admin, reading)),
        consumer: world.consumer.client,
        administrator: world.admin,
      };
      for (const [who, client] of Object.entries(clients)) {
        const params = { asset_id: assetId };
        const { blocks } = await ask(client, assetId, 'change');
        const refusal = async (schema: typeof narrowerSchema) => {
          const result = await client.publishContract({ params, body: { schema, dry_run: true } });
          return 'refusal' in result ? result.refusal.code : null;
        };
        const ofCaller = blocks.includes('not_allowed')
          ? 'FORBIDDEN'
          : blocks.includes('managed_elsewhere')
            ? 'ASSET_MANAGED_ELSEWHERE'
            : null;
        const ofBreak = blocks.includes('open_proposal') ? 'PROPOSAL_PENDING' : null;
        const other = { ...narrowerSchema, required: [] };
        const refused = { wider: await refusal(widerSchema), other: await refusal(other) };
        expect({ who, ...refused }).toEqual({ who, wider: ofCaller, other: ofCaller ?? ofBreak });
      }
    },
  );
});

describe('The context of an asset', () => {
  test('has what each resource says of it, and what the caller may do', async () => {
    const { producer, consumer, other } = world;
    const asked = await proposedAsset(producer, [consumer]);
    const params = { asset_id: asked.assetId };
    const source = await createAsset(other);
    const mart = await createAsset(consumer);
    for (const [of, on] of [
      [asked.assetId, source.id],
      [mart.id, asked.assetId],
    ] as const) {
      const body = { depends_on_asset_id: on, type: 'transforms' as const };
      must(await world.admin.addDependency({ params: { asset_id: of }, body }), 201);
    }
    const run = must(await producer.client.recordQualityRun({ params, body: failedRun([]) }), 201);
    const context = must(await consumer.client.getAssetContext({ params }), 200);
    const { client } = consumer;
    const upstream = must(await client.getLineage({ params, query: { depth: 1 } }), 200);
    const downstream = must(
      await client.getLineage({ params, query: { depth: 1, direction: 'downstream' } }),
      200,
    );
    const proposal_id = asked.proposalId;
    expect(context).toEqual({
      asset: must(await client.getAsset({ params }), 200),
      contract: must(
        await client.getAssetContract({ params: { ...params, version: 'latest' } }),
        200,
      ),
      owner: must(await client.getTeam({ params: { team_id: producer.teamId } }), 200),
      consumers: [
        {
          team_id: consumer.teamId,
          team_name: consumer.name,
          registration_id: expect.any(String),
          contract_version: '1.0.0',
          needs: null,
        },
      ],
      open_proposal: must(await client.getProposal({ params: { proposal_id } }), 200),
      upstream: { results: upstream.results, truncated: false },
      downstream: { results: downstream.results, truncated: false },
      last_quality_run: must(await client.listQualityRuns({ params }), 200).results[0],
      incidents: [{ triggered_by: 'airflow', since: run.occurred_at, runs: 1 }],
      may: {
        read: { allowed: false, reasons: expect.any(Array) },
        deploy: { allowed: false, reasons: expect.any(Array) },
        change: { allowed: false, reasons: expect.any(Array) },
      },
      links: {
        page: `/assets/${asked.assetId}`,
        asset: `/api/v1/assets/${asked.assetId}`,
        versions: `/api/v1/assets/${asked.assetId}/contracts`,
        fields: `/api/v1/assets/${asked.assetId}/fields`,
        lineage: `/api/v1/assets/${asked.assetId}/lineage`,
        quality_runs: `/api/v1/assets/${asked.assetId}/quality-runs`,
        open_proposal: `/api/v1/proposals/${proposal_id}`,
        open_proposal_page: `/proposals/${proposal_id}`,
      },
    });
    expect(upstream.results.map(({ asset_id }) => asset_id)).toEqual([source.id]);
    expect(downstream.results.map(({ asset_id }) => asset_id)).toEqual([mart.id]);
  });

  test('shows what a consumer said that it reads, and nothing of an asset that is gone', async () => {
    const { producer, consumer, other } = world;
    const made = await publishedAsset(producer);
    const body = {
      contract_id: made.contractId,
      consumer_team_id: consumer.teamId,
      needs: { fields: ['$.id'] },
    };
    const { id } = must(await consumer.client.registerConsumer({ body }), 201);
    const params = { asset_id: made.assetId };
    const context = async () => must(await other.client.getAssetContext({ params }), 200);
    expect((await context()).consumers).toMatchObject([{ needs: { fields: ['$.id'] } }]);
    must(await consumer.client.deleteRegistration({ params: { registration_id: id } }), 204);
    expect((await context()).consumers).toEqual([]);
    must(await producer.client.deleteAsset({ params, query: {} }), 204);
    for (const asset_id of [made.assetId, missing]) {
      const at = { params: { asset_id } };
      mustRefuse(await other.client.getAssetContext(at), 404, 'ASSET_NOT_FOUND');
      mustRefuse(await other.client.getPreflight(at), 404, 'ASSET_NOT_FOUND');
    }
  });
});

describe('Before a team acts, it learns', () => {
  test('that nothing is promised without a contract', async () => {
    const { producer } = world;
    const { id } = await createAsset(producer);
    const { client } = producer;
    expect(await ask(client, id, 'read')).toEqual({
      ...{ allowed: false, blocks: ['no_contract'], warns: [] },
    });
    expect(await ask(client, id, 'change')).toEqual({
      ...{ allowed: true, blocks: [], warns: ['no_contract'] },
    });
  });

  test('that it is not registered, by its key or by its name', async () => {
    const { producer, consumer, other } = world;
    const { assetId, contractId } = await publishedAsset(producer);
    const all = { allowed: true, blocks: [], warns: [] };
    expect(await ask(other.client, assetId, 'read')).toEqual({ ...all, warns: ['not_registered'] });
    const refused = { allowed: false, blocks: ['not_registered'], warns: [] };
    expect(await ask(other.client, assetId, 'deploy')).toEqual(refused);
    expect(await ask(world.admin, assetId, 'deploy')).toEqual(refused);
    await register(consumer, contractId);
    expect(await ask(consumer.client, assetId, 'deploy')).toEqual(all);
    expect(await ask(world.admin, assetId, 'deploy', consumer.teamId)).toEqual(all);
    expect(await ask(producer.client, assetId, 'deploy')).toEqual(all);
    expect(await ask(producer.client, assetId, 'change')).toEqual(all);
    expect(await ask(consumer.client, assetId, 'change')).toEqual({
      ...{ allowed: false, blocks: ['not_allowed'], warns: [] },
    });
  });

  test('of an open proposal, and of who blocks it', async () => {
    const { producer, consumer } = world;
    const { assetId, proposalId } = await proposedAsset(producer, [consumer]);
    const change = () => ask(producer.client, assetId, 'change');
    expect(await change()).toMatchObject({ allowed: false, blocks: ['open_proposal'] });
    expect(await ask(consumer.client, assetId, 'read')).toEqual({
      ...{ allowed: true, blocks: [], warns: ['open_proposal'] },
    });
    const params = { proposal_id: proposalId };
    const body = { response: 'blocked' as const, notes: 'We still read it.' };
    must(await consumer.client.acknowledgeProposal({ params, body }), 200);
    expect(await change()).toEqual({ allowed: false, blocks: ['blocked'], warns: [] });
    expect(await ask(consumer.client, assetId, 'read')).toEqual({
      ...{ allowed: true, blocks: [], warns: [] },
    });
    await publishOk(producer.client, assetId, { schema: widerSchema });
    expect(await change()).toEqual({ allowed: true, blocks: [], warns: [] });
  });

  test('of one moment: a proposal that is open or blocked, but never neither', async () => {
    const { producer, consumer } = world;
    const { assetId, proposalId } = await proposedAsset(producer, [consumer]);
    const answer = async (response: 'approved' | 'blocked') =>
      must(
        await consumer.client.acknowledgeProposal({
          params: { proposal_id: proposalId },
          body: { response, notes: 'We still read it.' },
        }),
        200,
      );
    const params = { asset_id: assetId };
    const looks = async () => {
      const seen: (readonly string[])[] = [];
      for (let left = 60; left > 0; left--) {
        seen.push((await ask(producer.client, assetId, 'change')).blocks);
        const { may } = must(await producer.client.getAssetContext({ params }), 200);
        seen.push(may.change.reasons.filter(({ blocks }) => blocks).map(({ code }) => code));
      }
      return seen;
    };
    let isOver = false;
    const changing = (async () => {
      while (!isOver) {
        await answer('blocked');
        await answer('approved');
      }
    })();
    const seen = (await Promise.all([looks(), looks(), looks()])).flat();
    isOver = true;
    await changing;
    expect(new Set(seen.map(String))).toEqual(new Set(['open_proposal', 'blocked']));
  });

  test('of checks that fail, until they pass', async () => {
    const { producer } = world;
    const { assetId } = await publishedAsset(producer);
    const params = { asset_id: assetId };
    const body = failedRun([{ name: 'freshness', status: 'failed' }]);
    must(await producer.client.recordQualityRun({ params, body }), 201);
    expect(await ask(producer.client, assetId, 'read')).toEqual({
      ...{ allowed: false, blocks: ['incident', 'freshness_failed'], warns: [] },
    });
    const passed = { status: 'passed' as const, triggered_by: 'airflow', guarantees: [] };
    must(await producer.client.recordQualityRun({ params, body: passed }), 201);
    expect(await ask(producer.client, assetId, 'read')).toEqual({
      ...{ allowed: true, blocks: [], warns: [] },
    });
  });

  test('that a version is deprecated, and the same with a body', async () => {
    const { producer } = world;
    const { assetId, contractId } = await publishedAsset(producer);
    must(
      await producer.client.updateContract({
        params: { contract_id: contractId },
        body: { status: 'deprecated' },
      }),
      200,
    );
    const params = { asset_id: assetId };
    const asset = must(await producer.client.getAsset({ params }), 200);
    const asked = await producer.client.askPreflight({ params, body: { act: 'deploy' } });
    expect(must(asked, 200)).toEqual({
      asset_id: assetId,
      fqn: asset.fqn,
      act: 'deploy',
      contract_version: '1.0.0',
      allowed: true,
      reasons: [
        {
          code: 'deprecated',
          blocks: false,
          message: `Version 1.0.0 of ${asset.fqn} is deprecated. Ask ${producer.name} what replaces it.`,
        },
      ],
    });
  });
});
