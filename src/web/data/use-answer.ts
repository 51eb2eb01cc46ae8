// How views read and act. Reading subscribes to a question. Acting sends one call; if it succeeds,
// everything on the page is requested again.

import {
  createContext,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { announce } from '../parts/announcer.tsx';
import { type Answer, type Cache, keyOf, type Question, type Sent, send } from './cache.ts';
import type { BodyOf, CallTo, Refusal, RouteName } from './shapes.ts';

export const CacheContext = createContext<Cache | null>(null);

export function useCache(): Cache {
  const cache = useContext(CacheContext);
  if (cache === null) throw new Error('A view that reads stands inside a session.');
  return cache;
}

/**
 * Asks a question and follows its answer. `null` asks nothing yet.
 *
 * @example const team = useAnswer('getTeam', { params: { team_id } });
 */
export function useAnswer<N extends RouteName>(name: N, call: CallTo<N> | null): Answer<BodyOf<N>> {
  const cache = useCache();
  const key = call === null ? '' : keyOf({ name, call });
  // The key represents the call: equal calls are one question.
  const question = useMemo(() => (call === null ? null : { name, call }), [key]);
  const watch = useCallback(
    (tell: () => void) =>
      question === null ? () => {} : cache.watch(key, question as unknown as Question, tell),
    [cache, key, question],
  );
  // The entry under the key of a request is always the response to that request.
  return useSyncExternalStore(watch, () => cache.read(key)) as Answer<BodyOf<N>>;
}

/** Whether a question has been answered. `null` asks nothing, and needs no answer. */
export function useIsAnswered<N extends RouteName>(name: N, call: CallTo<N> | null): boolean {
  const { kind } = useAnswer(name, call);
  return call === null || kind !== 'loading';
}

/** The last successful answer while the next one is loading, so that nothing flickers. */
export function useSettled<T>(answer: Answer<T>): { answer: Answer<T>; isSettling: boolean } {
  const last = useRef<Answer<T>>(answer);
  useEffect(() => {
    if (answer.kind !== 'loading') last.current = answer;
  }, [answer]);
  const isSettling = answer.kind === 'loading' && last.current.kind === 'ready';
  return { answer: isSettling ? last.current : answer, isSettling };
}

/**
 * Repeats requests of one route while a view needs it, for data without events. Null does not.
 *
 * @example usePolling('listSources', isManaged ? 10_000 : null);
 */
export function usePolling(name: RouteName, everyMs: number | null): void {
  const cache = useCache();
  useEffect(() => {
    if (everyMs === null) return;
    const tick = () => {
      if (document.visibilityState === 'visible') {
        cache.refreshWhere((question) => question.name === name);
      }
    };
    const timer = setInterval(tick, everyMs);
    document.addEventListener('visibilitychange', tick);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', tick);
    };
  }, [cache, name, everyMs]);
}

export interface Act {
  readonly isRunning: boolean;
  /** The refusal of the last call; null before, and after success. */
  readonly refusal: Refusal | null;
  readonly forget: () => void;
  /** Returns the body on success, null if it was refused. A second click on what is running does nothing. */
  run<N extends RouteName>(name: N, call: CallTo<N>, said?: string): Promise<BodyOf<N> | null>;
}

export function useAct(): Act {
  const cache = useCache();
  const [isRunning, setRunning] = useState(false);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const running = useRef(new Set<string>());
  const run = useCallback(
    async <N extends RouteName>(name: N, call: CallTo<N>, said?: string) => {
      const key = keyOf({ name, call });
      if (running.current.has(key)) return null;
      running.current.add(key);
      setRunning(true);
      setRefusal(null);
      const result: Sent<BodyOf<N>> = await send(cache.client, { name, call });
      const refreshed = cache.refresh();
      if (!result.ok) {
        running.current.delete(key);
        setRunning(false);
        setRefusal(result.refusal);
        return null;
      }
      if (said !== undefined) announce(said);
      // What the page shows is as it was until then, and would ask for the same act again.
      await refreshed;
      running.current.delete(key);
      setRunning(false);
      return result.body;
    },
    [cache],
  );
  const forget = useCallback(() => setRefusal(null), []);
  return { isRunning, refusal, forget, run };
}
