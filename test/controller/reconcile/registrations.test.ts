import { mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import type { ContractRegistrationStatus } from '../../../src/controller/crd/resources.ts';
import { refuse } from '../../../src/core/failure.ts';
import type { Team } from '../../../src/core/team.ts';
import type { Context } from '../../../src/registry/ports.ts';
import { openSweep } from '../../../src/registry/sweep.ts';
import { verbs } from '../../../src/registry/verbs.ts';
import {
  accepted,
  openTestController,
  openTestRegistry,
  patience,
  type TestController,
  type TestRegistry,
} from '../support/open-controller.ts';

let registry: TestRegistry;
let controller: TestController;
let billing: Team;
let count = 0;

beforeAll(async () => {
  registry = await openTestRegistry();
  await registry.team('checkout');
  billing = await registry.team('billing');
});

afterAll(() => registry?.stop());

beforeEach(async () => {
  controller = await openTestController(registry, { shop: ['checkout'], accounts: ['billing'] });
});

afterEach(() => controller.stop());

const key = 'ContractRegistration/accounts/reads';

const register = (spec: object) =>
  controller.put('accounts/reads.yaml', spec, {}, { kind: 'ContractRegistration' });

const until = async (reason: string, message?: RegExp): Promise<ContractRegistrationStatus> => {
  await controller.until(key, reason, message);
  return (controller.source.get(key)?.status ?? {}) as ContractRegistrationStatus;
};

const table = (...columns: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(columns.map((column) => [column, { type: 'string' }])),
});

const conditionOf = (type: string) =>
  ((controller.source.get(key)?.status ?? {}) as ContractRegistrationStatus).conditions?.find(
    (condition) => condition.type === type,
  );

/** An administrator answers for another team. */
const reason = 'They asked us to.';

const freshFqn = () => `registered.table_${++count}`;

const consumersOf = async (fqn: string) => {
  const asset = await registry.ports.reads.findAssetByName(fqn, 'production');
  const facts = await registry.ports.reads.getAssetFacts(asset?.id ?? '');
  return facts?.consumers.map(({ teamId }) => teamId);
};

const readsFile = 'accounts/reads.yaml';
const conflict = (text: string) => `<<<<<<< HEAD\n${text}`;
const renamed = (text: string) => text.replace('name: reads', 'name: renamed');

const put = (name: string, spec: object) =>
  controller.put(`${name}.yaml`, spec, {}, { kind: 'ContractRegistration' });
const keyOf = (name: string) => `ContractRegistration/${name}`;
const registrationOf = (name: string) =>
  controller.source.get(keyOf(name))?.status?.registrationId ?? null;

describe('A ContractRegistration', () => {
  test.each<readonly [string, (text: string) => string, string]>([
    ['has marks of a merge', conflict, readsFile],
    [
      'is one line below a mark of a merge',
      (text) => conflict(JSON.stringify(parse(text))),
      readsFile,
    ],
    ['is empty', () => '', readsFile],
    [
      'has a kind that is misspelt',
      (text) => text.replace('Registration', 'Registraton'),
      readsFile,
    ],
    [
      'has an apiVersion that is misspelt',
      (text) => text.replace('concordat.dev', 'concordat'),
      readsFile,
    ],
    ['has lost its name', (text) => text.replace(/name: \w+/, 'labels: {}'), readsFile],
    ['has another name, and marks of a merge', conflict, 'accounts/renamed.yaml'],
    ['is a list', (text) => JSON.stringify([parse(text)]), readsFile],
    [
      'is a List',
      (text) => stringify({ apiVersion: 'v1', kind: 'List', items: [parse(text)] }),
      readsFile,
    ],
    [
      'has another name, and a field that is misspelt',
      (text) => renamed(text).replace('fqn:', 'fqnn:'),
      'accounts/renamed.yaml',
    ],
    [
      'has another name, and a team that is misspelt',
      (text) => renamed(text).replace('fqn:', 'team: biling\n  fqn:'),
      'accounts/renamed.yaml',
    ],
    ['stands in a folder that acts for no team', (text) => text, 'renamed/reads.yaml'],
    ['stands in another folder, with marks of a merge', conflict, 'shop/reads.yaml'],
  ])(
    'stays while its file %s, also if the controller starts meanwhile, and its team is asked',
    async (_what, spoil, path) => {
      const fqn = freshFqn();
      await controller.put('shop/a.yaml', { fqn, schema: table('id', 'amount') });
      await controller.until('a', 'Published');
      await register({ fqn });
      const { registrationId } = await until('UpToDate');
      const text = await readFile(join(controller.root, 'accounts/reads.yaml'), 'utf8');
      await controller.restart(async () => {
        await controller.remove('accounts/reads.yaml');
        await controller.write(path, spoil(text));
      });
      await until('InvalidSpec', new RegExp(path));
      await controller.put('shop/a.yaml', { fqn, schema: table('id') });
      await controller.until('a', 'ProposalPending', /waiting for billing/);
      await controller.remove(path);
      await controller.write('accounts/reads.yaml', text);
      expect(await until('UpToDate')).toMatchObject({ registrationId });
      await controller.remove('accounts/reads.yaml');
      await controller.untilGone(key);
      expect(await consumersOf(fqn)).toEqual([]);
    },
  );

  test('whose folder has a link may be behind it, so it stays, and its team is asked', async () => {
    const fqn = freshFqn();
    await controller.put('shop/a.yaml', { fqn, schema: table('id', 'amount') });
    await controller.until('a', 'Published');
    await register({ fqn });
    const { registrationId } = await until('UpToDate');
    await controller.restart(async () => {
      await mkdir(join(controller.root, 'shared'));
      await symlink(join(controller.root, 'shared'), join(controller.root, 'accounts/linked'));
      await rename(join(controller.root, readsFile), join(controller.root, 'shared/reads.yml'));
    });
    await until('InvalidSpec', /as long as accounts\/linked is a link/);
    await controller.put('shop/a.yaml', { fqn, schema: table('id') });
    await controller.until('a', 'ProposalPending', /waiting for billing/);
    await rename(join(controller.root, 'shared/reads.yml'), join(controller.root, readsFile));
    expect(await until('UpToDate')).toMatchObject({ registrationId });
    await rm(join(controller.root, 'accounts/linked'));
    await controller.remove(readsFile);
    await controller.untilGone(key);
    expect(await consumersOf(fqn)).toEqual([]);
  });

  test('in a folder that acts for no team goes on once the mapping file names the folder', async () => {
    await controller.stop();
    const mapping: Record<string, string[]> = { shop: ['checkout'], accounts: ['billing'] };
    controller = await openTestController(registry, mapping);
    const fqn = freshFqn();
    await controller.put('shop/a.yaml', { fqn, schema: table('id', 'amount') });
    await register({ fqn });
    const { registrationId } = await until('UpToDate');
    await rename(join(controller.root, 'accounts'), join(controller.root, 'ledger'));
    await until('InvalidSpec', /as long as ledger\/reads\.yaml cannot register a team/);
    await controller.put('shop/a.yaml', { fqn, schema: table('id') });
    await controller.until('a', 'ProposalPending', /waiting for billing/);
    await controller.restart(async () => {
      mapping.ledger = ['billing'];
    });
    await controller.until(keyOf('ledger/reads'), 'UpToDate');
    expect(registrationOf('ledger/reads')).toBe(registrationId);
    await controller.untilGone(key);
    expect(await consumersOf(fqn)).toEqual([billing.id]);
  });

  test('ends beside one of another name in a folder that acts for no team', async () => {
    const fqn = freshFqn();
    await controller.put('shop/a.yaml', { fqn, schema: {} });
    await put('accounts/reads', { fqn });
    await until('UpToDate');
    await put('elsewhere/own', { fqn });
    await controller.until(keyOf('elsewhere/own'), 'TeamNotResolved');
    await controller.remove(readsFile);
    await controller.untilGone(key);
    expect(await consumersOf(fqn)).toEqual([]);
  });

  test('in a file keeps its name: another one is refused, and what it registered stays', async () => {
    const [fqn, other] = [freshFqn(), freshFqn()];
    await controller.put('shop/a.yaml', { fqn, schema: table('id') });
    await controller.put('shop/b.yaml', { fqn: other, schema: table('id') });
    await controller.until('b', 'Published');
    await register({ fqn });
    const { registrationId = '' } = await until('UpToDate');
    const refusal = new RegExp(`immutable.*registered billing for ${fqn} in production`);
    for (const renamed of [{ fqn: other }, { fqn, environment: 'staging' }]) {
      await register(renamed);
      await until('InvalidSpec', refusal);
      await register({ fqn });
      expect(await until('UpToDate')).toMatchObject({ registrationId });
    }
    expect(await consumersOf(other)).toEqual([]);
    expect(await consumersOf(fqn)).toEqual([billing.id]);
    await controller.remove('accounts/reads.yaml');
    await controller.untilGone(key);
    expect(await consumersOf(fqn)).toEqual([]);
  });

  test('says what the team reads, so that it is asked only about that, until it says it no more', async () => {
    const fqn = freshFqn();
    const needOf = async ({ registrationId }: ContractRegistrationStatus) =>
      (await registry.ports.reads.getRegistration(registrationId ?? ''))?.need ?? null;
    const conditionOf = ({ conditions }: ContractRegistrationStatus) =>
      conditions?.find(({ type }) => type === 'NeedsMet');
    await controller.put('shop/a.yaml', { fqn, schema: table('id', 'amount', 'note') });
    await controller.until('a', 'Published');
    await register({ fqn, needs: { fields: ['$.id', '$.amount'] } });
    const first = await until('UpToDate');
    expect(conditionOf(first)).toMatchObject({ status: 'True', reason: 'Met' });
    expect(await needOf(first)).toMatchObject({ status: 'met', digest: first.needsDigest });

    await controller.put('shop/a.yaml', { fqn, schema: table('id', 'amount') });
    expect(await controller.until('a', 'Published', /2\.0\.0/)).toMatchObject({});
    await controller.put('shop/a.yaml', { fqn, schema: table('id') });
    await controller.until('a', 'ProposalPending', /waiting for billing/);
    await expect
      .poll(() => controller.source.get(key)?.status?.pendingProposals ?? [], { timeout: 60_000 })
      .toHaveLength(1);

    await register({ fqn, needs: { fields: ['$.colour'] } });
    await expect
      .poll(() => conditionOf(controller.source.get(key)?.status ?? {}), { timeout: 60_000 })
      .toMatchObject({ status: 'False', reason: 'Unmet' });
    await register({ fqn });
    await expect
      .poll(async () => needOf(controller.source.get(key)?.status ?? {}), { timeout: 60_000 })
      .toBeNull();
    const last = await until('UpToDate');
    expect(conditionOf(last)).toBeUndefined();
    expect(last.needsDigest).toBeUndefined();
  });

  test('without needs leaves what the API has set', async () => {
    const fqn = freshFqn();
    await controller.put('shop/a.yaml', { fqn, schema: table('id', 'amount') });
    await controller.until('a', 'Published');
    await register({ fqn });
    const { registrationId = '' } = await until('UpToDate');
    const command = { registrationId, needs: { fields: ['$.id'] }, reason };
    accepted(await verbs.updateRegistration(registry.ports, registry.admin, command));
    await register({ fqn, purpose: 'invoices' });
    await expect
      .poll(async () => registry.ports.reads.getRegistration(registrationId), { timeout: 60_000 })
      .toMatchObject({ notes: 'invoices', need: { stated: { fields: ['$.id'] } } });
  });

  test.each([
    ['made inactive', { status: 'inactive' as const }, /made inactive in the registry/],
    [
      'narrowed',
      { needs: { fields: ['$.id'] } },
      /what the team reads was changed in the registry/,
    ],
    ['widened to everything', { needs: null }, /what the team reads was changed in the registry/],
  ])('that was %s in the registry says so until the spec changes', async (_how, change, says) => {
    const fqn = freshFqn();
    const needs = { fields: ['$.id', '$.amount'] };
    await controller.put('shop/a.yaml', { fqn, schema: table('id', 'amount') });
    await register({ fqn, needs });
    const { registrationId = '' } = await until('UpToDate');
    const command = { registrationId, ...change, reason };
    accepted(await verbs.updateRegistration(registry.ports, registry.admin, command));
    await expect
      .poll(() => conditionOf('Drifted')?.message, { timeout: 60_000 })
      .toEqual(expect.stringMatching(says));
    expect(conditionOf('NeedsMet')).toBeUndefined();
    expect(conditionOf('Ready')?.message).not.toContain('Registered');
    await register({ fqn, needs, purpose: 'again' });
    await expect.poll(() => conditionOf('Drifted'), { timeout: 60_000 }).toBeUndefined();
    await until('UpToDate', /^Registered/);
    expect(await registry.ports.reads.getRegistration(registrationId)).toMatchObject({
      status: 'active',
      need: { stated: needs },
    });
  });

  test('waits for its contract, registers, acknowledges, and follows to the new version', async () => {
    const fqn = freshFqn();
    await register({ fqn, purpose: 'invoices' });
    await until('AssetNotFound', /is not in the registry yet/);
    await controller.put('shop/a.yaml', { fqn, schema: table('id', 'amount') });
    const first = await until('UpToDate');
    expect(first).toMatchObject({ contractVersion: '1.0.0', pendingProposals: [] });
    const registration = await registry.ports.reads.getRegistration(first.registrationId ?? '');
    expect(registration).toMatchObject({ consumerTeamId: billing.id, notes: 'invoices' });

    await controller.put('shop/a.yaml', { fqn, schema: table('id') });
    const asked = await controller.until('a', 'ProposalPending', /waiting for billing/);
    const proposal = asked.proposal?.id ?? '';
    await expect
      .poll(() => controller.source.get(key)?.status?.pendingProposals, { timeout: 20_000 })
      .toEqual([
        {
          id: proposal,
          digest: expect.stringMatching(/^[0-9a-f]{32}$/),
          name: expect.stringMatching(/^a-[0-9a-f]{10}$/),
          breakingChanges: '1 breaking change',
        },
      ]);

    const acknowledge = [{ proposal, response: 'Approved', notes: 'Fine.' }];
    await register({ fqn, purpose: 'invoices', acknowledge });
    await controller.until('a', 'Published', /2\.0\.0/);
    await expect
      .poll(() => controller.source.get(key)?.status?.contractVersion, { timeout: 20_000 })
      .toBe('2.0.0');
    expect((await until('UpToDate')).pendingProposals).toEqual([]);
    expect((await registry.ports.reads.getProposal(proposal))?.consumers).toMatchObject([
      { teamId: billing.id, response: 'approved', notes: 'Fine.' },
    ]);
  });

  test('acknowledges for no team but those of its namespace', async () => {
    const fqn = freshFqn();
    await controller.put('shop/a.yaml', { fqn, schema: {} });
    await controller.until('a', 'Published');
    await register({ fqn, team: 'checkout' });
    await until('NotPermitted', /only for billing/);
  });

  test.each(['beside it', 'later'])(
    'counts before the contract changes, although its team is declared %s',
    async (when) => {
      const fqn = freshFqn();
      const slug = `late-${count}`;
      let looks = 0;
      await controller.stop();
      controller = await openTestController(
        registry,
        { shop: ['checkout'], accounts: [slug] },
        {
          observe: (event) => {
            const isLook = event.kind === 'finished' && event.key === 'DataContract/shop/a';
            looks += isLook ? 1 : 0;
          },
          verbs: {
            ...verbs,
            // Declares the team once the contract was looked at, and has to wait.
            declareTeam: async (...given) => {
              await vi.waitFor(() => expect(looks).toBeGreaterThan(2), patience);
              return verbs.declareTeam(...given);
            },
          },
        },
      );
      await controller.put('shop/a.yaml', { fqn, schema: table('id', 'amount') });
      await controller.until('a', 'Published');
      const change = async () => {
        looks = 0;
        await controller.put(`accounts/${slug}.yaml`, {}, {}, { kind: 'Team' });
        await controller.put('shop/a.yaml', { fqn, schema: table('id') });
      };
      if (when === 'later') {
        await register({ fqn });
        await until('TeamNotFound');
        await change();
      } else {
        await controller.restart(async () => {
          await register({ fqn });
          await change();
        });
      }
      await controller.until('a', 'ProposalPending', new RegExp(`waiting for ${slug}`));
      await until('UpToDate');
    },
  );

  test('keeps its contract waiting while the Team beside it fails, and no longer than that', async () => {
    const fqn = freshFqn();
    const slug = `failing-${count}`;
    let isFailing = true;
    await controller.stop();
    controller = await openTestController(
      registry,
      { shop: ['checkout'], accounts: [slug] },
      {
        verbs: {
          ...verbs,
          declareTeam: async () => {
            if (isFailing) throw new Error('The team cannot be declared now.');
            return refuse('TEAM_EXISTS', 'Somebody else has the team.');
          },
        },
      },
    );
    await controller.put('shop/a.yaml', { fqn, schema: table('id', 'amount') });
    await controller.until('a', 'Published');
    await controller.restart(async () => {
      await register({ fqn });
      await controller.put(`accounts/${slug}.yaml`, {}, {}, { kind: 'Team' });
      await controller.put('shop/a.yaml', { fqn, schema: table('id') });
    });
    await until('RegistryUnavailable', new RegExp(`Team ${slug} could not be read yet`));
    await controller.until('a', 'RegistryUnavailable', /ContractRegistration/);
    isFailing = false;
    await until('TeamNotFound');
    await controller.until('a', 'Published');
  });

  test('ends the registration where it is deleted', async () => {
    const fqn = freshFqn();
    await controller.put('shop/a.yaml', { fqn, schema: {} });
    await register({ fqn });
    const { registrationId = '' } = await until('UpToDate');
    await controller.remove('accounts/reads.yaml');
    await controller.untilGone(key);
    expect(await registry.ports.reads.getRegistration(registrationId)).toBeNull();
  });

  test('ends no registration that its spec does not ask for, whatever its status says', async () => {
    const [fqn, other] = [freshFqn(), freshFqn()];
    const reader = await registry.team(`reader-${count}`);
    for (const [file, name] of [
      ['a', fqn],
      ['b', other],
    ] as const) {
      const consumers = [{ team: reader.slug }, { team: 'billing' }];
      await controller.put(`shop/${file}.yaml`, { fqn: name, schema: {}, consumers });
      await controller.until(file, 'Published');
    }
    const idOf = async (name: string, teamId: string) => {
      const asset = await registry.ports.reads.findAssetByName(name, 'production');
      const page = { page: 1, pageSize: 1, includeTotal: false };
      const asked = { assetId: asset?.id ?? '', consumerTeamId: teamId, ...page };
      return accepted(await registry.ports.reads.listRegistrations(asked)).results[0]?.id ?? '';
    };
    for (const forged of [await idOf(fqn, reader.id), await idOf(other, billing.id)]) {
      await register({ fqn });
      await until('UpToDate');
      await controller.restart(async () => {
        await registry.database.query(
          "update source_object set status = status::jsonb || jsonb_build_object('registrationId', $1::text) where kind = 'ContractRegistration'",
          [forged],
        );
        await controller.remove('accounts/reads.yaml');
      });
      await controller.untilGone(key);
      expect(await registry.ports.reads.getRegistration(forged)).toMatchObject({
        status: 'active',
      });
    }
  });

  test('is not made again where it was ended in the registry, until the spec changes', async () => {
    const fqn = freshFqn();
    await controller.put('shop/a.yaml', { fqn, schema: {} });
    await register({ fqn });
    const { registrationId = '' } = await until('UpToDate');
    const command = { registrationId, reason };
    accepted(await verbs.deleteRegistration(registry.ports, registry.admin, command));
    await expect
      .poll(() => JSON.stringify(controller.source.get(key)?.status), { timeout: 20_000 })
      .toContain('was deleted in the registry');
    await register({ fqn, purpose: 'again' });
    await expect
      .poll(() => controller.source.get(key)?.status?.registrationId, { timeout: 20_000 })
      .not.toBe(registrationId);
    expect((await until('UpToDate')).conditions?.map(({ type }) => type)).toEqual(['Ready']);
  });

  test('says what is wrong with it', async () => {
    const acknowledge = [{ proposal: 'x', response: 'Blocked' }];
    await register({ fqn: freshFqn(), acknowledge });
    await until('InvalidSpec', /notes are needed with response Blocked/);
    await register({ fqn: freshFqn(), suspend: true });
    await until('Suspended');
  });

  test.each([
    ['in one namespace', 'accounts/reads', 'accounts/renamed'],
    ['in another namespace of its team', 'accounts/reads', 'ledger/reads'],
  ])('renamed %s, the new applied first, keeps its registration', async (_where, old, next) => {
    await controller.stop();
    controller = await openTestController(registry, {
      shop: ['checkout'],
      accounts: ['billing'],
      ledger: ['billing'],
    });
    const fqn = freshFqn();
    await controller.put('shop/a.yaml', { fqn, schema: {} });
    await put(old, { fqn });
    await controller.until(keyOf(old), 'UpToDate');
    const registrationId = registrationOf(old);
    await put(next, { fqn });
    await controller.until(
      keyOf(next),
      'Conflict',
      new RegExp(`${old} already registers this team`),
    );
    expect(registrationOf(next)).toBeNull();
    await controller.remove(`${old}.yaml`);
    await controller.untilGone(keyOf(old));
    await controller.until(keyOf(next), 'UpToDate');
    expect(registrationOf(next)).toBe(registrationId);
    expect(await consumersOf(fqn)).toEqual([billing.id]);
    const events = await registry.database.query(
      "select from audit_event where event_type = 'registration.deleted' and entity_id = $1",
      [registrationId],
    );
    expect(events).toHaveLength(0);
    await controller.remove(`${next}.yaml`);
    await controller.untilGone(keyOf(next));
    expect(await consumersOf(fqn)).toEqual([]);
  });

  test('renamed, the old pruned first, is registered again', async () => {
    const fqn = freshFqn();
    await controller.put('shop/a.yaml', { fqn, schema: {} });
    await put('accounts/reads', { fqn });
    await until('UpToDate');
    await controller.remove('accounts/reads.yaml');
    await controller.untilGone(key);
    await put('accounts/renamed', { fqn });
    await controller.until(keyOf('accounts/renamed'), 'UpToDate');
    expect(await consumersOf(fqn)).toEqual([billing.id]);
  });

  describe('deleted', () => {
    const sweepIn = (ms: number) =>
      openSweep(registry.ports, {
        ...registry.admin,
        now: () => new Date(Date.now() + ms).toISOString(),
      } as Context<never>)();
    const minute = 60_000;

    beforeEach(async () => {
      await controller.stop();
      const mapping = { shop: ['checkout'], accounts: ['billing'] };
      controller = await openTestController(registry, mapping, { departurePauseMs: minute });
    });

    const deleteWhileAsked = async () => {
      const fqn = freshFqn();
      await controller.put('shop/a.yaml', { fqn, schema: table('id', 'amount', 'note') });
      await register({ fqn });
      const { registrationId = '' } = await until('UpToDate');
      await controller.put('shop/a.yaml', { fqn, schema: table('id', 'amount') });
      await controller.until('a', 'ProposalPending', /waiting for billing/);
      await controller.remove('accounts/reads.yaml');
      await controller.untilGone(key);
      return { fqn, registrationId };
    };

    test('before the renamed one is there, asks the team about each break, and is continued by it', async () => {
      const { fqn, registrationId } = await deleteWhileAsked();
      await sweepIn(0);
      await controller.put('shop/a.yaml', { fqn, schema: table('id') });
      await vi.waitFor(async () => {
        const asset = await registry.ports.reads.findAssetByName(fqn, 'production');
        const open = await registry.ports.reads.getOpenProposal(asset?.id ?? '');
        expect(open).toMatchObject({ breakingChangesCount: 2, status: 'pending' });
      }, patience);
      await put('accounts/renamed', { fqn });
      await controller.until(keyOf('accounts/renamed'), 'UpToDate');
      await sweepIn(2 * minute);
      expect(registrationOf('accounts/renamed')).toBe(registrationId);
      expect(await consumersOf(fqn)).toEqual([billing.id]);
      await controller.until('a', 'ProposalPending', /waiting for billing/);
    });

    test('by a leader whose clock is behind stays for as long', async () => {
      await controller.stop();
      const now = () => new Date(Date.now() - 10 * minute).toISOString();
      const mapping = { shop: ['checkout'], accounts: ['billing'] };
      controller = await openTestController(registry, mapping, { departurePauseMs: minute, now });
      const { registrationId } = await deleteWhileAsked();
      await sweepIn(0);
      const kept = await registry.ports.reads.getRegistration(registrationId);
      expect(kept).toMatchObject({ claims: [], status: 'active' });
    });

    test('for a contract that was archived by force is continued by the renamed one', async () => {
      const fqn = freshFqn();
      await controller.put('shop/a.yaml', { fqn, schema: table('id', 'amount') });
      await register({ fqn });
      const { registrationId = '' } = await until('UpToDate');
      const asset = await registry.ports.reads.findAssetByName(fqn, 'production');
      const contractId = asset?.activeContractId ?? '';
      for (const status of ['deprecated', 'archived'] as const) {
        const command = { contractId, status, force: true, override: true, reason };
        accepted(await verbs.updateContract(registry.ports, registry.admin, command));
        const open = await registry.ports.reads.getOpenProposal(asset?.id ?? '');
        if (open === null) continue;
        const forced = { proposalId: open.id, override: true, reason };
        accepted(await verbs.forceProposal(registry.ports, registry.admin, forced));
      }
      await controller.remove('accounts/reads.yaml');
      await controller.untilGone(key);
      await put('accounts/renamed', { fqn });
      await controller.until(keyOf('accounts/renamed'), 'UpToDate');
      await sweepIn(2 * minute);
      expect(registrationOf('accounts/renamed')).toBe(registrationId);
      await controller.put('shop/a.yaml', { fqn, schema: table('id') });
      await controller.until('a', 'ProposalPending', /waiting for billing/);
    });

    test('without a successor ends after a pause, and the break is published', async () => {
      const { registrationId } = await deleteWhileAsked();
      await sweepIn(0);
      const leaving = await registry.ports.reads.getRegistration(registrationId);
      expect(leaving).toMatchObject({ claims: [], status: 'active' });
      await sweepIn(2 * minute);
      await controller.until('a', 'Published', /2\.0\.0/);
      expect(await registry.ports.reads.getRegistration(registrationId)).toBeNull();
    });

    test('stays until the sources were read after the pause, which a restart may outlast', async () => {
      const { registrationId } = await deleteWhileAsked();
      await registry.database.query(
        `insert into controller_lease (identity, kind, place, fence, holder, renewed_at, read_at)
         values ('stopped', 'directory', 'stopped', 1, 'stopped', '-infinity', now())`,
      );
      await sweepIn(2 * minute);
      const kept = await registry.ports.reads.getRegistration(registrationId);
      expect(kept).toMatchObject({ claims: [], status: 'active' });
      await registry.database.query(
        `update controller_lease set read_at = now() + interval '2 minutes'
         where identity = 'stopped'`,
      );
      await sweepIn(2 * minute);
      await controller.until('a', 'Published', /2\.0\.0/);
      await registry.database.query("delete from controller_lease where identity = 'stopped'");
    });

    test.each([
      ['names its asset', (fqn: string) => `production/${fqn}`],
      ['may name any asset', () => '*'],
    ])('stays while an object that %s cannot register', async (_what, nameIn) => {
      const { fqn, registrationId } = await deleteWhileAsked();
      await registry.database.query(
        `insert into controller_lease
           (identity, kind, place, fence, holder, renewed_at, read_at, unsettled)
         values ('waits', 'directory', 'waits', 1, 'waits', '-infinity',
           now() + interval '2 minutes', $1)`,
        [[nameIn(fqn)]],
      );
      await sweepIn(2 * minute);
      const kept = await registry.ports.reads.getRegistration(registrationId);
      expect(kept).toMatchObject({ claims: [], status: 'active' });
      await registry.database.query(
        "update controller_lease set unsettled = '{}' where identity = 'waits'",
      );
      await sweepIn(2 * minute);
      await controller.until('a', 'Published', /2\.0\.0/);
      await registry.database.query("delete from controller_lease where identity = 'waits'");
    });

    test('gives way to a registration by the API', async () => {
      const { fqn } = await deleteWhileAsked();
      const asset = await registry.ports.reads.findAssetByName(fqn, 'production');
      const command = { contractId: asset?.activeContractId ?? '', consumerTeamId: billing.id };
      accepted(await verbs.registerConsumer(registry.ports, registry.admin, command));
      await sweepIn(2 * minute);
      await controller.until('a', 'ProposalPending', /waiting for billing/);
    });

    test('gives way to spec.addConsumers', async () => {
      const { fqn } = await deleteWhileAsked();
      const addConsumers = [{ team: 'billing' }];
      await controller.put('shop/a.yaml', { fqn, schema: table('id', 'amount'), addConsumers });
      await vi.waitFor(async () => {
        const asset = await registry.ports.reads.findAssetByName(fqn, 'production');
        const facts = await registry.ports.reads.getAssetFacts(asset?.id ?? '');
        expect(facts?.consumers).toMatchObject([{ teamId: billing.id, isLeaving: false }]);
      }, patience);
      await sweepIn(2 * minute);
      await controller.until('a', 'ProposalPending', /waiting for billing/);
    });
  });

  const statedFor = async (fqn: string) => {
    const asset = await registry.ports.reads.findAssetByName(fqn, 'production');
    const page = { page: 1, pageSize: 1, includeTotal: false };
    const listed = await registry.ports.reads.listRegistrations({
      assetId: asset?.id ?? '',
      ...page,
    });
    const [one] = accepted(listed).results;
    return (await registry.ports.reads.getRegistration(one?.id ?? ''))?.need?.stated ?? null;
  };
  const id = { fields: ['$.id'] };

  test.each([
    ['reads more', { needs: { fields: ['$.id', '$.amount'] } }],
    ['does not say what it reads', {}],
  ])(
    'counts as a reader of everything while another one %s, also where the other one is the one that stays',
    async (_what, said) => {
      const fqn = freshFqn();
      await controller.put('shop/a.yaml', { fqn, schema: table('id', 'amount') });
      await controller.until('a', 'Published');
      await register({ fqn, needs: id });
      await until('UpToDate');
      await put('accounts/renamed', { fqn, ...said });
      await controller.put('shop/a.yaml', { fqn, schema: table('id') });
      await controller.until('a', 'ProposalPending', /waiting for billing/);
      await expect
        .poll(() => controller.source.get(key)?.status?.conditions, { timeout: 60_000 })
        .toContainEqual(
          expect.objectContaining({
            type: 'Drifted',
            message: expect.stringContaining('/renamed says'),
          }),
        );
      expect(await statedFor(fqn)).toBeNull();
      await controller.remove('accounts/reads.yaml');
      await controller.until(keyOf('accounts/renamed'), 'UpToDate');
      await controller.until('a', 'ProposalPending', /waiting for billing/);
    },
  );

  const whole = { needs: { fields: ['$.id', '$.amount'] } };
  test.each([
    ['another one', {}, whole],
    ['it under another name', whole, whole],
  ])('narrowed in the registry reads what %s says', async (_what, first, second) => {
    const fqn = freshFqn();
    await controller.put('shop/a.yaml', { fqn, schema: table('id', 'amount') });
    await controller.until('a', 'Published');
    await register({ fqn, ...first });
    const { registrationId = '' } = await until('UpToDate');
    const command = { registrationId, needs: id, reason };
    accepted(await verbs.updateRegistration(registry.ports, registry.admin, command));
    await put('accounts/renamed', { fqn, ...second });
    await controller.put('shop/a.yaml', { fqn, schema: table('id') });
    await controller.until('a', 'ProposalPending', /waiting for billing/);
  });

  test('narrowed in the registry stays narrow while no object says what it reads', async () => {
    const fqn = freshFqn();
    await controller.put('shop/a.yaml', { fqn, schema: table('id', 'amount') });
    await controller.until('a', 'Published');
    await register({ fqn });
    const { registrationId = '' } = await until('UpToDate');
    const command = { registrationId, needs: id, reason };
    accepted(await verbs.updateRegistration(registry.ports, registry.admin, command));
    await put('accounts/renamed', { fqn });
    await controller.until(keyOf('accounts/renamed'), 'Conflict');
    await controller.remove('accounts/reads.yaml');
    await controller.until(keyOf('accounts/renamed'), 'UpToDate');
    expect(await statedFor(fqn)).toEqual(id);
  });

  test.each<[string, (fqn: string) => Promise<unknown>]>([
    ['is gone', () => controller.remove('accounts/second.yaml')],
    ['agrees', (fqn) => put('accounts/second', { fqn, needs: id })],
    ['reads another asset', () => put('accounts/second', { fqn: freshFqn() })],
    ['is invalid', () => put('accounts/second', { fqn: 7 })],
  ])('says again what it reads once the other one %s', async (_what, change) => {
    const fqn = freshFqn();
    await controller.put('shop/a.yaml', { fqn, schema: table('id', 'amount') });
    await controller.until('a', 'Published');
    await register({ fqn, needs: id });
    await until('UpToDate');
    await put('accounts/second', { fqn });
    await controller.until(keyOf('accounts/second'), 'Conflict');
    await expect.poll(() => statedFor(fqn), { timeout: 60_000 }).toBeNull();
    await until('UpToDate', /accounts\/second says something else of what the team reads/);
    await change(fqn);
    await expect.poll(() => statedFor(fqn), { timeout: 60_000 }).toEqual(id);
  });

  test('of two sources counts for everything that either reads', async () => {
    const second = await openTestController(registry, { accounts: ['billing'] });
    const fqn = freshFqn();
    try {
      await controller.put('shop/a.yaml', { fqn, schema: table('id', 'amount') });
      await controller.until('a', 'Published');
      await register({ fqn, needs: id });
      await until('UpToDate');
      await second.put('accounts/reads.yaml', { fqn }, {}, { kind: 'ContractRegistration' });
      await second.until(key, 'Conflict');
      expect(await statedFor(fqn)).toBeNull();
      await register({ fqn, needs: { fields: ['$.amount'] } });
      await controller.put('shop/a.yaml', { fqn, schema: table('id') });
      await controller.until('a', 'ProposalPending', /waiting for billing/);
      expect(await statedFor(fqn)).toBeNull();
      expect(controller.source.get(key)?.status?.conditions).toContainEqual(
        expect.objectContaining({
          type: 'Drifted',
          message: expect.stringContaining('registers this team as well'),
        }),
      );
      await second.remove('accounts/reads.yaml');
      await second.untilGone(key);
    } finally {
      await second.stop();
    }
  });

  test('of two sources the first has it; when that goes, the other takes it over', async () => {
    const second = await openTestController(registry, { accounts: ['billing'] });
    const reads = ['accounts/reads.yaml', { fqn: freshFqn() }] as const;
    const [, { fqn }] = reads;
    const put = (one: TestController) => one.put(...reads, {}, { kind: 'ContractRegistration' });
    try {
      await controller.put('shop/a.yaml', { fqn, schema: table('id', 'note') });
      await put(controller);
      const { registrationId } = await until('UpToDate');
      await put(second);
      await second.until(key, 'Conflict', /^Another source, folder-/);
      const asset = await registry.ports.reads.findAssetByName(fqn, 'production');
      await controller.put('shop/a.yaml', { fqn, schema: table('id') });
      await controller.until('a', 'ProposalPending');
      const open = await registry.ports.reads.getOpenProposal(asset?.id ?? '');
      const acknowledge = [{ proposal: open?.id, response: 'Approved' }];
      await second.put(reads[0], { fqn, acknowledge }, {}, { kind: 'ContractRegistration' });
      await second.until(key, 'Conflict');
      expect((await registry.ports.reads.getProposal(open?.id ?? ''))?.status).toBe('pending');
      await controller.remove(reads[0]);
      await controller.untilGone(key);
      expect(await consumersOf(fqn)).toEqual([billing.id]);
      await second.until(key, 'UpToDate');
      expect(second.source.get(key)?.status?.registrationId).toBe(registrationId);
      await second.remove(reads[0]);
      await second.untilGone(key);
      expect(await consumersOf(fqn)).toEqual([]);
    } finally {
      await second.stop();
    }
  });

  test('shared with another source is written once, and not at each look', async () => {
    const fqn = freshFqn();
    let [looks, writes] = [0, 0];
    await controller.stop();
    controller = await openTestController(
      registry,
      { shop: ['checkout'], accounts: ['billing'] },
      {
        observe: (event) => {
          looks += event.kind === 'finished' && event.key === key ? 1 : 0;
        },
        verbs: {
          ...verbs,
          updateRegistration: (...given) => {
            writes += 1;
            return verbs.updateRegistration(...given);
          },
        },
      },
    );
    await controller.put('shop/a.yaml', { fqn, schema: table('id', 'amount') });
    await register({ fqn, needs: id });
    await until('UpToDate');
    const lookAgain = async (whileStopped?: () => Promise<unknown>) => {
      await controller.restart(async () => {
        await whileStopped?.();
        [looks, writes] = [0, 0];
      });
      await vi.waitFor(() => expect(looks).toBeGreaterThan(0), patience);
      return writes;
    };
    const claimElsewhere = () =>
      registry.database.query(
        `update registration set claims = array_append(claims, 'elsewhere')
         where id = '${registrationOf('accounts/reads')}'`,
      );
    expect(await lookAgain(claimElsewhere)).toBe(1);
    expect(await statedFor(fqn)).toBeNull();
    expect(await lookAgain()).toBe(0);
  });

  test('that another source has ends nothing when it goes', async () => {
    const fqn = freshFqn();
    await controller.put('shop/a.yaml', { fqn, schema: {} });
    await register({ fqn });
    await until('UpToDate');
    const second = await openTestController(registry, { accounts: ['billing'] });
    await second.put('accounts/reads.yaml', { fqn }, {}, { kind: 'ContractRegistration' });
    await second.until(key, 'Conflict');
    await second.remove('accounts/reads.yaml');
    await second.untilGone(key);
    await second.stop();
    expect(await consumersOf(fqn)).toEqual([billing.id]);
    await controller.remove('accounts/reads.yaml');
    await controller.untilGone(key);
    expect(await consumersOf(fqn)).toEqual([]);
  });

  test('that waits for another ends nothing when it goes', async () => {
    const fqn = freshFqn();
    await controller.put('shop/a.yaml', { fqn, schema: {} });
    await put('accounts/reads', { fqn });
    await until('UpToDate');
    await put('accounts/second', { fqn });
    await controller.until(keyOf('accounts/second'), 'Conflict');
    await controller.remove('accounts/second.yaml');
    await controller.untilGone(keyOf('accounts/second'));
    expect(await consumersOf(fqn)).toEqual([billing.id]);
  });

  test('does not answer a later round by an answer to an earlier one', async () => {
    const fqn = freshFqn();
    await controller.put('shop/a.yaml', { fqn, schema: table('id', 'a', 'b') });
    await register({ fqn });
    await until('UpToDate');
    const asset = await registry.ports.reads.findAssetByName(fqn, 'production');
    const assetId = asset?.id ?? '';
    const overriding = { override: true, reason: 'Only in this test.' };
    const terms = { assetId, dryRun: false, supersede: false, ...overriding };
    const made = accepted(
      await verbs.publishContract(registry.ports, registry.admin, {
        ...terms,
        schema: table('id'),
      }),
    );
    if (made.action !== 'proposal_created') throw new Error('It breaks.');
    const proposal = made.proposal.id ?? '';
    const acknowledge = [{ proposal, response: 'Blocked', notes: 'We read both.' }];
    const stateOf = async () => (await registry.ports.reads.getProposal(proposal))?.status;
    const registrationNow = async () => {
      const query = { assetId, page: 1, pageSize: 1, includeTotal: false };
      const [found] = accepted(await registry.ports.reads.listRegistrations(query)).results;
      return { notes: found?.notes ?? null };
    };
    await register({ fqn, acknowledge });
    await expect.poll(stateOf, { timeout: 20_000 }).toBe('rejected');
    // The block is taken back elsewhere; then the proposal is compared again, with another version.
    accepted(
      await verbs.acknowledgeProposal(registry.ports, registry.admin, {
        proposalId: proposal,
        teamId: billing.id,
        response: 'approved',
        reason: 'They told us so.',
      }),
    );
    await register({ fqn, acknowledge, purpose: 'Edited.' });
    await expect
      .poll(async () => (await registrationNow()).notes, { timeout: 20_000 })
      .toBe('Edited.');
    await until('UpToDate');
    expect(await stateOf()).toBe('pending');
    accepted(
      await verbs.publishContract(registry.ports, registry.admin, {
        ...terms,
        schema: table('id', 'a', 'b', 'c'),
      }),
    );
    accepted(await verbs.rebaseProposal(registry.ports, registry.admin, { proposalId: proposal }));
    await register({ fqn, acknowledge, purpose: 'Edited once more.' });
    await until('UpToDate', /has no digest, but the proposal has the digest/);
    expect(await stateOf()).toBe('pending');
    // Deleting and applying the object again does not give the answer either.
    await controller.remove('accounts/reads.yaml');
    await controller.untilGone(key);
    await register({ fqn, acknowledge });
    const status = await until('UpToDate', /has no digest/);
    expect(await stateOf()).toBe('pending');
    const [digest] = (status.pendingProposals ?? []).map((one) => one.digest);
    await register({ fqn, acknowledge: acknowledge.map((one) => ({ ...one, digest })) });
    await expect.poll(stateOf, { timeout: 20_000 }).toBe('rejected');
  });
});
