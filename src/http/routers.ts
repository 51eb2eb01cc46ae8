// Makes an Express router for each resource from the route table. A resource is the first segment
// of a path: everything below /assets is in one router.

import express, { type RequestHandler, type Router } from 'express';
import { refuse } from '../core/failure.ts';
import type { Method, Route } from '../wire/route.ts';
import { noRoute, refusal, sendEmpty } from './request/answer.ts';
import { exchangeOf } from './request/exchange.ts';

/** Paths are case-sensitive. */
export const exactPaths = { caseSensitive: true, strict: true } as const;

export interface ServedRow {
  readonly row: Pick<Route, 'method' | 'path'>;
  readonly handler: RequestHandler;
}

/** The routers of these rows; their paths start with the prefix that the result is mounted at. */
export function routeRows(prefix: string, served: readonly ServedRow[]): Router {
  const all = express.Router(exactPaths);
  const bySegment = Map.groupBy(served, ({ row }) => segmentOf(row.path.slice(prefix.length)));
  for (const [segment, rows] of bySegment) {
    const within = `${prefix}/${segment}`;
    all.use(`/${segment}`, routeResource(within, rows));
  }
  return all;
}

function routeResource(within: string, served: readonly ServedRow[]): Router {
  const router = express.Router(exactPaths);
  const byPath = Map.groupBy(served, ({ row }) => row.path.slice(within.length));
  // A brace sorts after every letter, so fixed segments come before parameters.
  for (const path of [...byPath.keys()].sort()) {
    const route = router.route(path === '' ? '/' : path.replace(/\{(\w+)\}/g, ':$1'));
    const rows = byPath.get(path) ?? [];
    for (const { row, handler } of rows) route[expressMethods[row.method]](handler);
    route.all(refuseMethod(rows.map(({ row }) => row.method)));
  }
  return router;
}

const expressMethods = {
  GET: 'get',
  POST: 'post',
  PUT: 'put',
  PATCH: 'patch',
  DELETE: 'delete',
} as const;

/** A page, or a file of one. */
export function servePage(
  router: Router,
  path: string,
  handler: RequestHandler | { readonly GET: RequestHandler; readonly POST: RequestHandler },
): void {
  const route = router.route(path);
  if (typeof handler === 'function') route.get(handler).all(refuseMethod(['GET']));
  else
    route
      .get(handler.GET)
      .post(handler.POST)
      .all(refuseMethod(['GET', 'POST']));
}

/** Answers OPTIONS, and refuses every method that the path does not support. */
function refuseMethod(methods: readonly Method[]): RequestHandler {
  const head = methods.includes('GET') ? ['HEAD'] : [];
  const allow = [...methods, ...head, 'OPTIONS'].join(', ');
  return (request, response, next) => {
    const { headers, path } = exchangeOf(response);
    headers.Allow = allow;
    if (request.method === 'OPTIONS') return sendEmpty(response, 204, headers);
    const message = `${path} does not support ${request.method}. Use ${allow}.`;
    next(refusal(refuse('METHOD_NOT_ALLOWED', message).failure));
  };
}

/**
 * Refuses a trailing slash. A nested router cannot tell `/teams/` from `/teams`, so this runs
 * before both.
 */
export const refuseEndingSlash: RequestHandler = (request, response, next) => {
  if (request.path.endsWith('/')) next(noRoute(exchangeOf(response)));
  else next();
};

function segmentOf(path: string): string {
  return path.split('/', 2)[1] ?? '';
}
