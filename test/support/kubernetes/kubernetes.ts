// A real etcd and a real kube-apiserver on free ports, with real users, for tests of the controller.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { KubeConfig } from '@kubernetes/client-node';
import { type Binaries, findBinaries } from '../../../scripts/kubernetes/find-binaries.ts';
import { ApiClient } from '../../../src/controller/cluster/api-client.ts';
import { freePorts } from '../free-ports.ts';
import { builtProgram } from '../tools.ts';

/** All users of the API server, by token; tests give them rights with RBAC. */
export const users = {
  admin: { token: 'token-of-admin', groups: ['system:masters'] },
  controller: { token: 'token-of-controller', groups: [] },
  robot: { token: 'token-of-robot', groups: [] },
  alice: { token: 'token-of-alice', groups: ['producers'] },
  bob: { token: 'token-of-bob', groups: ['consumers'] },
  mallory: { token: 'token-of-mallory', groups: [] },
} as const;

export type UserName = keyof typeof users;

/** Everything that a test needs to reach the API server, as plain values for other processes. */
export interface ClusterAddress {
  readonly server: string;
  readonly etcd: string;
  readonly folder: string;
  readonly caFile: string;
  readonly auditLog: string;
  readonly binaries: Binaries;
}

export interface TestCluster extends ClusterAddress {
  /** Kills the API server, like a crash; etcd keeps its data. */
  killApiServer(): Promise<void>;
  startApiServer(): Promise<void>;
  /** Freezes it: connections stay open without responses. */
  freezeApiServer(): void;
  thawApiServer(): void;
  /** Drops etcd's history, as it does itself every five minutes. */
  compactEtcd(): Promise<void>;
  saveEtcd(): Promise<void>;
  /** Restores what was saved, with the versions of that time. */
  restoreEtcd(): Promise<void>;
  stop(): Promise<void>;
}

interface ClusterStart {
  /** The data of an etcd that this one begins with. */
  readonly from?: string;
  /** Options of the API server. */
  readonly options?: readonly string[];
}

export async function startKubernetes(start: ClusterStart = {}): Promise<TestCluster> {
  const binaries = await findBinaries(builtProgram);
  const folder = await mkdtemp(join(tmpdir(), 'concordat-kubernetes-'));
  await writeServerFiles(folder);
  const [etcdPort = 0, peerPort = 0, apiPort = 0] = await freePorts(3);
  const etcdUrl = `http://127.0.0.1:${etcdPort}`;
  const dataFolder = join(folder, 'etcd');
  if (start.from !== undefined) await cp(start.from, dataFolder, { recursive: true });
  const startEtcd = () =>
    startProgram(binaries.etcd, join(folder, 'etcd.log'), [
      `--data-dir=${dataFolder}`,
      `--listen-client-urls=${etcdUrl}`,
      `--advertise-client-urls=${etcdUrl}`,
      `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
      '--unsafe-no-fsync',
      '--log-level=error',
    ]);
  let etcd = await startEtcd();
  const address: ClusterAddress = {
    server: `https://127.0.0.1:${apiPort}`,
    etcd: etcdUrl,
    folder,
    caFile: join(folder, 'certificates/apiserver.crt'),
    auditLog: join(folder, 'audit.log'),
    binaries,
  };
  let api = await startApi(address, apiPort, start.options);
  return {
    ...address,
    killApiServer: () => api.kill(),
    startApiServer: async () => {
      api = await startApi(address, apiPort, start.options);
    },
    freezeApiServer: () => process.kill(api.pid, 'SIGSTOP'),
    thawApiServer: () => process.kill(api.pid, 'SIGCONT'),
    compactEtcd: () => compact(etcdUrl),
    saveEtcd: async () => {
      process.kill(etcd.pid, 'SIGSTOP');
      await cp(dataFolder, savedBy(folder), { recursive: true });
      process.kill(etcd.pid, 'SIGCONT');
    },
    restoreEtcd: async () => {
      await Promise.all([api.kill(), etcd.kill()]);
      await rm(dataFolder, { recursive: true });
      await cp(savedBy(folder), dataFolder, { recursive: true });
      etcd = await startEtcd();
      api = await startApi(address, apiPort, start.options);
    },
    stop: async () => {
      await api.kill();
      await etcd.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Where a cluster with this folder keeps what it saved of its etcd. */
export const savedBy = (folder: string): string => join(folder, 'etcd-saved');

export function configOf(
  address: Pick<ClusterAddress, 'server' | 'caFile'>,
  user: UserName = 'admin',
): KubeConfig {
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: [{ name: 'test', server: address.server, caFile: address.caFile }],
    users: [{ name: user, token: users[user].token }],
    contexts: [{ name: 'test', cluster: 'test', user }],
    currentContext: 'test',
  });
  return config;
}

interface KubectlResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The real kubectl, as one of the users; `input` is what `-f -` reads. */
export function kubectl(
  address: ClusterAddress,
  args: readonly string[],
  { input, user = 'admin' }: { readonly input?: string; readonly user?: UserName } = {},
): Promise<KubectlResult> {
  return new Promise((resolve) => {
    const child = execFile(
      address.binaries.kubectl,
      [
        `--server=${address.server}`,
        `--certificate-authority=${address.caFile}`,
        `--token=${users[user].token}`,
        `--cache-dir=${join(address.folder, 'kubectl-cache')}`,
        ...args,
      ],
      { maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
        resolve({ code, stdout, stderr });
      },
    );
    // It may end before it has read its input; its exit code says enough.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input ?? '');
  });
}

/** Runs kubectl, and fails the test if it fails. */
export async function kubectlOk(
  address: ClusterAddress,
  args: readonly string[],
  options: { readonly input?: string; readonly user?: UserName } = {},
): Promise<string> {
  const { code, stdout, stderr } = await kubectl(address, args, options);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
}

/** A write to the API server or a watch of ConfigMaps, from its audit log. */
interface AuditedRequest {
  readonly verb: string;
  readonly user: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  readonly namespace: string;
  readonly code: number;
}

export async function listWrites(address: ClusterAddress): Promise<AuditedRequest[]> {
  return (await listAudited(address)).filter(({ verb }) => verb !== 'watch');
}

/** Each is there from the moment it is open. */
export async function listConfigMapWatches(address: ClusterAddress): Promise<AuditedRequest[]> {
  return (await listAudited(address)).filter(({ verb }) => verb === 'watch');
}

async function listAudited(address: ClusterAddress): Promise<AuditedRequest[]> {
  const lines = (await readFile(address.auditLog, 'utf8')).split('\n').filter(Boolean);
  return lines.map((line) => {
    const { verb, user, objectRef = {}, responseStatus = {} } = JSON.parse(line);
    return {
      verb,
      user: user.username,
      resource: objectRef.resource ?? '',
      subresource: objectRef.subresource ?? '',
      name: objectRef.name ?? '',
      namespace: objectRef.namespace ?? '',
      code: responseStatus.code ?? 0,
    };
  });
}

const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: None
    users: ["system:apiserver"]
  - level: Metadata
    verbs: [watch]
    resources: [{group: "", resources: [configmaps]}]
  - level: None
    verbs: [get, list, watch]
  - level: Metadata
`;

async function writeServerFiles(folder: string): Promise<void> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const tokens = Object.entries(users).map(
    ([name, { token, groups }], index) => `${token},${name},${index},"${groups.join(',')}"\n`,
  );
  await Promise.all([
    writeFile(join(folder, 'sa.key'), privateKey),
    writeFile(join(folder, 'sa.pub'), publicKey),
    writeFile(join(folder, 'tokens.csv'), tokens.join('')),
    writeFile(join(folder, 'audit.yaml'), auditPolicy),
    writeFile(join(folder, 'audit.log'), ''),
  ]);
}

async function startApi(
  address: ClusterAddress,
  port: number,
  options: readonly string[] = [],
): Promise<Program> {
  const { folder, etcd, binaries, auditLog } = address;
  const program = await startProgram(binaries['kube-apiserver'], join(folder, 'apiserver.log'), [
    `--etcd-servers=${etcd}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    `--cert-dir=${join(folder, 'certificates')}`,
    `--service-account-key-file=${join(folder, 'sa.pub')}`,
    `--service-account-signing-key-file=${join(folder, 'sa.key')}`,
    // Its own address, so that others can read its keys.
    `--service-account-issuer=${address.server}`,
    `--service-account-jwks-uri=${address.server}/openid/v1/jwks`,
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.0.0.0/24',
    `--audit-policy-file=${join(folder, 'audit.yaml')}`,
    `--audit-log-path=${auditLog}`,
    // Tests compact explicitly.
    '--etcd-compaction-interval=0',
    ...options,
  ]);
  await untilReady(address, program);
  return program;
}

/** Three seconds on an idle machine. */
const startTimeoutMs = 90_000;
const pollMs = 50;

/**
 * In this process, because a kubectl for each check would take processor time from the server that
 * starts.
 */
async function untilReady(address: ClusterAddress, program: Program): Promise<void> {
  const giveUpAtMs = performance.now() + startTimeoutMs;
  const client = new ApiClient(configOf(address));
  const isReady = async () => {
    const { body } = await client.request({ method: 'GET', path: '/readyz', deadlineMs: 5_000 });
    return body === 'ok';
  };
  try {
    while (!(await isReady().catch(() => false))) {
      if (performance.now() > giveUpAtMs || program.hasEnded()) {
        const log = await readFile(join(address.folder, 'apiserver.log'), 'utf8');
        await program.kill();
        throw new Error(`The API server did not become ready:\n${log.slice(-2000)}`);
      }
      await delay(pollMs);
    }
  } finally {
    client.close();
  }
}

async function compact(etcdUrl: string): Promise<void> {
  const ask = async (path: string, body: object) => {
    const answer = await fetch(`${etcdUrl}${path}`, { method: 'POST', body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`etcd refused ${path}: ${await answer.text()}`);
    return answer.json() as Promise<{ header?: { revision?: string } }>;
  };
  const { header } = await ask('/v3/kv/range', { key: btoa('/') });
  await ask('/v3/kv/compaction', { revision: header?.revision, physical: true });
}

interface Program {
  readonly pid: number;
  hasEnded(): boolean;
  kill(): Promise<void>;
}

/**
 * Runs Go's garbage collection less often, which saves a fifth of the API server's processor time.
 */
const rarelyCollected = { GOGC: '800' };

/** The shell in between ends the program when this process ends, for whatever reason. */
const shell =
  '"$0" "$@" </dev/null >&2 & child=$!; echo $child; cat >/dev/null; kill -KILL $child; wait $child';

async function startProgram(
  program: string,
  logFile: string,
  args: readonly string[],
): Promise<Program> {
  const child: ChildProcess = spawn('sh', ['-c', shell, program, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...rarelyCollected },
  });
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null) throw new Error('no pipes');
  stderr.pipe(createWriteStream(logFile, { flags: 'a' }));
  const [pidLine] = await once(createInterface(stdout), 'line');
  const pid = Number(pidLine);
  const exited = once(child, 'exit');
  return {
    pid,
    hasEnded: () => !isAlive(pid),
    kill: async () => {
      stdin.end();
      await exited;
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
