// The impact of a change on each consumer, by what it has said that it reads.

import { expect, test } from 'vitest';
import {
  must,
  narrowerSchema,
  openRegistryForFile,
  orderSchema,
  publishedAsset,
  register,
} from '../../support/client/client-world.ts';

const { world } = await openRegistryForFile();

const impactOn = async (assetId: string, proposed_schema: typeof orderSchema | object) =>
  must(
    await world.other.client.assessImpact({
      params: { asset_id: assetId },
      body: { proposed_schema: proposed_schema as typeof orderSchema },
    }),
    200,
  );

test('impact answers for each consumer: unaffected, breaks with the field, or may_break', async () => {
  const { assetId, contractId } = await publishedAsset(world.producer);
  const needs = [
    [world.consumer, { fields: ['$.id'] }],
    [world.other, { fields: ['$.total'] }],
  ] as const;
  for (const [party, stated] of needs) {
    must(
      await party.client.registerConsumer({
        body: {
          contract_id: contractId,
          consumer_team_id: party.teamId,
          needs: { fields: [...stated.fields] },
        },
      }),
      201,
    );
  }
  const body = { contract_id: contractId, consumer_team_id: world.producer.teamId };
  must(await world.producer.client.registerConsumer({ body: { ...body, allow_self: true } }), 201);

  const impact = await impactOn(assetId, narrowerSchema);
  expect(impact.affected_consumers.map(({ team_id }) => team_id).sort()).toEqual(
    [world.other.teamId, world.producer.teamId].sort(),
  );
  const byTeam = new Map(impact.consumers.map((each) => [each.team.id, each]));
  const about = { registration_id: expect.any(String), team: expect.any(Object) };
  expect(byTeam.get(world.consumer.teamId)).toEqual({
    ...about,
    verdict: 'unaffected',
    origin: 'declared',
  });
  expect(byTeam.get(world.other.teamId)).toEqual({
    ...about,
    ...{ verdict: 'breaks', path: '$.total', origin: 'declared' },
  });
  expect(byTeam.get(world.producer.teamId)).toEqual({
    ...about,
    ...{ verdict: 'may_break', reason: expect.any(String), origin: 'none' },
  });

  const retyped = { ...orderSchema, properties: { ...orderSchema.properties, total: {} } };
  const widened = (await impactOn(assetId, retyped)).consumers;
  const other = widened.find(({ team }) => team.id === world.other.teamId);
  expect(other).toMatchObject({ verdict: 'breaks', witness: { id: 0 } });

  const same = (await impactOn(assetId, orderSchema)).consumers;
  expect(same.map(({ verdict }) => verdict)).toEqual(['unaffected', 'unaffected', 'unaffected']);
});

test('a need that is not met takes no part: the consumer reads everything', async () => {
  const { assetId, contractId } = await publishedAsset(world.producer);
  const { id: registration_id } = await register(world.consumer, contractId);
  must(
    await world.consumer.client.updateRegistration({
      params: { registration_id },
      body: { needs: { fields: ['$.colour'] }, allow_unmet: true },
    }),
    200,
  );
  expect((await impactOn(assetId, narrowerSchema)).consumers).toMatchObject([
    { registration_id, verdict: 'may_break', origin: 'none' },
  ]);
});
