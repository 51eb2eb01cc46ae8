// A cluster with one node, made by kind.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { type EngineName, engineOf } from '../image/engine.ts';
import { run, runOk } from '../run-command.ts';
import type { ProgramSearch } from './build-program.ts';
import { type Cluster, nodePort, until } from './cluster.ts';
import { findKind, type KindHost } from './find-kind.ts';

interface Named {
  readonly engine: EngineName;
  readonly name: string;
  readonly search: ProgramSearch;
}

interface KindOptions extends KindHost, Named {
  /** The folder for the kubeconfig and for images in transfer. */
  readonly folder: string;
  /** The port of this machine for the release; 0 for a free one. */
  readonly port: number;
}

async function kindOf({ engine, search }: Named) {
  const program = await findKind(search);
  const environment = { KIND_EXPERIMENTAL_PROVIDER: engine };
  return (args: readonly string[], input = '') => runOk(program, args, { input, environment });
}

/**
 * Deletes the cluster with this name, if there is one, and its context from the user's kubeconfig.
 */
export async function deleteKind(named: Named): Promise<void> {
  await (await kindOf(named))(['delete', 'cluster', '--name', named.name]);
}

/** Adds the context `kind-NAME` to the user's kubeconfig. */
export async function exportContext(named: Named): Promise<void> {
  await (await kindOf(named))(['export', 'kubeconfig', '--name', named.name]);
}

/** Returns the cluster with this name, and creates it if necessary. */
export async function startKind(options: KindOptions): Promise<Cluster> {
  const { name, search, folder } = options;
  const engine = engineOf(options.engine);
  const kind = await kindOf(options);
  const node = `${name}-control-plane`;
  const inNode = (command: readonly string[], input = '') =>
    run(engine.name, ['exec', '--interactive', node, ...command], { input });
  const kubeconfig = join(folder, 'kubeconfig');
  const named = ['--name', name, '--kubeconfig', kubeconfig];

  const kubectl = (args: readonly string[], input = '') => inNode(['kubectl', ...args], input);
  const answers = async () => (await kubectl(['get', '--raw', '/readyz'])).code === 0;
  const clusters = (await kind(['get', 'clusters'])).split('\n');
  if (clusters.includes(name)) {
    // The node is stopped after the machine was restarted.
    await runOk(engine.name, ['start', node]);
    await until(answers, `The start of the cluster ${name}`);
    await kind(['export', 'kubeconfig', ...named]);
  } else {
    search.beforeFetch(`Making the cluster ${name} by kind, with ${engine.name}.`);
    const settings = stringify(configuration(options.port, await engine.hasOldCgroups()));
    const made = ['--image', options.nodeImage, '--wait', '3m', '--config', '-'];
    await kind(['create', 'cluster', ...named, ...made], settings);
  }

  const manifest = '/etc/kubernetes/manifests/kube-apiserver.yaml';
  const aside = '/etc/kubernetes/kube-apiserver.yaml';
  const move = async (from: string, to: string) => {
    const { code, stderr } = await inNode(['mv', from, to]);
    if (code !== 0) throw new Error(stderr);
  };
  return {
    description: `kind with ${engine.name}`,
    kubeconfig,
    engine,
    bindsClaims: true,
    kubectl,
    load: async (image) => {
      const archive = join(folder, 'image.tar');
      await engine.save(image, archive);
      await kind(['load', 'image-archive', archive, '--name', name]);
      await rm(archive);
    },
    url: async () =>
      `http://${(await runOk(engine.name, ['port', node, `${nodePort}/tcp`])).trim()}`,
    stopApiServer: async () => {
      await move(manifest, aside);
      await until(async () => !(await answers()), 'The end of the API server');
    },
    startApiServer: async () => {
      await move(aside, manifest);
      await until(answers, 'The start of the API server');
    },
    logs: async () => {
      const read = (unit: string) =>
        inNode(['journalctl', '--no-pager', '--lines', '40', '-u', unit]);
      return (await Promise.all(['kubelet', 'containerd'].map(read))).map(({ stdout }) => stdout);
    },
    stop: async () => void (await kind(['delete', 'cluster', ...named])),
  };
}

const configuration = (port: number, oldCgroups: boolean) => ({
  kind: 'Cluster',
  apiVersion: 'kind.x-k8s.io/v1alpha4',
  nodes: [
    {
      role: 'control-plane',
      extraPortMappings: [
        { containerPort: nodePort, hostPort: port, listenAddress: '127.0.0.1', protocol: 'TCP' },
      ],
    },
  ],
  // Since Kubernetes 1.35 a kubelet refuses cgroups version 1 without this setting.
  ...(oldCgroups && {
    kubeadmConfigPatches: [stringify({ kind: 'KubeletConfiguration', failCgroupV1: false })],
  }),
});
