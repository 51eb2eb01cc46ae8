// Incidents: told once when the data of an asset stops to match its contract, and once when it matches again.

import { describe, expect, test } from 'vitest';
import {
  must,
  openRegistryForFile,
  type Party,
  proposedAsset,
  publishedAsset,
  register,
  type World,
} from '../../support/client/client-world.ts';

const { world } = await openRegistryForFile();

type Run = Parameters<World['admin']['recordQualityRun']>[0]['body'];

const record = async (assetId: string, status: Run['status'], more: Partial<Run> = {}) =>
  must(
    await world.producer.client.recordQualityRun({
      params: { asset_id: assetId },
      body: { status, triggered_by: 'concordat check', ...more },
    }),
    201,
  );

const eventsOf = async (assetId: string, reader: Party = world.consumer) => {
  const found = must(await reader.client.listEvents({ query: { asset_id: assetId } }), 200);
  return found.results.filter(({ metadata }) => metadata.incident !== undefined).reverse();
};

const incidentsOf = async (assetId: string) =>
  must(await world.consumer.client.getQualityTrends({ params: { asset_id: assetId } }), 200)
    .incidents;

describe('An incident', () => {
  test('is opened by the first run that fails, and closed by the next that passes', async () => {
    const { assetId } = await publishedAsset(world.producer);
    await record(assetId, 'passed');
    const first = await record(assetId, 'failed');
    await record(assetId, 'failed');
    expect(await incidentsOf(assetId)).toEqual([
      { triggered_by: 'concordat check', since: first.occurred_at, runs: 2 },
    ]);
    await record(assetId, 'passed');
    await record(assetId, 'passed');
    expect(await incidentsOf(assetId)).toEqual([]);
    expect(await eventsOf(assetId)).toMatchObject([
      {
        event_type: 'audit_run.recorded',
        metadata: { incident: 'opened', since: first.occurred_at },
      },
      {
        event_type: 'audit_run.recorded',
        metadata: { incident: 'closed', since: first.occurred_at },
      },
    ]);
  });

  test('names what failed with its samples, the version, who published it and who agreed', async () => {
    const { assetId, contractId } = await publishedAsset(world.producer);
    await register(world.consumer, contractId);
    await record(assetId, 'failed', {
      contract_id: contractId,
      guarantees: [{ name: '$.id type', status: 'failed', rows: 2 }],
      metadata: { samples: { '$.id type': ['x'] } },
    });
    const [opened] = await eventsOf(assetId);
    expect(opened?.metadata).toMatchObject({
      ...{ contract_id: contractId, version: '1.0.0', published_by_team: world.producer.teamId },
      failed_guarantees: ['$.id type'],
      samples: { '$.id type': ['x'] },
      answers: [],
    });
  });

  test('says what the consumers answered to the version', async () => {
    const { assetId, proposalId } = await proposedAsset(world.producer, [world.consumer]);
    const params = { proposal_id: proposalId };
    must(await world.consumer.client.acknowledgeProposal({ params, body: {} }), 200);
    const published = must(await world.producer.client.publishProposal({ params }), 200);
    await record(assetId, 'failed', { contract_id: published.contract?.id ?? '' });
    const [opened] = await eventsOf(assetId);
    expect(opened?.metadata).toMatchObject({
      version: '2.0.0',
      answers: [{ team: world.consumer.name, response: 'approved' }],
    });
  });

  test('is one for each trigger', async () => {
    const { assetId } = await publishedAsset(world.producer);
    await record(assetId, 'failed', { triggered_by: 'nightly' });
    await record(assetId, 'failed', { triggered_by: 'build_test' });
    await record(assetId, 'passed', { triggered_by: 'build_test' });
    expect(await incidentsOf(assetId)).toMatchObject([{ triggered_by: 'nightly', runs: 1 }]);
    expect((await eventsOf(assetId)).map(({ metadata }) => metadata.incident)).toEqual([
      ...['opened', 'opened', 'closed'],
    ]);
  });

  test('is not begun or ended by a run that is recorded late', async () => {
    const { assetId } = await publishedAsset(world.producer);
    const longAgo = { finished_at: '2024-01-01T00:00:00Z' };
    await record(assetId, 'passed');
    await record(assetId, 'failed', longAgo);
    expect(await eventsOf(assetId)).toEqual([]);
    await record(assetId, 'failed');
    await record(assetId, 'passed', longAgo);
    expect(await incidentsOf(assetId)).toMatchObject([{ runs: 1 }]);
    expect((await eventsOf(assetId)).map(({ metadata }) => metadata.incident)).toEqual(['opened']);
  });

  test('is told once, whoever records the run at the same time', async () => {
    const { assetId } = await publishedAsset(world.producer);
    await Promise.all(Array.from({ length: 20 }, () => record(assetId, 'failed')));
    expect(await incidentsOf(assetId)).toMatchObject([{ runs: 20 }]);
    expect(await eventsOf(assetId)).toHaveLength(1);
  });
});
