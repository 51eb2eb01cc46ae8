// Checks the table of the demo data once. The guide repeats the same check.

import { check } from '../check/check-command.ts';
import type { CommandLineIo } from '../command-line.ts';
import { breakStoryTable, createStoryTable, storyTable } from './story-table.ts';

interface StoryAddresses {
  /** The superuser's connection to the embedded Postgres. */
  readonly postgres: string;
  /** The database of the table. */
  readonly source: string;
  readonly registry: string;
  readonly key: string;
}

/** Leaves a run that failed, and with it an incident. */
export async function checkStory(addresses: StoryAddresses, io: CommandLineIo): Promise<void> {
  const { postgres, source, registry, key } = addresses;
  await createStoryTable(postgres);
  await breakStoryTable(source);
  const { fqn, table } = storyTable;
  await check(
    {
      ...{ contract: fqn, contractVersion: 'latest', source, table, report: true },
      triggeredBy: 'concordat check',
      ...{ registry, key, timeout: 60, sourceTimeout: 60, format: 'text' },
    },
    io,
  );
}
