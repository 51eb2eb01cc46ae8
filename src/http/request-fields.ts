import type { RequestFields } from '../core/decide/commands.ts';

interface StatedRequest {
  readonly reason?: string | null | undefined;
  readonly contact?: string | null | undefined;
  readonly answer_by?: string | null | undefined;
  readonly migration?: string | null | undefined;
  readonly migrate_by?: string | null | undefined;
}

/** Turns the fields of a request body into those of a command. */
export function requestFieldsOf(stated: StatedRequest): RequestFields;
export function requestFieldsOf(stated: StatedRequest | undefined): RequestFields | undefined;
export function requestFieldsOf(stated: StatedRequest | undefined): RequestFields | undefined {
  if (stated === undefined) return undefined;
  const { reason, contact, answer_by: answerBy, migration, migrate_by: migrateBy } = stated;
  return { reason, contact, answerBy, migration, migrateBy };
}
