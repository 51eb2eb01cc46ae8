// `make kind`: installs the product on a cluster by kind, with the sample contracts. A second run
// upgrades. `make kind-down` deletes the cluster.

import { randomBytes } from 'node:crypto';
import { mkdtempDisposable, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '../../src/wire/client.ts';
import { run } from '../run-command.ts';
import { applyObjects, type Cluster, kubectlOk, until } from './cluster.ts';
import { findKindHost, type KindHost } from './find-kind.ts';
import {
  buildPostgres,
  installChart,
  installPostgres,
  namespace,
  namespaceObject,
  openNodePort,
} from './installation.ts';
import { deleteKind, exportContext, startKind } from './kind-cluster.ts';

const name = 'concordat';
const samples = 'examples/contracts';
const log = (line: string) => console.log(line);
const search = { environment: process.env, beforeFetch: log };

/** Builds, loads and installs everything, and returns the URL of the page. */
async function tryOn(host: KindHost): Promise<string> {
  const port = Number(process.env.PORT ?? 8080);
  await using folder = await mkdtempDisposable(join(tmpdir(), 'concordat-kind-'));
  const cluster = await startKind({ ...host, name, search, port, folder: folder.path });
  await exportContext({ ...host, name, search });
  log('Building the images.');
  await cluster.engine.buildProduct(`localhost/${name}:kind`);
  const image = await loadChanged(cluster, `localhost/${name}:kind`);
  const postgres = await loadChanged(cluster, await buildPostgres(cluster));
  log('Installing Postgres and the chart.');
  const secrets = await secretsOf(cluster);
  await installPostgres(cluster, postgres, secrets);
  await installChart(cluster, { image });
  const url = await openNodePort(cluster);
  await until(
    () =>
      fetch(`${url}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      ),
    `An answer at ${url}`,
  );
  log('Applying the sample contracts.');
  await applySamples(cluster, url, secrets.settings.BOOTSTRAP_KEY);
  return url;
}

/** Loads an image under a name made from its content, so that new content causes a rollout. */
async function loadChanged(cluster: Cluster, image: string): Promise<string> {
  const { engine } = cluster;
  const id = (await engine.idOf(image)).replace(/^sha256:/, '').slice(0, 12);
  const named = `${image.replace(/:[^:/]*$/, '')}:${id}`;
  const nodes = await kubectlOk(cluster, [
    ...['get', 'nodes', '-o', 'jsonpath={.items[*].status.images[*].names[*]}'],
  ]);
  if (!nodes.split(' ').includes(named)) {
    await engine.tag(image, named);
    await cluster.load(named);
  }
  return named;
}

/** Returns the secrets of the existing release, or new ones. */
async function secretsOf(cluster: Cluster) {
  const stored = async (secret: string, key: string) => {
    const { code, stdout } = await cluster.kubectl([
      ...['get', 'secret', secret, '-n', namespace, '-o', `jsonpath={.data.${key}}`],
    ]);
    return code === 0 ? Buffer.from(stdout, 'base64').toString() : undefined;
  };
  const random = () => randomBytes(18).toString('base64url');
  const address = await stored('postgres', 'uri');
  return {
    password: address === undefined ? random() : new URL(address).password,
    settings: {
      BOOTSTRAP_KEY: (await stored('settings', 'BOOTSTRAP_KEY')) ?? random(),
      ADMIN_EMAIL: 'admin@example.org',
      ADMIN_PASSWORD: (await stored('settings', 'ADMIN_PASSWORD')) ?? random(),
    },
  };
}

/**
 * Creates a namespace for each folder of the samples, and a team where none is declared, and waits until everything is
 * Ready.
 */
async function applySamples(cluster: Cluster, baseUrl: string, key: string): Promise<void> {
  const client = createClient({ baseUrl, key });
  const teams = await readdir(samples);
  for (const slug of teams) {
    if ((await readdir(join(samples, slug))).includes('team.yaml')) continue;
    const made = await client.createTeam({ body: { name: slug, slug } });
    if (!made.ok && made.status !== 409)
      throw new Error(`The team ${slug}: ${made.refusal.message}`);
  }
  await applyObjects(
    cluster,
    teams.map((team) => namespaceObject(team, { 'concordat.dev/team': team })),
  );
  for (const team of teams) {
    for (const file of await readdir(join(samples, team))) {
      const objects = await readFile(join(samples, team, file), 'utf8');
      await kubectlOk(cluster, ['apply', '-n', team, '-f', '-'], objects);
    }
  }
  await kubectlOk(cluster, [
    ...['wait', '--for=condition=Ready', 'teams,datacontracts,contractregistrations', '--all'],
    ...['--all-namespaces', '--timeout=180s'],
  ]);
}

function whatToTry(url: string, kubectl: string): string {
  const read = (setting: string) =>
    `${kubectl} get secret settings -n ${namespace} -o jsonpath='{.data.${setting}}' | base64 -d`;
  return `
Concordat runs on the cluster kind-${name}: ${url}

Sign in as admin@example.org with this password:
  ${read('ADMIN_PASSWORD')}
Call the API with this key:
  ${read('BOOTSTRAP_KEY')}
Break a contract that Finance and Analytics use; the answer warns of it:
  sed '/email: /d; s/ email,//' ${samples}/orders/customers.yaml | ${kubectl} apply -n orders -f -
Look at the proposal that asks them, and at the contract that waits for it:
  ${kubectl} get contractproposals,datacontracts -n orders
Run make kind again to upgrade, and make kind-down to delete the cluster.`;
}

async function main(command: string): Promise<void> {
  const host = await findKindHost(process.env);
  if (typeof host === 'string') {
    throw new Error(
      `kind needs docker, podman or nerdctl, and an image of a node.\n${host}\n` +
        'Where no registry of images is reached, scripts/kubernetes/kind/node-image.sh makes one.',
    );
  }
  if (command === 'down') return deleteKind({ ...host, name, search });
  const url = await tryOn(host);
  const hasKubectl = (await run('sh', ['-c', 'command -v kubectl'])).code === 0;
  log(
    whatToTry(
      url,
      hasKubectl
        ? `kubectl --context kind-${name}`
        : `${host.engine} exec -i ${name}-control-plane kubectl`,
    ),
  );
}

try {
  await main(process.argv[2] ?? 'up');
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
