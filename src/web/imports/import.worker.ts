// Reads a file and calls the registry about it, in a worker.

import { createClient } from '../../wire/client.ts';
import { basePath } from '../base-path.ts';
import { askImport, askPlan, unreachable, unreadable } from './ask-registry.ts';
import type { FromWorker, Told, ToWorker } from './import.types.ts';
import { isReadableAs, type OpenedText, openText } from './open-file.ts';
import { packAndSend } from './pack-and-send.ts';

// The page's types do not include worker scopes, so this declares what is used.
interface WorkerScope {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(answer: FromWorker): void;
}

const scope = self as unknown as WorkerScope;

/** The registry's own limit for imports. It may be configured lower, and then reports that. */
const largestBytes = 128 * 1024 * 1024;

let file: OpenedText | null = null;

/** Sequential: a file is read before the registry is asked about it. */
let last = Promise.resolve();

scope.onmessage = ({ data }) => {
  last = last.then(() => answer(data));
};

async function answer(asked: ToWorker): Promise<void> {
  const { id } = asked;
  if (asked.type === 'open') {
    scope.postMessage({ type: 'progress', id, progress: { step: 'reading', part: null } });
    file = await open(asked.file);
    const { kind, problem } = file;
    scope.postMessage({ type: 'opened', id, opened: { kind, problem } });
  } else if (asked.type === 'plan') {
    const told = await ask(asked, (asking) => askPlan(asking));
    scope.postMessage({ type: 'planned', id, told });
  } else {
    const { writing, isRehearsal } = asked;
    const told = await ask(asked, (asking) => askImport(asking, writing, isRehearsal));
    scope.postMessage({ type: 'imported', id, told });
  }
}

async function open(given: File): Promise<OpenedText> {
  const nothing = { text: '', value: null, kind: null };
  if (given.size > largestBytes) return { ...nothing, problem: { kind: 'too_large' } };
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    return openText(decoder.decode(await given.arrayBuffer()), given.name);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ...nothing, problem: { kind: 'unreadable', message } };
  }
}

async function ask<T>(
  { id, kind, reading, headers }: Exclude<ToWorker, { type: 'open' }>,
  question: (asking: Parameters<typeof askPlan>[0]) => Promise<Told<T>>,
): Promise<Told<T>> {
  if (file === null || !isReadableAs(file, kind)) return unreadable;
  const client = createClient({
    baseUrl: basePath,
    headers,
    fetch: packAndSend((progress) => scope.postMessage({ type: 'progress', id, progress })),
  });
  try {
    const told = await question({ client, kind, file, reading });
    // Only the message of a refusal is passed, because headers cannot be copied.
    return told.ok ? told : { ok: false, refusal: plain(told.refusal) };
  } catch {
    return unreachable;
  }
}

function plain<T>(value: T): T {
  // The cast is safe: the registry's response is plain JSON.
  return JSON.parse(JSON.stringify(value)) as T;
}
