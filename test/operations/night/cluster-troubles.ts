// What goes wrong between the registry and its cluster, one row for each alert about them. The API server
// is real; there are no nodes, so tests write what became of Jobs.

import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { vi } from 'vitest';
import { stringify } from 'yaml';
import { ApiClient } from '../../../src/controller/cluster/api-client.ts';
import type { JsonObject } from '../../../src/core/value/json.ts';
import { endedWith, endJob, jobsPath, runPod } from '../../controller/support/run-job.ts';
import { issueKey, must } from '../../support/client/client-world.ts';
import { freePorts } from '../../support/free-ports.ts';
import { configOf, kubectlOk, users } from '../../support/kubernetes/kubernetes.ts';
import { clusterOf, type Night, namespace, type Place, patience } from './night.ts';
import type { Trouble } from './troubles.ts';

type Settings = Readonly<Record<string, string>>;

/** The settings of a replica that reconciles the cluster, with its token in a file. */
async function followCluster({ folder, cluster }: Place): Promise<Settings> {
  const { server, caFile } = clusterOf(cluster);
  const tokenFile = join(folder, 'token');
  await writeFile(tokenFile, users.admin.token);
  const file = join(folder, 'kubeconfig');
  const auth = { 'auth-provider': { name: 'tokenFile', config: { tokenFile } } };
  const config = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'x' },
    clusters: [{ name: 'x', cluster: { server, 'certificate-authority': caFile } }],
    users: [{ name: 'x', user: auth }],
    contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
  };
  await writeFile(file, stringify(config));
  return { KUBERNETES: 'kubeconfig', KUBECONFIG: file, LEASE_NAMESPACE: namespace };
}

/** With checks, whose pods ask this registry. */
const followChecks = async (place: Place) => ({
  ...(await followCluster(place)),
  ...{ CHECK_IMAGE: 'registry.example/concordat:1', CHECK_REGISTRY_URL: 'http://registry:80' },
});

const team = (slug: string) => ({ 'concordat.dev/team': slug });

/** A namespace whose contracts belong to the producer. */
async function openNamespace(night: Night, name: string): Promise<void> {
  const { admin, producer } = night.world;
  const { results } = must(await admin.listTeams({ query: { page_size: 100 } }), 200);
  const slug = results.find(({ id }) => id === producer.teamId)?.slug ?? '';
  await night.apply({
    ...{ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: team(slug) } },
  });
}

const orders = (name: string, inNamespace: string) => ({
  ...{ apiVersion: 'concordat.dev/v1', kind: 'DataContract' },
  metadata: { name, namespace: inNamespace },
  spec: {
    fqn: `${inNamespace}.${name}`,
    schema: { type: 'object', properties: { id: { type: 'integer' }, state: { enum: ['open'] } } },
  },
});

const readyOf = async (night: Night, kind: string, name: string, inNamespace: string) =>
  await kubectlOk(clusterOf(night.cluster), [
    ...['get', kind, name, '-n', inNamespace],
    ...['-o', 'jsonpath={.status.conditions[?(@.type=="Ready")].reason}'],
  ]);

const untilReady = (
  night: Night,
  kind: string,
  name: string,
  inNamespace: string,
  reason: string,
) => vi.waitUntil(async () => (await readyOf(night, kind, name, inNamespace)) === reason, patience);

/** A check of a table, run by its Job as the kubelet would, and what became of it. */
async function runCheck(night: Night, inNamespace: string, table: string): Promise<void> {
  await openNamespace(night, inNamespace);
  await night.apply(orders('orders', inNamespace));
  await untilReady(night, 'datacontract', 'orders', inNamespace, 'Published');
  await night.scrape();
  await night.database.query('create table checked (id int, state text)');
  await night.database.query(`insert into checked values (1, 'open'), (2, 'lost')`);
  const address = new URL(night.database.url);
  const { password } = address;
  address.password = '';
  const { admin, producer } = night.world;
  const token = await issueKey(admin, { team_id: producer.teamId, scopes: ['write'] });
  await night.apply({
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'check', namespace: inNamespace } },
    stringData: { token, password },
  });
  const secret = (key: string) => ({ secretKeyRef: { name: 'check', key } });
  await night.apply({
    ...{ apiVersion: 'concordat.dev/v1', kind: 'ContractCheck' },
    metadata: { name: 'nightly', namespace: inNamespace },
    spec: {
      ...{ contractRef: { name: 'orders' }, severity: 'Critical', registryKey: secret('token') },
      source: { url: address.href, passwordFrom: secret('password'), table },
    },
  });
  const client = new ApiClient(configOf(clusterOf(night.cluster)));
  try {
    const job = await vi.waitUntil(async () => {
      const { items } = await client.expect({ method: 'GET', path: jobsPath(inNamespace) });
      return (items as readonly JsonObject[])[0];
    }, patience);
    const { code } = await runPod(client, job, { registry: night.world.url, cwd: night.folder });
    await endJob(client, job, endedWith(code ?? -1));
  } finally {
    client.close();
  }
}

/** Asks the webhook as the API server does, without its trust in the certificate. */
function review(port: number, object: object): Promise<string> {
  return new Promise((done, fail) => {
    const options = {
      ...{ method: 'POST', host: '127.0.0.1', port, path: '/validate', agent: false },
      rejectUnauthorized: false,
    };
    const sent = request(options, (response) => void text(response).then(done, fail));
    sent.once('error', fail);
    sent.end(
      JSON.stringify({
        ...{ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' },
        request: { uid: '1', namespace: 'shop', name: 'a', operation: 'CREATE', object },
      }),
    );
  });
}

const checkRuns = (state: string) =>
  `concordat_check_runs_total{state="${state}",severity="critical"}`;

export const clusterTroubles: Readonly<Record<string, Trouble>> = {
  ConcordatApiServerRefuses: {
    hasCluster: true,
    prepare: followCluster,
    make: async (night) => {
      await night.until('leader_election_master_status{name="cluster"}', (value) => value === 1);
      await night.scrape();
      await writeFile(join(night.folder, 'token'), 'revoked');
      const refused = /^rest_client_requests_total\{code="401"/;
      await night.until(refused, (value) => value > 2);
      // The token was read again: from now on each request is refused.
      await night.scrape();
      await night.until(refused, (value) => value > 5);
    },
    shows: [/code="401"/, /token of the API server is expired or revoked/],
  },
  ConcordatAdmissionUnchecked: {
    hasCluster: true,
    prepare: async (place) => {
      const [port = 0] = await freePorts(1);
      await writeFile(join(place.folder, 'port'), String(port));
      return {
        ...(await followCluster(place)),
        ...{
          ADMISSION_PORT: String(port),
          ADMISSION_CONFIGURATION: 'shop-registry-concordat-data',
        },
      };
    },
    make: async (night) => {
      const port = Number(await readFile(join(night.folder, 'port'), 'utf8'));
      await vi.waitUntil(
        () =>
          review(port, orders('a', 'shop')).then(
            (answer) => answer.includes('"allowed":true'),
            () => false,
          ),
        patience,
      );
      await night.scrape();
      night.proxy.stall();
      await review(port, orders('b', 'shop'));
      await night.until(
        'concordat_admission_reviews_total{outcome="unchecked"}',
        (value) => value > 0,
      );
    },
    shows: [/outcome="unchecked"\} [1-9]/, /reviewing/],
  },
  ConcordatAdmissionUnreachable: {
    hasCluster: true,
    make: async (night) => {
      await night.scrape();
      const name = 'unreachable';
      await openNamespace(night, name);
      // The Service of the release has no pod.
      await night.apply(orders('orders', name));
    },
    shows: [/fail_open_count.* [1-9]/, /"name":"shop-registry-concordat-webhook"/],
  },
  ConcordatCriticalDataDoesNotMatch: {
    hasCluster: true,
    prepare: followChecks,
    make: async (night) => {
      await runCheck(night, 'critical', 'checked');
      await night.until(checkRuns('failed'), (value) => value === 1);
      await untilReady(night, 'contractcheck', 'nightly', 'critical', 'UpToDate');
    },
    shows: [/nightly .*Failed/, /"rules":\[\{"name":"\$\.state enum","rows":1\}\]/],
    silent: ['ConcordatChecksDoNotRun'],
  },
  ConcordatChecksDoNotRun: {
    hasCluster: true,
    prepare: followChecks,
    make: async (night) => {
      await runCheck(night, 'unchecked', 'a_table_that_is_gone');
      await night.until(checkRuns('error'), (value) => value === 1);
      await untilReady(night, 'contractcheck', 'nightly', 'unchecked', 'CheckFailed');
    },
    shows: [/unchecked {2}nightly {2}.*CheckFailed: /],
    silent: ['ConcordatCriticalDataDoesNotMatch'],
  },
};
