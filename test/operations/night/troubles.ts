// What goes wrong with the registry and its Postgres, one row for each alert about them: the trouble is made
// for real, and the runbook must show its cause.

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { vi } from 'vitest';
import { stringify } from 'yaml';
import {
  createAsset,
  must,
  proposedAsset,
  publish,
  publishedAsset,
} from '../../support/client/client-world.ts';
import { freePorts } from '../../support/free-ports.ts';
import { makeRepository } from '../../support/git-repository.ts';
import { type Night, type NightOptions, namespace, type Place, patience } from './night.ts';

export interface Trouble extends NightOptions {
  /** Returns once the metrics show it. */
  readonly make: (night: Night) => Promise<void>;
  /** What the terminal must show of the cause. */
  readonly shows: readonly RegExp[];
  /** Alerts that would name another culprit. */
  readonly silent?: readonly string[];
}

const reads = (night: Night, count: number) =>
  Promise.all(Array.from({ length: count }, () => night.world.producer.client.listAssets()));

/** What began so long ago is older now. */
const waits = (night: Night, table: string, column: string, interval: string) =>
  night.database.query(`update ${table} set ${column} = ${column} - interval '${interval}'`);

const contract = (name: string) =>
  stringify({
    ...{ apiVersion: 'concordat.dev/v1', kind: 'DataContract' },
    metadata: { name: name.replaceAll('_', '-') },
    spec: { fqn: `shop.${name}`, schema: { type: 'object' } },
  });

async function writeContracts(folder: string, count: number): Promise<void> {
  await mkdir(join(folder, 'contracts/shop'), { recursive: true });
  for (let i = 0; i < count; i++) {
    await writeFile(join(folder, `contracts/shop/orders-${i}.yaml`), contract(`orders_${i}`));
  }
}

/** A folder with one contract: an empty one would not be followed. */
const followFolder = async ({ folder }: Place) => {
  await writeContracts(folder, 0);
  await writeFile(join(folder, 'contracts/shop/first.yaml'), contract('first'));
  await writeFile(join(folder, 'teams.yaml'), 'shop: checkout\n');
  return {
    CONTRACTS_DIR: join(folder, 'contracts'),
    TEAM_MAPPING_FILE: join(folder, 'teams.yaml'),
  };
};

/** Contracts in the folder, and the team that owns them. */
async function publishFolder(night: Night, count: number): Promise<void> {
  must(await night.world.admin.createTeam({ body: { name: 'Checkout', slug: 'checkout' } }), 201);
  await writeContracts(night.folder, count);
  await vi.waitUntil(
    async () => (await night.database.query('select from contract')).length >= count,
    patience,
  );
}

/** A webhook whose receiver is not there, and an event for it. */
async function tellNobody({ world }: Night): Promise<void> {
  const [port] = await freePorts(1);
  const body = { url: `http://127.0.0.1:${port}/hook` };
  must(await world.admin.createWebhook({ body }), 201);
  await proposedAsset(world.producer, [world.consumer]);
}
const receivers = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' };

/** What a kubelet writes of a container that ended. */
const endedPod = (name: string, reason: string, exitCode: number, restartCount = 1) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, labels: { 'app.kubernetes.io/name': 'concordat' } },
  spec: { containers: [{ name: 'concordat', image: 'concordat' }] },
  status: {
    phase: 'Running',
    containerStatuses: [
      {
        ...{
          name: 'concordat',
          image: 'concordat',
          imageID: 'concordat',
          ready: false,
          restartCount,
        },
        state: { waiting: { reason: 'CrashLoopBackOff' } },
        lastState: {
          terminated: {
            ...{ reason, exitCode, startedAt: '2026-01-01T00:00:00Z' },
            ...{ finishedAt: '2026-01-01T00:01:00Z', containerID: 'containerd://x' },
          },
        },
      },
    ],
  },
});

async function reportPod(night: Night, pod: ReturnType<typeof endedPod>): Promise<void> {
  const { status, ...object } = pod;
  await night.apply(object);
  await night.reportStatus({ ...object, status });
}

/** A container that gets a fifth of a processor, and that in slices. */
function throttle(pid: number) {
  let slices = 0;
  let timer: NodeJS.Timeout | undefined;
  const takeAway = () => {
    process.kill(pid, 'SIGSTOP');
    timer = setTimeout(giveBack, 800);
  };
  const giveBack = () => {
    process.kill(pid, 'SIGCONT');
    slices++;
    timer = setTimeout(takeAway, 200);
  };
  takeAway();
  return {
    slices: () => slices,
    end: () => {
      clearTimeout(timer);
      process.kill(pid, 'SIGCONT');
    },
  };
}

/** Past the months that have a partition. */
const forwardMs = 400 * 24 * 60 * 60 * 1000;

export const troubles: Readonly<Record<string, Trouble>> = {
  ConcordatDown: {
    hasCluster: true,
    make: async (night) => {
      await night.scrape();
      await night.replicas[0]?.kill();
      const exitCode = await night.startInVain({ PORT: 'many' });
      await reportPod(night, endedPod('a', 'Error', exitCode));
    },
    shows: [/a {2}restarts {2}1 {2}Error {2}2/, /PORT=many is invalid/],
  },
  ConcordatReplicaGone: {
    hasCluster: true,
    replicas: 2,
    make: async (night) => {
      await night.scrape();
      await night.replicas[1]?.kill();
      await reportPod(night, endedPod('b', 'OOMKilled', 137));
    },
    shows: [/b {2}restarts {2}1 {2}OOMKilled {2}137/],
    silent: ['ConcordatDown'],
  },
  ConcordatRestarts: {
    hasCluster: true,
    make: async (night) => {
      for (let i = 0; i < 4; i++) {
        await night.scrape();
        await night.replicas[0]?.kill();
        await night.start('a');
      }
      await reportPod(night, endedPod('a', 'OOMKilled', 137, 4));
    },
    shows: [/a {2}restarts {2}4 {2}OOMKilled {2}137/, /process_start_time_seconds \d/],
  },
  ConcordatServesErrors: {
    make: async (night) => {
      await night.scrape();
      await night.database.query('alter table asset rename to asset_that_was_renamed');
      await reads(night, 10);
      for (let i = 0; i < 40; i++) await fetch(`${night.world.url}/health`);
    },
    shows: [
      /route="\/api\/v1\/assets".*5xx.* 10\n/,
      /relation ...?asset...? does not exist/,
      /concordat_database_up 1/,
    ],
    silent: ['ConcordatDatabaseAway', 'ConcordatDatabaseRefuses', 'ConcordatWaitsForConnections'],
  },
  ConcordatIsSlow: {
    make: async (night) => {
      await night.scrape();
      night.proxy.slow(700);
      await reads(night, 5);
    },
    shows: [/concordat_database_statement_duration_seconds_sum [1-9]/],
    silent: ['ConcordatDatabaseAway'],
  },
  ConcordatDatabaseAway: {
    make: async (night) => {
      await night.scrape();
      await night.proxy.close();
      await reads(night, 10);
      await night.until('concordat_database_up', (value) => value === 0);
    },
    shows: [
      /"database":"failing"/,
      /the database is unreachable/,
      /ECONNREFUSED|ECONNRESET|terminated/,
      /Postgres answers/,
    ],
    silent: ['ConcordatWaitsForConnections', 'ConcordatDatabaseRefuses'],
  },
  ConcordatDatabaseRefuses: {
    make: async (night) => {
      await night.scrape();
      const name = new URL(night.database.url).pathname.slice(1);
      await night.database.query(`alter database ${name} set default_transaction_read_only = on`);
      night.proxy.cut();
      const refused = 'concordat_database_refused_total{reason="read_only"}';
      await night.until(refused, () => {
        void createAsset(night.world.producer).catch(() => {});
        return true;
      });
      await night.until(refused, (value) => value > 0);
    },
    shows: [/reason="read_only"\} [1-9]/, /the database is read-only/, /f +\| on +\|/],
    silent: ['ConcordatDatabaseAway', 'ConcordatWaitsForConnections'],
  },
  ConcordatWaitsForConnections: {
    settings: { DATABASE_POOL_SIZE: '3' },
    make: async (night) => {
      await night.scrape();
      const session = await night.openSession();
      await session('begin');
      await session('lock table asset in access exclusive mode');
      const write = createAsset(night.world.producer).catch(() => {});
      const asked = reads(night, 12);
      await night.until('concordat_database_busy_total', (value) => value > 0);
      night.afterwards(async () => {
        await session('rollback');
        await Promise.all([write, asked]);
      });
    },
    shows: [
      /a forgotten terminal.*idle in transaction.*lock table asset/,
      /a forgotten terminal.*\| asset /,
    ],
    silent: ['ConcordatDatabaseAway', 'ConcordatDatabaseRefuses'],
  },
  ConcordatWaitsForThreads: {
    settings: { COMPARE_WORKERS: '1' },
    make: async (night) => {
      await night.scrape();
      const { client } = night.world.producer;
      const { id } = await createAsset(night.world.producer);
      const hard = (size: number, end = '') => ({
        schema: { properties: { a: { type: 'string', pattern: `^(a|b)*a(a|b){${size}}${end}$` } } },
      });
      await publish(client, id, hard(14));
      // Until the runbook was read, and never the same, which would be answered from memory.
      let isOver = false;
      let count = 0;
      const askAgain = async () => {
        while (!isOver) {
          const change = hard(15 + (count % 3), `c{${++count}}`);
          await publish(client, id, { ...change, dry_run: true }).catch(() => {});
        }
      };
      const asked = Array.from({ length: 30 }, askAgain);
      night.afterwards(async () => {
        isOver = true;
        await Promise.all(asked);
      });
      await night.until('concordat_thread_queue_depth{pool="engine"}', (value) => value > 10);
    },
    shows: [
      /concordat_thread_queue_depth\{pool="engine"\} [1-9]/,
      /concordat_threads\{pool="engine",state="busy"\} 1/,
    ],
  },
  ConcordatEventLoopHeldUp: {
    make: async (night) => {
      await night.scrape();
      const { slices, end } = throttle(night.replicas[0]?.pid ?? 0);
      night.afterwards(end);
      await vi.waitUntil(() => slices() > 6, patience);
    },
    shows: [/nodejs_eventloop_lag_p99_seconds [0-9]/, /process_cpu_seconds_total/],
  },
  ConcordatComparisonsUndecided: {
    // Every comparison that needs a step is undecided.
    settings: { COMPARE_STEP_BUDGET: '1' },
    make: async (night) => {
      await night.scrape();
      const { client } = night.world.producer;
      const { id } = await createAsset(night.world.producer);
      const texts = (pattern: string) => ({
        schema: { type: 'object', properties: { code: { type: 'string', pattern } } },
      });
      await publish(client, id, texts('^(a|b)*abb$'));
      for (let i = 0; i < 12; i++) {
        await publish(client, id, { ...texts('^[ab]+b$'), dry_run: true });
      }
    },
    shows: [/outcome="undecided"\} 1[2-9]/, /"asset_id".*"by".*budget.*a comparison was undecided/],
  },
  ConcordatAuditUnsealed: {
    make: async (night) => {
      await night.scrape();
      const session = await night.openSession();
      // The lock of the sealer, taken by something else.
      await session('select pg_advisory_lock(4827113651)');
      await createAsset(night.world.producer);
      await night.database.query('alter table audit_event disable trigger all');
      await waits(night, 'audit_event', 'occurred_at', '20 minutes');
      await night.until('concordat_audit_unsealed_seconds', (value) => value > 300);
    },
    shows: [/a forgotten terminal/, /concordat_audit_unsealed_seconds 1[0-9]{3}/],
  },
  ConcordatAuditEventsAstray: {
    prepare: async ({ folder }) => {
      const file = join(folder, 'clock');
      await writeFile(file, String(forwardMs));
      const preload = join(import.meta.dirname, '../../support/turned-clock.ts');
      return { NODE_OPTIONS: `--import=${preload}`, CLOCK_FILE: file };
    },
    make: async (night) => {
      await night.until('concordat_audit_stray_events', (value) => value === 1);
      await night.scrape();
    },
    shows: [
      /concordat_audit_stray_events 1/,
      new RegExp(`\\| ${new Date(Date.now() + forwardMs).getFullYear()}-`),
    ],
  },
  ConcordatSecretsUnencrypted: {
    hasCluster: true,
    settings: receivers,
    make: async (night) => {
      await tellNobody(night);
      await night.until('concordat_plain_webhook_secrets', (value) => value > 0);
      await night.scrape();
    },
    shows: [/SECRET_KEY is not set/, /concordat: /],
  },
  ConcordatReceiverFails: {
    settings: { ...receivers, WEBHOOK_RETRY_SECONDS: '600' },
    make: async (night) => {
      await tellNobody(night);
      await night.until(
        'concordat_delivery_attempts_total{outcome="failed"}',
        (value) => value > 0,
      );
      await waits(night, 'delivery', 'queued_at', '2 hours');
      await night.until('concordat_delivery_failing_seconds', (value) => value > 3600);
      await night.scrape();
    },
    shows: [/webhook .* http:\/\/127\.0\.0\.1/, /attempts {2}1 .*ECONNREFUSED/],
    silent: ['ConcordatDeliveriesLate'],
  },
  ConcordatDataDoesNotMatch: {
    make: async (night) => {
      await night.scrape();
      const { producer } = night.world;
      const { assetId } = await publishedAsset(producer);
      must(
        await producer.client.recordQualityRun({
          params: { asset_id: assetId },
          body: {
            ...{ status: 'failed', triggered_by: 'the nightly check' },
            guarantees: [{ name: 'not_null_id', status: 'failed', rows: 3 }],
          },
        }),
        201,
      );
      await night.until('concordat_assets_failing', (value) => value === 1);
    },
    shows: [/shop\.public\.orders_\d+ {2}owner/, /the nightly check/, /not_null_id/],
  },
  ConcordatProposalsWait: {
    make: async (night) => {
      await night.scrape();
      await proposedAsset(night.world.producer, [night.world.consumer]);
      await waits(night, 'proposal', 'proposed_at', '31 days');
      await night.until('concordat_proposals_oldest_seconds', (value) => value > 30 * 86_400);
    },
    shows: [/shop\.public\.orders_\d+ {2}proposed/, /waits for consumer \d/],
  },
  ConcordatDeliveriesGivenUp: {
    settings: { ...receivers, WEBHOOK_RETRY_FOR_SECONDS: '1', WEBHOOK_RETRY_SECONDS: '1' },
    make: async (night) => {
      await night.scrape();
      await tellNobody(night);
      await night.until(
        'concordat_delivery_attempts_total{outcome="parked"}',
        (value) => value > 0,
      );
      await night.until('concordat_deliveries{state="parked"}', (value) => value > 0);
    },
    shows: [
      /webhook .* http:.*of team/,
      /proposal\.created.*ECONNREFUSED/,
      /concordat_deliveries\{state="parked"\} [1-9]/,
    ],
  },
  ConcordatDeliveriesLate: {
    settings: receivers,
    make: async (night) => {
      await night.scrape();
      const session = await night.openSession();
      await session(`select pg_advisory_lock(hashtextextended('outbox', 3))`);
      await tellNobody(night);
      await waits(night, 'outbox', 'created_at', '20 minutes');
      await night.until('concordat_outbox_oldest_seconds', (value) => value > 600);
    },
    shows: [/a forgotten terminal.*advisory/, /concordat_outbox_oldest_seconds 1[0-9]{3}/],
    silent: ['ConcordatReceiverFails'],
  },
  ConcordatEventBusBehind: {
    prepare: async () => {
      const [port] = await freePorts(1);
      return { EVENT_BUS_URL: `kafka://127.0.0.1:${port}/concordat.events` };
    },
    make: async (night) => {
      await night.scrape();
      const { assetId } = await publishedAsset(night.world.producer);
      await night.database.query(
        `insert into audit_event
           (id, event_type, entity_type, entity_id, actor_type, actor_id, occurred_at, metadata)
         select gen_random_uuid(), event_type, entity_type, entity_id, actor_type, actor_id,
           now() - interval '20 minutes', metadata
         from audit_event where entity_id = '${assetId}'`,
      );
      await night.until('concordat_event_bus_unsent_seconds', (value) => value > 600);
    },
    shows: [/events cannot be sent to the bus/, /concordat\.events/],
  },
  ConcordatNobodyLeads: {
    hasCluster: true,
    prepare: async ({ folder }) => {
      const repository = await makeRepository();
      await repository.commit({ 'shop/orders.yaml': contract('orders') });
      await writeFile(join(folder, 'teams.yaml'), 'shop: checkout\n');
      return { GIT_URL: repository.url, TEAM_MAPPING_FILE: join(folder, 'teams.yaml') };
    },
    make: async (night) => {
      await night.until('leader_election_master_status{name="git"}', (value) => value === 1);
      await night.scrape();
      const session = await night.openSession();
      await session('begin');
      await session('select from controller_lease for update');
      await night.until('leader_election_master_status{name="git"}', (value) => value === 0);
      night.afterwards(() => session('rollback'));
    },
    shows: [
      /leader_election_master_status\{name="git"\} 0/,
      /a forgotten terminal.*controller_lease/,
    ],
  },
  ConcordatReconcilesFail: {
    hasCluster: true,
    prepare: followFolder,
    make: async (night) => {
      await publishFolder(night, 20);
      await night.scrape();
      await night.database.query('alter table asset rename to asset_that_was_renamed');
      await writeContracts(night.folder, 40);
      await night.until(
        'controller_runtime_reconcile_total{controller="datacontract",result="error"}',
        (value) => value > 20,
      );
    },
    shows: [
      /the controller continues after an error/,
      /relation ...?asset...? does not exist/,
      /result="error"\} [1-9]/,
    ],
  },
  ConcordatIsBehind: {
    settings: { DATABASE_POOL_SIZE: '5' },
    prepare: followFolder,
    make: async (night) => {
      await publishFolder(night, 150);
      await night.scrape();
      const session = await night.openSession();
      await session('begin');
      await session('lock table asset in access exclusive mode');
      for (let i = 0; i < 150; i++) {
        await writeFile(
          join(night.folder, `contracts/shop/orders-${i}.yaml`),
          contract(`orders_${i}`).replace('type: object', 'type: object\n    title: changed'),
        );
      }
      await night.until('workqueue_depth{name="directory"}', (value) => value > 100);
      night.afterwards(() => session('rollback'));
    },
    shows: [/workqueue_depth\{name="directory"\} 1\d\d/, /controller_runtime_active_workers/],
  },
  ConcordatSourceSuspicious: {
    prepare: followFolder,
    make: async (night) => {
      const suspicious = 'concordat_source_suspicious{source="directory"}';
      await night.until(suspicious, (value) => value === 0);
      await publishFolder(night, 3);
      await night.scrape();
      await rm(join(night.folder, 'contracts/shop'), { recursive: true });
      await night.until(suspicious, (value) => value === 1);
    },
    shows: [/"kind":"directory".*"problem":".*(empty|nothing|no )/],
  },
};
