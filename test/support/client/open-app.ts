// The dependencies of the Express app with their own database, for tests that mount the app
// themselves.

import { pino } from 'pino';
import { startComparePool } from '../../../src/engine/compare-pool.ts';
import type { AppDeps } from '../../../src/http/app.ts';
import { openTokenCheck } from '../../../src/http/sign-in/check-token.ts';
import { openSignIn } from '../../../src/http/sign-in/sign-in.ts';
import { openEventFeed } from '../../../src/notify/event-feed.ts';
import { openMetrics } from '../../../src/ops/observe/metrics.ts';
import { newUuid } from '../../../src/ops/uuid.ts';
import { verbs } from '../../../src/registry/verbs.ts';
import { openStore } from '../../../src/store/store.ts';
import { openDatabase } from '../postgres/postgres.ts';

export const bootstrapKey = 'bootstrap-key-of-the-tests';

export interface TestApp {
  readonly deps: AppDeps;
  readonly close: () => Promise<void>;
}

export async function openApp(): Promise<TestApp> {
  const database = await openDatabase();
  const store = await openStore({ url: database.url });
  const engine = startComparePool({ workers: 1, stepBudget: 1_000 });
  const deps: AppDeps = {
    ports: {
      ...store,
      policy: { keyMaxDays: null, fourEyes: false },
      engine,
      reportError: () => {},
    },
    verbs,
    signIn: await openSignIn({
      ...{ passwords: true, providers: [], cipher: null, basePath: '', clock: Date.now },
      ownUrl: () => '',
    }),
    checkToken: openTokenCheck({
      get: () => Promise.reject(new Error('Nothing is requested here.')),
      onAway: () => {},
      clockToleranceSeconds: 0,
      clock: Date.now,
    }),
    isStopToken: async () => false,
    tryWebhook: () => Promise.reject(new Error('Nothing is sent here.')),
    runImport: () => Promise.reject(new Error('Nothing is imported here.')),
    feed: openEventFeed({
      listStreamed: store.reads.listStreamed,
      onNews: () => () => {},
      reportError: () => {},
    }),
    keyChanges: { isListening: () => true, onChange: () => {} },
    noteKeyUse: () => {},
    noteSessionUse: () => {},
    log: pino({ level: 'silent' }),
    outages: { report: () => {} },
    metrics: openMetrics(),
    tracing: null,
    now: () => new Date().toISOString(),
    newId: newUuid,
    readiness: async () => ({}),
    version: '0.0.0',
    settings: {
      bootstrapKey,
      bodyLimitBytes: 1_000_000,
      importLimitBytes: 1_000_000,
      rateLimitRead: 1_000,
      rateLimitWrite: 1_000,
      rateLimitLogin: 1_000,
      rateLimitStranger: 1_000,
      baseUrl: undefined,
      basePath: '',
      agentTools: 'read',
      isBehindTls: false,
      streamLimits: { streams: 1, streamsOfOne: 1, heartbeatMs: 1_000 },
    },
  };
  return {
    deps,
    close: async () => {
      await engine.stop();
      await store.stop();
      await database.drop();
    },
  };
}
