// Random histories of one asset with a consumer that is always registered: objects are renamed,
// duplicated, restored without their status, suspended, deprecated and answered in any order, namespaces change
// their team and environment, the database is restored to an earlier moment, and the consumer says what it
// reads. No break of that is published without an answer, the registration never lapses,
// and in the end each status says correctly what its object waits for.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ApiClient } from '../../../src/controller/cluster/api-client.ts';
import { objectPath } from '../../../src/controller/cluster/resources.ts';
import type { KindName } from '../../../src/controller/crd/kinds.ts';
import { configOf } from '../../support/kubernetes/kubernetes.ts';
import { type CuttingProxy, openCuttingProxy } from '../../support/kubernetes/kubernetes-proxy.ts';
import { copyDatabase } from '../../support/postgres/postgres.ts';
import {
  type Answered,
  consumerLapses,
  findFalseStatuses,
  findUnaskedBreaks,
  findUnaskedEnds,
  findUnreadAnswers,
  type Stated,
} from '../support/consumed-asset.ts';
import { openClusterController, type TestClusterController } from '../support/open-cluster.ts';
import { openTestRegistry, patience, type TestRegistry } from '../support/open-controller.ts';

/** `make soak` runs more and longer histories. */
const histories = Number(process.env.HISTORIES ?? 3);
const operations = Number(process.env.HISTORY_LENGTH ?? 40);
/** The same histories each time, unless more are requested. */
const seedAsked = process.env.HISTORY_SEED;
const fixedSeed = process.env.HISTORIES === undefined ? 20_261_123 : undefined;
const seed = seedAsked === undefined ? fixedSeed : Number(seedAsked);

const contracts = ['asked-shop/a', 'asked-shop/b', 'asked-more/c'] as const;
const registrations = ['asked-billing/r', 'asked-billing/s', 'asked-reports/t'] as const;
/** A ContractProposal that a team writes: its name, and so answers to it, may exist before. */
const plan = 'asked-shop/plan';
/** What the consumer says that it reads; null: nothing, so it reads everything. */
const needs = [null, null, ['$.id'], ['$.x'], ['$.id', '$.y']] as const;
const columnsOf = [['id', 'x', 'y'], ['id', 'x'], ['id'], ['id', 'y']] as const;

const table = (columns: readonly string[]) => ({
  type: 'object',
  properties: Object.fromEntries(columns.map((column) => [column, { type: 'string' }])),
});

const schema = fc.nat(columnsOf.length - 1);
const contract = fc.constantFrom(...contracts);
const registration = fc.constantFrom(...registrations);
const policy = fc.constantFrom('Automatic' as const, 'Automatic' as const, 'Manual' as const);
const response = fc.constantFrom('Approved' as const, 'Approved' as const, 'Blocked' as const);
const decision = fc.constantFrom('Approve' as const, 'Publish' as const, 'Withdraw' as const);
const act = <Kind extends string, T extends object>(
  weight: number,
  kind: Kind,
  parts: { [K in keyof T]: fc.Arbitrary<T[K]> },
) => ({ weight, arbitrary: fc.record<T>(parts).map((rest) => ({ kind, ...rest })) });

const operation = fc.oneof(
  act(6, 'put', { name: contract, schema, policy }),
  act(2, 'remove', { name: contract }),
  act(2, 'deprecate', { name: contract }),
  act(2, 'answerEnd', { name: registration, of: contract, response }),
  act(2, 'rename', { name: contract, to: contract }),
  act(2, 'register', { name: registration }),
  act(2, 'unregister', { name: registration }),
  act(3, 'need', { name: registration, fields: fc.constantFrom(...needs) }),
  act(2, 'renameRegistration', { name: registration, to: registration }),
  act(6, 'answer', { name: registration, of: fc.constantFrom(...contracts, plan), response }),
  act(2, 'answerAgain', { name: registration }),
  act(2, 'plan', { schema }),
  act(1, 'unplan', {}),
  act(2, 'decide', { name: contract, decision }),
  act(1, 'suspend', { name: fc.constantFrom(...contracts, ...registrations) }),
  act(1, 'loseStatus', { name: fc.constantFrom(...contracts, ...registrations, plan) }),
  act(1, 'restore', {}),
  act(1, 'relabel', { isOn: fc.boolean() }),
  act(1, 'environment', { of: fc.constantFrom('asked-more', 'asked-reports'), isOn: fc.boolean() }),
  act(2, 'backUp', {}),
  act(2, 'restoreDatabase', {}),
  act(1, 'stop', {}),
  act(1, 'start', {}),
  act(1, 'cut', {}),
  act(1, 'cutOff', {}),
  act(2, 'settle', {}),
);

type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

let registry: TestRegistry;
let cluster: TestClusterController;
let database: CuttingProxy;
let api: ApiClient;

beforeAll(async () => {
  registry = { ...(await openRegistry()) };
  await registry.team('checkout');
  await registry.team('billing');
  cluster = await openClusterController(registry, {
    namespaces: {
      'asked-shop': 'checkout',
      'asked-more': 'checkout',
      'asked-billing': 'billing',
      'asked-reports': 'billing',
    },
  });
  api = new ApiClient(configOf(cluster.address));
});

async function openRegistry(copy?: string): Promise<TestRegistry> {
  const through = async (databaseUrl: string) => {
    const url = new URL(databaseUrl);
    database = await openCuttingProxy({ server: `tcp://${url.host}` });
    url.host = new URL(database.server).host;
    return url.href;
  };
  return openTestRegistry(through, undefined, copy);
}

afterAll(async () => {
  api?.close();
  await cluster?.close();
  await registry?.stop();
  await database?.close();
});

interface Manifest {
  readonly kind: KindName;
  readonly spec: Readonly<Record<string, unknown>>;
}

class History {
  readonly #fqn: string;
  /** The manifests in git, by name. */
  readonly #git = new Map<string, Manifest>();
  readonly #answered: Answered[] = [];
  readonly #stated: Stated[] = [];
  #isRunning = true;
  #isLabelled = true;
  /** Namespaces whose environment is staging. */
  readonly #staging = new Set<string>();
  #hadStaging = false;
  /** The name of a copy of the database. */
  #backup: string | null = null;

  constructor(fqn: string) {
    this.#fqn = fqn;
  }

  /** Registers the consumer before anything can break. */
  async begin(): Promise<void> {
    await this.#put('asked-shop/a', 'DataContract', { schema: table(columnsOf[0]) });
    await this.#put('asked-billing/r', 'ContractRegistration', {});
    await this.#settle();
  }

  async run(step: Operation): Promise<void> {
    switch (step.kind) {
      case 'put': {
        const spec = { ...this.#specOf(step.name), publishPolicy: step.policy };
        const schema = table(columnsOf[step.schema] ?? []);
        return this.#put(step.name, 'DataContract', { ...spec, schema });
      }
      case 'remove':
      case 'unregister':
        return this.#remove(step.name);
      case 'deprecate':
        return this.#deprecate(step.name);
      case 'answerEnd':
        return this.#answerEnd(step.name, step.of, step.response);
      case 'rename':
      case 'renameRegistration':
        return this.#rename(step.name, step.to);
      case 'register':
        return this.#put(step.name, 'ContractRegistration', this.#specOf(step.name));
      case 'answer':
        return this.#answer(step.name, step.of, step.response);
      case 'answerAgain':
        return this.#answerAgain(step.name);
      case 'plan':
        return this.#put(plan, 'ContractProposal', { schema: table(columnsOf[step.schema] ?? []) });
      case 'unplan':
        return this.#remove(plan);
      case 'need':
        return this.#state(step.name, step.fields);
      case 'decide':
        return this.#decide(step.name, step.decision);
      case 'suspend': {
        const { kind, spec } = this.#git.get(step.name) ?? {};
        if (kind === undefined) return;
        return this.#put(step.name, kind, { ...spec, suspend: spec?.suspend !== true });
      }
      case 'loseStatus':
        return this.#loseStatus(step.name);
      case 'restore':
        return this.#restore();
      case 'relabel':
        if (this.#others('asked-reports/t').length === 0) return;
        await this.#label(step.isOn);
        // The registration only counts after this; a prune before it could be faster.
        return step.isOn ? this.#settle() : undefined;
      case 'environment':
        return this.#setEnvironment(step.of, step.isOn);
      case 'backUp':
        await this.#stop();
        this.#backup = await copyDatabase(registry.database);
        return;
      case 'restoreDatabase':
        return this.#restoreDatabase();
      case 'stop':
        return this.#stop();
      case 'start':
        return this.#start();
      case 'cut':
        return database.cut();
      case 'cutOff':
        return cluster.proxy.cut();
      case 'settle':
        return this.#settle();
      default:
        return step satisfies never;
    }
  }

  async check(): Promise<void> {
    await this.#settle();
    await this.#agree();
    const unasked = await findUnaskedBreaks(registry, this.#fqn, this.#answered, this.#stated);
    expect(unasked).toEqual([]);
    expect(await findUnreadAnswers(registry, this.#fqn, this.#answered)).toEqual([]);
    expect(await consumerLapses(registry, this.#fqn)).toEqual([]);
    expect(await findUnaskedEnds(registry, this.#fqn)).toEqual([]);
    for (const name of [...this.#git.keys()]) await this.#remove(name, true);
    await this.#settle();
  }

  /** Describes a failure: what was proposed, and the statuses of the objects. */
  async describe(): Promise<string> {
    const proposals = await registry.database.query(
      `select proposal.id, proposal.status, proposal.reason, proposal.actor_name as by
       from proposal join asset on asset.id = proposal.asset_id where fqn = $1
       order by proposal.id`,
      [this.#fqn],
    );
    const kinds = ['DataContract', 'ContractProposal', 'ContractRegistration'] as const;
    const objects = (await Promise.all(kinds.map((kind) => cluster.list(kind)))).flat();
    const said = objects.map(({ kind, metadata, spec, status }) => ({
      name: `${kind} ${metadata.namespace}/${metadata.name}`,
      ending: metadata.deletionTimestamp,
      spec,
      conditions: status?.conditions?.map(({ reason, message }) => `${reason}: ${message}`),
    }));
    return [...proposals, ...said].map((one) => JSON.stringify(one)).join('\n');
  }

  /** In the end everything is answered: one contract, one registration, and only approvals. */
  async #agree(): Promise<void> {
    await this.#label(true);
    for (const namespace of this.#staging) await this.#setEnvironment(namespace, false);
    await this.#settle();
    const kept = registrations.find((name) => this.#git.has(name)) ?? '';
    await this.#put(kept, 'ContractRegistration', { ...this.#specOf(kept), suspend: false });
    for (const name of [...this.#git.keys()]) if (name !== kept) await this.#remove(name);
    for (const name of contracts) await this.#letGo(name);
    await this.#put('asked-shop/a', 'DataContract', { schema: table(['id', 'last']) });
    await this.#settle();
    await this.#put('asked-shop/a', 'DataContract', { schema: table(['last']) });
    await this.#settle();
    await this.#answer(kept, 'asked-shop/a', 'Approved');
    await vi.waitFor(async () => {
      const { status } = await cluster.get('DataContract', 'asked-shop/a');
      expect([status?.conditions?.[0]?.reason, status?.conditions?.[0]?.message]).toEqual([
        'Published',
        expect.anything(),
      ]);
    }, patience);
  }

  #specOf(name: string): Manifest['spec'] {
    return this.#git.get(name)?.spec ?? {};
  }

  /**
   * If an object of that name is being deleted, it has to be gone first, which takes a running
   * controller.
   */
  async #put(name: string, kind: KindName, spec: Manifest['spec']): Promise<void> {
    const [namespace = '', inside = ''] = name.split('/');
    const path = objectPath(kind, namespace, inside);
    const { body } = await api.request({ method: 'GET', path });
    if (JSON.stringify(body).includes('deletionTimestamp')) {
      await this.#letGo(name);
      await this.#start();
      await cluster.untilGone(kind, name);
    }
    const manifest = { kind, spec: { ...spec, fqn: this.#fqn } };
    this.#git.set(name, manifest);
    this.#note(name);
    await cluster.put(kind, name, manifest.spec);
  }

  async #remove(name: string, evenTheLast = false): Promise<void> {
    const kind = this.#git.get(name)?.kind;
    if (kind === undefined) return;
    if (kind === 'ContractRegistration' && !evenTheLast && this.#others(name).length === 0) return;
    this.#git.delete(name);
    this.#note(name);
    await cluster.remove(kind, name);
  }

  /** The other registrations that may register the consumer. */
  #others(name: string): readonly string[] {
    return registrations.filter(
      (one) =>
        one !== name &&
        this.#git.has(one) &&
        ((this.#isLabelled && !this.#staging.has('asked-reports')) ||
          !one.startsWith('asked-reports/')),
    );
  }

  /** Like Flux and Argo: applies the new object, and prunes the old one right after. */
  async #rename(name: string, to: string): Promise<void> {
    const manifest = this.#git.get(name);
    if (manifest === undefined || this.#git.has(to)) return;
    await this.#put(to, manifest.kind, manifest.spec);
    await this.#remove(name);
  }

  /** Its deletion waits until the consumer agrees, or until the policy is taken back. */
  async #deprecate(name: string): Promise<void> {
    const { kind, spec } = this.#git.get(name) ?? {};
    if (kind === undefined) return;
    await this.#put(name, kind, { ...spec, deletionPolicy: 'Deprecate' });
    await this.#remove(name);
  }

  /** The contract is used again, so an object that waits for its deprecation is let go. */
  async #letGo(name: string): Promise<void> {
    if (!(contracts as readonly string[]).includes(name)) return;
    await this.#patch('DataContract', name, { spec: { deletionPolicy: 'Retain' } });
  }

  async #answerEnd(name: string, of: string, response: Answered['response']): Promise<void> {
    if (!this.#git.has(name) || this.#staging.size > 0) return;
    const ending = (await cluster.list('DataContract')).find(
      ({ metadata }) =>
        metadata.deletionTimestamp !== undefined && `${metadata.namespace}/${metadata.name}` === of,
    );
    const { id, digest } = ending?.status?.proposal ?? {};
    const asked = id === undefined ? null : await this.#findProposal(id);
    if (id === undefined || digest === undefined || asked?.kind !== 'deprecation') return;
    const read = { name: 'end', columns: [], broken: [], atMs: Date.now() };
    this.#answered.push({ ...read, id, digest, response });
    return this.#writeAnswer(name, this.#answered.length - 1);
  }

  /** A cut connection fails a request; the next one opens another connection. */
  #findProposal(id: string) {
    return vi.waitFor(() => registry.ports.reads.getProposal(id), patience);
  }

  /** Like a reviewer: reads the proposal, and answers it. */
  async #answer(name: string, of: string, response: Answered['response']): Promise<void> {
    const registration = this.#git.get(name);
    if (registration === undefined || this.#staging.size > 0) return;
    const asked = of === plan ? plan : await this.#madeFor(of);
    const [namespace = '', inside = ''] = asked?.split('/') ?? [];
    const path = objectPath('ContractProposal', namespace, inside);
    const { status: code } = await api.request({ method: 'GET', path });
    if (asked === null || code !== 200) return;
    const { metadata, spec, status } = await cluster.get('ContractProposal', asked);
    // The digest is that of the spec that the controller has seen.
    if (status?.digest === undefined || status.observedGeneration !== metadata.generation) return;
    const properties = spec.schema?.properties ?? {};
    this.#answered.push({
      name: inside,
      digest: status.digest,
      response,
      columns: Object.keys(properties),
      broken: (status.breakingChanges ?? []).map(({ path: at }) => at),
      atMs: Date.now(),
    });
    return this.#writeAnswer(name, this.#answered.length - 1);
  }

  /** Writes an earlier answer again, so that it is in git before its proposal exists (again). */
  async #answerAgain(name: string): Promise<void> {
    const named = this.#answered.findIndex((one) => one.name === 'plan');
    if (named >= 0 && this.#git.has(name)) await this.#writeAnswer(name, named);
  }

  async #writeAnswer(name: string, index: number): Promise<void> {
    const { name: proposal, id, digest, response } = this.#answered[index] ?? {};
    const { acknowledgements = [], ...spec } = this.#specOf(name);
    const written = {
      proposalRef: id === undefined ? { name: proposal } : { id },
      digest,
      response,
      ...(response === 'Blocked' && { reason: 'Not yet.' }),
    };
    const before = Array.isArray(acknowledgements) ? acknowledgements : [];
    const answers = { acknowledgements: [...before, written] };
    await this.#put(name, 'ContractRegistration', { ...spec, ...answers });
  }

  async #madeFor(contract: string): Promise<string | null> {
    if (!this.#git.has(contract)) return null;
    const { status } = await cluster.get('DataContract', contract);
    const [namespace] = contract.split('/');
    return status?.proposal?.name === undefined ? null : `${namespace}/${status.proposal.name}`;
  }

  /** A suspended object would state it later. */
  async #state(name: string, fields: readonly string[] | null): Promise<void> {
    const { needs: _, ...spec } = this.#specOf(name);
    if (!this.#git.has(name) || spec.suspend === true) return;
    const needs = fields === null ? {} : { needs: { fields } };
    await this.#put(name, 'ContractRegistration', { ...spec, ...needs });
  }

  /** The need that an object states from now on. */
  #note(name: string): void {
    for (const stated of this.#stated) {
      if (stated.name === name && stated.state === 'stated') stated.state = 'taken back';
    }
    const { needs } = this.#specOf(name) as { needs?: { fields: readonly string[] } };
    if (needs === undefined) return;
    const columns = needs.fields.map((field) => field.slice('$.'.length));
    this.#stated.push({ name, columns, fromMs: Date.now(), state: 'stated' });
  }

  async #decide(name: string, decision: string): Promise<void> {
    if (!this.#git.has(name)) return;
    const { status } = await cluster.get('DataContract', name);
    const digest = status?.proposal?.digest;
    if (digest === undefined) return;
    const decided = { digest, decision, reason: 'We decided so in a meeting.' };
    await this.#put(name, 'DataContract', { ...this.#specOf(name), decisions: [decided] });
  }

  /** Removes the status, like a backup without statuses. */
  async #loseStatus(name: string): Promise<void> {
    const manifest = this.#git.get(name);
    if (manifest === undefined) return;
    await this.#patch(manifest.kind, name, { status: null }, '/status');
  }

  /**
   * Deletes everything with the cluster's etcd, regardless of finalizers, and restores it from git
   * alone.
   */
  async #restore(): Promise<void> {
    await this.#stop();
    for (const kind of ['DataContract', 'ContractProposal', 'ContractRegistration'] as const) {
      for (const { metadata } of await cluster.list(kind)) {
        const name = `${metadata.namespace}/${metadata.name}`;
        await this.#patch(kind, name, { metadata: { finalizers: null } });
        if (metadata.deletionTimestamp === undefined) await cluster.remove(kind, name);
      }
    }
    for (const [name, { kind, spec }] of this.#git) await cluster.put(kind, name, spec);
    await this.#start();
  }

  /**
   * A new process on the database as it was. An object that is suspended states nothing, so the registry would
   * not learn what it lost.
   */
  async #restoreDatabase(): Promise<void> {
    const isSuspended = [...this.#git.values()].some(({ spec }) => spec.suspend === true);
    if (this.#backup === null || isSuspended) return;
    await this.#stop();
    const proxy = database;
    await registry.stop();
    await proxy.close();
    Object.assign(registry, await openRegistry(this.#backup));
    await this.#start();
  }

  async #stop(): Promise<void> {
    if (this.#isRunning) await cluster.stop();
    this.#isRunning = false;
  }

  async #patch(kind: KindName, name: string, body: object, subresource = ''): Promise<void> {
    const [namespace = '', inside = ''] = name.split('/');
    await api.request({
      method: 'PATCH',
      path: `${objectPath(kind, namespace, inside)}${subresource}`,
      contentType: 'application/merge-patch+json',
      body,
    });
  }

  async #label(isOn: boolean): Promise<void> {
    this.#isLabelled = isOn;
    return this.#setLabel('asked-reports', 'team', isOn ? 'billing' : null);
  }

  /**
   * The consumer stays registered by another object, and never for an asset in staging, where it would stay
   * afterwards.
   */
  async #setEnvironment(namespace: string, isStaging: boolean): Promise<void> {
    const isOfConsumer = namespace === 'asked-reports';
    if (isStaging && isOfConsumer && this.#others('asked-reports/t').length === 0) return;
    if (isStaging && (isOfConsumer ? this.#hadStaging : this.#staging.size > 0)) return;
    this.#hadStaging ||= isStaging && !isOfConsumer;
    await this.#setLabel(namespace, 'environment', isStaging ? 'staging' : null);
    if (isStaging) this.#staging.add(namespace);
    else this.#staging.delete(namespace);
    return this.#settle();
  }

  async #setLabel(namespace: string, name: string, value: string | null): Promise<void> {
    const labels = { [`concordat.dev/${name}`]: value };
    await api.expect({
      method: 'PATCH',
      path: `/api/v1/namespaces/${namespace}`,
      contentType: 'application/merge-patch+json',
      body: { metadata: { labels } },
    });
  }

  async #start(): Promise<void> {
    // A starting process also waits for Postgres.
    if (!this.#isRunning) await vi.waitFor(() => cluster.start(), patience);
    this.#isRunning = true;
  }

  async #settle(): Promise<void> {
    await this.#start();
    await vi.waitFor(async () => {
      await this.#collectGarbage();
      const unlabelled = this.#isLabelled ? [] : ['asked-reports'];
      const changed = { unlabelled, staging: [...this.#staging] };
      const all = {
        contracts: await cluster.list('DataContract'),
        proposals: await cluster.list('ContractProposal'),
        registrations: await cluster.list('ContractRegistration'),
      };
      const said = await findFalseStatuses(registry, this.#fqn, all, changed);
      expect(said, cluster.errors.slice(-3).join('\n')).toEqual([]);
      const kept = all.contracts.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      const written = kept.length + all.registrations.length;
      const asked = [...this.#git.values()].filter(({ kind }) => kind !== 'ContractProposal');
      expect(written).toBe(asked.length);
    }, patience);
    for (const stated of this.#stated) {
      if (stated.state !== 'taken back') continue;
      stated.state = 'over';
      stated.untilMs = Date.now();
    }
  }

  /** Deletes objects whose owner is gone, like a cluster's controller manager. */
  async #collectGarbage(): Promise<void> {
    const uids = (await cluster.list('DataContract')).map(({ metadata }) => metadata.uid);
    for (const { metadata } of await cluster.list('ContractProposal')) {
      const [owner] = metadata.ownerReferences ?? [];
      if (owner === undefined || uids.includes(owner.uid)) continue;
      const path = objectPath('ContractProposal', metadata.namespace, metadata.name);
      await api.request({ method: 'DELETE', path });
    }
  }
}

let count = 0;

test('publish no break unasked, and every object says what it waits for', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(operation, { minLength: operations, maxLength: operations }),
      async (steps) => {
        const history = new History(`asked_${++count}.orders`);
        try {
          await history.begin();
          for (const step of steps) await history.run(step);
          await history.check();
        } catch (error) {
          console.error(await history.describe());
          throw error;
        }
      },
    ),
    { numRuns: histories, endOnFailure: true, ...(seed !== undefined && { seed }) },
  );
}, 3_600_000);
