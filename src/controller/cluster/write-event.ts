// Kubernetes Events about our objects. An event's name is made from its content, so repeating it
// increments the count of one Event, even after a restart.

import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../core/value/json.ts';
import type { Clock } from '../clock.ts';
import { apiVersion, type KindName } from '../crd/kinds.ts';
import { type ApiClient, ApiError } from './api-client.ts';
import { toMicroTime } from './leader-election.ts';

interface ObjectEvent {
  readonly regarding: {
    readonly kind: KindName;
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
  };
  readonly type: 'Normal' | 'Warning';
  /** One word: Published, ProposalCreated, ... */
  readonly reason: string;
  /** What the controller was doing: Publish, Propose, ... */
  readonly action: string;
  readonly note: string;
}

/** The API server's limit for a note. */
const maxNoteBytes = 1024;
const maxNameLength = 253;
const controllerName = 'concordat.dev/controller';

interface EventWriter {
  readonly client: ApiClient;
  readonly clock: Clock;
  /** Names this process. */
  readonly instance: string;
}

export async function writeEvent(writer: EventWriter, event: ObjectEvent): Promise<void> {
  const { client, clock, instance } = writer;
  // Events about objects without a namespace are in this one.
  const namespace = event.regarding.namespace || 'default';
  const collection = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
  const name = nameOf(event);
  const eventTime = toMicroTime(clock.wallTime());
  const created = await client.request({
    method: 'POST',
    path: collection,
    body: {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name, namespace },
      eventTime,
      reportingController: controllerName,
      reportingInstance: instance.slice(0, 128),
      action: event.action,
      reason: event.reason,
      type: event.type,
      note: cutToBytes(event.note, maxNoteBytes),
      regarding: { apiVersion, ...event.regarding },
    },
  });
  if (created.status === 201) return;
  if (created.status !== 409) throw new ApiError(`POST ${collection}`, created);
  await countAgain(client, `${collection}/${name}`, eventTime);
}

async function countAgain(client: ApiClient, path: string, eventTime: string): Promise<void> {
  const found = await client.request({ method: 'GET', path });
  // The event expired between the two requests: it is an hour old and is not repeated.
  if (found.status === 404) return;
  if (found.status !== 200 || !isJsonObject(found.body)) throw new ApiError(`GET ${path}`, found);
  const count = countOf(found.body) + 1;
  const answer = await client.request({
    method: 'PATCH',
    path,
    contentType: 'application/merge-patch+json',
    body: { series: { count, lastObservedTime: eventTime } },
  });
  if (answer.status !== 200 && answer.status !== 404) throw new ApiError(`PATCH ${path}`, answer);
}

function countOf(event: JsonObject): number {
  const series = event.series ?? null;
  return isJsonObject(series) && typeof series.count === 'number' ? series.count : 1;
}

function nameOf(event: ObjectEvent): string {
  const { regarding, type, reason, note } = event;
  const digest = createHash('sha256')
    .update([regarding.uid, type, reason, note].join('\n'))
    .digest('hex')
    .slice(0, 16);
  return `${regarding.name.slice(0, maxNameLength - digest.length - 1)}.${digest}`;
}

/** Cuts between characters, never within one. */
function cutToBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const ellipsis = '...';
  let end = maxBytes - ellipsis.length;
  const bytes = Buffer.from(text);
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString('utf8') + ellipsis;
}
