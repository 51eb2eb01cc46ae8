// Finds the operations of a document: those of its paths, and the webhooks of OpenAPI 3.1.

import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { type ImportProblem, itemProblem } from '../candidate.ts';
import { kindOf, memberOf, objectAt, placeOf } from '../read-json.ts';
import { methods, resolveObject } from './openapi-document.ts';
import type { Operation, PlacedProblem } from './openapi-reading.ts';

/**
 * A webhook has its name in place of a path: `webhooks/order_created`.
 *
 * @example readOperations(document, problems).map(({ method, path }) => `${method} ${path}`)
 */
export function readOperations(
  document: JsonObject,
  problems: ImportProblem[],
): readonly Operation[] {
  const found: PlacedProblem[] = [];
  const read = (key: string, pathOf: (name: string) => string, isWebhook: boolean) =>
    Object.entries(objectAt(document, key) ?? {}).flatMap(([name, raw]) => {
      if (name.startsWith('x-')) return [];
      const home = { path: pathOf(name), place: placeOf(`$.${key}`, name), isWebhook };
      return readItem(document, raw, home, found);
    });
  const operations = [
    ...read('paths', (path) => path, false),
    ...read('webhooks', (name) => `webhooks/${name}`, true),
  ];
  problems.push(...found.map(({ code, message, place }) => itemProblem(code, message, place)));
  return operations;
}

type Home = Pick<Operation, 'path' | 'place' | 'isWebhook'>;

/** The operations of a path, of a webhook, or of an address of a callback. */
export function readItem(
  document: JsonObject,
  raw: Json,
  home: Home,
  problems: PlacedProblem[],
): readonly Operation[] {
  const { path, place } = home;
  const resolved = resolveObject(document, raw, place);
  if (!resolved.ok) {
    problems.push({ ...resolved.problem, place });
    return [];
  }
  // Siblings of the $ref of a path item belong to it, too.
  const item = { ...resolved.value, ...(isJsonObject(raw) ? raw : {}) };
  const further = objectAt(item, 'additionalOperations') ?? {};
  const written = memberOf(item, 'additionalOperations');
  if (written !== undefined && !isJsonObject(written)) {
    const message = `"additionalOperations" must be an object, not ${kindOf(written)}.`;
    problems.push({ code: 'UNREADABLE_ITEM', message, place: `${place}.additionalOperations` });
  }
  const stated = [
    ...methods.map((method) => [method, memberOf(item, method), `${place}.${method}`] as const),
    ...Object.entries(further).map(
      ([method, operation]) =>
        [
          method.toLowerCase(),
          operation,
          placeOf(`${place}.additionalOperations`, method),
        ] as const,
    ),
  ];
  return stated.flatMap(([method, operation, at]) => {
    if (operation === undefined) return [];
    if (!isJsonObject(operation)) {
      const message = `${method.toUpperCase()} ${path} must be an object, not ${kindOf(operation)}. It was skipped.`;
      problems.push({ code: 'UNREADABLE_ITEM', message, place: at });
      return [];
    }
    const target = resolveObject(document, operation, at);
    const own = { method, place: at, itemPlace: place, item };
    if (target.ok) return [{ ...home, ...own, operation: target.value }];
    problems.push({ ...target.problem, place: at });
    return [];
  });
}
