// Runs one source on several replicas: the leader reconciles it, and the others wait to take over.

import type { SourceDescription } from '../core/source.ts';
import {
  type Fence,
  Fenced,
  type Fences,
  type SourceReading,
} from '../registry/sources/fencing.ts';
import { openBindings } from './bindings.ts';
import { pause } from './clock.ts';
import type { ApiClient } from './cluster/api-client.ts';
import { LeaderElection } from './cluster/leader-election.ts';
import { type Controller, type ControllerOptions, startController } from './controller.ts';
import { FenceElection } from './fence-election.ts';
import { refusedText } from './source/cluster.ts';
import type { Source } from './source/source.ts';
import { waitForName } from './wait-for-name.ts';

export interface RunSourceOptions
  extends Omit<
    ControllerOptions,
    'source' | 'bindings' | 'isLeading' | 'listUnread' | 'onFenced' | 'signal' | 'follow'
  > {
  readonly fences: Fences;
  /** Unique to this process. */
  readonly holder: string;
  /** Opens the source; called at the beginning of each term. */
  readonly open: (fence: Fence) => OpenedSource;
  readonly election: ElectionKind;
  /** The identities of all configured sources, this one among them. */
  readonly listConfigured: () => Promise<readonly string[]>;
  /** Called when leadership is gained or lost. */
  readonly onTerm?: (state: 'began' | 'ended', fence: Fence) => void;
}

/** File sources need a confirmation if many of their objects are gone. */
type OpenedSource = Source & { readonly confirm?: () => Promise<void> };

type ElectionKind =
  | { readonly kind: 'fence'; readonly source: SourceDescription }
  | {
      readonly kind: 'lease';
      readonly client: ApiClient;
      readonly namespace: string;
      readonly name: string;
      /** Called by the leader, because the cluster may be unreachable when the process starts. */
      readonly describe: () => Promise<SourceDescription>;
    };

export interface RunningSource {
  /** A cluster is asked for its identity. */
  readonly identity: () => Promise<string>;
  readonly isLeading: () => boolean;
  /** False while this process leads but has not read everything yet, so it reconciles nothing. */
  readonly isReady: () => boolean;
  /** Finishes the work in progress, and lets another replica lead at once. */
  readonly stop: () => Promise<void>;
}

/** Argo CD prunes before it applies; within this time it has applied what was renamed. */
const departurePauseMs = 30_000;

/** The delay until the registry shows that a source became suspicious, or no longer is. */
const noteEveryMs = 1_000;

export function runSource(options: RunSourceOptions): RunningSource {
  const { clock, fences, holder, onError } = options;
  let confirm: () => void = () => {};
  let controller: Controller | null = null;
  /** Whether another cluster has the name of this one. */
  let isWaiting = false;
  const reading = () => controller?.reading() ?? null;
  const lead = async (signal: AbortSignal, fence: Fence): Promise<void> => {
    const { promise: fenced, reject } = Promise.withResolvers<never>();
    // The promise is raced below. If the start fails before that, the failure itself ends the term.
    fenced.catch(() => {});
    options.onTerm?.('began', fence);
    try {
      await reconcile(signal, fence, fenced, reject);
    } finally {
      options.onTerm?.('ended', fence);
    }
  };
  const reconcile = async (
    signal: AbortSignal,
    fence: Fence,
    fenced: Promise<never>,
    reject: (error: Error) => void,
  ): Promise<void> => {
    const source = options.open(fence);
    const started = await startController({
      ...options,
      source,
      departurePauseMs,
      ports: fences.guard(options.ports, fence),
      bindings: await openBindings(fences.bindings(fence)),
      isLeading: () => !signal.aborted && election.isLeading(),
      listUnread: async (asset, withinMs) =>
        fences.listUnread(fence, await options.listConfigured(), asset, withinMs),
      onFenced: reject,
      signal,
    });
    confirm = () => void source.confirm?.();
    controller = started;
    try {
      await Promise.race([noteProblems(options, fence, source, reading, signal), fenced]);
    } finally {
      confirm = () => {};
      controller = null;
      await started.stop();
    }
  };
  const { election: how } = options;
  const election =
    how.kind === 'fence'
      ? new FenceElection({
          fences,
          clock,
          source: how.source,
          holder,
          lead,
          reading,
          onConfirmed: () => confirm(),
          onError,
        })
      : new LeaderElection({
          client: how.client,
          clock,
          namespace: how.namespace,
          name: how.name,
          identity: holder,
          lead: async (signal) => {
            const description = await how.describe();
            const fence = await waitForName({
              ...options,
              take: () => fences.take(description, holder),
              open: () => options.open({ identity: description.identity, number: 0 }),
              onWaiting: () => {
                isWaiting = true;
              },
              signal,
            }).finally(() => {
              isWaiting = false;
            });
            if (fence !== null) await lead(signal, fence);
          },
          onError,
        });
  election.start();
  return {
    identity: async () => (how.kind === 'fence' ? how.source : await how.describe()).identity,
    isLeading: () => election.isLeading(),
    isReady: () => controller !== null || isWaiting || !election.isLeading(),
    stop: () => election.stop(),
  };
}

/**
 * For sources with a Lease in a cluster: the registry considers a source gone after a minute
 * without renewal.
 */
const renewEveryMs = 10_000;

/** Runs until the term ends. */
async function noteProblems(
  { clock, fences, onError, election }: RunSourceOptions,
  fence: Fence,
  source: Source,
  reading: () => SourceReading | null,
  signal: AbortSignal,
): Promise<void> {
  let noted: string | null = null;
  let renewedAtMs = clock.monotonicMs();
  while (!signal.aborted) {
    const refused = source.listRefused?.() ?? [];
    const problem = source.suspicion() ?? (refused.length > 0 ? `${refusedText(refused)}.` : null);
    const nowMs = clock.monotonicMs();
    try {
      if (election.kind === 'lease' && nowMs - renewedAtMs >= renewEveryMs) {
        renewedAtMs = nowMs;
        if ((await fences.renew(fence, reading())) === 'lost') throw new Fenced(fence.identity);
      }
      if (problem !== noted) await fences.note(fence, problem);
      noted = problem;
    } catch (error) {
      if (error instanceof Fenced) throw error;
      onError(error, 'noting what is wrong with the source');
    }
    await pause(clock, noteEveryMs, signal);
  }
}
