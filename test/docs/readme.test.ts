// The shell lines of README.md marked `<!-- run -->`, run unchanged and in order, against a server
// with the story in it.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createStory } from '../../src/cli/story.ts';
import { readConfig } from '../../src/ops/config/config.ts';
import { type RunningServer, start } from '../../src/start/serve.ts';
import { createClient } from '../../src/wire/client.ts';
import { openDatabase, type TestDatabase } from '../support/postgres/postgres.ts';
import { runShell } from './world.ts';

const root = join(import.meta.dirname, '../..');
const key = 'readme-bootstrap-key';

let database: TestDatabase;
let server: RunningServer;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'concordat-readme-'));
  database = await openDatabase();
  const read = readConfig({
    PORT: '0',
    DATABASE_URL: database.url,
    BOOTSTRAP_KEY: key,
    LOG_LEVEL: 'error',
    CHECK_ROWS: 'true',
  });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  server = await start(read.config);
  await createStory(createClient({ baseUrl: server.url, key }));
});

afterAll(async () => {
  await server?.stop();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

test('the curl lines of the README lead to an acknowledged and to a forced change', async () => {
  const text = await readFile(join(root, 'README.md'), 'utf8');
  const blocks = [...text.matchAll(/<!-- run -->\n```sh\n([\s\S]*?)```/g)].map((match) => match[1]);
  expect(blocks.length).toBeGreaterThan(5);
  const script = blocks
    .join('\necho "---"\n')
    .replace(/^export URL=.*$/m, `export URL=${server.url}`)
    .replace(/^export KEY=.*$/m, `export KEY=${key}`);

  const output = await runShell(script, folder, process.env);

  const parts = output.split('---\n').map((part) => part.trim());
  expect(parts[1]).toContain('"type": "type_changed"');
  expect(parts[1]).toContain('"witness": {');
  expect(parts[1]).toContain('"remaining": 1');
  expect(parts[2]).toContain('"code": "PROPOSAL_NOT_READY"');
  expect(parts[3]).toContain('"acknowledged": true');
  expect(parts[3]).toContain('"remaining_consumers": 0');
  expect(parts[3]).toMatch(/\n2\.0\.0$/);
  expect(parts[5]).toMatch(/^3\.0\.0\n/);
  expect(parts[5]).toContain('proposal.force_published');
  expect(parts[6]).toBe('1.0.0');
  expect(parts[7]).toMatch(/^cdt_live_[0-9A-Za-z]{43}$/);
});
