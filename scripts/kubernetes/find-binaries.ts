// Finds real Kubernetes programs for the tests, in this order: the folder in KUBEBUILDER_ASSETS;
// the cache; the published envtest archive, if it can be downloaded; a build from the Go module
// proxy, which takes about twelve minutes once.

import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import {
  buildProgram,
  cacheOf,
  type GoProgram,
  isProgram,
  type ProgramSearch,
} from './build-program.ts';

const run = promisify(execFile);

/** The version that the go.mod of each program pins. */
const kubernetesVersion = '1.35.4';
const etcdVersion = '3.6.8';

const programs = ['etcd', 'kube-apiserver', 'kubectl'] as const;
type Program = (typeof programs)[number];
export type Binaries = Readonly<Record<Program, string>>;

interface BuildSource extends GoProgram {
  readonly version: string;
  /** Its folder in the cache, which depends on how it is linked. */
  readonly cachedAs: string;
}

const versionOf = 'k8s.io/component-base/version.git';
const [kubernetesMajor, kubernetesMinor] = kubernetesVersion.split('.');
/** Linked like the official releases: otherwise a server reports v0.0.0, and charts refuse it. */
export const ofKubernetes = {
  version: kubernetesVersion,
  module: 'apiserver',
  linking: [
    `-s -w -X ${versionOf}Version=v${kubernetesVersion}`,
    `-X ${versionOf}Major=${kubernetesMajor} -X ${versionOf}Minor=${kubernetesMinor}`,
  ].join(' '),
  cachedAs: `${kubernetesVersion}-1`,
};

const sources: Readonly<Record<Program, BuildSource>> = {
  etcd: {
    version: etcdVersion,
    module: 'etcd',
    package: '.',
    linking: '-s -w',
    cachedAs: etcdVersion,
  },
  'kube-apiserver': {
    ...ofKubernetes,
    package: 'k8s.io/kubernetes/cmd/kube-apiserver',
  },
  kubectl: {
    ...ofKubernetes,
    package: 'k8s.io/kubernetes/cmd/kubectl',
  },
};

/** If there is none, throws with everything that was tried. */
export async function findBinaries({ environment, beforeFetch }: ProgramSearch): Promise<Binaries> {
  const tried: string[] = [];
  const assets = environment.KUBEBUILDER_ASSETS;
  if (assets !== undefined && assets !== '') {
    const given = inFolder(assets);
    if (await areAllThere(given)) return given;
    tried.push(`KUBEBUILDER_ASSETS (${assets}) does not hold all of ${programs.join(', ')}`);
  } else {
    tried.push('KUBEBUILDER_ASSETS is not set');
  }

  const cache = cacheOf(environment);
  const cached = inCache(cache);
  if (await areAllThere(cached)) return cached;
  tried.push(`the cache (${cache}) does not hold all of them`);

  beforeFetch(
    `Kubernetes ${kubernetesVersion} is fetched, or built from the Go module proxy (some twelve minutes).`,
  );
  for (const [what, attempt] of [
    ['the published envtest archive', download],
    ['the build from the Go module proxy', build],
  ] as const) {
    try {
      await attempt(cached);
      if (await areAllThere(cached)) return cached;
      tried.push(`${what} left programs out`);
    } catch (error) {
      tried.push(`${what} failed: ${lastLineOf(error)}`);
    }
  }
  throw new Error(
    `No Kubernetes programs for the tests. Tried: ${tried.join('; ')}. Install Go, or set ` +
      'KUBEBUILDER_ASSETS to a folder with etcd, kube-apiserver and kubectl.',
  );
}

function inFolder(folder: string): Binaries {
  return pathsBy((program) => join(folder, program));
}

function inCache(cache: string): Binaries {
  return pathsBy((program) => join(cache, program, sources[program].cachedAs, program));
}

function pathsBy(path: (program: Program) => string): Binaries {
  return {
    etcd: path('etcd'),
    'kube-apiserver': path('kube-apiserver'),
    kubectl: path('kubectl'),
  };
}

async function areAllThere(binaries: Binaries): Promise<boolean> {
  const found = await Promise.all(programs.map((program) => isProgram(binaries[program])));
  return found.every(Boolean);
}

/** Does not wait long for an archive, because building is the alternative. */
const downloadTimeoutMs = 5 * 60_000;

async function download(into: Binaries): Promise<void> {
  await withWorkFolder(into, async (folder) => {
    const { stdout } = await run(
      'go',
      [
        'tool',
        'setup-envtest',
        'use',
        '-p',
        'path',
        '--bin-dir',
        folder,
        minorOf(kubernetesVersion),
      ],
      { cwd: join(import.meta.dirname, 'envtest'), timeout: downloadTimeoutMs },
    );
    const unpacked = inFolder(stdout.trim());
    for (const program of programs) await put(unpacked[program], into[program], folder);
  });
}

async function build(into: Binaries): Promise<void> {
  for (const program of programs) {
    await buildProgram(sources[program], into[program]);
  }
}

/** Next to the cache, so that a finished program is moved there atomically. */
async function withWorkFolder(
  into: Binaries,
  work: (folder: string) => Promise<void>,
): Promise<void> {
  const cache = dirname(dirname(dirname(into.etcd)));
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'making-'));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function put(from: string, to: string, folder: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  const copy = join(folder, 'copy');
  await copyFile(from, copy);
  await rename(copy, to);
}

function minorOf(version: string): string {
  return `${version.split('.').slice(0, 2).join('.')}.x`;
}

function lastLineOf(error: unknown): string {
  const text =
    error instanceof Error && 'stderr' in error && String(error.stderr).trim() !== ''
      ? String(error.stderr)
      : String(error);
  return text.trim().split('\n').at(-1) ?? text;
}
