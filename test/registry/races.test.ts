// The pools of two processes on one database: each race has one winner, and every response is true.

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  accepted,
  codeOf,
  consume,
  contextOf,
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

/** Races have several outcomes, so each is run often enough. */
const rounds = 12;

/** Alternates between the processes. */
function spread<T>(count: number, run: (ports: World['ports'], index: number) => Promise<T>) {
  const doors = [world.ports, world.otherPorts];
  return Promise.all(
    Array.from({ length: count }, (_, index) => run(doors[index % 2] ?? world.ports, index)),
  );
}

async function versionsOf(assetId: string) {
  const listed = accepted(await world.ports.reads.listContracts({ ...page, assetId }));
  return listed.results.map(({ version, status }) => ({ version, status })).toReversed();
}

describe('At once,', () => {
  test('32 publishes: one active contract, versions without gaps or duplicates', async () => {
    const asset = await makeAsset(world.ports, await makeTeam(world.ports));
    // Each adds a different optional property, so every one after the first is a minor version.
    const outcomes = await spread(32, (ports, index) =>
      publish(ports, asset.id, { type: 'object', title: `schema ${index}` }),
    );
    const told = outcomes.map((outcome) => {
      const result = accepted(outcome);
      if (result.action !== 'published') throw new Error(result.action);
      return result.contract.version;
    });
    const expected = Array.from({ length: 32 }, (_, index) => `1.0.${index}`);
    expect(told.toSorted()).toEqual(expected.toSorted());
    expect(await versionsOf(asset.id)).toEqual(
      expected.map((version, index) => ({
        version,
        status: index === 31 ? 'active' : 'deprecated',
      })),
    );
    for (const outcome of outcomes) {
      const result = accepted(outcome);
      if (result.action !== 'published' || result.contract.id === null) throw new Error();
      const kept = await world.ports.reads.getContract(result.contract.id);
      expect(kept?.version).toBe(result.contract.version);
    }
  });

  test('32 publishes of the same schema: one is published, the others are unchanged', async () => {
    const asset = await makeAsset(world.ports, await makeTeam(world.ports));
    const outcomes = await spread(32, (ports) => publish(ports, asset.id, schemaOf('a')));
    const actions = outcomes.map((outcome) => accepted(outcome).action).toSorted();
    expect(actions).toEqual(['published', ...Array(31).fill('unchanged')]);
  });

  test('breaking publishes of two schemas: one proposal, the other is refused', async () => {
    for (let round = 0; round < rounds; round++) {
      const asset = await makeAsset(world.ports, await makeTeam(world.ports));
      await published(world.ports, asset.id, schemaOf('a', 'b'));
      const outcomes = await spread(2, (ports, index) =>
        publish(ports, asset.id, schemaOf(index === 0 ? 'a' : 'b')),
      );
      expect(outcomes.map(codeOf).toSorted()).toEqual(['PROPOSAL_PENDING', 'ok']);
    }
  });

  test('a breaking publish and a registration: the consumer is asked', async () => {
    for (let round = 0; round < rounds; round++) {
      const { ports, otherPorts } = world;
      const [owner, consumer] = [await makeTeam(ports), await makeTeam(ports)];
      const asset = await makeAsset(ports, owner, { autoPublish: true });
      const first = await published(ports, asset.id, schemaOf('a', 'b'));
      const command = { contractId: first.id, consumerTeamId: consumer.id };
      const [proposal, registration] = await Promise.all([
        publish(ports, asset.id, schemaOf('a')),
        verbs.registerConsumer(otherPorts, contextOf(), command),
      ]);
      expect([codeOf(proposal), codeOf(registration)]).toEqual(['ok', 'ok']);
      // Either it was published before anyone consumed, or the consumer is asked: never both.
      const made = accepted(proposal);
      if (made.action !== 'proposal_created' || made.proposal.id === null) throw new Error();
      const after = await ports.reads.getProposal(made.proposal.id);
      if (after?.status === 'pending') {
        expect(after.consumers.map(({ teamId }) => teamId)).toEqual([consumer.id]);
      } else {
        expect(after).toMatchObject({ status: 'published', consumers: [] });
      }
    }
  });

  test('an acknowledgement and a withdrawal: both get a correct response', async () => {
    for (let round = 0; round < rounds; round++) {
      const { ports, otherPorts } = world;
      const [owner, consumer] = [await makeTeam(ports), await makeTeam(ports)];
      const asset = await makeAsset(ports, owner, { autoPublish: true });
      const first = await published(ports, asset.id, schemaOf('a', 'b'));
      await consume(ports, first.id, consumer);
      const { id: proposalId } = await proposed(ports, asset.id, schemaOf('a'));
      const answer = { proposalId, response: 'approved' as const };
      const [answered, withdrawn] = await Promise.all([
        verbs.acknowledgeProposal(ports, contextOf(memberOf(consumer)), answer),
        verbs.withdrawProposal(otherPorts, contextOf(), { proposalId, reason: 'It has to be.' }),
      ]);
      const status = (await ports.reads.getProposal(proposalId))?.status;
      const active = (await ports.reads.getAsset(asset.id))?.activeContractVersion;
      if (codeOf(withdrawn) === 'ok') expect([status, active]).toEqual(['withdrawn', '1.0.0']);
      else {
        expect([codeOf(withdrawn), codeOf(answered)]).toEqual(['PROPOSAL_NOT_PENDING', 'ok']);
        expect([status, active]).toEqual(['published', '2.0.0']);
      }
    }
  });

  test('a publish and a force of one proposal: one version, one of them refused', async () => {
    for (let round = 0; round < rounds; round++) {
      const { ports, otherPorts } = world;
      const asset = await makeAsset(ports, await makeTeam(ports));
      await published(ports, asset.id, schemaOf('a', 'b'));
      const { id: proposalId } = await proposed(ports, asset.id, schemaOf('a'));
      const outcomes = await Promise.all([
        verbs.publishProposal(ports, contextOf(), { proposalId }),
        verbs.forceProposal(otherPorts, contextOf(), { proposalId, reason: 'It has to be.' }),
      ]);
      expect(outcomes.map(codeOf).toSorted()).toEqual(['PROPOSAL_NOT_PENDING', 'ok']);
      expect(await versionsOf(asset.id)).toEqual([
        { version: '1.0.0', status: 'deprecated' },
        { version: '2.0.0', status: 'active' },
      ]);
    }
  });

  test('compatible publishes beside a proposal that publishes: no version is lost', async () => {
    const { ports } = world;
    const asset = await makeAsset(ports, await makeTeam(ports));
    await published(ports, asset.id, schemaOf('a', 'b'));
    const { id: proposalId } = await proposed(ports, asset.id, schemaOf('a'));
    const outcomes = await spread(9, async (door, index) =>
      index === 4
        ? codeOf(await verbs.publishProposal(door, contextOf(), { proposalId }))
        : codeOf(
            await publish(door, asset.id, {
              ...(schemaOf('a', 'b') as object),
              title: `title ${index}`,
            }),
          ),
    );
    const versions = await versionsOf(asset.id);
    expect(versions.filter(({ status }) => status === 'active')).toHaveLength(1);
    expect(new Set(versions.map(({ version }) => version)).size).toBe(versions.length);
    for (const code of outcomes) expect(['ok', 'PROPOSAL_STALE']).toContain(code);
  });

  test('two assets of one name and a restore: one remains', async () => {
    for (let round = 0; round < rounds; round++) {
      const { ports } = world;
      const team = await makeTeam(ports);
      const old = await makeAsset(ports, team);
      await verbs.deleteAsset(ports, contextOf(), { assetId: old.id, force: false });
      const outcomes = await spread(4, (door, index) =>
        index === 2
          ? verbs.restoreAsset(door, contextOf(), { assetId: old.id })
          : verbs.createAsset(door, contextOf(), { fqn: old.fqn, ownerTeamId: team.id }),
      );
      expect(outcomes.map(codeOf).toSorted()).toEqual([
        'ASSET_EXISTS',
        'ASSET_EXISTS',
        'ASSET_EXISTS',
        'ok',
      ]);
    }
  });

  test('two registrations of one team: one remains', async () => {
    const { ports } = world;
    const [owner, consumer] = [await makeTeam(ports), await makeTeam(ports)];
    const asset = await makeAsset(ports, owner);
    const { id: contractId } = await published(ports, asset.id, schemaOf('a'));
    const outcomes = await spread(8, (door) =>
      verbs.registerConsumer(door, contextOf(), { contractId, consumerTeamId: consumer.id }),
    );
    expect(outcomes.map(codeOf).toSorted()).toEqual([
      ...Array(7).fill('REGISTRATION_EXISTS'),
      'ok',
    ]);
  });

  test('two teams of one name: one remains', async () => {
    const name = 'Race Control';
    const outcomes = await spread(8, (door) => verbs.createTeam(door, contextOf(), { name }));
    expect(outcomes.map(codeOf).toSorted()).toEqual([...Array(7).fill('TEAM_EXISTS'), 'ok']);
  });

  test('a team is deleted while it gets an asset: no asset is left without a team', async () => {
    for (let round = 0; round < rounds; round++) {
      const { ports, otherPorts } = world;
      const team = await makeTeam(ports);
      const command = { fqn: `race.asset_${round}`, ownerTeamId: team.id };
      const [made, deleted] = await Promise.all([
        verbs.createAsset(ports, contextOf(), command),
        verbs.deleteTeam(otherPorts, contextOf(), { teamId: team.id }),
      ]);
      expect([
        ['ok', 'TEAM_HAS_ASSETS'],
        ['TEAM_NOT_FOUND', 'ok'],
      ]).toContainEqual([codeOf(made), codeOf(deleted)]);
    }
  });
});

describe('A deleted team', () => {
  /** A concurrent transaction that locks an asset until the test releases it. */
  async function hold(assetId: string, change = 'select from asset where id = $1 for update') {
    const client = new pg.Client(world.database.url);
    await client.connect();
    await client.query('begin');
    await client.query(change, [assetId]);
    return async () => {
      await client.query('commit');
      await client.end();
    };
  }

  const waiting = () =>
    expect
      .poll(async () => {
        const [row] = await world.database.query(
          `select count(*)::int as waiting from pg_stat_activity
           where wait_event_type = 'Lock' and datname = current_database()`,
        );
        return row?.waiting;
      })
      .toBe(1);

  test('hands over an asset that it got meanwhile in its current state', async () => {
    const { ports, otherPorts } = world;
    const [team, other, heir] = [
      await makeTeam(ports),
      await makeTeam(ports),
      await makeTeam(ports),
    ];
    const owned = await makeAsset(ports, team);
    const given = await makeAsset(ports, other);
    const letGo = await hold(owned.id);
    const command = { teamId: team.id, reassignTo: heir.id };
    const deleting = verbs.deleteTeam(otherPorts, contextOf(), command);
    await waiting();
    const move = { assetId: given.id, ownerTeamId: team.id };
    accepted(await verbs.updateAsset(ports, contextOf(), move));
    const describe = `update asset set metadata = '{"description": "told meanwhile"}' where id = $1`;
    const finish = await hold(given.id, describe);
    await letGo();
    await waiting();
    await finish();
    accepted(await deleting);
    expect(await ports.reads.getAsset(given.id)).toMatchObject({
      ownerTeamId: heir.id,
      metadata: { description: 'told meanwhile' },
    });
  });
});

describe('an Idempotency-Key', () => {
  const keyed = (key: string, bodyDigest = 'same') => ({
    ...contextOf(),
    idempotency: {
      key,
      method: 'POST',
      path: '/api/v1/teams',
      bodyDigest,
      represent: () => ({ status: 201, body: '{"kept":true}' }),
    },
  });

  test('at once in two processes has one effect, and its answer is stored with it', async () => {
    const name = 'Only Once';
    const outcomes = await spread(8, (door) => verbs.createTeam(door, keyed('k1'), { name }));
    expect(outcomes.map(codeOf).toSorted()).toEqual([
      ...Array(7).fill('IDEMPOTENCY_CONFLICT'),
      'ok',
    ]);
    const { actor, idempotency, now } = keyed('k1');
    expect(await world.ports.reads.findKeptAnswer(actor.id, idempotency, now())).toEqual({
      bodyDigest: 'same',
      answer: { status: 201, body: '{"kept":true}' },
    });
  });

  test('is free again after a day, and when nothing is to be stored', async () => {
    const { ports } = world;
    const tomorrow = () => new Date(Date.now() + 25 * 3_600_000).toISOString();
    const again = { ...keyed('k1'), now: tomorrow };
    expect(codeOf(await verbs.createTeam(ports, again, { name: 'Next Day' }))).toBe('ok');
    const unkept = keyed('k2');
    const passing = { ...unkept, idempotency: { ...unkept.idempotency, represent: () => null } };
    await verbs.createTeam(ports, passing, { name: 'Next Day' });
    expect(codeOf(await verbs.createTeam(ports, keyed('k2'), { name: 'Free Key' }))).toBe('ok');
  });
});
