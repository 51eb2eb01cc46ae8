import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/controller/clock.ts';
import { ApiClient } from '../../../src/controller/cluster/api-client.ts';
import { LeaderElection, toMicroTime } from '../../../src/controller/cluster/leader-election.ts';
import { isJsonObject, type JsonObject } from '../../../src/core/value/json.ts';
import { type ClusterAddress, configOf } from '../../support/kubernetes/kubernetes.ts';
import { shareKubernetes } from '../../support/kubernetes/kubernetes-setup.ts';
import { ManualClock } from '../support/manual-clock.ts';

const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const patience = { timeout: 20_000, interval: 10 };
/** A tenth of the real times, roughly. */
const times = { leaseMs: 2_000, renewDeadlineMs: 1_000, retryMs: 200 };

let address: ClusterAddress;
let release: () => Promise<void>;
let client: ApiClient;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  ({ address, release } = await shareKubernetes());
  client = new ApiClient(configOf(address));
});

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

afterAll(async () => {
  client?.close();
  await release?.();
});

async function specOf(name: string): Promise<JsonObject> {
  const lease = await client.expect({ method: 'GET', path: `${leases}/${name}` });
  const spec = lease.spec ?? null;
  return isJsonObject(spec) ? spec : {};
}

/** Longer than any test waits: whoever leads earlier did not wait for its end. */
const longLease = { leaseMs: 60_000, renewDeadlineMs: 40_000, retryMs: 200 };

function stand(
  name: string,
  identity: string,
  more: { clock?: ManualClock; times?: typeof times } = {},
) {
  const errors: string[] = [];
  const terms: AbortSignal[] = [];
  const election = new LeaderElection({
    client,
    clock: more.clock ?? systemClock,
    namespace: 'default',
    name,
    identity,
    times: more.times ?? times,
    onError: (error) => errors.push(String(error)),
    lead: (signal) => {
      terms.push(signal);
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
    },
  });
  closing.push(() => election.stop());
  election.start();
  return { election, errors, terms };
}

describe('Leader election', () => {
  test('writes a time with six digits, as the API server wants it', () => {
    expect(toMicroTime(new Date('2026-01-02T03:04:05.678Z'))).toBe('2026-01-02T03:04:05.678000Z');
  });

  test('has one leader, which renews, and hands over at once when it stops', async () => {
    const first = stand('handover', 'first', { times: longLease });
    await vi.waitFor(() => expect(first.election.isLeading()).toBe(true), patience);
    const second = stand('handover', 'second', { times: longLease });
    const before = await specOf('handover');
    await vi.waitFor(
      async () => expect((await specOf('handover')).renewTime).not.toBe(before.renewTime),
      patience,
    );
    expect(before).toMatchObject({
      holderIdentity: 'first',
      leaseDurationSeconds: 60,
      leaseTransitions: 0,
      renewTime: expect.stringMatching(/\.\d{6}Z$/),
    });
    expect(second.election.isLeading()).toBe(false);
    await first.election.stop();
    await vi.waitFor(() => expect(second.election.isLeading()).toBe(true), patience);
    expect(first.terms[0]?.aborted).toBe(true);
    expect(await specOf('handover')).toMatchObject({
      holderIdentity: 'second',
      leaseTransitions: 1,
    });
    expect([first.errors, second.errors]).toEqual([[], []]);
  });

  test('judges another lease by when it saw it change, not by the time that stands in it', async () => {
    await client.expect({
      method: 'POST',
      path: leases,
      body: {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'old', namespace: 'default' },
        // By this clock the lease expired decades ago.
        spec: {
          holderIdentity: 'other',
          leaseDurationSeconds: 2,
          renewTime: '1999-01-01T00:00:00.000000Z',
        },
      },
    });
    const clock = new ManualClock();
    const { election } = stand('old', 'me', { clock });
    const look = vi.spyOn(client, 'request');
    closing.push(async () => look.mockRestore());
    const looks = async (count: number) =>
      vi.waitFor(
        () => expect(look.mock.settledResults.length).toBeGreaterThanOrEqual(count),
        patience,
      );
    await looks(1);
    expect(election.isLeading()).toBe(false);
    for (let i = 2; i <= 9; i++) {
      await vi.waitFor(() => expect(clock.waiting).toBe(1), patience);
      clock.advance(times.retryMs);
      await looks(i);
    }
    expect([clock.monotonicMs(), election.isLeading()]).toEqual([1_600, false]);
    await vi.waitFor(() => expect(clock.waiting).toBe(1), patience);
    clock.advance(times.retryMs * 2);
    await vi.waitFor(() => expect(election.isLeading()).toBe(true), patience);
    expect(await specOf('old')).toMatchObject({ holderIdentity: 'me', leaseTransitions: 1 });
  });

  test('a leader that is frozen past its lease and woken does nothing more', async () => {
    const first = await startProcess('frozen', 'first');
    await first.until((line) => line === 'leads');
    const second = await startProcess('frozen', 'second');
    first.child.kill('SIGSTOP');
    await second.until((line) => line === 'leads');
    const wokenAtMs = Date.now();
    first.child.kill('SIGCONT');
    await first.until((line) => line === 'ended');
    const worked = first.lines.flatMap((line) => /^works (\d+)$/.exec(line)?.[1] ?? []);
    expect(worked.length).toBeGreaterThan(0);
    expect(worked.filter((at) => Number(at) >= wokenAtMs)).toEqual([]);
    expect(await specOf('frozen')).toMatchObject({ holderIdentity: 'second' });
  });

  test('another takes over from a leader that was killed', async () => {
    const first = await startProcess('killed', 'first');
    await first.until((line) => line === 'leads');
    const second = await startProcess('killed', 'second');
    first.child.kill('SIGKILL');
    await second.until((line) => line === 'leads');
    expect(await specOf('killed')).toMatchObject({ holderIdentity: 'second' });
  });
});

interface Candidate {
  readonly child: ChildProcess;
  readonly lines: string[];
  readonly until: (isIt: (line: string) => boolean) => Promise<void>;
}

async function startProcess(name: string, identity: string): Promise<Candidate> {
  const { server, caFile } = address;
  const script = new URL('../support/leader-process.ts', import.meta.url).pathname;
  const args = [script, server, caFile, name, identity, JSON.stringify(times)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(line));
  const ended = once(child, 'exit');
  closing.push(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    child,
    lines,
    until: (isIt) => vi.waitFor(() => expect(lines.some(isIt)).toBe(true), patience),
  };
}
