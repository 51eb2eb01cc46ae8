// The requests and responses of the admission webhook: admission.k8s.io/v1. Pure.

import { isJsonObject, type Json, type JsonObject } from '../../core/value/json.ts';
import { type KindName, kindNames } from '../crd/kinds.ts';

export interface AdmissionRequest {
  readonly uid: string;
  readonly kind: KindName;
  readonly namespace: string;
  readonly name: string;
  /** The uid of the object; '' if it is being created. */
  readonly objectUid: string;
  readonly isDeleting: boolean;
  readonly spec: JsonObject;
  /** Null if the object is new. */
  readonly oldSpec: JsonObject | null;
}

export type AdmissionVerdict = Admitted | { readonly allowed: false; readonly message: string };

interface Admitted {
  readonly allowed: true;
  readonly warnings: readonly string[];
  /** Not checked, because that was not possible in time. */
  readonly isUnchecked?: true;
}

export const allowed: AdmissionVerdict = { allowed: true, warnings: [] };

export function warned(...warnings: readonly string[]): Admitted {
  return { allowed: true, warnings };
}

interface ReviewRead {
  readonly uid: string;
  /** Null if the object is not one of our kinds; it is then allowed. */
  readonly request: AdmissionRequest | null;
}

/** Returns null if the body is not an AdmissionReview. */
export function readReview(body: Json): ReviewRead | null {
  const request = isJsonObject(body) ? objectOr(body.request) : {};
  if (typeof request.uid !== 'string') return null;
  const { uid } = request;
  const object = objectOr(request.object);
  const kind = kindNames.find((known) => known === object.kind);
  if (kind === undefined || request.subResource !== undefined) return { uid, request: null };
  const metadata = objectOr(object.metadata);
  const old = objectOr(request.oldObject).spec;
  return {
    uid,
    request: {
      uid,
      kind,
      namespace: textOr(request.namespace),
      name: textOr(metadata.name) || textOr(request.name),
      objectUid: textOr(metadata.uid),
      isDeleting: metadata.deletionTimestamp !== undefined,
      spec: objectOr(object.spec),
      oldSpec: old !== undefined && isJsonObject(old) ? old : null,
    },
  };
}

/** kubectl shows one per line; the API server truncates all of them together at 4 KiB. */
const maxWarnings = 12;
const maxWarningLength = 250;

export function answerReview(uid: string, verdict: AdmissionVerdict): object {
  const response = verdict.allowed
    ? { uid, allowed: true, ...warningsOf(verdict.warnings) }
    : {
        uid,
        allowed: false,
        status: { code: 422, reason: 'Invalid', message: verdict.message.slice(0, 32_000) },
      };
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response };
}

function warningsOf(warnings: readonly string[]): { readonly warnings?: readonly string[] } {
  if (warnings.length === 0) return {};
  const shown = warnings.slice(0, maxWarnings).map(toLine);
  const more = warnings.length - shown.length;
  return { warnings: more > 0 ? [...shown, `... and ${more} more`] : shown };
}

/** Warnings are sent as response headers, so each is one line without control characters. */
function toLine(warning: string): string {
  const line = warning.replace(/\p{Cc}+/gu, ' ');
  return line.length > maxWarningLength ? `${line.slice(0, maxWarningLength - 3)}...` : line;
}

function objectOr(value: Json | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}

function textOr(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
