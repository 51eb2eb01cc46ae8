// Runs imports in a thread, so that reading, comparing and writing 83 MB delays no other request.
// The second composition root: like serve.ts it creates the rooms it needs.

import { parentPort, workerData } from 'node:worker_threads';
import { refuse } from '../core/failure.ts';
import { RegistryBusy, RegistryUnavailable } from '../core/unavailable.ts';
import { startComparePool } from '../engine/compare-pool.ts';
import type { DbtSettings } from '../engine/read-import.ts';
import { compareSmallHere } from '../engine/small-questions.ts';
import type { ImportApi } from '../http/import-handler.ts';
import { type Answered, refusal } from '../http/request/answer.ts';
import { answerImport, type ImportCall } from '../http/request/import-call.ts';
import type { FromThread } from '../ops/threads/thread-pool.ts';
import { newUuid } from '../ops/uuid.ts';
import type { Policy } from '../registry/ports.ts';
import { verbs } from '../registry/verbs.ts';
import { backgroundWait } from '../store/postgres/connection-queue.ts';
import { openStore } from '../store/store.ts';

/** The settings that serve.ts passes to a thread. */
export interface ImportWorkerData {
  readonly databaseUrl: string;
  readonly isPooled: boolean;
  readonly rowChecks: 'every' | 'none';
  readonly compareWorkers: number;
  readonly stepBudget: number;
  readonly dbtSettings: DbtSettings;
  readonly publishesOpenapi: boolean;
  readonly policy: Policy;
}

/** A log message of a thread. */
export interface ImportNote {
  readonly during: string;
  readonly error: string;
  readonly isWarning: boolean;
}

/** One for the import, one for follow-up work. */
const connections = 2;

const settings = workerData as ImportWorkerData;
const engine = compareSmallHere(
  startComparePool({
    workers: settings.compareWorkers,
    stepBudget: settings.stepBudget,
    isLazy: true,
  }),
);

function say(said: FromThread): void {
  parentPort?.postMessage(said);
}

function note(error: unknown, during: string, isWarning = false): void {
  const told = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const said: ImportNote = { during, error: told, isWarning };
  say({ kind: 'note', note: said });
}

/** Opened with the first call, so that a thread can start while Postgres is unavailable. */
let api: Promise<ImportApi> | null = null;

async function openApi(): Promise<ImportApi> {
  const store = await openStore({
    url: settings.databaseUrl,
    isPooled: settings.isPooled,
    maxConnections: connections,
    wait: backgroundWait,
    rowChecks: settings.rowChecks,
    // If the client disconnects during the write, nothing is written.
    sendsApart: true,
  });
  const { dbtSettings, publishesOpenapi, policy } = settings;
  return {
    ports: { ...store, policy, engine, reportError: note },
    verbs,
    now: () => new Date().toISOString(),
    newId: newUuid,
    dbtSettings,
    publishesOpenapi,
  };
}

async function answer(call: ImportCall): Promise<Answered> {
  try {
    api ??= openApi();
    return await answerImport(await api, call);
  } catch (error) {
    if (!(error instanceof RegistryUnavailable)) throw error;
    if (!(error instanceof RegistryBusy)) api = null;
    note(error.cause, `request ${call.requestId}: the database is ${error.state}`, true);
    return refusal(refuse('REGISTRY_UNAVAILABLE', error.message).failure);
  }
}

parentPort?.on('message', (call: ImportCall) => {
  answer(call).then(
    (answered) => say({ kind: 'answer', answer: answered }),
    (error: unknown) => {
      const told = error instanceof Error ? (error.stack ?? error.message) : String(error);
      say({ kind: 'error', error: told });
    },
  );
});
