// Data that is checked where it is: a table of Postgres, or files that DuckDB reads.

import type { RunDialect } from '../../core/checks/sql/dialect.ts';
import type { SourceColumn } from '../../core/checks/sql/source-column.ts';
import { CommandFailure, type ExitCode, exitCode } from '../exit-code.ts';

export type Cell = string | null;

/** Stands between the texts of a line, and in none of them: JSON escapes it. */
export const betweenTexts = '\x1f';

export interface Source {
  readonly dialect: RunDialect;
  /** What stands after FROM. */
  readonly from: string;
  /** Used instead of `from` where rows are named by their place, because numbering them takes time. */
  readonly placedFrom?: string;
  readonly columns: readonly SourceColumn[];
  /** The columns of the primary key; empty if there is none. */
  readonly primaryKey: readonly string[];
  /** What the source itself calls a row, for tables without a key. Empty if it has no name for one. */
  readonly place: readonly SourceColumn[];
  /** Whether rules in SQL that come with a contract may run: only where they cannot read anything else. */
  readonly runsCustomSql: boolean;
  /** Every value as text. */
  readonly ask: (sql: string) => Promise<readonly (readonly Cell[])[]>;
  /** The same, in batches that fit in memory. */
  readonly stream: (sql: string) => AsyncIterable<readonly (readonly Cell[])[]>;
  readonly close: () => Promise<void>;
}

type SourceFault =
  | 'SOURCE_NOT_SUPPORTED'
  | 'SOURCE_NOT_REACHABLE'
  | 'SOURCE_REFUSED'
  | 'SOURCE_NOT_FOUND'
  | 'SOURCE_UNREADABLE'
  | 'SOURCE_COLUMN_TYPE'
  | 'SOURCE_TIMEOUT';

const exitCodes: Readonly<Record<SourceFault, ExitCode>> = {
  SOURCE_NOT_SUPPORTED: exitCode.wrongUsage,
  SOURCE_NOT_REACHABLE: exitCode.registryNotReachable,
  SOURCE_REFUSED: exitCode.registryNotReachable,
  SOURCE_TIMEOUT: exitCode.registryNotReachable,
  SOURCE_NOT_FOUND: exitCode.unreadableInput,
  SOURCE_UNREADABLE: exitCode.unreadableInput,
  SOURCE_COLUMN_TYPE: exitCode.unreadableInput,
};

/** A query needed more memory than a check may take. One that asks for less may fit. */
export class OutOfMemory extends CommandFailure {}

/** The message never contains the address, because it may contain a password. */
export function sourceFailure(fault: SourceFault, message: string): CommandFailure {
  return new CommandFailure(exitCodes[fault], `${fault}: ${message}`);
}
