// Updates the verdict while the user types. One comparison runs at a time, and the newest one
// waits. A slow comparison is abandoned together with its worker when a newer one is waiting.

import { useEffect, useMemo, useRef, useState } from 'react';
import type { ContractTerms } from '../../core/comparison.ts';
import type { StatedNeed } from '../../core/need.ts';
import type { Dialect } from '../../core/schema/dialects.ts';
import { type Json, parseJson } from '../../core/value/json.ts';
import type { ReadAnswer } from '../editor/read-text.ts';
import type {
  Asked,
  AskingCheck,
  AskingQuestion,
  EngineAnswer,
  EngineQuestion,
  NeedCheck,
  Verdict,
} from './verdict.ts';

export type EngineState<T> =
  | { readonly kind: 'idle' }
  | { readonly kind: 'comparing'; readonly last: T | null }
  | { readonly kind: 'ready'; readonly verdict: T; readonly asked: Asked }
  | { readonly kind: 'failed'; readonly asked: Asked };

export type VerdictState = EngineState<Verdict>;

const givenUpAfterMs = 1_500;

/** Ends questions that cannot be answered here, such as a megabyte of invalid YAML. */
const endedAfterMs = 20_000;

export function useVerdict(old: ContractTerms | null, next: ContractTerms | null): VerdictState {
  const question = useMemo(
    () => (old === null || next === null ? null : { old, next }),
    [old, next],
  );
  return useEngine<Verdict>(question);
}

/** Whether a contract meets a need that is being written. */
export function useNeedCheck(
  stated: StatedNeed | null,
  contract: ContractTerms | null,
): EngineState<NeedCheck> {
  const question = useMemo(
    () => (stated === null || contract === null ? null : { stated, contract }),
    [stated, contract],
  );
  return useEngine<NeedCheck>(question);
}

/** Tells whether an open proposal would need the answer of a consumer. The answer is null if the need is refused. */
export function useAskingCheck(question: AskingQuestion | null): EngineState<AskingCheck | null> {
  return useEngine<AskingCheck | null>(question);
}

export interface Reading {
  readonly of: string;
  readonly read: ReadAnswer | 'failed';
}

/** The last text that was read; null until then. */
export function useReading(text: string, dialect: Dialect | null): Reading | null {
  const question = useMemo(() => ({ text, dialect }), [text, dialect]);
  const state = useEngine<ReadAnswer>(question);
  const [last, setLast] = useState<Reading | null>(null);
  useEffect(() => {
    if (state.kind !== 'ready' && state.kind !== 'failed') return;
    if (state.asked !== question) return;
    setLast({ of: question.text, read: state.kind === 'failed' ? 'failed' : state.verdict });
  }, [state, question]);
  return last;
}

/** A schema as YAML; null if the worker failed. */
export async function printAsYaml(print: Json): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const engine = startEngine<string>();
  engine.ask({ print }, resolve);
  const text = await promise;
  engine.stop();
  return text;
}

/** The caller names the type of the answer to its question. */
function useEngine<T>(question: Asked | null): EngineState<T> {
  const [state, setState] = useState<EngineState<T>>({ kind: 'idle' });
  const engine = useRef<Engine<T> | null>(null);
  useEffect(() => {
    engine.current = startEngine<T>();
    return () => engine.current?.stop();
  }, []);
  useEffect(() => {
    if (question === null) {
      setState({ kind: 'idle' });
      return;
    }
    setState((before) => ({ kind: 'comparing', last: lastOf(before) }));
    return engine.current?.ask(question, (verdict) =>
      setState(
        verdict === null
          ? { kind: 'failed', asked: question }
          : { kind: 'ready', verdict, asked: question },
      ),
    );
  }, [question]);
  return state;
}

function lastOf<T>(state: EngineState<T>): T | null {
  if (state.kind === 'ready') return state.verdict;
  return state.kind === 'comparing' ? state.last : null;
}

type Told<T> = (answer: T | null) => void;

interface Engine<T> {
  /** Returns a function that withdraws the question. */
  ask(question: Asked, tell: Told<T>): () => void;
  stop(): void;
}

interface Task<T> {
  readonly id: number;
  readonly text: string;
  readonly tell: Told<T>;
}

function startEngine<T>(): Engine<T> {
  let worker: Worker | null = null;
  let running: (Task<T> & { readonly since: number }) | null = null;
  let waiting: Task<T> | null = null;
  let count = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastTimer: ReturnType<typeof setTimeout> | undefined;

  const finish = (verdict: T | null) => {
    const done = running;
    running = null;
    clearTimeout(timer);
    clearTimeout(lastTimer);
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
    clearTimeout(lastTimer);
    lastTimer = setTimeout(end, endedAfterMs);
  };
  const end = () => {
    worker?.terminate();
    worker = null;
    finish(null);
  };
  const giveUp = () => {
    if (running === null || waiting === null) return;
    worker?.terminate();
    worker = null;
    running = null;
    startNext();
  };
  return {
    ask: (asked, tell) => {
      const id = ++count;
      const question: EngineQuestion = { id, ...asked };
      waiting = { id, text: JSON.stringify(question), tell };
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
      clearTimeout(lastTimer);
      worker?.terminate();
    },
  };
}

function startWorker<T>(finish: Told<T>, runningId: () => number | null): Worker {
  const worker = new Worker(new URL('./verdict.worker.ts', import.meta.url), { type: 'module' });
  worker.onmessage = ({ data }: MessageEvent<EngineAnswer>) => {
    if (data.id === runningId()) finish(data.ok ? toAnswer<T>(data.answerText) : null);
  };
  worker.onerror = () => finish(null);
  return worker;
}

function toAnswer<T>(text: string): T | null {
  const parsed = parseJson(text);
  // The cast is safe: the worker wrote the answer of this question.
  return parsed.ok ? (parsed.value as unknown as T) : null;
}
