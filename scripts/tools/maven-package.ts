// Fetches packages of Maven Central with everything that they need, once, and caches them: servers
// that tests run as they are published.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const cache = join(homedir(), '.cache', 'concordat', 'maven-packages');

/** The broker of the tests. */
export const kafkaPackage = {
  group: 'org.apache.kafka',
  name: 'kafka_2.13',
  version: '4.3.1',
} as const;

/** The object store of the tests. */
export const s3ServerPackage = {
  group: 'org.gaul',
  name: 's3proxy',
  version: '2.6.0',
} as const;

interface MavenPackage {
  readonly group: string;
  readonly name: string;
  readonly version: string;
}

/** Where its classes are, and those of what it needs. */
export function mavenPackageFolder({ name, version }: MavenPackage): string {
  return join(cache, name, version);
}

/** The folder of a package's jars, fetched if it is missing. */
export async function fetchMavenPackage(wanted: MavenPackage): Promise<string> {
  const folder = mavenPackageFolder(wanted);
  if (existsSync(folder)) return folder;
  await mkdir(join(folder, '..'), { recursive: true });
  const making = await mkdtemp(`${folder}.making-`);
  try {
    await writeFile(join(making, 'pom.xml'), projectWith(wanted));
    const jars = join(making, 'jars');
    await run(
      'mvn',
      ['--batch-mode', '--quiet', 'dependency:copy-dependencies', `-DoutputDirectory=${jars}`],
      { cwd: making },
    );
    await rename(jars, folder).catch((error: unknown) => {
      // Another process fetched the same package meanwhile.
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(making, { recursive: true, force: true });
  }
  return folder;
}

/** Maven reads what to fetch from the file of a project. */
function projectWith({ group, name, version }: MavenPackage): string {
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>dev.concordat</groupId><artifactId>tools</artifactId><version>1</version>
  <dependencies><dependency>
    <groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version>
    <scope>runtime</scope>
  </dependency></dependencies>
</project>
`;
}
