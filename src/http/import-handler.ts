// Handlers of routes that take a document. They run in the thread that parsed it.

import type { Outcome } from '../core/failure.ts';
import type { Timestamp } from '../core/id.ts';
import type { JsonObject } from '../core/value/json.ts';
import type { DbtSettings, ReadDocument } from '../engine/read-import.ts';
import type { Context, IdempotencyKey } from '../registry/ports.ts';
import type { Api } from './handler.ts';

export interface ImportApi extends Pick<Api, 'ports' | 'verbs'> {
  readonly now: () => Timestamp;
  readonly newId: () => string;
  readonly dbtSettings: DbtSettings;
  /** The default of `auto_publish_contracts` for OpenAPI. */
  readonly publishesOpenapi: boolean;
}

/** The arguments of an import's handler. */
export interface ReadCall {
  readonly body: unknown;
  readonly document: ReadDocument;
  readonly context: Context;
  readonly idempotency: IdempotencyKey | undefined;
}

export interface ImportReply {
  readonly status: 200;
  readonly body: JsonObject;
}

export type ImportHandler = (api: ImportApi, call: ReadCall) => Promise<Outcome<ImportReply>>;
