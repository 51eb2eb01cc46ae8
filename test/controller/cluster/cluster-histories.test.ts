// Random histories of a cluster. Whatever is applied, deleted, recreated under another name,
// stopped and cut off: in the end each asset is managed by an object that names it, or by none if
// no object does.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type CuttingProxy, openCuttingProxy } from '../../support/kubernetes/kubernetes-proxy.ts';
import { openClusterController, type TestClusterController } from '../support/open-cluster.ts';
import { openTestRegistry, patience, type TestRegistry } from '../support/open-controller.ts';

/** `make soak` runs more and longer histories. */
const histories = Number(process.env.HISTORIES ?? 3);
const operations = Number(process.env.HISTORY_LENGTH ?? 30);
/** The same histories each time, unless more are requested. */
const seedAsked = process.env.HISTORY_SEED;
const fixedSeed = process.env.HISTORIES === undefined ? 20_261_122 : undefined;
const seed = seedAsked === undefined ? fixedSeed : Number(seedAsked);

const objects = ['a', 'b', 'c'] as const;
const fqns = ['x', 'y'] as const;
const schemas = [['id'], ['id', 'x'], ['y']].map((columns) => ({
  type: 'object',
  properties: Object.fromEntries(columns.map((column) => [column, { type: 'string' }])),
}));

const operation = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('put' as const),
      name: fc.constantFrom(...objects),
      fqn: fc.constantFrom(...fqns),
      schema: fc.nat(schemas.length - 1),
      deletionPolicy: fc.constantFrom('Retain' as const, 'Retain' as const, 'Deprecate' as const),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('delete' as const),
      name: fc.constantFrom(...objects),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('stop' as const, 'start' as const, 'cut' as const, 'cutOff' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('settle' as const) }) },
);

type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

let registry: TestRegistry;
let cluster: TestClusterController;
let database: CuttingProxy;

beforeAll(async () => {
  registry = await openTestRegistry(async (databaseUrl) => {
    const url = new URL(databaseUrl);
    database = await openCuttingProxy({ server: `tcp://${url.host}` });
    url.host = new URL(database.server).host;
    return url.href;
  });
  await registry.team('checkout');
  cluster = await openClusterController(registry, { namespaces: { history: 'checkout' } });
});

afterAll(async () => {
  await cluster?.close();
  await registry?.stop();
  await database?.close();
});

class History {
  readonly #prefix: string;
  /** The fqn of each existing object. */
  readonly #wanted = new Map<string, string>();
  #isRunning = true;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  async run(step: Operation): Promise<void> {
    switch (step.kind) {
      case 'put': {
        const { name, schema, deletionPolicy } = step;
        // The fqn is immutable: another fqn needs another object.
        const fqn = this.#wanted.get(name) ?? `${this.#prefix}.${step.fqn}`;
        this.#wanted.set(name, fqn);
        return this.#put(name, { fqn, schema: schemas[schema], deletionPolicy });
      }
      case 'delete':
        if (!this.#wanted.delete(step.name)) return;
        await cluster.remove('DataContract', this.#nameOf(step.name));
        return;
      case 'stop':
        if (this.#isRunning) await cluster.stop();
        this.#isRunning = false;
        return;
      case 'start':
        return this.#start();
      case 'cut':
        return database.cut();
      case 'cutOff':
        return cluster.proxy.cut();
      case 'settle':
        return this.#isRunning ? this.#settle() : undefined;
      default:
        return step satisfies never;
    }
  }

  async check(): Promise<void> {
    await this.#start();
    await this.#settle();
    const published = await registry.database.query(
      `select version, (select count(*)::integer from audit_event
         where event_type = 'contract.published' and entity_id = contract.id) as events
       from contract join asset on asset.id = contract.asset_id where fqn like $1`,
      [`${this.#prefix}.%`],
    );
    expect(published.map(({ events }) => events)).toEqual(published.map(() => 1));
    for (const name of this.#wanted.keys()) {
      await cluster.remove('DataContract', this.#nameOf(name));
    }
    this.#wanted.clear();
    await this.#settle();
  }

  #nameOf(name: string): string {
    return `${this.#prefix.replaceAll('_', '-')}-${name}`;
  }

  /**
   * If an object of that name is being deleted, it has to be gone first, which takes a running
   * controller.
   */
  async #put(name: string, spec: object): Promise<void> {
    const all = await cluster.list('DataContract');
    const before = all.find(({ metadata }) => metadata.name === this.#nameOf(name));
    if (before?.metadata.deletionTimestamp !== undefined) {
      await this.#start();
      await cluster.untilGone('DataContract', this.#nameOf(name));
    }
    await cluster.put('DataContract', this.#nameOf(name), spec);
  }

  async #start(): Promise<void> {
    // A starting process also waits for Postgres.
    if (!this.#isRunning) await vi.waitFor(() => cluster.start(), patience);
    this.#isRunning = true;
  }

  async #settle(): Promise<void> {
    await vi.waitFor(async () => {
      const rows = await registry.database.query(
        `select fqn, managed_reference as reference from asset where fqn like $1`,
        [`${this.#prefix}.%`],
      );
      const named = new Set(this.#wanted.values());
      for (const fqn of named) expect(rows.map((row) => row.fqn)).toContain(fqn);
      for (const { fqn, reference } of rows) {
        const [manager] = String(reference ?? '').split(' in ');
        const asking = [...this.#wanted].filter(([, wanted]) => wanted === fqn);
        const allowed = asking.map(([name]) => `history/${this.#nameOf(name)}`);
        expect([fqn, manager], cluster.errors.slice(-5).join('\n')).toEqual([
          fqn,
          allowed.length === 0 ? '' : expect.toBeOneOf(allowed),
        ]);
      }
      const all = await cluster.list('DataContract');
      for (const { metadata, status } of all) {
        expect([metadata.name, status?.observedGeneration]).toEqual([
          metadata.name,
          metadata.generation,
        ]);
      }
      expect(all).toHaveLength(this.#wanted.size);
    }, patience);
  }
}

let count = 0;

test('end with each asset managed by who names it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(operation, { minLength: operations, maxLength: operations }),
      async (steps) => {
        const history = new History(`managed_${++count}`);
        for (const step of steps) await history.run(step);
        await history.check();
      },
    ),
    { numRuns: histories, endOnFailure: true, ...(seed !== undefined && { seed }) },
  );
}, 3_600_000);
