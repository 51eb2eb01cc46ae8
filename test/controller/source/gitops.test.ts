// The examples for Argo CD and Flux: applied objects show no drift, and the health check tells the
// reader of each reason what to do.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { findLua } from '../../../scripts/kubernetes/find-lua.ts';
import { readyReasons, toConditions } from '../../../src/controller/conditions.ts';
import { kinds } from '../../../src/controller/crd/kinds.ts';
import { kubectl, kubectlOk } from '../../support/kubernetes/kubernetes.ts';
import { builtProgram } from '../../support/tools.ts';
import { openClusterController, type TestClusterController } from '../support/open-cluster.ts';
import { openTestRegistry, type TestRegistry } from '../support/open-controller.ts';

const examples = join(import.meta.dirname, '../../../examples/gitops');
const check = join(examples, 'argocd/health.lua');
const read = (path: string) => parse(readFileSync(join(examples, path), 'utf8'));

interface Health {
  readonly status: string;
  readonly message?: string;
}

let program: string;

beforeAll(async () => {
  program = await findLua(builtProgram);
});

/** Runs the health check like Argo CD, with its own interpreter. */
function healthOf(objects: readonly object[], script = check): Promise<readonly Health[]> {
  return new Promise((done, fail) => {
    const child = spawn(program, [script], { stdio: ['pipe', 'pipe', 'pipe'] });
    let output = '';
    let problem = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      problem += chunk;
    });
    child.once('error', fail);
    child.once('close', (code) => {
      if (code !== 0) fail(new Error(problem));
      else
        done(
          output
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line)),
        );
    });
    child.stdin.end(objects.map((object) => `${JSON.stringify(object)}\n`).join(''));
  });
}

describe('The health check for Argo CD', () => {
  test('calls the objects of its test data what they are', async () => {
    const { tests } = read('argocd/health_test.yaml');
    expect(tests.length).toBeGreaterThan(5);
    const objects = tests.map(({ inputPath }: { inputPath: string }) =>
      read(`argocd/${inputPath}`),
    );
    const wanted = tests.map(({ healthStatus }: { healthStatus: Health }) => healthStatus);
    expect(await healthOf(objects)).toEqual(wanted);
    expect(new Set(objects.map(({ kind }: { kind: string }) => kind))).toEqual(
      new Set(kinds.map(({ kind }) => kind)),
    );
  });

  test('tells of every reason whether people are waited for, or have to change something', async () => {
    const now = '2026-01-05T08:00:00Z';
    const objects = readyReasons.map((reason) => ({
      metadata: { generation: 2 },
      status: {
        observedGeneration: 2,
        conditions: toConditions({ reason, message: `It is ${reason}.` }, 2, [], now),
      },
    }));
    const found = await healthOf(objects);
    const byReason = Object.fromEntries(
      readyReasons.map((reason, index) => [reason, found[index]?.status]),
    );
    expect(byReason).toEqual({
      Published: 'Healthy',
      UpToDate: 'Healthy',
      ProposalPending: 'Suspended',
      ProposalConflict: 'Suspended',
      ProposalRejected: 'Degraded',
      ProposalWithdrawn: 'Degraded',
      InvalidSchema: 'Degraded',
      CheckFailed: 'Degraded',
      JobRefused: 'Degraded',
      InvalidSpec: 'Degraded',
      TeamNotResolved: 'Degraded',
      TeamNotFound: 'Progressing',
      FqnConflict: 'Degraded',
      Conflict: 'Degraded',
      ManagedElsewhere: 'Degraded',
      NotPermitted: 'Degraded',
      SourceNotFound: 'Progressing',
      ContractNotFound: 'Progressing',
      AssetNotFound: 'Progressing',
      RegistryUnavailable: 'Progressing',
      DeletionBlocked: 'Progressing',
    });
    expect(found.map(({ message }) => message)).toEqual(
      readyReasons.map((reason) => `It is ${reason}.`),
    );
  });

  test('is in the ConfigMap of Argo CD for each kind', () => {
    const { data } = read('argocd/argocd-cm.yaml');
    const lua = readFileSync(check, 'utf8');
    expect(data).toEqual(
      Object.fromEntries(
        kinds.map(({ kind }) => [`resource.customizations.health.concordat.dev_${kind}`, lua]),
      ),
    );
  });
});

describe('What both tools apply', () => {
  let registry: TestRegistry;
  let cluster: TestClusterController;

  beforeAll(async () => {
    registry = await openTestRegistry();
    await registry.team('orders');
    await registry.team('finance');
    cluster = await openClusterController(registry, {
      namespaces: { orders: 'orders', finance: 'finance' },
    });
  });

  afterAll(async () => {
    await cluster?.close();
    await registry?.stop();
  });

  const folder = join(examples, 'contracts');
  const apply = () =>
    kubectlOk(cluster.address, [
      ...['apply', '--server-side', '--force-conflicts', '--field-manager=argocd-controller'],
      ...['-k', folder],
    ]);
  const versionsOf = async () => {
    const objects = [
      await cluster.get('DataContract', 'orders'),
      await cluster.get('ContractRegistration', 'finance/orders'),
    ];
    return objects.map(({ metadata }) => [metadata.generation, metadata.resourceVersion]);
  };

  test('is published, and applied again it changes nothing', async () => {
    await apply();
    const contract = await cluster.until('DataContract', 'orders', 'Published', /1\.0\.0/);
    const registration = await cluster.until('ContractRegistration', 'finance/orders', 'UpToDate');
    expect(await healthOf([contract, registration])).toMatchObject([
      { status: 'Healthy' },
      { status: 'Healthy' },
    ]);
    // The contract counts its new consumer a moment after the registration exists.
    await expect
      .poll(async () => (await cluster.get('DataContract', 'orders')).status?.consumers, {
        timeout: 20_000,
      })
      .toBe(1);
    const before = await versionsOf();
    const said = await apply();
    expect(said.match(/serverside-applied/g)).toHaveLength(4);
    expect(await versionsOf()).toEqual(before);
  });

  test('shows no difference, neither to what is there nor to what it would become', async () => {
    // Compares the stored objects with the result of a server-side apply, including defaults.
    const { code, stdout, stderr } = await kubectl(cluster.address, [
      ...['diff', '--server-side', '--force-conflicts', '--field-manager=argocd-controller'],
      ...['-k', folder],
    ]);
    expect([code, stdout, stderr]).toEqual([0, '', '']);
    for (const [kind, name, file] of [
      ['DataContract', 'orders', 'orders.yaml'],
      ['ContractRegistration', 'finance/orders', 'finance.yaml'],
    ] as const) {
      const text = readFileSync(join(folder, file), 'utf8');
      const wanted = parseAllDocuments(text).map((document) => document.toJS());
      const live = await cluster.get(kind, name);
      const inGit = wanted.find((object) => object.kind === kind);
      expect(live.spec).toEqual(inGit.spec);
      expect(live.metadata.labels).toBeUndefined();
      expect(live.metadata.annotations).toBeUndefined();
    }
  });

  test('is where the Application and the Kustomization look for it', () => {
    const path = 'examples/gitops/contracts';
    expect(folder.endsWith(path)).toBe(true);
    const application = read('argocd/application.yaml');
    expect(application.spec.source.path).toBe(path);
    expect(application.spec.syncPolicy.syncOptions).toEqual(['ServerSideApply=true']);
    const kustomization = read('flux/kustomization.yaml');
    const repository = read('flux/git-repository.yaml');
    expect(kustomization.spec.path).toBe(`./${path}`);
    expect(kustomization.spec.sourceRef).toEqual({
      kind: repository.kind,
      name: repository.metadata.name,
    });
    expect(dirname(check).endsWith('examples/gitops/argocd')).toBe(true);
  });
});
