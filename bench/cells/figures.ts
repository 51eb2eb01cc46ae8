// What one registry was measured to take, from bench/RESULTS.md and docs/scaling.md. Where the largest size that
// was measured is smaller than a cell, the slope between the sizes goes on.

export const measured = {
  /** A registry of 10,000 assets is sent 50 requests a second: docs/scaling.md, "What to buy". */
  requestsOfAsset: 50 / 10_000,
  /** Seconds of a processor for a request of the mixed load. */
  server: 0.65e-3,
  postgres: 0.5e-3,
  /** A second of Postgres at 100,000 assets, which grows with the teams and lines between them. */
  graphOfAll: 1 / 100_000,
  /** Computed at most so often by each replica. */
  graphsAnHour: 60,
  /** Lists with a total: pages of a plan that reads an index of all assets, in seconds of Postgres for each asset. */
  countedList: 8.5e-3 / 100_000,
  /** Searches, and lists whose total counts all, are so many of a hundred requests. */
  countedLists: 0.02,
  /** First publishes a second: their commits come one after the other, each with its own flush. */
  publishes: 280,
  /** Versions of an asset in a year; with the events of each, 100 million stand for three years of a million assets. */
  versionsOfAsset: 10,
  /** One version in 20 breaks somebody. */
  breaking: 0.05,
  /** Bytes of an asset with its contracts, and of an event with its indexes and its seal. */
  asset: 8_000,
  event: 900,
  eventsOfAsset: 100,
  /** Rows a second that one stream copies into a Postgres with indexes, in bytes. */
  copied: 20e6,
} as const;

/** Of the paper: what nobody measured. */
export const assumed = {
  /** A request between cells, there and back. */
  hop: 4e-3,
  /** Routers ask for changes of the directory so often. */
  directoryPoll: 1,
  /** The longest transaction that a move waits for. */
  drain: 10,
  routersOfCell: 3,
  replicas: 3,
  processorsOfReplica: 2,
  processorsOfPostgres: 8,
  /** A primary, a synchronous standby and a replica for reads. */
  postgresOfCell: 3,
  /** Bytes of a tenant in the directory. */
  entry: 200,
  /** Bytes of an agreement: change, answer, both heads and their proofs. */
  agreement: 4_000,
  /** How far an impact follows what is made from an asset. */
  impactDepth: 10,
  impactAssets: 500,
} as const;
