import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CommandContext } from '../command-line.ts';
import {
  addAll,
  connectionOptions,
  formatOption,
  toNames,
  toSeconds,
  wholeNumber,
} from '../options.ts';
import { boundYoungGeneration } from './bound-young-generation.ts';
import type { CheckOptions } from './check-command.ts';
import { warehouseNames } from './check-warehouse.ts';
import { termsOptions } from './mount-validate.ts';

/** `concordat check`. */
export function mountCheck(command: Command, context: CommandContext): void {
  command.description(
    'Checks data against a contract, where the data is: the schema and the guarantees become one query\n' +
      'that counts, and only values whose rules SQL cannot say exactly are read one by one. The data stays\n' +
      'in its source: what leaves it are counts and at most 20 values. Nothing is written to the source.\n' +
      'Ends with 1 if a rule fails.',
  );
  addAll(command, [
    new Option(
      '--contract <contract>',
      'a file with a contract (DataContract, JSON Schema, ODCS, dbt and more), or the FQN of an asset',
    ).makeOptionMandatory(),
    new Option(
      '--source <source>',
      'postgres://user@host/database, kafka://broker:9092/topic, or files of Parquet, CSV or NDJSON; @file reads it from a file (default: CONCORDAT_SOURCE)',
    ),
    new Option(
      '--source-ca <file>',
      'the certificates of the authorities that a source with TLS is trusted by (default: CONCORDAT_SOURCE_CA)',
    ),
    new Option(
      '--source-cert <file>',
      'a certificate for the source, with --source-cert-key (default: CONCORDAT_SOURCE_CERT)',
    ),
    new Option(
      '--source-cert-key <file>',
      'the key of --source-cert (default: CONCORDAT_SOURCE_CERT_KEY)',
    ),
    new Option('--table <name>', 'of a database: the table or view, such as public.orders'),
    new Option('--query <sql>', 'of a database: a query instead of a table').conflicts('table'),
    new Option(
      '--print-sql <warehouse>',
      'of a warehouse: print the query that counts, and check nothing; with --table and --columns',
    ).choices(warehouseNames),
    new Option(
      '--columns <file>',
      'with --print-sql: JSON with column_name and data_type of each column, from information_schema.columns',
    ),
    new Option(
      '--counts <file>',
      'with --print-sql: JSON with the row that the printed query answered, which is judged',
    ),
    new Option(
      '--since <time>',
      'of a topic: only records from then on, such as 2h, 7d or 2026-11-27T00:00:00Z',
    ).argParser(toTime),
    new Option(
      '--newest <count>',
      'of a topic: at most so many records, the newest ones of each partition',
    ).argParser(wholeNumber(1)),
    new Option(
      '--redact <columns>',
      'columns whose values are never shown, beside those with "x-classification": "pii"',
    ).argParser(toNames),
    new Option(
      '--rows-before <count>',
      'the rows that volume.max_row_delta_pct compares with (default: those of the last run in the registry, by the same --triggered-by, that did not break it)',
    ).argParser(wholeNumber(0)),
    new Option('--report', 'record the result as a quality run in the registry'),
    new Option(
      '--run-id <id>',
      'with --report: the id of the run in the system that runs the check (default: CONCORDAT_RUN_ID)',
    ),
    new Option('--triggered-by <name>', 'with --report: what runs the check').default(
      'concordat check',
    ),
    new Option('--source-timeout <seconds>', 'how long a query of the source may take')
      .argParser(toSeconds)
      .default(600),
    ...termsOptions(),
    formatOption(),
    ...connectionOptions(),
  ]);
  command.addHelpText('after', examples).action((options: CheckOptions) =>
    context.run(async () => {
      boundYoungGeneration();
      const { runCheckCommand } = await import('./check-command.ts');
      return runCheckCommand(options, context.io);
    }),
  );
}

const units = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

function toTime(text: string): Date {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (count !== undefined) {
    return new Date(Date.now() - Number(count) * units[unit as keyof typeof units]);
  }
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? new Date(text) : null;
  if (time !== null && !Number.isNaN(time.getTime())) return time;
  throw new InvalidArgumentError('Use a length such as 90m, 2h or 7d, or a date or time.');
}

const examples = `
Examples:
  $ concordat check --contract contracts/orders.yaml --source orders.parquet
  $ CONCORDAT_SOURCE=postgres://reader@db/shop PGPASSWORD=… concordat check --contract shop.public.orders \\
      --table public.orders --registry https://registry.example.com --report
  $ concordat check --contract shop.orders.placed --source 'kafka://kafka-1:9092/orders?tls=true' --since 1h`;
