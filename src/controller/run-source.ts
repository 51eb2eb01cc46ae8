// One source on one of several replicas: whoever leads reconciles it, the others wait for their turn.

import type { SourceDescription } from '../core/source.ts';
import { type Fence, Fenced, type Fences } from '../registry/sources/fencing.ts';
import { openBindings } from './bindings.ts';
import { pause } from './clock.ts';
import type { ApiClient } from './cluster/api-client.ts';
import { LeaderElection } from './cluster/leader-election.ts';
import { type ControllerOptions, startController } from './controller.ts';
import { FenceElection } from './fence-election.ts';
import type { Source } from './source/source.ts';

export interface RunSourceOptions
  extends Omit<
    ControllerOptions,
    'source' | 'bindings' | 'isLeading' | 'onFenced' | 'signal' | 'follow'
  > {
  readonly fences: Fences;
  /** Unique to this process. */
  readonly holder: string;
  /** Opened by whoever leads, each time anew. */
  readonly open: (fence: Fence) => OpenedSource;
  readonly election: ElectionKind;
  /** Leadership gained and lost. */
  readonly onTerm?: (state: 'began' | 'ended', fence: Fence) => void;
}

/** Files are confirmed by people where much of them is gone. */
type OpenedSource = Source & { readonly confirm?: () => Promise<void> };

type ElectionKind =
  | { readonly kind: 'fence'; readonly source: SourceDescription }
  | {
      readonly kind: 'lease';
      readonly client: ApiClient;
      readonly namespace: string;
      readonly name: string;
      /** Asked by whoever leads: the cluster may be away when the process starts. */
      readonly describe: () => Promise<SourceDescription>;
    };

export interface RunningSource {
  readonly isLeading: () => boolean;
  /** False while this process leads and has not read everything yet: it would conclude nothing. */
  readonly isReady: () => boolean;
  /** Finishes what is under way, and lets another replica lead at once. */
  readonly stop: () => Promise<void>;
}

/** How soon it shows that a source became suspicious, or is so no longer. */
const noteEveryMs = 1_000;

export function runSource(options: RunSourceOptions): RunningSource {
  const { clock, fences, holder, onError } = options;
  let confirm: () => void = () => {};
  let isFilled = false;
  const lead = async (signal: AbortSignal, fence: Fence): Promise<void> => {
    const { promise: fenced, reject } = Promise.withResolvers<never>();
    // Raced below; a start that fails before that ends the term by itself.
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
    const controller = await startController({
      ...options,
      source,
      ports: fences.guard(options.ports, fence),
      bindings: await openBindings(fences.bindings(fence)),
      isLeading: () => !signal.aborted && election.isLeading(),
      onFenced: () => reject(new Fenced(fence.identity)),
      signal,
    });
    confirm = () => void source.confirm?.();
    isFilled = true;
    try {
      await Promise.race([noteProblems(options, fence, source, signal), fenced]);
    } finally {
      confirm = () => {};
      isFilled = false;
      await controller.stop();
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
          onConfirmed: () => confirm(),
          onError,
        })
      : new LeaderElection({
          client: how.client,
          clock,
          namespace: how.namespace,
          name: how.name,
          identity: holder,
          lead: async (signal) => lead(signal, await fences.take(await how.describe(), holder)),
          onError,
        });
  election.start();
  return {
    isLeading: () => election.isLeading(),
    isReady: () => isFilled || !election.isLeading(),
    stop: () => election.stop(),
  };
}

/** Of a source whose Lease stands elsewhere: the registry counts it as gone after a minute. */
const renewEveryMs = 10_000;

/** Until the term ends. */
async function noteProblems(
  { clock, fences, onError, election }: RunSourceOptions,
  fence: Fence,
  source: Source,
  signal: AbortSignal,
): Promise<void> {
  let noted: string | null = null;
  let renewedAtMs = clock.monotonicMs();
  while (!signal.aborted) {
    const problem = source.suspicion();
    const nowMs = clock.monotonicMs();
    try {
      if (election.kind === 'lease' && nowMs - renewedAtMs >= renewEveryMs) {
        renewedAtMs = nowMs;
        if ((await fences.renew(fence)) === 'lost') throw new Fenced(fence.identity);
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
