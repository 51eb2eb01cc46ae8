// A cluster for trying the product: loads images and runs kubectl.

import { setTimeout } from 'node:timers/promises';
import { stringify } from 'yaml';
import type { Engine } from '../image/engine.ts';
import type { Ran } from '../run-command.ts';

export interface Cluster {
  /** The kind of cluster, in words. */
  readonly description: string;
  readonly kubeconfig: string;
  /** The engine that builds the images to load. */
  readonly engine: Engine;
  /** Whether volume claims are bound. Without this, data is lost with its pod. */
  readonly bindsClaims: boolean;
  kubectl(args: readonly string[], input?: string): Promise<Ran>;
  /** Loads an image of the engine onto the node. */
  load(image: string): Promise<void>;
  /** The URL for `nodePort` from this machine. */
  url(): Promise<string>;
  stopApiServer(): Promise<void>;
  startApiServer(): Promise<void>;
  /** The end of the node's log. */
  logs(): Promise<readonly string[]>;
  /** Deletes the cluster. */
  stop(): Promise<void>;
}

/** The port of the node that is forwarded to the release. */
export const nodePort = 30_080;

/** Returns standard output, or throws kubectl's message. */
export async function kubectlOk(
  cluster: Cluster,
  args: readonly string[],
  input?: string,
): Promise<string> {
  const { code, stdout, stderr } = await cluster.kubectl(args, input);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout.trim();
}

export function applyObjects(cluster: Cluster, objects: readonly object[]): Promise<string> {
  const input = objects.map((object) => stringify(object)).join('---\n');
  return kubectlOk(cluster, ['apply', '--server-side', '-f', '-'], input);
}

/** Waits until the condition holds. */
export async function until(condition: () => Promise<boolean>, what: string): Promise<void> {
  const ends = Date.now() + patienceMs;
  while (!(await condition())) {
    if (Date.now() > ends) throw new Error(`${what}: not within ${patienceMs / 60_000} minutes.`);
    await setTimeout(250);
  }
}

const patienceMs = 5 * 60_000;
