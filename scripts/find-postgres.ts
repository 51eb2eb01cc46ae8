// Finds an installed Postgres with all its programs, for tests that the embedded one cannot run: it
// has no pg_dump, and only one version. Debian keeps each version in its own folder.

import { existsSync } from 'node:fs';
import { join } from 'node:path';

interface SystemPostgres {
  readonly version: number;
  /** Contains `bin` with postgres, initdb, pg_dump, pg_restore and createdb. */
  readonly folder: string;
}

/** The supported versions. */
const supportedVersions = [15, 16, 17, 18] as const;

/** The oldest supported version; the package of the other tests is a newer one. */
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
