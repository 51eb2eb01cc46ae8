// Ten minutes with GitOps: the lines of the page, by the real kubectl on a real API server. What
// needs nodes, `make e2e` does.

import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scriptOf } from '../../docs/blocks.ts';
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

test('a contract, a consumer, a change that breaks, an answer, and the next version', async () => {
  const script = scriptOf('docs/guide/gitops.md', 'run: gitops');
  const parts = (await run(script)).split('---\n').map((part) => part.trim());
  const [published, registered, asked, answered] = parts;
  expect(published).toContain('datacontract.concordat.dev/orders condition met');
  expect(published).toMatch(/orders\s+warehouse\.sales\.web_orders\s+1\.0\.0\s+True\s+Published/);
  expect(registered).toContain('contractregistration.concordat.dev/web-orders condition met');
  expect(asked).toMatch(/orders-\w+\s+orders\s+Pending\s+0\s+1\s/);
  expect(answered).toMatch(/condition met\n2\.0\.0$/);
});

function run(script: string): Promise<string> {
  return new Promise((done, fail) => {
    const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
    const shell = spawn('bash', ['-eu', '-o', 'pipefail', '-c', script], { cwd: folder, env });
    let output = '';
    const add = (chunk: Buffer) => {
      output += chunk;
    };
    shell.stdout.on('data', add);
    shell.stderr.on('data', add);
    shell.once('error', fail);
    shell.once('close', (code) =>
      code === 0 ? done(output) : fail(new Error(`exit ${code}:\n${output}`)),
    );
  });
}
