// Writes a status by server-side apply, with one field manager, and only if it changed.

import { isSameJson } from '../../core/value/canonical-json.ts';
import { isJsonObject, type JsonObject } from '../../core/value/json.ts';
import { apiVersion, type KindName } from '../crd/kinds.ts';
import { type ApiClient, ApiError } from './api-client.ts';
import { objectPath } from './resources.ts';

export const fieldManager = 'concordat';

interface StatusTarget {
  readonly kind: KindName;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly status: JsonObject | null;
}

/**
 * `conflict`: the object changed since it was read, so the status may be outdated; the object is
 * reconciled again anyway. `gone`: the object no longer exists.
 */
type StatusWritten =
  | { readonly result: 'unchanged' | 'conflict' | 'gone' }
  | { readonly result: 'written'; readonly object: JsonObject };

export async function writeStatus(
  client: ApiClient,
  target: StatusTarget,
  status: JsonObject,
): Promise<StatusWritten> {
  if (target.status !== null && isSameJson(target.status, status)) {
    return { result: 'unchanged' };
  }
  const { kind, namespace, name, uid, resourceVersion } = target;
  const path = `${objectPath(kind, namespace, name)}/status`;
  const answer = await client.request({
    method: 'PATCH',
    path,
    query: { fieldManager, force: true },
    contentType: 'application/apply-patch+yaml',
    // The uid prevents writing a deleted object's status to a new object of the same name.
    body: { apiVersion, kind, metadata: { namespace, name, uid, resourceVersion }, status },
  });
  if (answer.status === 200 && isJsonObject(answer.body)) {
    return { result: 'written', object: answer.body };
  }
  if (answer.status === 409) return { result: 'conflict' };
  if (answer.status === 404) return { result: 'gone' };
  throw new ApiError(`PATCH ${path}`, answer);
}
