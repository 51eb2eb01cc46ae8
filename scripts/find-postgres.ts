// A Postgres of the system with all its programs, for what the embedded one cannot show: it has no
// pg_dump, and is of one version. Debian keeps each version in a folder of its own.

import { existsSync } from 'node:fs';
import { join } from 'node:path';

interface SystemPostgres {
  readonly version: number;
  /** Holds `bin` with postgres, initdb, pg_dump, pg_restore and createdb. */
  readonly folder: string;
}

/** The versions that the registry runs on. */
const supportedVersions = [15, 16, 17, 18] as const;

/** The oldest supported one: what is newer is in the package that the other tests run on. */
export function findPostgres(root = '/usr/lib/postgresql'): SystemPostgres {
  for (const version of supportedVersions) {
    const folder = join(root, String(version));
    const programs = ['postgres', 'initdb', 'pg_dump', 'pg_restore', 'createdb'];
    if (programs.every((name) => existsSync(join(folder, 'bin', name)))) return { version, folder };
  }
  throw new Error(
    `There is no Postgres ${supportedVersions.join(', ')} in ${root}. Install one and run again: ` +
      'sudo apt-get install --no-install-recommends postgresql',
  );
}
