import { describe, expect, test } from 'vitest';
import { type QueueEvent, WorkQueue, type WorkResult } from '../../../src/controller/queue.ts';
import { ManualClock } from '../support/manual-clock.ts';

interface Run {
  readonly key: string;
  readonly finish: (result?: WorkResult) => Promise<void>;
}

function openQueue(concurrency = 1) {
  const clock = new ManualClock();
  const runs: Run[] = [];
  const events: QueueEvent[] = [];
  const queue = new WorkQueue({
    clock,
    concurrency,
    observe: (event) => events.push(event),
    work: (key) => {
      const { promise, resolve } = Promise.withResolvers<WorkResult>();
      runs.push({
        key,
        finish: async (result = { kind: 'done' }) => {
          resolve(result);
          await settle();
        },
      });
      return promise;
    },
  });
  queue.start();
  return { queue, clock, runs, events, keys: () => runs.map((run) => run.key) };
}

/** Runs resolved promises: the queue awaits twice between a result and the next start. */
async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) await Promise.resolve();
}

const failed: WorkResult = { kind: 'failed', error: new Error('no') };

describe('The work queue', () => {
  test('holds an object once, however often it is added', async () => {
    const { queue, runs, keys } = openQueue();
    queue.add('a', 'changed');
    queue.add('b', 'changed');
    queue.add('b', 'changed');
    queue.add('b', 'resync');
    expect(queue.depth).toBe(1);
    await runs[0]?.finish();
    await runs[1]?.finish();
    expect(keys()).toEqual(['a', 'b']);
  });

  test('never works on one object twice at the same time, and runs it once more afterwards', async () => {
    const { queue, runs, keys } = openQueue(4);
    queue.add('a', 'changed');
    queue.add('a', 'changed');
    queue.add('a', 'changed');
    expect(keys()).toEqual(['a']);
    await runs[0]?.finish();
    expect(keys()).toEqual(['a', 'a']);
    await runs[1]?.finish();
    expect(keys()).toEqual(['a', 'a']);
  });

  test('works on as many objects at once as it is allowed to', async () => {
    const { queue, runs, keys } = openQueue(2);
    for (const key of ['a', 'b', 'c']) queue.add(key, 'changed');
    expect([keys(), queue.activeWorkers]).toEqual([['a', 'b'], 2]);
    await runs[1]?.finish();
    expect(keys()).toEqual(['a', 'b', 'c']);
  });

  test('puts what somebody answered ahead of everything else', async () => {
    const { queue, runs, keys } = openQueue();
    queue.add('busy', 'changed');
    for (const key of ['c1', 'c2', 'c3']) queue.add(key, 'changed');
    queue.add('r1', 'resync');
    queue.add('c2', 'answered');
    queue.add('c2', 'changed');
    queue.add('r1', 'answered');
    expect(queue.depth).toBe(4);
    // An object in progress also runs again ahead of the others.
    queue.add('busy', 'answered');
    queue.add('busy', 'resync');
    for (let i = 0; i < 6; i++) await runs[i]?.finish();
    expect(keys()).toEqual(['busy', 'c2', 'r1', 'busy', 'c1', 'c3']);
  });

  test('puts what changed ahead of what is only looked at again', async () => {
    const { queue, runs, keys } = openQueue();
    for (const key of ['busy', 'r1', 'r2', 'r3']) queue.add(key, 'resync');
    queue.add('new', 'changed');
    queue.add('r2', 'changed');
    for (let i = 0; i < 5; i++) await runs[i]?.finish();
    expect(keys()).toEqual(['busy', 'new', 'r2', 'r1', 'r3']);
  });

  test('waits 5 ms after a failure, twice as long after each further one, and 30 s at most', async () => {
    const { queue, clock, runs, events } = openQueue();
    queue.add('a', 'changed');
    for (let i = 0; i < 16; i++) {
      await runs[i]?.finish(failed);
      clock.advanceToNext();
    }
    const waits = events.flatMap((event) => (event.kind === 'retrying' ? [event.afterMs] : []));
    expect(waits).toEqual([
      5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10240, 20480, 30000, 30000, 30000,
    ]);
  });

  test('forgets the failures of an object once it succeeded', async () => {
    const { queue, clock, runs, events } = openQueue();
    queue.add('a', 'changed');
    await runs[0]?.finish(failed);
    clock.advanceToNext();
    await runs[1]?.finish();
    queue.add('a', 'changed');
    await runs[2]?.finish(failed);
    const waits = events.flatMap((event) => (event.kind === 'retrying' ? [event.afterMs] : []));
    expect(waits).toEqual([5, 5]);
  });

  test('lets a change run at once although the object failed, and a resync wait its time', async () => {
    const { queue, clock, runs, keys } = openQueue();
    queue.add('a', 'changed');
    await runs[0]?.finish(failed);
    queue.add('a', 'resync');
    expect(keys()).toEqual(['a']);
    queue.add('a', 'changed');
    expect(keys()).toEqual(['a', 'a']);
    await runs[1]?.finish();
    clock.advance(60_000);
    expect(keys()).toEqual(['a', 'a']);
  });

  test('keeps one object that fails from holding up the others', async () => {
    const { queue, runs, keys } = openQueue();
    queue.add('bad', 'changed');
    queue.add('good', 'changed');
    await runs[0]?.finish(failed);
    expect(keys()).toEqual(['bad', 'good']);
  });

  test('counts work that throws as failed', async () => {
    const clock = new ManualClock();
    const events: QueueEvent[] = [];
    const queue = new WorkQueue({
      clock,
      concurrency: 1,
      observe: (event) => events.push(event),
      work: async () => {
        throw new Error('a bug');
      },
    });
    queue.start();
    queue.add('a', 'changed');
    await settle();
    expect(events.map((event) => event.kind)).toEqual(['added', 'started', 'finished', 'retrying']);
    expect(queue.delayed).toBe(1);
  });

  test('comes back to an object when it asked for it', async () => {
    const { queue, clock, runs, keys } = openQueue();
    queue.add('a', 'changed');
    await runs[0]?.finish({ kind: 'again', afterMs: 100 });
    clock.advance(99);
    expect(keys()).toEqual(['a']);
    clock.advance(1);
    expect(keys()).toEqual(['a', 'a']);
  });

  test('stops by waiting for what runs and dropping what waits', async () => {
    const { queue, clock, runs, keys } = openQueue();
    queue.add('a', 'changed');
    queue.add('b', 'changed');
    queue.addAfter('c', 10);
    let isStopped = false;
    const stopping = queue.stop().then(() => {
      isStopped = true;
    });
    await settle();
    expect(isStopped).toBe(false);
    await runs[0]?.finish(failed);
    await stopping;
    clock.advance(100_000);
    queue.add('d', 'changed');
    expect(keys()).toEqual(['a']);
  });
});
