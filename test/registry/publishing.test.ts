import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  accepted,
  codeOf,
  consume,
  contextOf,
  historyOf,
  makeAsset,
  makeTeam,
  memberOf,
  openWorld,
  page,
  proposed,
  publish,
  published,
  schemaOf,
  verbs,
  type World,
} from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

describe('publishing', () => {
  test('a first contract is 1.0.0, backward, active, and recorded', async () => {
    const { ports } = world;
    const team = await makeTeam(ports);
    const asset = await makeAsset(ports, team);
    const result = accepted(
      await publish(ports, asset.id, schemaOf('id'), { actor: memberOf(team) }),
    );
    expect(result).toMatchObject({
      action: 'published',
      changeType: 'initial',
      changes: [],
      contract: {
        version: '1.0.0',
        status: 'active',
        compatibilityMode: 'backward',
        guarantees: null,
        assetFqn: asset.fqn,
        publishedBy: team.id,
        previousContractId: null,
      },
    });
    if (result.action !== 'published' || result.contract.id === null) throw new Error();
    expect(await ports.reads.getContract(result.contract.id)).toEqual(result.contract);
    expect(await ports.reads.getAsset(asset.id)).toEqual({
      ...asset,
      activeContractId: result.contract.id,
      activeContractVersion: '1.0.0',
    });
    const history = await historyOf(ports, result.contract.id);
    expect(history).toEqual([
      expect.objectContaining({
        eventType: 'contract.published',
        entityType: 'contract',
        actorType: 'api_key',
        requestId: 'req-1',
        metadata: expect.objectContaining({
          asset_id: asset.id,
          asset_fqn: asset.fqn,
          version: '1.0.0',
          changes: [],
        }),
      }),
    ]);
  });

  test('the same schema again changes nothing and says so, also in another spelling', async () => {
    const { ports } = world;
    const asset = await makeAsset(ports, await makeTeam(ports));
    const first = await published(ports, asset.id, schemaOf('id', 'name'));
    const again = accepted(
      await publish(ports, asset.id, {
        properties: { name: { type: ['string'] }, id: { type: 'string' } },
        type: 'object',
      }),
    );
    expect(again).toEqual({ action: 'unchanged', dryRun: false, contract: first });
    expect(await historyOf(ports, asset.id)).toHaveLength(1);
  });

  test('a compatible change deprecates the old version, and consumers move along', async () => {
    const { ports } = world;
    const [owner, consumer] = [await makeTeam(ports), await makeTeam(ports)];
    const asset = await makeAsset(ports, owner);
    const first = await published(ports, asset.id, schemaOf('id'));
    const registration = await consume(ports, first.id, consumer);
    const second = await published(ports, asset.id, schemaOf('id', 'name'));
    expect(second).toMatchObject({
      version: '1.1.0',
      changeType: 'minor',
      previousContractId: first.id,
    });
    expect(await ports.reads.getContract(first.id)).toEqual({ ...first, status: 'deprecated' });
    expect(await ports.reads.getRegistration(registration.id)).toEqual({
      ...registration,
      contractId: second.id,
      contractVersion: '1.1.0',
      registeredVersion: '1.0.0',
      updatedAt: expect.any(String),
    });
    expect((await historyOf(ports, first.id)).map(({ eventType }) => eventType)).toEqual([
      'contract.published',
      'contract.deprecated',
    ]);
  });

  test('a dry run answers like the real call, and writes nothing', async () => {
    const { ports } = world;
    const asset = await makeAsset(ports, await makeTeam(ports));
    const dry = accepted(await publish(ports, asset.id, schemaOf('id'), { dryRun: true }));
    expect(dry).toMatchObject({
      action: 'published',
      dryRun: true,
      contract: { id: null, version: '1.0.0' },
    });
    await published(ports, asset.id, schemaOf('id', 'name'));
    const breaking = accepted(await publish(ports, asset.id, schemaOf('id'), { dryRun: true }));
    expect(breaking).toMatchObject({ action: 'proposal_created', proposal: { id: null } });
    const listed = accepted(await ports.reads.listContracts({ ...page, assetId: asset.id }));
    expect(listed.total).toBe(1);
    expect(await ports.reads.getOpenProposal(asset.id)).toBeNull();
  });

  test('an explicit version skips no review, and is refused if it is too low or taken', async () => {
    const { ports } = world;
    const asset = await makeAsset(ports, await makeTeam(ports));
    await published(ports, asset.id, schemaOf('id'), { version: '3.2.1' });
    const bigger = schemaOf('id', 'name');
    expect(codeOf(await publish(ports, asset.id, bigger, { version: '3.2.1' }))).toBe(
      'VERSION_CONFLICT',
    );
    expect(codeOf(await publish(ports, asset.id, bigger, { version: '3.2.2' }))).toBe(
      'VERSION_TOO_SMALL',
    );
    expect(await published(ports, asset.id, bigger, { version: '5.0.0' })).toMatchObject({
      version: '5.0.0',
      changeType: 'major',
    });
    const breaking = await proposed(ports, asset.id, schemaOf('id'), { version: '7.0.0' });
    const done = accepted(
      await verbs.publishProposal(ports, contextOf(), { proposalId: breaking.id }),
    );
    expect(done.contract?.version).toBe('7.0.0');
  });

  test('a schema is returned as it was published, with numbers that no double can hold', async () => {
    const { ports } = world;
    const asset = await makeAsset(ports, await makeTeam(ports));
    const schema = {
      type: 'object',
      properties: { z: { maximum: JSON.rawJSON('9223372036854775807') }, a: { minimum: 1 } },
    } as never;
    const { id } = await published(ports, asset.id, schema);
    expect(JSON.stringify((await ports.reads.getContract(id))?.schema)).toBe(
      JSON.stringify(schema),
    );
  });

  test('an invalid schema is refused with its location, and changes nothing', async () => {
    const { ports } = world;
    const asset = await makeAsset(ports, await makeTeam(ports));
    const outcome = await publish(ports, asset.id, { properties: { a: { type: 'strin' } } });
    expect(outcome).toMatchObject({
      ok: false,
      failure: {
        code: 'INVALID_SCHEMA',
        field: 'schema',
        message: expect.stringContaining('$.properties.a.type'),
      },
    });
    expect((await ports.reads.getAsset(asset.id))?.activeContractId).toBeNull();
  });

  test('omitted guarantees stay, and null removes them', async () => {
    const { ports } = world;
    const asset = await makeAsset(ports, await makeTeam(ports));
    const guarantees = { freshness: { max_staleness_minutes: 60 } };
    await published(ports, asset.id, schemaOf('a'), { guarantees });
    expect(await published(ports, asset.id, schemaOf('a', 'b'))).toMatchObject({ guarantees });
    expect(
      await published(ports, asset.id, schemaOf('a', 'b'), { guarantees: null }),
    ).toMatchObject({ guarantees: null, version: '1.1.1' });
  });

  test("publishing for another team's asset is refused", async () => {
    const { ports } = world;
    const [owner, other] = [await makeTeam(ports), await makeTeam(ports)];
    const asset = await makeAsset(ports, owner);
    const outcome = await publish(ports, asset.id, schemaOf('a'), { actor: memberOf(other) });
    expect(codeOf(outcome)).toBe('FORBIDDEN');
  });

  test('the same breaking schema again returns the pending proposal', async () => {
    const { ports } = world;
    const asset = await makeAsset(ports, await makeTeam(ports));
    await published(ports, asset.id, schemaOf('a', 'b'));
    const first = await proposed(ports, asset.id, schemaOf('a'));
    expect(accepted(await publish(ports, asset.id, schemaOf('a')))).toMatchObject({
      action: 'proposal_created',
      existing: true,
      proposal: first,
    });
  });

  test('another breaking schema is refused, or supersedes the one before it', async () => {
    const { ports } = world;
    const asset = await makeAsset(ports, await makeTeam(ports));
    await published(ports, asset.id, schemaOf('a', 'b'));
    const first = await proposed(ports, asset.id, schemaOf('a'));
    expect(codeOf(await publish(ports, asset.id, schemaOf('b')))).toBe('PROPOSAL_PENDING');
    const second = await proposed(ports, asset.id, schemaOf('b'), { supersede: true });
    expect(await ports.reads.getProposal(first.id)).toMatchObject({
      status: 'withdrawn',
      supersededBy: second.id,
      reason: `superseded by proposal ${second.id}`,
    });
    const withdrawn = (await historyOf(ports, first.id)).at(-1);
    expect(withdrawn?.eventType).toBe('proposal.withdrawn');
    expect(withdrawn?.metadata).toMatchObject({ superseded_by: second.id });
  });

  test('a pending proposal does not block compatible publishes', async () => {
    const { ports } = world;
    const asset = await makeAsset(ports, await makeTeam(ports));
    await published(ports, asset.id, schemaOf('a', 'b'));
    await proposed(ports, asset.id, schemaOf('a'));
    expect(await published(ports, asset.id, schemaOf('a', 'b', 'c'))).toMatchObject({
      version: '1.1.0',
    });
  });
});
