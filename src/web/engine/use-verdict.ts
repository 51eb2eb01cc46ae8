// Updates the verdict while the user types. One comparison runs at a time, and the newest one
// waits. A slow comparison is abandoned together with its worker when a newer one is waiting.

import { useEffect, useRef, useState } from 'react';
import type { ContractTerms } from '../../core/comparison.ts';
import { parseJson } from '../../core/value/json.ts';
import type { Verdict, VerdictAnswer } from './verdict.ts';

export type VerdictState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'comparing'; readonly last: Verdict | null }
  | { readonly kind: 'ready'; readonly verdict: Verdict }
  | { readonly kind: 'failed' };

const givenUpAfterMs = 1_500;

export function useVerdict(old: ContractTerms | null, next: ContractTerms | null): VerdictState {
  const [state, setState] = useState<VerdictState>({ kind: 'idle' });
  const engine = useRef<Engine | null>(null);
  useEffect(() => {
    engine.current = startEngine();
    return () => engine.current?.stop();
  }, []);
  useEffect(() => {
    if (old === null || next === null) {
      setState({ kind: 'idle' });
      return;
    }
    setState((before) => ({ kind: 'comparing', last: lastOf(before) }));
    return engine.current?.ask(old, next, (verdict) =>
      setState(verdict === null ? { kind: 'failed' } : { kind: 'ready', verdict }),
    );
  }, [old, next]);
  return state;
}

function lastOf(state: VerdictState): Verdict | null {
  if (state.kind === 'ready') return state.verdict;
  return state.kind === 'comparing' ? state.last : null;
}

type Told = (verdict: Verdict | null) => void;

interface Engine {
  /** Returns a function that withdraws the question. */
  ask(old: ContractTerms, next: ContractTerms, tell: Told): () => void;
  stop(): void;
}

interface Task {
  readonly id: number;
  readonly text: string;
  readonly tell: Told;
}

function startEngine(): Engine {
  let worker: Worker | null = null;
  let running: (Task & { readonly since: number }) | null = null;
  let waiting: Task | null = null;
  let count = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const finish = (verdict: Verdict | null) => {
    const done = running;
    running = null;
    clearTimeout(timer);
    // Drops the answer if its question was withdrawn, or if a newer one is waiting.
    if (done !== null && waiting === null) done.tell(verdict);
    startNext();
  };
  const startNext = () => {
    if (waiting === null || running !== null) return;
    worker ??= startWorker(finish, () => running?.id ?? null);
    running = { ...waiting, since: Date.now() };
    waiting = null;
    worker.postMessage(running.text);
  };
  const giveUp = () => {
    if (running === null || waiting === null) return;
    worker?.terminate();
    worker = null;
    running = null;
    startNext();
  };
  return {
    ask: (old, next, tell) => {
      const id = ++count;
      waiting = { id, text: JSON.stringify({ id, old, next }), tell };
      if (running === null) {
        startNext();
      } else {
        clearTimeout(timer);
        timer = setTimeout(giveUp, Math.max(0, running.since + givenUpAfterMs - Date.now()));
      }
      return () => {
        if (waiting?.id === id) waiting = null;
        if (running?.id === id) running = { ...running, tell: () => {} };
      };
    },
    stop: () => {
      clearTimeout(timer);
      worker?.terminate();
    },
  };
}

function startWorker(finish: Told, runningId: () => number | null): Worker {
  const worker = new Worker(new URL('./verdict.worker.ts', import.meta.url), { type: 'module' });
  worker.onmessage = ({ data }: MessageEvent<VerdictAnswer>) => {
    if (data.id === runningId()) finish(data.ok ? toVerdict(data.verdictText) : null);
  };
  worker.onerror = () => finish(null);
  return worker;
}

function toVerdict(text: string): Verdict | null {
  const parsed = parseJson(text);
  // The cast is safe: the worker wrote it as a Verdict.
  return parsed.ok ? (parsed.value as unknown as Verdict) : null;
}
