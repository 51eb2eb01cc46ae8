// A cluster with one node on this machine, set up by us: requires root, but not Docker.

import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { engineOf } from '../../scripts/image/engine.ts';
import { type Cluster, nodePort } from '../../scripts/kubernetes/cluster.ts';
import { linkNodePrograms } from '../../scripts/kubernetes/find-node.ts';
import { run, runOk } from '../../scripts/run-command.ts';

const scripts = 'scripts/kubernetes/node';

export async function startOneNode(): Promise<Cluster> {
  await runOk(`${scripts}/needs.sh`, []);
  const folder = await mkdtemp(join(tmpdir(), 'concordat-node-'));
  const programs = join(folder, 'programs');
  const state = join(folder, 'state');
  await linkNodePrograms(programs, { environment: process.env, beforeFetch: console.warn });
  await mkdir(state);
  const cluster = (...args: string[]) =>
    runOk(`${scripts}/cluster.sh`, args, { environment: { PROGRAMS: programs, STATE: state } });
  const stop = async () => {
    await cluster('down');
    await rm(folder, { recursive: true, force: true });
  };
  const engine = engineOf('buildah');
  try {
    const kubeconfig = (await cluster('up')).trim();
    const kubectl = (args: readonly string[], input = '') =>
      run(join(programs, 'kubectl'), ['--kubeconfig', kubeconfig, ...args], { input });
    const logOf = (name: string) =>
      readFile(join(state, `logs/${name}.log`), 'utf8').catch(() => '');
    return {
      description: 'a node of our own',
      kubeconfig,
      engine,
      bindsClaims: false,
      kubectl,
      load: async (image) => {
        const archive = join(folder, 'image.tar');
        await engine.save(image, archive);
        await cluster('load', archive);
        await rm(archive);
      },
      url: async () => {
        const address = 'jsonpath={.items[0].status.addresses[?(@.type=="InternalIP")].address}';
        const { stdout } = await kubectl(['get', 'nodes', '-o', address]);
        return `http://${stdout.trim()}:${nodePort}`;
      },
      stopApiServer: async () => void (await cluster('stop-api')),
      startApiServer: async () => void (await cluster('start-api')),
      logs: () => Promise.all(['kubelet', 'containerd'].map(logOf)),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
