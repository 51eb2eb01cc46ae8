// Quality runs: the results of checking an asset's data.

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

const status = choice(qualityRunStates, 'The result of the run.');
const exampleMetadata = { commit: '4f2a9c1' };

/** Limits the names of triggers and guarantees, which are searched and counted. */
const maxNameLength = 500;

/** With a message each, they still fit in the 4 MiB of a body. */
const maxGuarantees = 2000;

const CheckedGuarantee = z
  .strictObject({
    name: requiredText('The name of the guarantee.', 'not_null_orders_id', maxNameLength),
    status: choice(checkStates, 'Its result.', 'failed'),
    rows: count('Number of failing rows.', 3).optional(),
    message: text('The finding in words.', '3 rows have no id.').optional(),
  })
  .meta({ id: 'CheckedGuarantee', description: 'The result of one guarantee.' });

const guarantees = z
  .array(CheckedGuarantee)
  .max(maxGuarantees)
  .meta({
    description: `The result of each guarantee; at most ${maxGuarantees}.`,
    examples: [[{ name: 'not_null_orders_id', status: 'failed', rows: 3 }]],
  });

export const QualityRun = z
  .object({
    id: id('The run.', exampleId.run),
    asset_id: id('The asset.', exampleId.asset),
    contract_id: id('The contract it was checked against.', exampleId.contract)
      .nullable()
      .meta({ description: 'The contract it was checked against; null if none was given.' }),
    contract_version: text('The version of that contract.', '1.2.0')
      .nullable()
      .meta({ description: 'The version of that contract.' }),
    status,
    triggered_by: text('What triggered it.', 'build_test'),
    run_id: text('The id of the run in the system that ran it.', 'ci-4711')
      .nullable()
      .meta({ description: 'The id of the run in the system that ran it.' }),
    guarantees,
    started_at: timestamp('When it started.').nullable().meta({ description: 'When it started.' }),
    finished_at: timestamp('When it finished.')
      .nullable()
      .meta({ description: 'When it finished.' }),
    occurred_at: timestamp(
      'When it finished; if unknown, when it started; if unknown, when it was recorded.',
    ),
    recorded_at: timestamp('When it was recorded in the registry.'),
    metadata: jsonObject('Free-form.', exampleMetadata),
  })
  .meta({ id: 'QualityRun', description: "The result of checking an asset's data." });

export const QualityRunList = z
  .object({
    results: z.array(QualityRun).meta({ description: 'The runs, newest first.' }),
    total: count('Total number of runs; absent with `include_total=false`.', 42).optional(),
    next_cursor: nextCursor,
  })
  .meta({ id: 'QualityRunList', description: 'Quality runs, newest first.' });

export const QualityRunCreate = z
  .strictObject({
    status,
    triggered_by: requiredText('What triggered it.', 'build_test', maxNameLength),
    run_id: requiredText(
      'The id of the run in the system that ran it.',
      'ci-4711',
      maxNameLength,
    ).optional(),
    contract_id: id('The contract it was checked against.', exampleId.contract).optional(),
    guarantees: guarantees.default([]),
    started_at: moment('When it started.').optional(),
    finished_at: moment('When it finished; not before `started_at`.').optional(),
    metadata: jsonObject('Free-form.', exampleMetadata).optional(),
  })
  .refine(endsAfterItBegan, { path: ['finished_at'], message: 'must not be before started_at' })
  .meta({
    id: 'QualityRunCreate',
    description: "The result of checking an asset's data.",
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
  .meta({ description: 'Failed runs divided by all runs, from 0 to 1.', examples: [0.25] });

const QualityTrend = z
  .object({
    window: choice(['24h', '7d', '30d'], 'The length of the window.'),
    since: timestamp('The start of the window.'),
    runs: count('Number of runs.', 8),
    failed_runs: count('Number of failed runs.', 2),
    failure_rate: rate
      .nullable()
      .meta({ description: 'Failed runs divided by all runs; null if there were none.' }),
    worst_guarantees: z
      .array(
        z
          .object({
            name: text('The name of the guarantee.', 'not_null_orders_id'),
            runs: count('Number of runs that checked it.', 8),
            failed_runs: count('Number of those runs in which it failed.', 2),
            failure_rate: rate,
          })
          .meta({ description: 'A guarantee that failed.' }),
      )
      .meta({ description: 'The guarantees that failed most often, worst first; at most five.' }),
  })
  .meta({ id: 'QualityTrend', description: 'The failure rates of one window of time.' });

export const Incident = z
  .object({
    triggered_by: text('What triggers the runs.', 'concordat check'),
    since: timestamp('The first run that failed after the last one that passed.'),
    runs: count('Number of runs that have failed since.', 3),
  })
  .meta({ id: 'Incident', description: 'Data that does not match its contract.' });

export const QualityTrends = z
  .object({
    asset_id: id('The asset.', exampleId.asset),
    windows: z
      .array(QualityTrend)
      .meta({ description: 'The last 24 hours, 7 days and 30 days, in this order.' }),
    incidents: z.array(Incident).meta({
      description: 'The triggers whose newest run failed, the longest first; empty if all is well.',
    }),
  })
  .meta({
    id: 'QualityTrends',
    description: 'The recent failure rates of the quality runs of an asset.',
  });
