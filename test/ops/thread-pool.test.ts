// A thread ends with a task that is late, cancelled, or needs too much memory; the pool continues.

import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { RegistryUnavailable } from '../../src/core/unavailable.ts';
import { isOutOfMemory, openThreadPool, TaskCalledOff } from '../../src/ops/threads/thread-pool.ts';

let folder: string;
let entry: URL;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'concordat-threads-'));
  const file = join(folder, 'worker.mjs');
  writeFileSync(
    file,
    `import { parentPort, threadId } from 'node:worker_threads';
     parentPort.on('message', (task) => {
       if (task === 'never') return;
       if (task === 'spin') for (;;);
       if (task === 'eat') { const all = []; for (;;) all.push(new Array(100_000).fill(all.length)); }
       if (task === 'note') parentPort.postMessage({ kind: 'note', note: 'told' });
       if (task === 'fail') parentPort.postMessage({ kind: 'error', error: 'it broke' });
       else parentPort.postMessage({ kind: 'answer', answer: threadId });
     });`,
  );
  entry = pathToFileURL(file);
});
afterAll(() => rm(folder, { recursive: true }));

const limitMs = 20_000;

function open(more: Partial<Parameters<typeof openThreadPool>[0]> = {}) {
  const options = { entry, workerData: null, threads: 1, queueLimit: 10 };
  return openThreadPool({ ...options, hires: 'when_needed', ...more });
}

test('one thread answers task after task, and is let go after its last', async () => {
  const pool = open();
  const first = await pool.ask('a', { limitMs });
  expect(await pool.ask('b', { limitMs, isLarge: true })).toEqual(first);
  expect(await pool.ask('c', { limitMs })).not.toEqual(first);
  await pool.stop();
});

test('a large task waits until the memory of a thread that was let go is free; others do not', async () => {
  const pool = open();
  const end = Worker.prototype.terminate;
  const mayEnd = Promise.withResolvers<void>();
  const ending = vi.spyOn(Worker.prototype, 'terminate').mockImplementation(async function (
    this: Worker,
  ) {
    await mayEnd.promise;
    return end.call(this);
  });
  try {
    await pool.ask('a', { limitMs, isLarge: true });
    const answered: string[] = [];
    const large = pool
      .ask('b', { limitMs, isLarge: true, caller: 'one' })
      .then(() => answered.push('large'));
    await pool.ask('c', { limitMs, caller: 'other' }).then(() => answered.push('small'));
    expect(answered).toEqual(['small']);
    mayEnd.resolve();
    await large;
  } finally {
    ending.mockRestore();
    await pool.stop();
  }
});

test('a late task is given up, and the next one gets another thread', async () => {
  const pool = open();
  expect(await pool.ask('spin', { limitMs: 50 })).toBe('late');
  expect(await pool.ask('a', { limitMs })).toMatchObject({ answer: expect.any(Number) });
  await pool.stop();
});

test('a task whose limit is one of processor is late once it used that up, or by the clock', async () => {
  const pool = open({ threads: 2 });
  const waiting = new AbortController();
  const idle = pool.ask('never', {
    limitMs: 1_000,
    clockLimitMs: 3_600_000,
    signal: waiting.signal,
  });
  expect(await pool.ask('spin', { limitMs: 1_500, clockLimitMs: 3_600_000 })).toBe('late');
  // By the clock it is past its limit, of a processor it used next to nothing.
  waiting.abort();
  await expect(idle).rejects.toBeInstanceOf(TaskCalledOff);
  expect(await pool.ask('never', { limitMs: 3_600_000, clockLimitMs: 50 })).toBe('late');
  await pool.stop();
});

test('a task is called off while it runs and while it waits', async () => {
  const pool = open();
  const [running, waiting] = [new AbortController(), new AbortController()];
  const first = pool.ask('never', { limitMs, signal: running.signal });
  const second = pool.ask('a', { limitMs, signal: waiting.signal });
  const third = pool.ask('b', { limitMs });
  waiting.abort();
  await expect(second).rejects.toBeInstanceOf(TaskCalledOff);
  running.abort();
  await expect(first).rejects.toBeInstanceOf(TaskCalledOff);
  expect(await third).toMatchObject({ answer: expect.any(Number) });
  const gone = pool.ask('c', { limitMs, signal: AbortSignal.abort() });
  await expect(gone).rejects.toBeInstanceOf(TaskCalledOff);
  await pool.stop();
});

test('a task that wants too much memory ends its thread alone', async () => {
  const pool = open({ heapBytes: 64 * 1024 * 1024 });
  const eating = pool.ask('eat', { limitMs });
  await expect(eating).rejects.toSatisfy(isOutOfMemory);
  expect(await pool.ask('a', { limitMs })).toMatchObject({ answer: expect.any(Number) });
  await pool.stop();
});

test('what a thread notes is told, and what it fails at is an error', async () => {
  const notes: unknown[] = [];
  const pool = open({ onNote: (note) => notes.push(note) });
  await pool.ask('note', { limitMs });
  expect(notes).toEqual(['told']);
  await expect(pool.ask('fail', { limitMs })).rejects.toThrow('it broke');
  await pool.stop();
});

test('a pool that stays ready has a thread before there is a task, and after each last one', async () => {
  const notes: unknown[] = [];
  const file = join(folder, 'ready.mjs');
  writeFileSync(
    file,
    `import { parentPort } from 'node:worker_threads';
     parentPort.postMessage({ kind: 'note', note: 'here' });
     parentPort.on('message', () => parentPort.postMessage({ kind: 'answer', answer: 1 }));`,
  );
  const pool = open({ entry: pathToFileURL(file), onNote: (note) => notes.push(note) });
  pool.stayReady();
  await vi.waitFor(() => expect(notes).toEqual(['here']));
  await pool.ask('a', { limitMs, isLarge: true });
  await vi.waitFor(() => expect(notes).toEqual(['here', 'here']));
  await pool.stop();
});

test('a pool that stops tells those whose task is under way, as it tells those who wait', async () => {
  const pool = open();
  const asked = [pool.ask('never', { limitMs }), pool.ask('a', { limitMs })];
  const answers = Promise.allSettled(asked);
  await pool.stop();
  expect(await answers).toMatchObject([
    { reason: expect.any(RegistryUnavailable) },
    { reason: expect.any(RegistryUnavailable) },
  ]);
});

describe('One caller of several', () => {
  const shareOfOne = { threads: 1, queued: 2 };

  test('holds its share of the threads, and the others are answered by the rest', async () => {
    const pool = open({ threads: 2, shareOfOne });
    const endless = [1, 2].map(() => pool.ask('never', { limitMs, caller: 'greedy' }));
    void Promise.allSettled(endless);
    expect(await pool.ask('a', { limitMs, caller: 'other' })).not.toBe('late');
    expect(pool.figures()).toMatchObject({ busy: 1, queued: 1 });
    await pool.stop();
  });

  test('takes its turn, however many tasks it brought', async () => {
    const pool = open({ shareOfOne: { threads: 1, queued: 10 } });
    const answered: string[] = [];
    const ask = async (caller: string, name: string) => {
      await pool.ask('a', { limitMs, caller });
      answered.push(name);
    };
    await Promise.all([
      ...['a1', 'a2', 'a3', 'a4'].map((name) => ask('a', name)),
      ...['b1', 'b2'].map((name) => ask('b', name)),
      ask('c', 'c1'),
    ]);
    expect(answered).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
    await pool.stop();
  });

  test('fills its share of the queue, and the others find room', async () => {
    const pool = open({ shareOfOne });
    const waiting = [1, 2, 3].map(() => pool.ask('never', { limitMs, caller: 'greedy' }));
    const told = Promise.allSettled(waiting);
    await expect(pool.ask('a', { limitMs, caller: 'greedy' })).rejects.toThrow(
      'The queue for tasks of one caller is full: 2 are waiting.',
    );
    void pool.ask('a', { limitMs, caller: 'other' }).catch(() => {});
    expect(pool.figures()).toMatchObject({ queued: 3 });
    await pool.stop();
    await told;
  });
});
