// Finds kind, and a container engine that can run its node.

import { type EngineName, whyNot } from '../image/engine.ts';
import { type Environment, findProgram, type ProgramSearch } from './build-program.ts';

/** The version that the go.mod in `kind` pins, and the node image of its release. */
const kindVersion = '0.33.0';
const releasedImage =
  'docker.io/kindest/node:v1.37.0@sha256:a1ed56cfb0e7b93589bdf97c8cd566405a265939e3620fc4f5de89adff580ae5';
/** The image that kind/node-image.sh makes. */
const madeImage = 'localhost/concordat-kind-node';

export function findKind(search: ProgramSearch): Promise<string> {
  return findProgram(search, {
    name: 'kind',
    version: kindVersion,
    given: 'KIND',
    module: 'kind',
    package: 'sigs.k8s.io/kind',
    linking: '-s -w',
  });
}

export interface KindHost {
  readonly engine: EngineName;
  readonly nodeImage: string;
}

/** The first engine that runs a node image, or why none does. */
export async function findKindHost(environment: Environment): Promise<KindHost | string> {
  const reasons: string[] = [];
  for (const engine of ['docker', 'podman', 'nerdctl'] as const) {
    const host = await tryEngine(engine, environment.KIND_NODE_IMAGE ?? '');
    if (typeof host !== 'string') return host;
    reasons.push(`${engine}: ${host}`);
  }
  return reasons.join('\n');
}

async function tryEngine(engine: EngineName, given: string): Promise<KindHost | string> {
  const reason = await whyNot(engine, ['info']);
  if (reason !== undefined) return reason;
  const nodeImage = await imageOf(engine, given === '' ? [releasedImage, madeImage] : [given]);
  if (typeof nodeImage !== 'string') return nodeImage.reason;
  // The same options as kind's.
  const asNode = ['--privileged', '--volume', '/lib/modules:/lib/modules:ro'];
  const refused = await whyNot(engine, [
    ...['run', '--rm', ...asNode, '--entrypoint', '/bin/true', nodeImage],
  ]);
  return refused ?? { engine, nodeImage };
}

/** The first image that is present, otherwise the first that can be pulled. */
async function imageOf(
  engine: EngineName,
  images: readonly string[],
): Promise<string | { readonly reason: string }> {
  for (const image of images) {
    if ((await whyNot(engine, ['image', 'inspect', image])) === undefined) return image;
  }
  const [first = ''] = images;
  const refused = await whyNot(engine, ['pull', first]);
  return refused === undefined ? first : { reason: `there is no image of a node: ${refused}` };
}
