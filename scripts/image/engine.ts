// The programs that build images: docker, podman, nerdctl and buildah.

import { run, runOk } from '../run-command.ts';

export type EngineName = 'docker' | 'podman' | 'nerdctl' | 'buildah';

interface Commands {
  readonly build: readonly string[];
  /** Saves an image to a file. */
  readonly save: (image: string, file: string) => readonly string[];
  readonly idOf: readonly string[];
  /** Prints the version of cgroups; buildah runs no containers. */
  readonly cgroups: readonly string[];
}

const ofDocker: Commands = {
  build: ['build'],
  save: (image, file) => ['save', '--output', file, image],
  idOf: ['image', 'inspect', '--format', '{{.Id}}'],
  cgroups: ['info', '--format', '{{.CgroupVersion}}'],
};

const commandsOf: Readonly<Record<EngineName, Commands>> = {
  docker: ofDocker,
  nerdctl: ofDocker,
  podman: {
    ...ofDocker,
    build: ['build', '--format', 'oci'],
    save: (image, file) => ['save', '--format', 'oci-archive', '--output', file, image],
    cgroups: ['info', '--format', '{{.Host.CgroupsVersion}}'],
  },
  buildah: {
    build: ['bud', '--layers', '--isolation', 'chroot', '--pull-never'],
    save: (image, file) => ['push', '--quiet', image, `oci-archive:${file}:${image}`],
    idOf: ['inspect', '--type', 'image', '--format', '{{.FromImageID}}'],
    cgroups: [],
  },
};

export interface Engine {
  readonly name: EngineName;
  /** Builds the Dockerfile of a folder. */
  build(image: string, folder: string): Promise<void>;
  /** Builds the image of the product. */
  buildProduct(image: string): Promise<void>;
  tag(image: string, as: string): Promise<void>;
  save(image: string, file: string): Promise<void>;
  /** Equal for equal content. */
  idOf(image: string): Promise<string>;
  hasOldCgroups(): Promise<boolean>;
}

export function engineOf(name: EngineName): Engine {
  const commands = commandsOf[name];
  const call = (args: readonly string[]) => runOk(name, args);
  return {
    name,
    build: async (image, folder) => void (await call([...commands.build, '--tag', image, folder])),
    buildProduct: async (image) =>
      void (await runOk('scripts/image/build.sh', [], {
        environment: { IMAGE: image, ENGINE: name },
      })),
    tag: async (image, as) => void (await call(['tag', image, as])),
    save: async (image, file) => void (await call(commands.save(image, file))),
    idOf: async (image) => (await call([...commands.idOf, image])).trim(),
    hasOldCgroups: async () => /^v?1$/.test((await call(commands.cgroups)).trim()),
  };
}

/** Why this engine cannot be used; undefined if it can. */
export async function whyNot(
  name: EngineName,
  args: readonly string[],
): Promise<string | undefined> {
  try {
    const { code, stderr } = await run(name, args);
    if (code === 0) return undefined;
    return stderr.trim().split('\n').at(-1) ?? `it ended with ${code}`;
  } catch {
    return 'it is not installed';
  }
}
