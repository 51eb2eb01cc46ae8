// How a view reads and how it acts. Reading subscribes to a question; acting sends one call and,
// where it was taken, has everything on the page asked again.

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
  // The key stands for the call: the same words, the same question.
  const question = useMemo(() => (call === null ? null : { name, call }), [key]);
  const watch = useCallback(
    (tell: () => void) =>
      question === null ? () => {} : cache.watch(key, question as unknown as Question, tell),
    [cache, key, question],
  );
  // The entry under the key of a request is always the response to that request.
  return useSyncExternalStore(watch, () => cache.read(key)) as Answer<BodyOf<N>>;
}

/** The last answer that was ready, while the next one is on its way: nothing blinks. */
export function useSettled<T>(answer: Answer<T>): { answer: Answer<T>; isSettling: boolean } {
  const last = useRef<Answer<T>>(answer);
  useEffect(() => {
    if (answer.kind !== 'loading') last.current = answer;
  }, [answer]);
  const isSettling = answer.kind === 'loading' && last.current.kind === 'ready';
  return { answer: isSettling ? last.current : answer, isSettling };
}

/**
 * Asks one route again from time to time, while somebody looks: for what no event tells of. Null
 * does not.
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
  /** Why the last one was refused; null before and after it was taken. */
  readonly refusal: Refusal | null;
  readonly forget: () => void;
  /** Answers the body where it was taken, null where it was refused. */
  run<N extends RouteName>(name: N, call: CallTo<N>, said?: string): Promise<BodyOf<N> | null>;
}

export function useAct(): Act {
  const cache = useCache();
  const [isRunning, setRunning] = useState(false);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const run = useCallback(
    async <N extends RouteName>(name: N, call: CallTo<N>, said?: string) => {
      setRunning(true);
      setRefusal(null);
      const result: Sent<BodyOf<N>> = await send(cache.client, { name, call });
      setRunning(false);
      cache.refresh();
      if (!result.ok) {
        setRefusal(result.refusal);
        return null;
      }
      if (said !== undefined) announce(said);
      return result.body;
    },
    [cache],
  );
  const forget = useCallback(() => setRefusal(null), []);
  return { isRunning, refusal, forget, run };
}
