// The guide "Ten minutes with GitOps": its commands, run by the real kubectl on a real API server.
// `make e2e` runs those that need nodes.

import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scriptOf } from '../../docs/blocks.ts';
import { programs, runShell } from '../../docs/newcomer.ts';
import { openRegistry } from '../../support/client/client-registry.ts';
import { users } from '../../support/kubernetes/kubernetes.ts';
import { openClusterController, type TestClusterController } from '../support/open-cluster.ts';
import { openTestRegistry, type TestRegistry } from '../support/open-controller.ts';

let registry: TestRegistry;
let cluster: TestClusterController;
let folder: string;

beforeAll(async () => {
  registry = await openTestRegistry();
  await registry.team('orders');
  await registry.team('finance');
  cluster = await openClusterController(registry, { namespaces: { elsewhere: 'orders' } });
  folder = await mkdtemp(join(tmpdir(), 'concordat-guide-'));
  const { binaries, server, caFile } = cluster.address;
  const how = `--server=${server} --certificate-authority=${caFile} --token=${users.admin.token}`;
  const kubectl = join(folder, 'kubectl');
  await writeFile(kubectl, `#!/bin/sh\nexec "${binaries.kubectl}" ${how} "$@"\n`);
  await chmod(kubectl, 0o755);
});

afterAll(async () => {
  await cluster?.close();
  await registry?.stop();
  await rm(folder, { recursive: true, force: true });
});

test('a contract, a consumer, a change that breaks, an answer, and the next version, twice', async () => {
  const script = scriptOf('docs/guide/gitops.md', 'run: gitops');
  for (const round of [1, 2]) {
    const parts = (await run(script)).split('---\n').map((part) => part.trim());
    const [published, registered, asked, explained, answered] = parts;
    expect(published, `${round}`).toContain('datacontract.concordat.dev/orders condition met');
    expect(published).toMatch(
      /orders\s+warehouse\.sales\.web_orders_\d+\s+1\.0\.0\s+True\s+Published/,
    );
    expect(registered).toContain('contractregistration.concordat.dev/web-orders condition met');
    expect(asked).toMatch(/orders-\w+\s+orders\s+Pending\s+0\s+1\s/);
    expect(explained).toMatch(/^contractproposal\S+ patched$/);
    expect(answered).toMatch(/condition met\n2\.0\.0/);
  }
});

test('the first key comes from the Secret of the release, and makes the teams and their keys', async () => {
  const served = await openRegistry();
  try {
    await run(`kubectl create namespace registry
      kubectl create secret generic settings -n registry --from-literal=BOOTSTRAP_KEY=${served.bootstrapKey}`);
    const script = scriptOf('docs/guide/gitops.md', 'run: first key');
    const output = await run(script.replaceAll('http://localhost:8080', served.url));
    expect(output).toContain('Created Orders (orders)');
    expect(output).toContain('Created Finance (finance)');
    expect(output.match(/^cdt_live_[0-9A-Za-z]{43}$/gm)).toHaveLength(2);
    // The second time, the teams exist already.
    expect(await run(script.replaceAll('http://localhost:8080', served.url))).not.toContain(
      'Created',
    );
  } finally {
    await served.stop();
  }
});

function run(script: string): Promise<string> {
  return runShell(script, folder, {
    ...process.env,
    PATH: `${folder}:${programs}:${process.env.PATH}`,
  });
}
