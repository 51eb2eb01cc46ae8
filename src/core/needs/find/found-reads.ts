// What a finder found that files read.

interface FoundRead {
  /** Database, schema and relation, as far as they are written; the type of a GraphQL schema. */
  readonly name: readonly string[];
  /** As paths in values, such as `$.id`; null: everything. */
  readonly fields: readonly string[] | null;
  /** Why everything is read. */
  readonly reason: string | null;
}

export interface FoundReads {
  readonly reads: readonly FoundRead[];
  /** What is counted although it may not be read. */
  readonly doubts: readonly string[];
  /** Parts that may read something that was not found. */
  readonly unread: readonly string[];
}
