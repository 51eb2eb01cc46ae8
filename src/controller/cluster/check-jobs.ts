// The CronJobs and Jobs of ContractChecks. Their names are made by this controller from the uid of the
// check, so no other object has them. Nothing is deleted here: Kubernetes does, with the check.

import { isJsonObject, type Json, type JsonObject } from '../../core/value/json.ts';
import type { Clock } from '../clock.ts';
import {
  apiVersion,
  checkedAssetAnnotation,
  checkLabel,
  checkNameAnnotation,
} from '../crd/kinds.ts';
import {
  type CheckJob,
  type CheckJobs,
  type CheckOfAsset,
  keyOf,
  type ObjectKey,
  type SourceObject,
} from '../source/source.ts';
import { type ApiAnswer, type ApiClient, ApiError, messageOf } from './api-client.ts';
import { Following } from './following.ts';
import { Informer } from './informer.ts';
import { fieldManager } from './write-status.ts';

interface CheckJobsOptions {
  readonly client: ApiClient;
  readonly clock: Clock;
  readonly namespaces: readonly (string | null)[];
  /** The check whose Job or CronJob changed. */
  readonly onChange: (key: ObjectKey) => void;
  readonly onError: (error: unknown, during: string) => void;
}

interface OpenCheckJobs extends CheckJobs {
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

interface KeptJob extends CheckJob {
  readonly check: string;
  readonly ownerUid: string;
  readonly assetId: string;
}

interface KeptCronJob {
  readonly check: string;
  readonly uid: string;
  readonly name: string;
  readonly generation: number;
  readonly isPaused: boolean;
}

const path = (plural: string, namespace: string | null, name = '') =>
  `/apis/batch/v1/${namespace === null ? '' : `namespaces/${namespace}/`}${plural}${name && `/${name}`}`;

export function openCheckJobs(options: CheckJobsOptions): OpenCheckJobs {
  const { client, clock, onError } = options;
  /** By the uid of the check, and the key of the object. */
  const jobs = new Map<string, Map<string, KeptJob>>();
  const cronJobs = new Map<string, Map<string, KeptCronJob>>();
  const followed = <T extends { readonly check: string; readonly name: string }>(
    plural: string,
    index: Map<string, Map<string, T>>,
    keep: (object: JsonObject) => T,
  ) =>
    new Following(
      options.namespaces,
      (namespace) =>
        new Informer<{ readonly kept: T; readonly key: ObjectKey }>({
          client,
          clock,
          path: path(plural, namespace),
          query: { labelSelector: checkLabel },
          keep: (object) => ({ kept: keep(object), key: keyOfCheck(object) }),
          onChange: ({ key, before, now }) => {
            const one = now ?? before;
            if (one === null) return;
            const { check } = one.kept;
            const ofCheck = index.get(check) ?? new Map<string, T>();
            if (now === null) ofCheck.delete(key);
            else ofCheck.set(key, now.kept);
            if (ofCheck.size === 0) index.delete(check);
            else index.set(check, ofCheck);
            options.onChange(one.key);
          },
          onError,
        }),
    );
  const following = [followed('jobs', jobs, keepJob), followed('cronjobs', cronJobs, keepCronJob)];
  let isRead = false;
  const cronJobOf = (check: SourceObject) => {
    const [found = null] = cronJobs.get(check.uid)?.values() ?? [];
    return found;
  };
  return {
    schedule: async (check, name, spec) => {
      const { jobTemplate, ...more } = spec;
      const body = {
        ...{ apiVersion: 'batch/v1', kind: 'CronJob', metadata: metadataOf(check, name) },
        spec: { ...more, jobTemplate: { metadata: markOf(check), spec: jobTemplate } },
      };
      const answer = await client.request({
        method: 'PATCH',
        path: path('cronjobs', check.object.namespace, name),
        query: { fieldManager, force: true },
        contentType: 'application/apply-patch+yaml',
        body,
      });
      return refusalOf(answer, `apply CronJob ${name}`);
    },
    pause: async (check) => {
      const found = cronJobOf(check);
      if (found === null || found.isPaused) return;
      const asked = path('cronjobs', check.namespace, found.name);
      const answer = await client.request({
        method: 'PATCH',
        path: asked,
        query: { fieldManager },
        contentType: 'application/merge-patch+json',
        body: { spec: { suspend: true } },
      });
      if (answer.status !== 404) refusalOf(answer, `pause CronJob ${found.name}`);
    },
    run: async (check, name, spec) => {
      const body = {
        ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: metadataOf(check, name) },
        spec,
      };
      const asked = path('jobs', check.object.namespace);
      const answer = await client.request({
        ...{ method: 'POST', path: asked, query: { fieldManager }, body },
      });
      // Made by an earlier attempt whose status was not written.
      return answer.status === 409 ? null : refusalOf(answer, `create Job ${name}`);
    },
    newest: ({ object, assetId }) => {
      if (!isRead) return 'unknown';
      const owners = [object.uid, cronJobOf(object)?.uid];
      return [...(jobs.get(object.uid)?.values() ?? [])]
        .filter((job) => owners.includes(job.ownerUid) && job.assetId === assetId)
        .reduce<CheckJob | null>(
          (newest, job) => (newest === null || job.createdAt >= newest.createdAt ? job : newest),
          null,
        );
    },
    start: async () => {
      await Promise.all(following.map((one) => one.start()));
      isRead = true;
      for (const one of following) {
        for (const key of one.keys()) {
          const found = one.get(key);
          if (found !== null) options.onChange(found.key);
        }
      }
    },
    stop: async () => void (await Promise.all(following.map((one) => one.stop()))),
  };
}

/** The message of a refusal that the owner of the check can do something about. */
function refusalOf(answer: ApiAnswer, what: string): string | null {
  if (answer.status === 200 || answer.status === 201) return null;
  if ([400, 403, 404, 422].includes(answer.status)) return messageOf(answer.body);
  throw new ApiError(what, answer);
}

function markOf({ object: { uid, name }, assetId }: CheckOfAsset) {
  const annotations = { [checkNameAnnotation]: name, [checkedAssetAnnotation]: assetId };
  return { labels: { [checkLabel]: uid }, annotations };
}

function metadataOf(check: CheckOfAsset, name: string): object {
  const { kind, uid, namespace, name: ownerName } = check.object;
  const owner = { apiVersion, kind, name: ownerName, uid, controller: true };
  return { name, namespace, ...markOf(check), ownerReferences: [owner] };
}

function keyOfCheck(object: JsonObject): ObjectKey {
  const metadata = objectOr(object.metadata);
  const name = objectOr(metadata.annotations)[checkNameAnnotation];
  return keyOf('ContractCheck', String(metadata.namespace), String(name));
}

function keepJob(object: JsonObject): KeptJob {
  const metadata = objectOr(object.metadata);
  const { conditions = [] } = objectOr(object.status);
  const ended = (Array.isArray(conditions) ? conditions : [])
    .map((one) => objectOr(one))
    .find(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True');
  const owners = Array.isArray(metadata.ownerReferences) ? metadata.ownerReferences : [];
  const owner = owners.map((one) => objectOr(one)).find(({ controller }) => controller === true);
  return {
    ...markedOf(metadata),
    ownerUid: String(owner?.uid),
    assetId: String(objectOr(metadata.annotations)[checkedAssetAnnotation]),
    createdAt: String(metadata.creationTimestamp),
    ended:
      ended === undefined
        ? null
        : {
            isComplete: ended.type === 'Complete',
            reason: String(ended.reason ?? ''),
            message: String(ended.message ?? ''),
            at: String(ended.lastTransitionTime),
          },
  };
}

function keepCronJob(object: JsonObject): KeptCronJob {
  const metadata = objectOr(object.metadata);
  const isPaused = objectOr(object.spec).suspend === true;
  return { ...markedOf(metadata), generation: Number(metadata.generation), isPaused };
}

function markedOf({ labels, uid, name }: JsonObject) {
  const check = String(objectOr(labels)[checkLabel]);
  return { check, uid: String(uid), name: String(name) };
}

function objectOr(value: Json | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}
