// A night on call: replicas as processes of their own with a log, what Prometheus scrapes of them, and
// a terminal in which the lines of a runbook run as copied.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { appendFile, chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { vi } from 'vitest';
import { stringify } from 'yaml';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { promtool } from '../../chart/promtool.ts';
import { blocksOf, scriptOf } from '../../docs/blocks.ts';
import { bootstrapKey } from '../../support/client/client-registry.ts';
import { openWorld, type World } from '../../support/client/client-world.ts';
import { freePorts } from '../../support/free-ports.ts';
import {
  configOf,
  kubectlOk,
  startKubernetes,
  type TestCluster,
} from '../../support/kubernetes/kubernetes.ts';
import { applyKinds } from '../../support/kubernetes/kubernetes-setup.ts';
import { readMetrics, type Series } from '../../support/metrics.ts';
import { openFolder } from '../../support/open-folder.ts';
import { openDatabase, type TestDatabase } from '../../support/postgres/postgres.ts';
import { type PostgresProxy, startPostgresProxy } from '../../support/postgres/postgres-proxy.ts';
import { programEnvironment } from '../../support/program-environment.ts';

/** The release of the tests of the chart. */
export const namespace = 'data';
const service = 'shop-registry-concordat';
const main = join(import.meta.dirname, '../../../src/main.ts');

/** Only what hangs takes so long. */
export const patience = { timeout: 300_000, interval: 50 };

interface StatusOf {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly status: object;
}

type Settings = Readonly<Record<string, string>>;

/** All series at one moment, by their text with the labels of the target. */
type Scrape = ReadonlyMap<string, number>;

interface Replica {
  readonly pod: string;
  readonly url: string;
  readonly pid: number;
  readonly kill: () => Promise<void>;
}

export interface Night {
  readonly folder: string;
  readonly database: TestDatabase;
  /** Between the replicas and Postgres. The terminal does not go through it. */
  readonly proxy: PostgresProxy;
  readonly cluster: TestCluster | null;
  readonly replicas: Replica[];
  readonly world: World;
  readonly start: (pod: string) => Promise<Replica>;
  /** Starts a replica whose start fails, and returns its exit code. */
  readonly startInVain: (more: Settings) => Promise<number>;
  /** A session past the registry, which can hold locks. It ends with the night. */
  readonly openSession: () => Promise<(sql: string) => Promise<void>>;
  /** As Prometheus does. */
  readonly scrape: () => Promise<Scrape>;
  /** Scrapes until a series of a replica has this value. */
  readonly until: (series: string | RegExp, holds: (value: number) => boolean) => Promise<void>;
  readonly log: () => Promise<string>;
  readonly apply: (object: object) => Promise<void>;
  /** Writes a status, as a kubelet does. */
  readonly reportStatus: (object: StatusOf) => Promise<void>;
  /** Runs the runbook of an alert; returns what the terminal shows. */
  readonly read: (alert: string) => Promise<string>;
  /** Those of these alerts that fire if it goes on like this. */
  readonly firing: (alerts: readonly string[], rules: Json) => Promise<readonly string[]>;
  /** Runs once the runbook was read, so that requests that wait can end. */
  readonly afterwards: (run: () => unknown) => void;
  readonly heal: () => Promise<void>;
  readonly end: () => Promise<void>;
}

export interface Place {
  readonly folder: string;
  readonly cluster: TestCluster | null;
}

export interface NightOptions {
  readonly settings?: Settings;
  readonly replicas?: number;
  readonly hasCluster?: boolean;
  /** Before the first replica starts. */
  readonly prepare?: (place: Place) => Promise<Settings>;
}

export async function openNight(
  options: NightOptions,
  cluster: TestCluster | null,
): Promise<Night> {
  const folder = await openFolder('concordat-night-');
  const database = await openDatabase();
  const proxy = await startPostgresProxy(database.serviceUrl);
  const replicas: Replica[] = [];
  const scrapes: Scrape[] = [];
  const healing: (() => unknown)[] = [];
  const sessions: { end: () => Promise<void> }[] = [];
  const logFile = join(folder, 'log');
  await writeFile(logFile, '');
  const prepared = await options.prepare?.({ folder, cluster });
  const settings = {
    ...{ DATABASE_URL: proxy.url, MIGRATE: 'false', BOOTSTRAP_KEY: bootstrapKey, DATA_DIR: folder },
    ...{ HOST: '127.0.0.1', LOG_FORMAT: 'json', LOG_LEVEL: 'info' },
    ...{ RATE_LIMIT_READ: '1000000', RATE_LIMIT_WRITE: '1000000' },
    ...options.settings,
    ...prepared,
  };

  const spawnServer = (more: Settings) => {
    const child = spawn(process.execPath, [main, 'serve'], {
      env: { ...programEnvironment(), NODE_NO_WARNINGS: '1', ...settings, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // The log of a pod is both.
    for (const stream of [child.stdout, child.stderr]) {
      createInterface(stream).on('line', (line) => void appendFile(logFile, `${line}\n`));
    }
    return child;
  };
  const exitOf = (child: ChildProcess) =>
    new Promise<number>((done) => child.once('exit', (code) => done(code ?? -1)));
  const ports = new Map<string, string>();
  const start = async (pod: string): Promise<Replica> => {
    // The same after a restart.
    const PORT = ports.get(pod) ?? String((await freePorts(1))[0]);
    ports.set(pod, PORT);
    const child = spawnServer({ PORT });
    const exited = exitOf(child);
    const url = await Promise.race([
      urlIn(child),
      exited.then(async (code) => {
        throw new Error(`The replica ended with ${code}:\n${await readFile(logFile, 'utf8')}`);
      }),
    ]);
    const replica = {
      pod,
      url,
      pid: child.pid ?? 0,
      kill: async () => {
        child.kill('SIGKILL');
        await exited;
      },
    };
    const known = replicas.findIndex((one) => one.pod === pod);
    if (known === -1) replicas.push(replica);
    else replicas[known] = replica;
    return replica;
  };
  const scrape = async () => {
    const found = new Map<string, number>();
    for (const { pod, url } of replicas) {
      const series = await readMetrics(url).then(
        (metrics) => metrics.series,
        (): readonly Series[] => [],
      );
      found.set(`up{${targetOf(pod)}}`, series.length > 0 ? 1 : 0);
      for (const { name, labels, value } of series) {
        const own = Object.entries(labels).map(([label, of]) => `,${label}="${of}"`);
        found.set(`${name}{${targetOf(pod)}${own.join('')}}`, value);
      }
    }
    if (cluster !== null) await scrapeCluster(cluster, found);
    scrapes.push(found);
    return found;
  };

  for (let i = 0; i < (options.replicas ?? 1); i++) await start(String.fromCharCode(97 + i));
  const [first] = replicas;
  if (first === undefined) throw new Error('A night needs a replica.');
  return {
    ...{ folder, database, proxy, cluster, replicas, start, scrape },
    world: await openWorld(first.url, bootstrapKey),
    startInVain: (more) => exitOf(spawnServer(more)),
    openSession: async () => {
      const session = new pg.Client({
        connectionString: database.url,
        application_name: 'a forgotten terminal',
      });
      await session.connect();
      sessions.push(session);
      return async (sql) => void (await session.query(sql));
    },
    until: async (series, holds) => {
      await vi.waitUntil(async () => {
        for (const { url } of replicas) {
          const found = (await readMetrics(url)).series.filter(({ text }) =>
            typeof series === 'string' ? text === series : series.test(text),
          );
          if (found.some(({ value }) => holds(value))) return true;
        }
        return false;
      }, patience);
    },
    log: () => readFile(logFile, 'utf8'),
    apply: async (object) => {
      await kubectlOk(clusterOf(cluster), ['apply', '--server-side', '-f', '-'], {
        input: stringify(object),
      });
    },
    reportStatus: async ({ kind, metadata, status }) => {
      const patch = ['patch', kind, metadata.name, '-n', namespace, '--subresource=status'];
      const body = JSON.stringify({ status });
      await kubectlOk(clusterOf(cluster), [...patch, '--type=merge', '-p', body]);
    },
    read: async (alert) => {
      const page = `docs/runbooks/${alert}.md`;
      if (!blocksOf(page).some(({ mark }) => mark === 'run'))
        throw new Error(`${page} has no lines`);
      const script = [
        scriptOf('docs/runbooks/README.md', 'run'),
        // As the page says for a log that is a file.
        `logs() { cat ${logFile}; }`,
        scriptOf(page, 'run'),
      ].join('\n');
      return await runTerminal(script, {
        NAMESPACE: namespace,
        CONCORDAT_URL: replicas[0]?.url ?? '',
        CONCORDAT_KEY: bootstrapKey,
        DATABASE_URL: database.url,
        PATH: `${await kubectlFolder(folder, cluster)}:${process.env.PATH}`,
      });
    },
    firing: (alerts, rules) => findFiring(alerts, rules, scrapes),
    afterwards: (run) => void healing.push(run),
    heal: async () => {
      for (const run of healing.splice(0)) await run();
    },
    end: async () => {
      proxy.heal();
      for (const session of sessions) await session.end().catch(() => {});
      for (const { kill, pid } of replicas) {
        try {
          process.kill(pid, 'SIGCONT');
        } catch {
          // It was killed before.
        }
        await kill();
      }
      await proxy.close();
      if (cluster !== null) {
        const kinds = 'datacontracts,contractchecks,jobs,leases,pods';
        const left = ['delete', kinds, '--all', '--all-namespaces', '--wait=false'];
        await kubectlOk(cluster, [...left, '--grace-period=0', '--force']);
      }
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export function clusterOf(cluster: TestCluster | null): TestCluster {
  if (cluster === null) throw new Error('This night has no cluster.');
  return cluster;
}

const targetOf = (pod: string) => `namespace="${namespace}",service="${service}",pod="${pod}"`;

function urlIn(child: ChildProcess): Promise<string> {
  return new Promise((done) => {
    if (child.stdout === null) throw new Error('The process has no output.');
    createInterface(child.stdout).on('line', (line) => {
      const [, url] = /"url":"(http[^"]+)","msg":"serving"/.exec(line) ?? [];
      if (url !== undefined) done(url);
    });
  });
}

/** The series of the API server that alerts ask for. */
async function scrapeCluster(cluster: TestCluster, found: Map<string, number>): Promise<void> {
  const text = await kubectlOk(cluster, ['get', '--raw', '/metrics']);
  for (const line of text.split('\n')) {
    const [, series, value] =
      /^(apiserver_admission_webhook_\w+_count\{.*\}) (\S+)$/.exec(line) ?? [];
    if (series !== undefined) found.set(series, Number(value));
  }
}

/** The kubectl of the tests under its usual name, with the address of the cluster. */
async function kubectlFolder(folder: string, cluster: TestCluster | null): Promise<string> {
  if (cluster === null) return folder;
  const file = join(folder, 'bin/kubectl');
  const config = join(folder, 'kubeconfig-of-the-terminal');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(config, configOf(cluster).exportConfig());
  const quoted = [`exec '${cluster.binaries.kubectl}'`, `--kubeconfig '${config}'`, '"$@"'];
  await writeFile(file, `#!/bin/sh\n${quoted.join(' ')}\n`);
  await chmod(file, 0o755);
  return dirname(file);
}

/** What kubectl says where there is nothing, which is an answer. */
const isAnswer = (line: string) => line === '' || line.startsWith('No resources found');

/** Fails if a program complains; a `grep` that finds nothing is an answer. */
function runTerminal(script: string, env: Settings): Promise<string> {
  return new Promise((done, fail) => {
    execFile('bash', ['-c', script], { env: { ...process.env, ...env } }, (_, stdout, stderr) => {
      const complaints = stderr.split('\n').filter((line) => !isAnswer(line));
      if (complaints.length === 0) done(stdout);
      else fail(new Error(`The terminal complains:\n${complaints.join('\n')}\n${stdout}`));
    });
  });
}

/** How long alerts are watched after the last scrape, in minutes. */
const watched = [2, 5, 10, 15, 20, 30, 45, 60, 75, 90];

/**
 * What was scraped, minute by minute, and then a minute like the last one for an hour and a half.
 * Prometheus' own tool evaluates the rules.
 */
async function findFiring(
  alerts: readonly string[],
  rules: Json,
  scrapes: readonly Scrape[],
): Promise<readonly string[]> {
  const all = new Set(scrapes.flatMap((scrape) => [...scrape.keys()]));
  const input_series = [...all].map((series) => {
    const values = scrapes.map((scrape) => scrape.get(series) ?? Number.NaN);
    const [before = Number.NaN, last = Number.NaN] = [values.at(-2) ?? 0, values.at(-1)];
    const isCounter = /_(total|count|sum|bucket)\{/.test(series);
    const gained = isCounter ? Math.max(0, last - (Number.isNaN(before) ? 0 : before)) : 0;
    const written = values.map((value) => (Number.isNaN(value) ? '_' : String(value)));
    const goesOn = Number.isNaN(last) ? '_x90' : `${last}+${gained}x90`;
    return { series, values: [...written.slice(0, -1), goesOn].join(' ') };
  });
  const firing: string[] = [];
  for (const alert of alerts) {
    const alert_rule_test = watched.map((minute) => ({
      ...{ eval_time: `${minute + scrapes.length}m`, alertname: alert, exp_alerts: [] },
    }));
    const files = {
      'rules.yaml': rules as JsonObject,
      'tests.yaml': {
        rule_files: ['rules.yaml'],
        tests: [{ interval: '1m', input_series, alert_rule_test }],
      },
    };
    const { code, stdout, stderr } = await promtool(['test', 'rules', 'tests.yaml'], files);
    if (code === 0) continue;
    // The tool fails because an alert was there where none was expected.
    if (!`${stdout}${stderr}`.includes(`alertname="${alert}"`))
      throw new Error(`${stdout}${stderr}`);
    firing.push(alert);
  }
  return firing;
}

/** An API server with the kinds and the release of the tests of the chart, without nodes. */
export async function startReleaseCluster(release: readonly JsonObject[]): Promise<TestCluster> {
  const cluster = await startKubernetes();
  await applyKinds(cluster);
  await kubectlOk(cluster, ['create', 'namespace', namespace]);
  // Without it no pod is accepted; there is no controller that makes it.
  await kubectlOk(cluster, ['create', 'serviceaccount', 'default', '-n', namespace]);
  const others = ['ServiceMonitor', 'PrometheusRule', 'CustomResourceDefinition'];
  const input = release
    .filter(({ kind }) => !others.includes(String(kind)))
    .map((object) => stringify(object))
    .join('---\n');
  await kubectlOk(cluster, ['apply', '--server-side', '-f', '-'], { input });
  return cluster;
}
