import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { expect, onTestFinished, test } from 'vitest';
import {
  accessByFile,
  accessOfPod,
  type ClusterAccess,
} from '../../../src/controller/cluster/cluster-access.ts';
import { openFolder } from '../../support/open-folder.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const cluster = {
  server: 'https://kube.example:6443/',
  'certificate-authority-data': base64('ca'),
};

const users: Readonly<Record<string, object>> = {
  token: { token: 'secret' },
  password: { username: 'ada', password: 'secret' },
  'certificate data': {
    'client-certificate-data': base64('cert'),
    'client-key-data': base64('key'),
  },
  'certificate files': { 'client-certificate': 'ada.crt', 'client-key': 'pki/ada.key' },
  program: { exec: { command: './token-program', args: ['from-a-program'] } },
  'somebody else': { token: 'secret', as: 'bob' },
  'an authentication provider': {
    'auth-provider': { name: 'any', config: { tokenFile: 'TOKEN' } },
  },
};

test.for(Object.keys(users))('a kubeconfig is read as the library reads it: %s', async (name) => {
  const folder = await openKubeFolder();
  const user = JSON.parse(JSON.stringify(users[name]).replaceAll('./', `${folder}/`));
  const file = await writeConfig(folder, {
    cluster,
    user: JSON.parse(JSON.stringify(user).replace('TOKEN', join(folder, 'token'))),
  });
  const read = await optionsOf(await accessByFile(file));
  expect(read).toEqual(await optionsOf(libraryOf(file)));
  expect(Object.keys(read).length).toBeGreaterThan(1);
});

test.for([
  { 'insecure-skip-tls-verify': true, 'tls-server-name': 'kube' },
  { 'certificate-authority': 'pki/ca.crt', 'certificate-authority-data': base64('another') },
  { 'certificate-authority': undefined, 'certificate-authority-data': undefined },
])('a cluster is read as the library reads it: %o', async (more) => {
  const folder = await openKubeFolder();
  const file = await writeConfig(folder, { cluster: { ...cluster, ...more }, user: users.token });
  expect(await optionsOf(await accessByFile(file))).toEqual(await optionsOf(libraryOf(file)));
});

test('another context than the current one is asked for by its name', async () => {
  const folder = await openKubeFolder();
  const file = await writeConfig(folder, { cluster, user: users.token });
  const other = await accessByFile(file, 'other');
  expect(other.getCurrentCluster()).toMatchObject({ server: 'https://other.example' });
  expect(await optionsOf(other)).toEqual(await optionsOf(libraryOf(file, 'other')));
  expect((await accessByFile(file, 'unknown')).getCurrentCluster()).toBeNull();
});

test('a proxy, and a server without TLS, are left to the library', async () => {
  const folder = await openKubeFolder();
  const behind = { ...cluster, 'proxy-url': 'http://proxy.example:3128' };
  const proxied = await accessByFile(
    await writeConfig(folder, { cluster: behind, user: users.token }),
  );
  expect(proxied).toBeInstanceOf(KubeConfig);
  const plain = { server: 'http://kube.example' };
  const refused = await accessByFile(
    await writeConfig(folder, { cluster: plain, user: users.token }),
  );
  await expect(optionsOf(refused)).rejects.toThrow('HTTP protocol is not allowed');
});

test('a pod asks as its service account, whose token is read anew each time', async () => {
  const folder = await openKubeFolder();
  const pod = accessOfPod({ host: 'fd00::1', port: '443', folder });
  expect(pod.getCurrentCluster()).toEqual({ server: 'https://[fd00::1]:443' });
  const headersOf = async () => (await optionsOf(pod)).headers;
  expect(await optionsOf(pod)).toEqual({
    ca: Buffer.from('ca of the pod'),
    headers: { Authorization: 'Bearer first' },
  });
  await writeFile(join(folder, 'token'), 'second\n');
  expect(await headersOf()).toEqual({ Authorization: 'Bearer second' });
  expect(() => accessOfPod({ host: undefined, port: '443' })).toThrow('Run this process in a pod');
});

async function openKubeFolder(): Promise<string> {
  const folder = await openFolder('concordat-kubeconfig-');
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'pki'));
  await writeFile(join(folder, 'pki/ca.crt'), 'ca from a file');
  await writeFile(join(folder, 'ca.crt'), 'ca of the pod');
  await writeFile(join(folder, 'ada.crt'), 'cert from a file');
  await writeFile(join(folder, 'pki/ada.key'), 'key from a file');
  await writeFile(join(folder, 'token'), 'first');
  const program = join(folder, 'token-program');
  const credential = '{"kind": "ExecCredential", "status": {"token": "\'"$1"\'"}}';
  await writeFile(program, `#!/bin/sh\necho '${credential}'\n`);
  await chmod(program, 0o755);
  return folder;
}

async function writeConfig(
  folder: string,
  { cluster, user }: { readonly cluster: object; readonly user: unknown },
): Promise<string> {
  const file = join(folder, 'config');
  const config = {
    'current-context': 'own',
    contexts: [
      { name: 'other', context: { cluster: 'other', user: 'other' } },
      { name: 'own', context: { cluster: 'own', user: 'own' } },
    ],
    clusters: [
      { name: 'other', cluster: { server: 'https://other.example' } },
      { name: 'own', cluster },
    ],
    users: [
      { name: 'other', user: { token: 'of the other' } },
      { name: 'own', user },
    ],
  };
  await writeFile(file, JSON.stringify(config));
  return file;
}

function libraryOf(file: string, context?: string): ClusterAccess {
  const config = new KubeConfig();
  config.loadFromFile(file);
  if (context !== undefined) config.setCurrentContext(context);
  return config;
}

/** Without the agent, which the library makes from the same members. */
async function optionsOf(access: ClusterAccess): Promise<RequestOptions> {
  const { agent: _, ...options }: RequestOptions = await applied(access);
  return options;
}

async function applied(access: ClusterAccess): Promise<RequestOptions> {
  const options: RequestOptions = {};
  await access.applyToHTTPSOptions(options);
  return options;
}
