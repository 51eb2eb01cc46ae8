// A newcomer's machine, with the embedded Postgres of `make run` and a database of the reader's own.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../support/postgres/postgres.ts';
import { type Newcomer, startNewcomer } from './newcomer.ts';

export async function openWorld(): Promise<Newcomer> {
  const folder = await mkdtemp(join(tmpdir(), 'concordat-docs-'));
  const database = await openDatabase();
  const newcomer = await startNewcomer(folder, {}, database.url);
  return {
    ...newcomer,
    async stop() {
      await newcomer.stop();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
