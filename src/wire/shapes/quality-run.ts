// Quality runs: how the checks of an asset's data went.

import { z } from 'zod';
import {
  choice,
  count,
  exampleId,
  exampleTime,
  id,
  jsonObject,
  moment,
  nextCursor,
  requiredText,
  text,
  timestamp,
} from './shape.ts';

export const qualityRunStates = ['passed', 'failed'] as const;

const checkStates = ['passed', 'failed', 'warned', 'skipped'] as const;

const status = choice(qualityRunStates, 'How it went.');
const exampleMetadata = { commit: '4f2a9c1' };

/** Names of triggers and guarantees, as they are searched for and counted. */
const maxNameLength = 500;

/** A message of every one still fits the 4 MiB of a body. */
const maxGuarantees = 2000;

const CheckedGuarantee = z
  .strictObject({
    name: requiredText('The guarantee.', 'not_null_orders_id', maxNameLength),
    status: choice(checkStates, 'Its result.', 'failed'),
    rows: count('Number of failing rows.', 3).optional(),
    message: text('What was found.', '3 rows have no id.').optional(),
  })
  .meta({ id: 'CheckedGuarantee', description: 'The result of one guarantee.' });

const guarantees = z
  .array(CheckedGuarantee)
  .max(maxGuarantees)
  .meta({
    description: `How each guarantee fared; at most ${maxGuarantees}.`,
    examples: [[{ name: 'not_null_orders_id', status: 'failed', rows: 3 }]],
  });

export const QualityRun = z
  .object({
    id: id('The run.', exampleId.run),
    asset_id: id('The asset.', exampleId.asset),
    contract_id: id('What it was checked against.', exampleId.contract)
      .nullable()
      .meta({ description: 'What it was checked against, where that was said.' }),
    contract_version: text('Its version.', '1.2.0')
      .nullable()
      .meta({ description: 'The version of that contract.' }),
    status,
    triggered_by: text('What ran it.', 'build_test'),
    run_id: text('Its name where it ran.', 'ci-4711')
      .nullable()
      .meta({ description: 'Its name where it ran.' }),
    guarantees,
    started_at: timestamp('When it began.').nullable().meta({ description: 'When it began.' }),
    finished_at: timestamp('When it ended.').nullable().meta({ description: 'When it ended.' }),
    occurred_at: timestamp('When it ended, began, or was recorded: the first that is known.'),
    recorded_at: timestamp('When it was recorded here.'),
    metadata: jsonObject('Free-form.', exampleMetadata),
  })
  .meta({ id: 'QualityRun', description: 'The data of an asset was checked.' });

export const QualityRunList = z
  .object({
    results: z.array(QualityRun).meta({ description: 'The runs, newest first.' }),
    total: count('How many there are in all; absent with `include_total=false`.', 42).optional(),
    next_cursor: nextCursor,
  })
  .meta({ id: 'QualityRunList', description: 'Quality runs, newest first.' });

export const QualityRunCreate = z
  .strictObject({
    status,
    triggered_by: requiredText('What ran it.', 'build_test', maxNameLength),
    run_id: requiredText('Its name where it ran.', 'ci-4711', maxNameLength).optional(),
    contract_id: id('What it was checked against.', exampleId.contract).optional(),
    guarantees: guarantees.default([]),
    started_at: moment('When it began.').optional(),
    finished_at: moment('When it ended; not before it began.').optional(),
    metadata: jsonObject('Free-form.', exampleMetadata).optional(),
  })
  .refine(endsAfterItBegan, { path: ['finished_at'], message: 'must not be before started_at' })
  .meta({
    id: 'QualityRunCreate',
    description: "How the checks of an asset's data went.",
    examples: [
      {
        status: 'failed',
        triggered_by: 'build_test',
        guarantees: [{ name: 'not_null_orders_id', status: 'failed', rows: 3 }],
        finished_at: exampleTime,
      },
    ],
  });

function endsAfterItBegan(run: {
  readonly started_at?: string | undefined;
  readonly finished_at?: string | undefined;
}): boolean {
  if (run.started_at === undefined || run.finished_at === undefined) return true;
  return new Date(run.started_at).getTime() <= new Date(run.finished_at).getTime();
}

const rate = z
  .number()
  .min(0)
  .max(1)
  .meta({ description: 'Which part of the runs failed, from 0 to 1.', examples: [0.25] });

const QualityTrend = z
  .object({
    window: choice(['24h', '7d', '30d'], 'How far back it looks.'),
    since: timestamp('Where it begins.'),
    runs: count('How many runs there were.', 8),
    failed_runs: count('How many of them failed.', 2),
    failure_rate: rate
      .nullable()
      .meta({ description: 'Which part of the runs failed; null where there was none.' }),
    worst_guarantees: z
      .array(
        z
          .object({
            name: text('The guarantee.', 'not_null_orders_id'),
            runs: count('In how many runs it was checked.', 8),
            failed_runs: count('In how many of them it failed.', 2),
            failure_rate: rate,
          })
          .meta({ description: 'A guarantee that failed.' }),
      )
      .meta({ description: 'Those that failed most often, worst first; at most five.' }),
  })
  .meta({ id: 'QualityTrend', description: 'How the runs of a stretch of time went.' });

export const QualityTrends = z
  .object({
    asset_id: id('The asset.', exampleId.asset),
    windows: z
      .array(QualityTrend)
      .meta({ description: 'The last 24 hours, 7 days and 30 days, in this order.' }),
  })
  .meta({ id: 'QualityTrends', description: 'How the quality runs of an asset went lately.' });
