// The webhook's reads from the cluster, one object at a time.

import { isJsonObject, type Json, type JsonObject } from '../../core/value/json.ts';
import { type ApiAnswer, type ApiClient, ApiError } from '../cluster/api-client.ts';
import { environmentLabel, teamLabel } from '../crd/kinds.ts';
import type { AdmissionReads } from './review-object.ts';

/** The API server waits for the webhook, so a hanging read would use up its timeout. */
const deadlineMs = 2_000;

export function readsOfCluster(
  client: ApiClient,
  kept: Pick<AdmissionReads, 'identity' | 'readBindings'>,
): AdmissionReads {
  const read = async (path: string): Promise<JsonObject | null> => {
    return readOf(path, await client.request({ method: 'GET', path, deadlineMs }));
  };
  return {
    ...kept,
    readNamespace: async (namespace) => {
      const found = await read(`/api/v1/namespaces/${encodeURIComponent(namespace)}`);
      const labels = objectOr(objectOr(found?.metadata).labels);
      const textOf = (label: Json | undefined) => (typeof label === 'string' ? label : null);
      return { team: textOf(labels[teamLabel]), environment: textOf(labels[environmentLabel]) };
    },
    readConfigMap: async (namespace, name) => {
      const inside = `/api/v1/namespaces/${encodeURIComponent(namespace)}/configmaps`;
      const path = `${inside}/${encodeURIComponent(name)}`;
      const answer = await client.request({ method: 'GET', path, deadlineMs });
      if (answer.status === 403) return 'forbidden';
      const found = readOf(path, answer);
      if (found === null) return null;
      const texts = Object.entries(objectOr(found.data)).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string',
      );
      return Object.fromEntries(texts);
    },
  };
}

function readOf(path: string, answer: ApiAnswer): JsonObject | null {
  if (answer.status === 404) return null;
  if (answer.status !== 200) throw new ApiError(`GET ${path}`, answer);
  return objectOr(answer.body);
}

function objectOr(value: Json | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}
