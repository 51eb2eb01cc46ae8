// A cluster to try the product on: images are loaded into it, and kubectl asks it.

import { setTimeout } from 'node:timers/promises';
import { stringify } from 'yaml';
import type { Engine } from '../image/engine.ts';
import type { Ran } from '../run-command.ts';

export interface Cluster {
  /** What it runs on, in words. */
  readonly description: string;
  readonly kubeconfig: string;
  /** Builds the images that are loaded. */
  readonly engine: Engine;
  /** Whether a claim to storage is bound. Without it data lives as long as its pod. */
  readonly bindsClaims: boolean;
  kubectl(args: readonly string[], input?: string): Promise<Ran>;
  /** Brings an image of the engine onto the node. */
  load(image: string): Promise<void>;
  /** The URL that reaches `nodePort` from this machine. */
  url(): Promise<string>;
  stopApiServer(): Promise<void>;
  startApiServer(): Promise<void>;
  /** The end of what the node logged. */
  logs(): Promise<readonly string[]>;
  /** Deletes the cluster. */
  stop(): Promise<void>;
}

/** The port of the node that leads to the release. */
export const nodePort = 30_080;

/** Returns standard output, or throws what kubectl said. */
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

/** Polls until the condition holds. */
export async function until(condition: () => Promise<boolean>, what: string): Promise<void> {
  const ends = Date.now() + patienceMs;
  while (!(await condition())) {
    if (Date.now() > ends) throw new Error(`${what}: not within ${patienceMs / 60_000} minutes.`);
    await setTimeout(250);
  }
}

const patienceMs = 5 * 60_000;
