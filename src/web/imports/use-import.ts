// The steps of one import: open a file, look at its plan, rehearse, import. One request runs at a
// time. A newer one, or Cancel, ends it together with its worker, and the registry rolls back.

import { useCallback, useEffect, useRef, useState } from 'react';
import { useCache } from '../data/use-answer.ts';
import { useViewer } from '../session/session-context.tsx';
import { words } from '../words.ts';
import type {
  FromWorker,
  ImportKind,
  OpenedFile,
  Outcome,
  Plan,
  Progress,
  ReadingOptions,
  Told,
  ToWorker,
  WritingOptions,
} from './import.types.ts';

export type ImportStep = 'opening' | 'planning' | 'rehearsing' | 'importing';

interface ImportState {
  readonly file: File | null;
  readonly opened: OpenedFile | null;
  /** The running step; null if there is none. */
  readonly step: ImportStep | null;
  readonly progress: Progress;
  readonly plan: Told<Plan> | null;
  readonly outcome: Told<Outcome> | null;
}

export interface Import {
  readonly state: ImportState;
  readonly open: (file: File) => void;
  readonly askPlan: (kind: ImportKind, reading: ReadingOptions) => void;
  readonly askImport: (
    kind: ImportKind,
    reading: ReadingOptions,
    writing: WritingOptions,
    step: 'rehearsing' | 'importing',
  ) => void;
  /** Discards the plan or rehearsal after a change of options. */
  readonly forget: (what: 'plan' | 'outcome') => void;
  readonly cancel: () => void;
}

const started: Progress = { step: 'reading', part: null };

const nothing: ImportState = {
  file: null,
  opened: null,
  step: null,
  progress: started,
  plan: null,
  outcome: null,
};

export function useImport(): Import {
  const { session } = useViewer();
  const cache = useCache();
  const [state, setState] = useState<ImportState>(nothing);
  const change = useCallback(
    (next: Partial<ImportState>) => setState((before) => ({ ...before, ...next })),
    [],
  );
  const settle = useCallback(
    (told: FromWorker) => {
      setState((before) => follow(before, told));
      // Something was written, or the session has ended, so everything on the page is requested
      // again.
      if (told.type === 'imported' || (told.type === 'planned' && !told.told.ok)) cache.refresh();
    },
    [cache],
  );
  const worker = useWorker(settle);
  const { headers } = session;
  const open = useCallback(
    (file: File) => {
      setState({ ...nothing, file, step: 'opening' });
      worker.restart();
      worker.ask({ type: 'open', file });
    },
    [worker],
  );
  const askPlan = useCallback(
    (kind: ImportKind, reading: ReadingOptions) => {
      change({ step: 'planning', progress: started, plan: null, outcome: null });
      worker.ask({ type: 'plan', kind, reading, headers });
    },
    [worker, change, headers],
  );
  const askImport: Import['askImport'] = useCallback(
    (kind, reading, writing, step) => {
      change({ step, progress: started, ...(step === 'rehearsing' && { outcome: null }) });
      const isRehearsal = step === 'rehearsing';
      worker.ask({ type: 'import', kind, reading, writing, isRehearsal, headers });
    },
    [worker, change, headers],
  );
  const forget = useCallback(
    (what: 'plan' | 'outcome') =>
      change(what === 'plan' ? { plan: null, outcome: null } : { outcome: null }),
    [change],
  );
  const cancel = useCallback(() => {
    worker.restart();
    change({ step: null });
  }, [worker, change]);
  return { state, open, askPlan, askImport, forget, cancel };
}

function follow(before: ImportState, told: FromWorker): ImportState {
  switch (told.type) {
    case 'progress':
      return { ...before, progress: told.progress };
    case 'opened':
      return { ...before, opened: told.opened, step: null };
    case 'planned':
      return { ...before, plan: told.told, step: null };
    case 'imported':
      return { ...before, outcome: told.told, step: null };
    default:
      return told satisfies never;
  }
}

/** The worker itself failed, for example because it ran out of memory. */
const stopped: FromWorker = {
  type: 'opened',
  id: 0,
  opened: {
    kind: null,
    problem: { kind: 'unreadable', message: words.import.readerStopped },
  },
};

type Question = ToWorker extends infer Q ? (Q extends ToWorker ? Omit<Q, 'id'> : never) : never;

interface ImportWorker {
  readonly ask: (question: Question) => void;
  /** Ends the running request. The file is opened again when it is next needed. */
  readonly restart: () => void;
}

function useWorker(settle: (told: FromWorker) => void): ImportWorker {
  const latest = useRef(settle);
  latest.current = settle;
  const [worker] = useState(() => makeWorker((told) => latest.current(told)));
  useEffect(() => worker.stop, [worker]);
  return worker;
}

function makeWorker(tell: (told: FromWorker) => void): ImportWorker & { stop: () => void } {
  let worker: Worker | null = null;
  let count = 0;
  let file: File | null = null;
  /** Whether the current worker has read the file. */
  let isOpened = false;
  const start = () => {
    const made = new Worker(new URL('./import.worker.ts', import.meta.url), { type: 'module' });
    made.onerror = () => tell(stopped);
    made.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      // Reading the file again after a cancel reports nothing new.
      if (data.id === count) tell(data);
    };
    return made;
  };
  const post = (question: Question) => {
    worker ??= start();
    worker.postMessage({ ...question, id: ++count });
  };
  const restart = () => {
    worker?.terminate();
    worker = null;
    isOpened = false;
    count++;
  };
  return {
    ask: (question) => {
      if (question.type === 'open') file = question.file;
      else if (!isOpened && file !== null) post({ type: 'open', file });
      post(question);
      isOpened = true;
    },
    restart,
    stop: () => {
      restart();
      file = null;
    },
  };
}
