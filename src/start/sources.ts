// Opens the configured sources: a folder, a repository, a cluster, any of them or none. Part of the
// composition root.

import { randomBytes } from 'node:crypto';
import { access, realpath } from 'node:fs/promises';
import { homedir, hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { systemClock } from '../controller/clock.ts';
import type { ApiClient } from '../controller/cluster/api-client.ts';
import {
  accessByFile,
  accessByLibrary,
  accessOfPod,
  type ClusterAccess,
} from '../controller/cluster/cluster-access.ts';
import { ObservedApiClient } from '../controller/cluster/observed-client.ts';
import type { TraceReconcile } from '../controller/controller.ts';
import { observeChecks, observeSource } from '../controller/observe-source.ts';
import { type RunningSource, type RunSourceOptions, runSource } from '../controller/run-source.ts';
import { describeCluster, openCluster } from '../controller/source/cluster.ts';
import { openDirectory } from '../controller/source/directory.ts';
import { identityOfGit, openGit, openGitAccess } from '../controller/source/git.ts';
import { passedVariables } from '../controller/source/git-program.ts';
import type { Source } from '../controller/source/source.ts';
import { tellSeldom } from '../controller/tell-seldom.ts';
import type { Config } from '../ops/config/config.ts';
import type { Log } from '../ops/observe/log.ts';
import type { Metrics } from '../ops/observe/metrics.ts';
import type { Tracing } from '../ops/observe/tracing.types.ts';
import { newUuid } from '../ops/uuid.ts';
import type { Verbs } from '../registry/commands.ts';
import type { Ports } from '../registry/ports.ts';
import type { Listener } from '../store/postgres/listener.ts';
import type { Store } from '../store/store.ts';
import { type RunningAdmission, startAdmission } from './admission.ts';
import { checkSettingsOf, gitPlaceOf, readMapping, selectorOf } from './source-settings.ts';

interface SourceDeps {
  readonly store: Store;
  readonly ports: Ports;
  readonly verbs: Verbs;
  readonly listener: Listener;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracing: Tracing | null;
}

export interface RunningSources {
  /** Whether everything that this process should reconcile has been read. */
  readonly isReady: () => boolean;
  readonly stop: () => Promise<void>;
}

export function hasSources({ CONTRACTS_DIR, GIT_URL, KUBERNETES }: Config): boolean {
  return CONTRACTS_DIR !== undefined || GIT_URL !== undefined || KUBERNETES !== 'off';
}

type Common = Omit<RunSourceOptions, 'open' | 'election' | 'observe'>;

export async function startSources(config: Config, deps: SourceDeps): Promise<RunningSources> {
  const { store, ports, verbs, listener, log } = deps;
  const checkSettings = checkSettingsOf(config);
  const running: RunningSource[] = [];
  const common: Common = {
    checkSettings,
    fences: store.fences,
    holder: `${hostname()}-${process.pid}-${randomBytes(4).toString('hex')}`,
    ports,
    verbs,
    mapping: await readMapping(config.TEAM_MAPPING_FILE),
    allowForce: config.ALLOW_FORCE_FROM_RESOURCES,
    now: () => new Date().toISOString(),
    newId: newUuid,
    clock: systemClock,
    onRegistryChange: listener.onHeard,
    trace: traceOf(deps.tracing),
    onError: tellSeldom(systemClock, (error, during, suppressed) =>
      log.warn(
        { err: error, during, ...(suppressed > 0 && { suppressed }) },
        'the controller continues after an error',
      ),
    ),
    onTerm: (state, { identity, number }) =>
      log.info(
        { source: identity, fence: number },
        state === 'began' ? 'reconciles this source now' : 'no longer reconciles this source',
      ),
    concurrency: config.CONTROLLER_CONCURRENCY,
    resyncMs: config.RESYNC_SECONDS * 1000,
    listConfigured: () => Promise.all(running.map((source) => source.identity())),
  };
  if (config.CONTRACTS_DIR !== undefined) {
    running.push(await runDirectory(config, config.CONTRACTS_DIR, common, deps));
  }
  if (config.GIT_URL !== undefined) running.push(runGit(config, config.GIT_URL, common, deps));
  const client =
    config.KUBERNETES === 'off'
      ? null
      : new ObservedApiClient(await accessOf(config), deps.metrics);
  let admission: RunningAdmission | null = null;
  if (client !== null) {
    const cluster = runCluster(config, client, common, deps);
    running.push(cluster);
    if (config.ADMISSION_PORT !== undefined) {
      const { isLeading } = cluster;
      admission = await startAdmission(config, config.ADMISSION_PORT, {
        ...common,
        client,
        metrics: deps.metrics,
        isLeading,
      });
      log.info({ port: admission.port }, 'serving the admission webhook');
    }
  }
  return {
    isReady: () => running.every((source) => source.isReady()),
    stop: async () => {
      await admission?.stop();
      await Promise.all(running.map((source) => source.stop()));
      client?.close();
    },
  };
}

async function runDirectory(
  config: Config,
  folder: string,
  common: Common,
  { store, log, metrics }: SourceDeps,
): Promise<RunningSource> {
  const path = resolve(folder);
  // A missing folder is suspicious but not an error, because a volume may be mounted late.
  const root = await realpath(path).catch(() => path);
  const identity = `directory-${config.CONTRACTS_NAME ?? root}`;
  log.info({ root, identity }, 'reconciling a folder');
  return runObserved(metrics, 'directory', {
    ...common,
    election: { kind: 'fence', source: { identity, kind: 'directory', place: root } },
    open: (fence) =>
      openDirectory({
        ...{ root, identity, clock: common.clock, mapping: common.mapping },
        records: store.sourceObjects(fence),
      }),
  });
}

function runGit(
  config: Config,
  url: string,
  common: Common,
  { store, log, metrics }: SourceDeps,
): RunningSource {
  const { address, ref, path } = gitPlaceOf(config, url);
  const identity = identityOfGit(address, ref, path);
  const place = `${address.url} (${ref}${path === '' ? '' : `, ${path}`})`;
  const lastFetch = metrics.gauge('concordat_git_last_fetch_timestamp_seconds');
  log.info({ place, identity }, 'reconciling a repository');
  return runObserved(metrics, 'git', {
    ...common,
    election: { kind: 'fence', source: { identity, kind: 'git', place } },
    open: (fence) =>
      openGit({
        address,
        ref,
        path,
        identity,
        folder: join(config.DATA_DIR, 'git'),
        intervalMs: config.GIT_INTERVAL_SECONDS * 1000,
        timeoutMs: config.GIT_TIMEOUT_SECONDS * 1000,
        access: openGitAccess({
          username: config.GIT_USERNAME,
          password: config.GIT_PASSWORD,
          passwordFile: config.GIT_PASSWORD_FILE,
          sshKeyFile: config.GIT_SSH_KEY_FILE,
          sshKnownHostsFile: config.GIT_SSH_KNOWN_HOSTS_FILE,
        }),
        environment: gitEnvironment(),
        onFetched: () => lastFetch.set(Date.now() / 1000),
        clock: common.clock,
        mapping: common.mapping,
        records: store.sourceObjects(fence),
      }),
  });
}

/** The variables that git needs to find its program and the network. */
function gitEnvironment(): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(passedVariables.map((name) => [name, process.env[name]]));
}

function runCluster(
  config: Config,
  client: ApiClient,
  common: Common,
  { metrics }: SourceDeps,
): RunningSource {
  const { clock, holder: instance } = common;
  const { WATCH_NAMESPACES } = config;
  const namespaces = WATCH_NAMESPACES.length === 0 ? null : WATCH_NAMESPACES;
  const selector = selectorOf(config);
  return runObserved(metrics, 'cluster', {
    ...common,
    ...(common.checkSettings !== undefined && { observeCheck: observeChecks(metrics) }),
    election: {
      kind: 'lease',
      client,
      namespace: config.LEASE_NAMESPACE,
      name: config.LEASE_NAME,
      describe: () => describeCluster(client, config.CLUSTER_NAME),
    },
    open: ({ identity }) =>
      openCluster({
        ...{ client, clock, instance, identity, namespaces, selector },
        hasChecks: common.checkSettings !== undefined,
      }),
  });
}

function traceOf(tracing: Tracing | null): TraceReconcile | undefined {
  if (tracing === null) return undefined;
  return ({ kind, key }, reconcile) =>
    tracing.begin(`reconcile ${kind}`, { 'concordat.object': key }, reconcile);
}

function runObserved(
  metrics: Metrics,
  kind: Source['kind'],
  options: RunSourceOptions,
): RunningSource {
  const { fences, observe, follow } = observeSource(metrics, kind, options.fences);
  return follow(runSource({ ...options, fences, observe }));
}

async function accessOf(config: Config): Promise<ClusterAccess> {
  const { KUBERNETES, KUBECONFIG, KUBERNETES_CONTEXT: context } = config;
  if (KUBERNETES === 'in-cluster') {
    const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
    return accessOfPod({ host, port });
  }
  if (KUBECONFIG !== undefined) return accessByFile(KUBECONFIG, context);
  const kept = join(homedir(), '.kube/config');
  const isThere = await access(kept).then(
    () => true,
    () => false,
  );
  return isThere ? accessByFile(kept, context) : accessByLibrary(undefined, context);
}
