// Reads foreign JSON: a member of the wrong type counts as absent, and never throws.

import { isJsonObject, type Json, type JsonObject } from '../value/json.ts';

export function memberOf(value: Json | undefined, key: string): Json | undefined {
  if (value === undefined || !isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
  return value[key];
}

export function objectAt(value: Json | undefined, key: string): JsonObject | undefined {
  const member = memberOf(value, key);
  return member !== undefined && isJsonObject(member) ? member : undefined;
}

export function arrayAt(value: Json | undefined, key: string): readonly Json[] | undefined {
  const member = memberOf(value, key);
  return Array.isArray(member) ? member : undefined;
}

/** A non-empty string. */
export function textAt(value: Json | undefined, key: string): string | undefined {
  const member = memberOf(value, key);
  return typeof member === 'string' && member !== '' ? member : undefined;
}

export function textsAt(value: Json | undefined, key: string): readonly string[] {
  return (arrayAt(value, key) ?? []).filter((entry) => typeof entry === 'string');
}

/** The type of a value in words for people. */
export function kindOf(value: Json | undefined): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return isJsonObject(value) ? 'an object' : 'a number';
  return `a ${typeof value}`;
}

const plainKey = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** @example placeOf('$.nodes', 'model.shop.orders') // '$.nodes["model.shop.orders"]' */
export function placeOf(base: string, key: string | number): string {
  if (typeof key === 'number') return `${base}[${key}]`;
  return plainKey.test(key) ? `${base}.${key}` : `${base}[${JSON.stringify(key)}]`;
}

/** A flag. @example flagAt({ required: 'yes' }, 'required') // true */
export function flagAt(json: Json | undefined, name: string): boolean | undefined {
  const value = flagOf(memberOf(json, name) ?? null);
  return typeof value === 'boolean' ? value : undefined;
}

/** Many programs that read contracts know YAML 1.1, where `yes` and `on` are true. What is no flag stays as it is. */
export function flagOf(value: Json): Json {
  if (typeof value !== 'string') return value;
  if (/^(?:yes|on|true)$/i.test(value)) return true;
  return /^(?:no|off|false)$/i.test(value) ? false : value;
}
