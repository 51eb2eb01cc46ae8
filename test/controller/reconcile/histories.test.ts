// Random histories. Whatever is applied, edited, deleted, answered, restarted and cut off: in the
// end the registry matches the manifests, with one event for each version.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Team } from '../../../src/core/team.ts';
import { verbs } from '../../../src/registry/verbs.ts';
import { type CuttingProxy, openCuttingProxy } from '../../support/kubernetes/kubernetes-proxy.ts';
import {
  openTestController,
  openTestRegistry,
  patience,
  type TestController,
  type TestRegistry,
} from '../support/open-controller.ts';

/** `make soak` runs more and longer histories. */
const histories = Number(process.env.HISTORIES ?? 2);
const operations = Number(process.env.HISTORY_LENGTH ?? 40);
/** The same histories each time, unless more are requested. */
const seedAsked = process.env.HISTORY_SEED;
const fixedSeed = process.env.HISTORIES === undefined ? 20_261_121 : undefined;
const seed = seedAsked === undefined ? fixedSeed : Number(seedAsked);

const names = ['a', 'b', 'c'] as const;

const table = (columns: readonly string[]) => ({
  type: 'object',
  properties: Object.fromEntries(columns.map((column) => [column, { type: 'string' }])),
});

/** Each breaks some of the others, and is compatible with the rest. */
const schemas = [['id'], ['id', 'x'], ['id', 'x', 'y'], ['y'], []].map(table);

const operation = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('put' as const),
      name: fc.constantFrom(...names),
      schema: fc.nat(schemas.length - 1),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('approve' as const, 'block' as const),
      name: fc.constantFrom(...names),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('delete' as const), name: fc.constantFrom(...names) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('restart' as const, 'cut' as const) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('settle' as const) }) },
);

type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

let registry: TestRegistry;
let proxy: CuttingProxy;
let billing: Team;

beforeAll(async () => {
  registry = await openTestRegistry(async (databaseUrl) => {
    const url = new URL(databaseUrl);
    proxy = await openCuttingProxy({ server: `tcp://${url.host}` });
    url.host = new URL(proxy.server).host;
    return url.href;
  });
  await registry.team('checkout');
  billing = await registry.team('billing');
});

afterAll(async () => {
  await registry?.stop();
  await proxy?.close();
});

/** A cut connection fails a request; the next one opens another connection. */
async function persistently<T>(run: () => Promise<T>): Promise<T> {
  return vi.waitFor(run, patience);
}

class History {
  readonly #controller: TestController;
  readonly #prefix: string;
  readonly #wanted = new Map<string, number>();

  constructor(controller: TestController, prefix: string) {
    this.#controller = controller;
    this.#prefix = prefix;
  }

  #fqn(name: string): string {
    return `${this.#prefix}.${name}`;
  }

  async run(step: Operation): Promise<void> {
    switch (step.kind) {
      case 'put':
        this.#wanted.set(step.name, step.schema);
        return this.#controller.put(`shop/${step.name}.yaml`, {
          fqn: this.#fqn(step.name),
          schema: schemas[step.schema],
          consumers: [{ team: 'billing' }],
        });
      case 'delete':
        if (!this.#wanted.delete(step.name)) return;
        return this.#controller.remove(`shop/${step.name}.yaml`);
      case 'approve':
      case 'block':
        return this.#answer(step.name, step.kind === 'approve' ? 'approved' : 'blocked');
      case 'restart':
        // A starting process also waits for Postgres.
        return this.#controller.restart(() => persistently(() => registry.store.ping()));
      case 'cut':
        return proxy.cut();
      case 'settle':
        for (const name of this.#wanted.keys()) await this.#untilSeen(name);
        return;
      default:
        return step satisfies never;
    }
  }

  /** Answers the open proposal, or takes back its last block. */
  async #answer(name: string, response: 'approved' | 'blocked'): Promise<void> {
    const { reads } = registry.ports;
    const asset = await persistently(() => reads.findAssetByName(this.#fqn(name), 'production'));
    if (asset === null) return;
    const open =
      (await persistently(() => reads.getOpenProposal(asset.id))) ??
      (await this.#lastRejected(asset.id));
    if (open === null) return;
    // Refused if the proposal was decided, or proposed again, in the meantime.
    await persistently(() =>
      verbs.acknowledgeProposal(registry.ports, registry.admin, {
        proposalId: open.id,
        teamId: billing.id,
        reason: 'They told us.',
        response,
        notes: 'Because.',
      }),
    );
  }

  async #lastRejected(assetId: string): Promise<{ readonly id: string } | null> {
    const query = {
      assetId,
      status: 'rejected',
      page: 1,
      pageSize: 1,
      includeTotal: false,
    } as const;
    const listed = await persistently(() => registry.ports.reads.listProposals(query));
    return (listed.ok ? listed.value.results[0] : undefined) ?? null;
  }

  async #untilSeen(name: string): Promise<void> {
    await vi.waitFor(() => {
      const object = this.#controller.source.get(`DataContract/shop/${name}`);
      const schema = schemas[this.#wanted.get(name) ?? 0];
      expect(object?.spec.schema).toEqual(schema);
      expect(object?.status?.observedGeneration).toBe(object?.generation);
    }, patience);
  }

  /** All consumers approve everything, and withdrawn changes are proposed again. */
  async check(): Promise<void> {
    for (const [name, wanted] of this.#wanted) {
      const again = { annotations: { 'concordat.dev/reconcile-at': 'at the end' } };
      const spec = {
        fqn: this.#fqn(name),
        schema: schemas[wanted],
        consumers: [{ team: 'billing' }],
      };
      await this.#controller.put(`shop/${name}.yaml`, spec, again);
    }
    for (const [name, wanted] of this.#wanted) {
      await vi.waitFor(async () => {
        await this.#answer(name, 'approved');
        const fqn = this.#fqn(name);
        const asset = await registry.ports.reads.findAssetByName(fqn, 'production');
        const contract = await registry.ports.reads.getContract(asset?.activeContractId ?? fqn);
        const { status } = this.#controller.source.get(`DataContract/shop/${name}`) ?? {};
        expect(contract?.schema, JSON.stringify(status)).toEqual(schemas[wanted]);
        expect(asset?.managedBy?.reference).toMatch(new RegExp(`^shop/${name} in `));
      }, patience);
    }
    for (const name of names) {
      if (!this.#wanted.has(name)) await this.#controller.untilGone(name);
    }
    const rows = await registry.database.query(
      `select fqn, managed_reference is not null as managed,
         (select count(*)::integer from contract where asset_id = asset.id) as versions,
         (select count(*)::integer from audit_event where event_type = 'contract.published'
           and metadata ->> 'asset_id' = asset.id::text) as events
       from asset where fqn like $1`,
      [`${this.#prefix}.%`],
    );
    for (const { fqn, managed, versions, events } of rows) {
      const name = String(fqn).slice(this.#prefix.length + 1);
      expect([name, managed, events]).toEqual([name, this.#wanted.has(name), versions]);
    }
  }
}

let count = 0;

test('end as the manifests say', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(operation, { minLength: operations, maxLength: operations }),
      async (steps) => {
        const controller = await openTestController(registry, { shop: ['checkout'] });
        const history = new History(controller, `history_${++count}`);
        try {
          for (const step of steps) await history.run(step);
          await history.check();
        } finally {
          await controller.stop();
        }
      },
    ),
    { numRuns: histories, endOnFailure: true, ...(seed !== undefined && { seed }) },
  );
}, 3_600_000);
