// `concordat needs` with a finder: what files read, printed or sent to a registry.

import type { ReadPlace } from '../../core/needs/find/gather-reads.ts';
import type { CommandLineIo } from '../command-line.ts';
import { type ExitCode, exitCode, wrongUsage } from '../exit-code.ts';
import { counted, printable, writeText } from '../output.ts';
import type { FindOptions, Found, Outcomes } from './found.ts';

export async function runFind(
  inputs: readonly string[],
  options: FindOptions,
  io: CommandLineIo,
): Promise<ExitCode> {
  refuseOtherOptions(options);
  const found = await findIn(inputs, options, io);
  const unread = messagesOf(found, 'unread');
  for (const message of unread) await writeText(io.stderr, `${printable(message)}\n`);
  const isWhole = unread.length === 0;
  let outcomes: Outcomes | null = null;
  if (options.register === true && isWhole) {
    const { registerFound } = await import('./register-found.ts');
    outcomes = await registerFound(found, options, io);
  }
  const print = options.format === 'json' ? toJson : toText;
  await writeText(io.stdout, print(found, outcomes));
  if (isWhole) return exitCode.fine;
  if (options.register === true) {
    const what = counted(new Set(found.places.filter(isUnread)).size, 'file');
    await writeText(
      io.stderr,
      `Nothing was sent, because ${what} may read more than was found. Mend them, or leave them out.\n`,
    );
  }
  return exitCode.unreadableInput;
}

async function findIn(
  inputs: readonly string[],
  options: FindOptions,
  io: CommandLineIo,
): Promise<Found> {
  const { dbt, dialect, graphql, openlineage } = options;
  if ([dbt, graphql, openlineage].filter((each) => each !== undefined).length > 1) {
    throw wrongUsage(
      'Give one of --dbt, --graphql and --openlineage: each says what the files are.',
    );
  }
  const isSql = dialect !== undefined && dbt === undefined && openlineage === undefined;
  if (options.contracts === true && !isSql) {
    throw wrongUsage('--contracts is for SQL files, with --dialect. Leave it out.');
  }
  if (dbt !== undefined) {
    if (inputs.length > 0) {
      throw wrongUsage('A manifest of dbt has the SQL of the project. Name no other files.');
    }
    const { findInDbt } = await import('./find-dbt.ts');
    return findInDbt(dbt, options);
  }
  if (openlineage === true) {
    const { findInOpenlineage } = await import('./find-openlineage.ts');
    return findInOpenlineage(inputs, options);
  }
  if (dialect !== undefined && graphql !== undefined) {
    throw wrongUsage('Give one of --dialect and --graphql: each says what the files are.');
  }
  if (graphql !== undefined) {
    const { findInGraphql } = await import('./find-graphql.ts');
    return findInGraphql(inputs, graphql, options);
  }
  if (dialect === undefined) throw wrongUsage('Say what the files are: --dialect for SQL.');
  const { findInSql } = await import('./find-sql.ts');
  return findInSql(inputs, dialect, options, io);
}

/** They say what a team reads of one asset, so they would be ignored. */
function refuseOtherOptions(options: FindOptions): void {
  const given = Object.keys(options);
  const others = ['reads', 'readsSchema', 'allowUnmet', 'everything', 'confirm'];
  if (others.some((each) => given.includes(each))) {
    throw wrongUsage('What a team reads is stated for one asset. Leave out the other options.');
  }
}

function isUnread({ found }: ReadPlace): boolean {
  return found.unread.length > 0;
}

function messagesOf({ places }: Found, kind: 'unread' | 'doubts'): readonly string[] {
  return places.flatMap(({ place, found }) => found[kind].map((each) => `${place}: ${each}`));
}

function toJson(found: Found, outcomes: Outcomes | null): string {
  const assets = found.assets.map(({ fqn, places }) => {
    const outcome = outcomes?.get(fqn);
    return { asset: fqn, places, ...(outcome !== undefined && { registry: outcome }) };
  });
  const answer = {
    origin: found.origin,
    assets,
    doubts: messagesOf(found, 'doubts'),
    unread: messagesOf(found, 'unread'),
  };
  return `${JSON.stringify(answer, null, 2)}\n`;
}

function toText(found: Found, outcomes: Outcomes | null): string {
  const lines = found.assets.flatMap(({ fqn, places }) => {
    const outcome = outcomes?.get(fqn);
    return [
      outcome === undefined ? fqn : `${fqn} (${outcome})`,
      ...places.map(({ place, fields, reason }) => `  ${place}: ${fieldsText(fields, reason)}`),
    ];
  });
  const doubts = messagesOf(found, 'doubts').map((each) => `? ${each}`);
  const isUnderstood = messagesOf(found, 'unread').length === 0;
  const none = isUnderstood ? 'The files read nothing.' : 'What was understood reads nothing.';
  const all = lines.length === 0 ? [none] : lines;
  return `${[...all, ...doubts].map(printable).join('\n')}\n`;
}

function fieldsText(fields: readonly string[] | null, reason: string | null): string {
  if (fields === null) return `everything (${reason ?? ''})`;
  return fields.length === 0 ? 'no field, but the rows' : fields.join(', ');
}
