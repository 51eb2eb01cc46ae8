// The controller on a real API server, compared with a loop that lists the same objects and writes
// each status once with the same client: sequentially, and with the controller's own concurrency.

import { setTimeout as delay } from 'node:timers/promises';
import { objectPath } from '../src/controller/cluster/resources.ts';
import { writeStatus } from '../src/controller/cluster/write-status.ts';
import type { JsonObject } from '../src/core/value/json.ts';
import { startPostgresProxy } from '../test/support/postgres/postgres-proxy.ts';
import {
  type BenchCluster,
  eachOf,
  isReady,
  listAll,
  namespace,
  objectOr,
  startBenchCluster,
} from './support/cluster.ts';
import type { Benchmark, Figure } from './support/figure.ts';
import { openConnection, quantile } from './support/load.ts';
import {
  type BenchDatabase,
  bootstrapKey,
  type ServerProcess,
  startBenchDatabase,
  startProduct,
} from './support/processes.ts';
import { peakMemoryBytes, processCpuMicros } from './support/processor.ts';

const objectCount = Number(process.env.BENCH_OBJECTS ?? 10_000);
/** The default of the setting: how many objects the controller handles at once. */
const concurrency = 4;
/** Includes garbage collection, which runs about every hundred seconds. */
const idleMs = 120_000;
const answerCount = 50;
/** The minimum of new contracts, even if the resync finishes earlier. */
const newCount = 30;

export const benchmark: Benchmark = {
  name: 'The controller',
  run: async () => {
    const [database, cluster] = await Promise.all([startBenchDatabase(), startBenchCluster()]);
    try {
      return await new Run(database, cluster).all();
    } finally {
      await cluster.stop();
      await database.stop();
    }
  },
};

const spec = (name: string, more: object = {}) => ({
  fqn: `bench.${name.replaceAll('-', '_')}`,
  schema: {
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: 10 }, (_, index) => [`field_${index}`, { type: 'string' }]),
    ),
    required: ['field_0'],
  },
  ...more,
});

interface Floor {
  readonly loopMs: number;
  readonly atOnceMs: number;
}

class Run {
  readonly #database: BenchDatabase;
  readonly #cluster: BenchCluster;
  readonly #names = Array.from(
    { length: objectCount },
    (_, index) => `table-${String(index).padStart(5, '0')}`,
  );

  constructor(database: BenchDatabase, cluster: BenchCluster) {
    this.#database = database;
    this.#cluster = cluster;
  }

  async all(): Promise<readonly Figure[]> {
    await this.#makeTeams();
    await eachOf(this.#names, 16, (name) => this.#put(name, spec(name)));
    process.stderr.write(`  ${objectCount} objects are on the API server\n`);
    const floor = {
      loopMs: await this.#writeEachStatus(1),
      atOnceMs: await this.#writeEachStatus(concurrency),
    };
    return [
      ...(await this.#fromCold(floor)),
      ...(await this.#statements()),
      ...(await this.#restart()),
      ...(await this.#answersAndIdle()),
    ];
  }

  #serve(databaseUrl = this.#database.url): Promise<ServerProcess> {
    const { kubeconfig } = this.#cluster;
    return startProduct(databaseUrl, { KUBERNETES: 'kubeconfig', KUBECONFIG: kubeconfig });
  }

  async #makeTeams(): Promise<void> {
    const product = await startProduct(this.#database.url);
    for (const name of ['bench', 'readers']) await ask(product, '/api/v1/teams', { name });
    await product.stop();
  }

  #put(name: string, wanted: object): Promise<unknown> {
    return this.#cluster.client.expect({
      method: 'PATCH',
      path: objectPath('DataContract', namespace, name),
      query: { fieldManager: 'bench', force: true },
      contentType: 'application/apply-patch+yaml',
      body: {
        apiVersion: 'concordat.dev/v1',
        kind: 'DataContract',
        metadata: { name, namespace },
        spec: wanted,
      },
    });
  }

  /** The floor. Its status has no effect: every object stays new. */
  async #writeEachStatus(atOnce: number): Promise<number> {
    const { controllerClient } = this.#cluster;
    const startedAtMs = performance.now();
    await eachOf(await listAll(controllerClient), atOnce, async (object) => {
      const { name, uid, resourceVersion } = objectOr(object.metadata);
      const target = { kind: 'DataContract', namespace, status: null } as const;
      const named = { name: String(name), uid: String(uid) };
      const version = { resourceVersion: String(resourceVersion) };
      // A different number each time, because an unchanged status is not written.
      const status = { observedGeneration: -1 - atOnce };
      const written = await writeStatus(
        controllerClient,
        { ...target, ...named, ...version },
        status,
      );
      if (written.result !== 'written') throw new Error(`the floor wrote nothing: ${name}`);
    });
    return performance.now() - startedAtMs;
  }

  async #fromCold({ loopMs, atOnceMs }: Floor): Promise<readonly Figure[]> {
    const before = await this.#cluster.writes();
    const startedAtMs = performance.now();
    const product = await this.#serve();
    await this.#untilPublished(objectCount);
    let ready = 0;
    while (ready < objectCount) ready = (await this.#cluster.list()).filter(isReady).length;
    const coldMs = performance.now() - startedAtMs;
    const after = await this.#cluster.writes();
    const memory = peakMemoryBytes(product.pid) / 2 ** 20;
    await product.stop();
    const spent = [...after]
      .map(([what, count]) => [what, count - (before.get(what) ?? 0)] as const)
      .filter(([what]) => !what.endsWith(' events'));
    const writes = spent.reduce((sum, [, count]) => sum + count, 0);
    return [
      {
        name: `${objectCount} new contracts, from the start of the process to all Ready`,
        unit: 's',
        value: coldMs / 1000,
        against: { name: 'a loop: list, and one status each', value: loopMs / 1000 },
        targetRatio: 3,
      },
      {
        name: 'the same, beside more of a floor',
        unit: 's',
        value: coldMs / 1000,
        against: { name: `that loop, ${concurrency} at once`, value: atOnceMs / 1000 },
      },
      {
        name: 'writes to the API server for a new contract',
        unit: 'writes',
        value: writes / objectCount,
        targetValue: 2,
        note: spent.map(([what, count]) => `${what}: ${count}`).join(', '),
      },
      {
        name: 'memory at its highest, of the process that also serves the API',
        unit: 'MB',
        value: memory,
        targetValue: 500,
      },
    ];
  }

  async #untilPublished(count: number): Promise<void> {
    for (;;) {
      const [row] = await this.#database.query('select count(*)::integer as found from contract');
      if (Number(row?.found) >= count) return;
      await delay(250);
    }
  }

  /** For one object, and for twenty at once: the same number each. */
  async #statements(): Promise<readonly Figure[]> {
    const proxy = await startPostgresProxy(this.#database.url);
    const product = await this.#serve(proxy.url);
    await this.#untilLookedAt(product, objectCount);
    const idle = await proxy.record(async () => void (await delay(5_000)));
    const others = new Set(idle.map(({ text }) => text));
    const spent = async (names: readonly string[]) => {
      const seen = await proxy.record(async () => {
        await eachOf(names, 16, (name) => this.#put(name, spec(name)));
        for (const name of names) await this.#untilReady(name);
      });
      return seen.filter(({ text }) => !others.has(text)).length / names.length;
    };
    // The first object after a start binds the namespace again.
    await spent(['counted-first']);
    const ofOne = await spent(['counted-alone']);
    const ofMany = await spent(Array.from({ length: 20 }, (_, index) => `counted-${index}`));
    await product.stop();
    await proxy.close();
    const note = 'but those that also run while nothing happens';
    return [
      { name: 'SQL statements for a new contract', unit: 'statements', value: ofOne, note },
      { name: 'the same, of twenty at once', unit: 'statements', value: ofMany, note },
    ];
  }

  async #restart(): Promise<readonly Figure[]> {
    const held = (await this.#cluster.list()).length;
    const before = await this.#cluster.writes();
    const startedAtMs = performance.now();
    const product = await this.#serve();
    await this.#untilLookedAt(product, held);
    const restartMs = performance.now() - startedAtMs;
    const after = await this.#cluster.writes();
    await product.stop();
    const written = total(after) - total(before);
    return [
      { name: `restart with ${held} unchanged`, unit: 's', value: restartMs / 1000 },
      { name: 'writes of that restart', unit: 'writes', value: written, targetValue: 0 },
      await this.#newDuringResync(held),
    ];
  }

  async #newDuringResync(held: number): Promise<Figure> {
    const product = await this.#serve();
    while ((await lookedAt(product)) === 0) await delay(20);
    const waits: number[] = [];
    let during = 0;
    for (;;) {
      const isRunning = (await lookedAt(product)) < held;
      if (!isRunning && waits.length >= newCount) break;
      const name = `during-${waits.length}`;
      const appliedAtMs = performance.now();
      await this.#put(name, spec(name));
      await this.#untilReady(name);
      waits.push(performance.now() - appliedAtMs);
      if (isRunning) during = waits.length;
    }
    await product.stop();
    waits.sort((a, b) => a - b);
    return {
      name: 'a new contract during a resync, p99',
      unit: 'ms',
      value: quantile(waits, 0.99),
      targetValue: 2_000,
      note: `${during} of ${waits.length} applied while it ran`,
    };
  }

  async #answersAndIdle(): Promise<readonly Figure[]> {
    const product = await this.#serve();
    await this.#untilLookedAt(product, (await this.#cluster.list()).length);
    const waits = await this.#answers(product);
    const listsBefore = await this.#cluster.lists();
    const idle = await idlePercent(product);
    const lists = (await this.#cluster.lists()) - listsBefore;
    await product.stop();
    const alone = await startProduct(this.#database.url);
    // Reads the metrics once, like the other measurement did: from then on the event loop is
    // sampled.
    await lookedAt(alone);
    const idleAlone = await idlePercent(alone);
    await alone.stop();
    return [
      {
        name: 'an acknowledgement through the API in the status of its ContractProposal, p99',
        unit: 'ms',
        value: quantile(waits, 0.99),
        targetValue: 1_000,
      },
      {
        name: 'idle',
        unit: '% of a core',
        value: idle,
        against: { name: 'the same process with no cluster', value: idleAlone },
        targetValue: 1,
      },
      { name: 'lists while idle', unit: 'lists', value: lists, targetValue: 0 },
    ];
  }

  /** Sorted, in milliseconds. */
  async #answers(product: ServerProcess): Promise<readonly number[]> {
    const names = Array.from({ length: answerCount }, (_, index) => `asked-${index}`);
    const more = { consumers: [{ team: 'readers' }], publishPolicy: 'Manual' };
    await eachOf(names, 16, (name) => this.#put(name, spec(name, more)));
    for (const name of names) await this.#untilReady(name);
    const broken = { schema: { type: 'object', properties: { field_0: { type: 'string' } } } };
    await eachOf(names, 16, (name) => this.#put(name, spec(name, { ...more, ...broken })));
    const [team] = await this.#database.query("select id from team where slug = 'readers'");
    const waits: number[] = [];
    for (const name of names) {
      const proposal = await this.#proposalOf(name);
      const answeredAtMs = performance.now();
      const answer = { team_id: team?.id, response: 'approved', reason: 'The bench answers.' };
      await ask(product, `/api/v1/proposals/${proposal.id}/acknowledge`, answer);
      while (!(await this.#isAnswered(proposal.name))) await delay(5);
      waits.push(performance.now() - answeredAtMs);
    }
    return waits.sort((a, b) => a - b);
  }

  async #proposalOf(contract: string): Promise<{ readonly id: string; readonly name: string }> {
    for (;;) {
      const { status } = await this.#cluster.get('DataContract', contract);
      const { id, name } = objectOr(objectOr(status).proposal);
      if (typeof id === 'string' && typeof name === 'string') {
        const made = await this.#cluster.get('ContractProposal', name);
        if (objectOr(made.status).proposalId === id) return { id, name };
      }
      await delay(5);
    }
  }

  async #isAnswered(name: string): Promise<boolean> {
    const { status } = await this.#cluster.get('ContractProposal', name);
    return objectOr(status).progress === '1/1';
  }

  async #untilReady(name: string): Promise<void> {
    while (!isReady(await this.#cluster.get('DataContract', name))) await delay(10);
  }

  async #untilLookedAt(product: ServerProcess, count: number): Promise<void> {
    while ((await lookedAt(product)) < count) await delay(100);
  }
}

/** The number of reconciled DataContracts since the start, by the process's own count. */
async function lookedAt({ port }: ServerProcess): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return metrics
    .split('\n')
    .filter((line) => /^controller_runtime_reconcile_total\{.*datacontract/.test(line))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

async function ask({ port }: ServerProcess, path: string, body: object): Promise<JsonObject> {
  const connection = await openConnection(port);
  const headers = { Authorization: `Bearer ${bootstrapKey}` };
  const sent = { method: 'POST', path, headers, body: JSON.stringify(body) };
  const answer = await connection.send(sent);
  connection.close();
  if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${answer.body}`);
  return JSON.parse(answer.body);
}

/**
 * After this time the work that a start leaves behind is finished: starting threads, compiling,
 * writing Events.
 */
const settlingMs = 30_000;

async function idlePercent({ pid }: ServerProcess): Promise<number> {
  await delay(settlingMs);
  const [before, startedAtMs] = [processCpuMicros(pid), performance.now()];
  await delay(idleMs);
  return (processCpuMicros(pid) - before) / 10 / (performance.now() - startedAtMs);
}

function total(writes: ReadonlyMap<string, number>): number {
  return [...writes.values()].reduce((sum, count) => sum + count, 0);
}
