// The operations of a PATCH, as providers spell them.

import { accept, type Outcome, refuse } from '../../core/failure.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/value/json.ts';

export interface Operation {
  readonly op: 'add' | 'replace' | 'remove';
  /** Null if the value is an object of attributes. */
  readonly path: string | null;
  /** Undefined if none was sent. */
  readonly value: Json | undefined;
}

const ops = ['add', 'replace', 'remove'] as const;

/** Entra ID writes `Add` for `add`. */
export function readOperations(body: JsonObject): Outcome<readonly Operation[]> {
  const list = memberOf(body, 'operations');
  if (!Array.isArray(list) || list.length === 0) {
    return wrong('A PATCH needs Operations: a list of { "op", "path", "value" }.', 'invalidSyntax');
  }
  const operations: Operation[] = [];
  for (const [index, one] of list.entries()) {
    const asked = isJsonObject(one) ? memberOf(one, 'op') : undefined;
    const op = ops.find((each) => typeof asked === 'string' && each === asked.toLowerCase());
    if (op === undefined || !isJsonObject(one)) {
      return wrong(`Operation ${index + 1} must be add, replace or remove.`, 'invalidSyntax');
    }
    const path = memberOf(one, 'path');
    const value = memberOf(one, 'value');
    const isWhole = path === undefined || path === null || path === '';
    if (isWhole && op === 'remove') {
      return wrong(`Operation ${index + 1} removes nothing: it has no path.`, 'noTarget');
    }
    if (isWhole && !isJsonObject(value ?? null)) {
      return wrong(
        `Operation ${index + 1} has no path, so its value must be an object.`,
        'invalidValue',
      );
    }
    if (!isWhole && typeof path !== 'string') {
      return wrong(`The path of operation ${index + 1} must be text.`, 'invalidPath');
    }
    if (!isWhole && op !== 'remove' && value === undefined) {
      return wrong(`Operation ${index + 1} has no value.`, 'invalidValue');
    }
    operations.push({ op, path: isWhole ? null : String(path), value });
  }
  return accept(operations);
}

/** SCIM ignores the case of names. */
export function memberOf(body: JsonObject, name: string): Json | undefined {
  const found = Object.keys(body).find((key) => key.toLowerCase() === name);
  return found === undefined ? undefined : body[found];
}

function wrong(message: string, scimType: string): Outcome<never> {
  return refuse('VALIDATION_ERROR', message, { details: { scim_type: scimType } });
}
