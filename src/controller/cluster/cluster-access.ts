// The address of the API server, and the credentials for it. Pod service accounts and nearly all
// kubeconfigs are read without the library's index, because that loads a client for every kind of
// Kubernetes, which takes 80 MB of memory. Rare ways to sign in, and proxies, are left to the
// library.

import { readFile } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';
import { isIPv6 } from 'node:net';
import { dirname, resolve } from 'node:path';
import {
  type Cluster,
  newClusters,
  newContexts,
  newUsers,
  type User,
} from '@kubernetes/client-node/dist/config_types.js';
import { ExecAuth } from '@kubernetes/client-node/dist/exec_auth.js';
import { parse } from 'yaml';

/** The library's KubeConfig also implements this. */
export interface ClusterAccess {
  readonly getCurrentCluster: () => Pick<Cluster, 'server' | 'proxyUrl'> | null;
  /** Sets certificates and credentials for a request. Each call reads the files again. */
  readonly applyToHTTPSOptions: (options: RequestOptions) => Promise<void>;
}

interface PodPlace {
  readonly host: string | undefined;
  readonly port: string | undefined;
  /** Where Kubernetes mounts the token into a pod. */
  readonly folder?: string;
}

/** Explained to an operator, without a stack. */
class NotInAPod extends Error {
  override name = 'SettingProblem';
}

const serviceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount';
const plainPorts: readonly (string | undefined)[] = ['80', '8080', '8001'];

/** Access with the service account of this pod. */
export function accessOfPod({
  host,
  port,
  folder = serviceAccountFolder,
}: PodPlace): ClusterAccess {
  if (host === undefined || port === undefined) {
    throw new NotInAPod(
      'KUBERNETES is in-cluster, but KUBERNETES_SERVICE_HOST and _PORT are not set. Run this process in a pod, or set KUBERNETES=kubeconfig.',
    );
  }
  const scheme = plainPorts.includes(port) ? 'http' : 'https';
  const server = `${scheme}://${isIPv6(host) ? `[${host}]` : host}:${port}`;
  return {
    getCurrentCluster: () => ({ server }),
    applyToHTTPSOptions: async (options) => {
      options.ca = await readFile(resolve(folder, 'ca.crt'));
      const token = await readFile(resolve(folder, 'token'), 'utf8');
      options.headers = { ...options.headers, Authorization: `Bearer ${token.trim()}` };
    },
  };
}

/** Access with a kubeconfig, in its current context or in the given one. */
export async function accessByFile(file: string, context?: string): Promise<ClusterAccess> {
  const content = parse(await readFile(file, 'utf8')) ?? {};
  const name = context ?? content['current-context'];
  const current = newContexts(content.contexts).find((one) => one.name === name);
  const cluster = newClusters(content.clusters).find((one) => one.name === current?.cluster);
  const user = newUsers(content.users).find((one) => one.name === current?.user);
  if (cluster === undefined) return { ...nowhere };
  if (isRare(cluster, user)) return accessByLibrary(file, context);
  const exec = new ExecAuth();
  const folder = dirname(file);
  return {
    getCurrentCluster: () => cluster,
    applyToHTTPSOptions: async (options) => {
      await applyCluster(options, cluster, folder);
      if (user !== undefined) await applyUser(options, user, folder, exec);
    },
  };
}

const nowhere: ClusterAccess = {
  getCurrentCluster: () => null,
  applyToHTTPSOptions: async () => {},
};

/** Access as the library finds it; without a file, it looks where kubectl does. */
export async function accessByLibrary(
  file: string | undefined,
  context: string | undefined,
): Promise<ClusterAccess> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const kubeConfig = new KubeConfig();
  if (file === undefined) kubeConfig.loadFromDefault();
  else kubeConfig.loadFromFile(file);
  if (context !== undefined) kubeConfig.setCurrentContext(context);
  return kubeConfig;
}

function isRare({ proxyUrl, server, skipTLSVerify }: Cluster, user: User | undefined): boolean {
  // The library refuses a server without TLS, unless the kubeconfig skips TLS verification.
  const isRefused = !server.startsWith('https:') && !skipTLSVerify;
  return Boolean(proxyUrl) || Boolean(user?.authProvider) || isRefused;
}

async function applyCluster(
  options: RequestOptions,
  { caFile, caData, skipTLSVerify, tlsServerName }: Cluster,
  folder: string,
): Promise<void> {
  if (skipTLSVerify) options.rejectUnauthorized = false;
  if (tlsServerName) options.servername = tlsServerName;
  const ca = await readEither(caFile, caData, folder);
  if (ca !== null) options.ca = ca;
}

async function applyUser(
  options: RequestOptions,
  user: User,
  folder: string,
  exec: ExecAuth,
): Promise<void> {
  const headers: Record<string, string> = {};
  options.headers = headers;
  const cert = await readEither(user.certFile, user.certData, folder);
  if (cert !== null) options.cert = cert;
  const key = await readEither(user.keyFile, user.keyData, folder);
  if (key !== null) options.key = key;
  if (user.impersonateUser) headers['Impersonate-User'] = user.impersonateUser;
  if (exec.isAuthProvider(user)) await exec.applyAuthentication(user, options);
  if (user.token) headers.Authorization = `Bearer ${user.token}`;
  if (user.username) options.auth = `${user.username}:${user.password}`;
}

/** A file takes precedence over inline data, as in kubectl. */
async function readEither(
  file: string | undefined,
  data: string | undefined,
  folder: string,
): Promise<Buffer | null> {
  if (file) return readFile(resolve(folder, file));
  return data ? Buffer.from(data, 'base64') : null;
}
