// Builders of the structural OpenAPI v3 schemas of the kinds. Each requires a description, because
// `kubectl explain` is the manual.

import type { JsonObject } from '../../core/value/json.ts';

export interface Schema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'boolean';
  readonly description: string;
  readonly format?: 'date-time' | 'date' | 'int64';
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'map' | 'set';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic';
  readonly 'x-kubernetes-preserve-unknown-fields'?: true;
  readonly 'x-kubernetes-validations'?: readonly Rule[];
  /**
   * Values of `enum` that are still accepted, in the registry's spelling. A function, so that it
   * does not appear in CRDs.
   */
  readonly older?: () => readonly string[];
  /** The values of `enum` that the code uses. */
  readonly typed?: () => readonly string[];
}

/**
 * A rule in CEL, its error message, and the same rule as a function for manifests from files. A test
 * compares the two.
 */
export interface Rule {
  readonly rule: string;
  readonly message: string;
  /** The subject of the error, relative to the rule, such as `.fqn`. */
  readonly fieldPath: string;
  readonly reason:
    | 'FieldValueInvalid'
    | 'FieldValueForbidden'
    | 'FieldValueRequired'
    | 'FieldValueDuplicate';
  /** `old` is undefined for a new object, for which rules that need it are skipped. */
  readonly holds: (self: JsonObject, old: JsonObject | undefined) => boolean;
}

interface TextLimits {
  readonly maxLength: number;
  readonly minLength?: number;
  readonly pattern?: string;
}

export function text(description: string, limits: TextLimits): Schema {
  return { type: 'string', description, ...limits };
}

export function choice(values: readonly string[], description: string): Schema {
  return { type: 'string', description, enum: values };
}

/** A choice that also accepts the registry's spelling. */
export function spelledChoice(values: readonly string[], description: string): Schema {
  const older = values.map((value) => value.toLowerCase());
  const all = [...values, ...older];
  return { type: 'string', description, enum: all, older: () => older, typed: () => older };
}

/**
 * The same for a status: during an upgrade, a replica of the previous release may still write the
 * registry's spelling.
 */
export function writtenChoice(values: readonly string[], description: string): Schema {
  return { ...spelledChoice(values, description), typed: () => values };
}

export function flag(description: string): Schema {
  return { type: 'boolean', description };
}

export function count(description: string): Schema {
  return { type: 'integer', description, minimum: 0, format: 'int64' };
}

export function moment(description: string): Schema {
  return { type: 'string', description, format: 'date-time' };
}

/** A day, such as 2026-01-31. */
export function day(description: string): Schema {
  return { type: 'string', description, format: 'date' };
}

/**
 * A free-form object. Atomic: otherwise the fields of two appliers would be merged into an object
 * that neither of them wrote.
 */
export function freeObject(description: string, known?: Readonly<Record<string, Schema>>): Schema {
  return {
    type: 'object',
    description,
    ...(known === undefined ? {} : { properties: known }),
    'x-kubernetes-map-type': 'atomic',
    'x-kubernetes-preserve-unknown-fields': true,
  };
}

/** Any JSON value. */
export function anything(description: string): Schema {
  return { description, 'x-kubernetes-preserve-unknown-fields': true };
}

export function mapOf(values: Schema, description: string): Schema {
  return { type: 'object', description, additionalProperties: values };
}

export function list(items: Schema, description: string, maxItems: number): Schema {
  return {
    type: 'array',
    description,
    maxItems,
    items,
    'x-kubernetes-list-type': 'atomic',
  };
}

/** A list with unique keys: two appliers may each own some of its items. */
export function listByKey(
  key: string,
  items: Schema,
  description: string,
  maxItems: number,
): Schema {
  return {
    type: 'array',
    description,
    maxItems,
    items,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': [key],
  };
}

interface Members {
  readonly required?: Readonly<Record<string, Schema>>;
  readonly optional?: Readonly<Record<string, Schema>>;
  readonly rules?: readonly Rule[];
  readonly default?: unknown;
}

export function object(description: string, members: Members): Schema {
  const required = Object.keys(members.required ?? {});
  return {
    type: 'object',
    description,
    ...(members.default === undefined ? {} : { default: members.default }),
    ...(required.length === 0 ? {} : { required }),
    properties: { ...members.required, ...members.optional },
    ...validations(members.rules),
  };
}

function validations(rules: readonly Rule[] | undefined): Pick<Schema, 'x-kubernetes-validations'> {
  return rules === undefined || rules.length === 0 ? {} : { 'x-kubernetes-validations': rules };
}
