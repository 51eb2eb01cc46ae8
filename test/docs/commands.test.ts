// Every command line of the documentation is run by a test, or listed here with what it needs and
// checked as far as possible.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { blocksOf, documentation } from './blocks.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** The tests that run the blocks with a mark, by page. */
const runBy: Readonly<Record<string, readonly string[]>> = {
  'test/docs/guide.test.ts': [
    'README.md run',
    ...[
      'rest',
      'ci',
      'operate',
      'how-to-consume',
      'how-to-say-what-you-read',
      'how-to-change',
      'how-to-import',
      'how-to-check',
      'how-to-ask-with-agents',
    ].map((page) => `docs/guide/${page}.md run`),
  ],
  'test/operations/backup.test.ts': ['backup', 'restore', 'verify'].map(
    (part) => `docs/guide/how-to-back-up.md run: ${part}`,
  ),
  'test/operations/alerts-fire.test.ts': readdirSync(join(root, 'docs/runbooks'))
    .filter((page) => page !== 'rebuilt-cluster.md')
    .map((page) => `docs/runbooks/${page} run`),
  'test/api/running/trail-archive.test.ts': ['docs/operations.md run: pack'],
  'test/controller/cluster/uninstall.test.ts': ['docs/operations.md run: uninstall'],
  'test/controller/source/guide.test.ts': ['first key', 'gitops'].map(
    (part) => `docs/guide/gitops.md run: ${part}`,
  ),
};

const cluster = 'needs: a cluster with nodes, and an image that it can pull';
const nodes = 'needs: a cluster with nodes';
const docker = 'needs: docker';

/** The first line of each block that is not run, and why. */
const notRun: Readonly<Record<string, string>> = {
  'README.md make run     # the server on port 8080, with an embedded Postgres and demo data':
    'the tests start the same server, and are what the second line runs',
  'README.md concordat status --watch': 'it watches until it is stopped; test/cli/registry does',
  'docs/guide/README.md export CONCORDAT_URL=https://concordat.example.org':
    'an address that nobody has; other pages do the same with the one of make run',
  'docs/guide/docker.md [ -f examples/compose/.env ] || (umask 077; cat > examples/compose/.env <<END':
    docker,
  'docs/guide/docker.md mkdir -p .concordat': docker,
  'docs/guide/docker.md concordat() { docker compose --file examples/compose/compose.yaml exec -T -e CONCORDAT_URL=http://localhost:8080 concordat \\':
    docker,
  'docs/guide/docker.md docker network create concordat': docker,
  'docs/guide/gitops.md kubectl create namespace registry': cluster,
  'docs/guide/gitops.md kubectl port-forward --namespace registry service/concordat 8080:80':
    cluster,
  'docs/guide/gitops.md kubectl patch configmap argocd-cm -n argocd --patch-file examples/gitops/argocd/argocd-cm.yaml':
    'needs: Argo CD',
  'docs/guide/gitops.md kubectl apply -f examples/gitops/flux/git-repository.yaml -f examples/gitops/flux/kustomization.yaml':
    'needs: Flux',
  'docs/guide/how-to-back-up.md export PATH="$PWD/bin:$PATH"   # in the checkout':
    'needs: a terminal of its own: it serves until it is stopped',
  'docs/guide/how-to-check.md export CONCORDAT_SOURCE=postgres://reader@db.example.com/shop':
    'names of a database that nobody has; test/cli/registry/check does the same',
  "docs/guide/how-to-check.md snow sql --format json -q \"select column_name, data_type || coalesce('(' || numeric_precision || ',' || numeric_scale || ')', '') as data_type":
    'needs: a warehouse; test/cli/registry/check/warehouse.test.ts does the same',
  'docs/guide/how-to-check.md kubectl get contractchecks -n shop': cluster,
  'docs/guide/operate.md make image': cluster,
  'docs/compatibility.md $ concordat diff old.json new.json':
    'names of files that nobody has; the examples above it are run',
  'docs/runbooks/ConcordatChecksDoNotRun.md kubectl --namespace "${JOB_NAMESPACE:?}" logs "job/${JOB:?}"':
    nodes,
  'docs/runbooks/ConcordatDown.md kubectl --namespace "$NAMESPACE" logs --previous "${POD:?}" | tail -20':
    nodes,
  'docs/runbooks/ConcordatReplicaGone.md kubectl --namespace "$NAMESPACE" describe pod "${POD:?}"':
    nodes,
  'docs/runbooks/ConcordatRestarts.md kubectl --namespace "$NAMESPACE" describe pod "${POD:?}"':
    nodes,
};

const blocks = documentation.flatMap(blocksOf);
const isRun = ({ mark }: { mark: string }) => /^run\b/.test(mark);
const others = blocks.filter((block) => !isRun(block));

test('every block is run by a test, or is in the list of those that are not', () => {
  const run = new Set(blocks.filter(isRun).map(({ page, mark }) => `${page} ${mark}`));
  expect([...run].sort()).toEqual(Object.values(runBy).flat().sort());
  const listed = others.map(({ page, script }) => `${page} ${script.split('\n')[0]}`);
  expect(listed).toEqual(Object.keys(notRun));
  // The page and this list agree on what a block needs.
  for (const { page, mark, script } of others.filter((block) => block.mark !== '')) {
    expect(notRun[`${page} ${script.split('\n')[0]}`]).toBe(mark);
  }
  for (const file of Object.keys(runBy)) expect(existsSync(join(root, file))).toBe(true);
});

describe.each(others)('$page: $script', ({ page, script }) => {
  test('is shell, and names what there is', () => {
    const { status, stderr } = spawnSync('bash', ['-n'], { input: script, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    const words = script.replaceAll(/\\\n/g, ' ').replaceAll(/#.*$/gm, '').split(/\s+/);
    const written = (path: string) =>
      blocksOf(page).some((one) => one.script.includes(`> ${path}`));
    const paths = words.filter(
      (word) => /^(examples|charts|docs|scripts)\//.test(word) && !written(word),
    );
    for (const path of paths) expect([path, existsSync(join(root, path))]).toEqual([path, true]);
    const targets = [...script.matchAll(/^make ([\w-]+)/gm)].map((match) => match[1]);
    for (const target of targets) expect(read('Makefile')).toContain(`\n${target}: `);
  });

  test('asks the command line for what it has, and the chart for values that it takes', () => {
    const commands = script.matchAll(
      /(?:concordat --|^(?:\$ )?concordat) (?:(\w[\w-]*) ?)?([^#\n]*)/gm,
    );
    for (const [, command = '', rest = ''] of commands) {
      const section = sectionOf(command);
      for (const [flag] of rest.matchAll(/--[a-z-]+/g)) {
        expect(section).toMatch(new RegExp(`  (?:-\\w, )?${flag}\\b`));
      }
    }
    const settings = [...script.matchAll(/--set ([^\s=]+)=/g)].map((match) => match[1] ?? '');
    const values = JSON.parse(read('charts/concordat/values.schema.json'));
    for (const path of settings) {
      const found = path.split('.').reduce((schema, key) => schema?.properties?.[key], values);
      expect([path, found === undefined]).toEqual([path, false]);
    }
  });
});

/** The reference of a command; without a command, that of the program. */
function sectionOf(command: string): string {
  const heading = command === '' ? '# The command line' : `## concordat ${command}`;
  const reference = read('docs/command-line.md');
  const start = reference.indexOf(`${heading}\n`);
  expect([heading, start === -1]).toEqual([heading, false]);
  const end = reference.indexOf('\n## ', start + 1);
  return reference.slice(start, end === -1 ? undefined : end);
}
