// The pipeline of every API request: admit, parse, replay, run, answer. A read costs this much in
// addition to its query.

import type { RequestHandler } from 'express';
import type { Metrics } from '../../ops/observe/metrics.ts';
import {
  type CountAnswer,
  countAnswers,
  type RequestKind,
} from '../../ops/observe/observe-requests.ts';
import type { Tracing } from '../../ops/observe/tracing.types.ts';
import { apiPrefix, isScim, type Route, scimPrefix } from '../../wire/route.ts';
import type { Admit } from './admit.ts';
import { type Answered, isRefusal, refusal, sendAnswered } from './answer.ts';
import type { NoteDenied } from './caller/note-denied.ts';
import { type Exchange, exchangeOf } from './exchange.ts';
import { type Plan, planRoute } from './parse.ts';
import type { Run } from './run.ts';

interface PipelineDeps {
  readonly admit: Admit;
  readonly noteDenied: NoteDenied;
  readonly metrics: Metrics;
  /** Null if tracing is off. */
  readonly tracing: Tracing | null;
}

/** The handler of one route, for Express. */
export function serveRoute(deps: PipelineDeps, row: Route, run: Run): RequestHandler {
  const { tracing } = deps;
  const plan = planRoute(row);
  const counted = countRoute(deps.metrics, row);
  return (_request, response, next) => {
    const exchange = exchangeOf(response);
    exchange.counted = counted;
    exchange.route = row.path;
    // Within the span, so that the log line of the error has the ids of the trace.
    const failed = (error: unknown) => {
      tracing?.recordError(error);
      next(error);
    };
    const serve = async () => {
      const answered = await answer(deps, plan, run, exchange);
      if (isRefusal(answered)) next(answered);
      else await sendAnswered(plan, exchange, answered);
    };
    if (tracing === null) serve().catch(next);
    else {
      void traceServing(tracing, plan, exchange, () => {
        exchange.traceId = tracing.ids().trace_id;
        return serve().catch(failed);
      });
    }
  };
}

/** Counts the responses of a route. */
export function countRoute(metrics: Metrics, row: Route): CountAnswer {
  return countAnswers(metrics, {
    // One for all of SCIM: /metrics has a line for each route, kind and status.
    route: isScim(row) ? scimPrefix : row.path,
    kind: kindOf(row),
    isEndless: row.resumes === true,
    needsKey: row.scope !== 'public',
  });
}

function kindOf({ path, method, scope, importKind, answers }: Route): RequestKind {
  if (importKind !== undefined) return 'import';
  if (path.startsWith(apiPrefix) || isScim({ path }))
    return method === 'GET' || scope === 'read' ? 'read' : 'write';
  return answers[200]?.contentType === 'text/html' ? 'page' : 'probe';
}

async function answer(
  { admit, noteDenied }: PipelineDeps,
  plan: Plan,
  run: Run,
  exchange: Exchange,
): Promise<Answered> {
  const admitted = await admit(plan, exchange);
  if (!admitted.ok) return refusal(admitted.failure);
  const params = plan.parseParams(exchange.request.params);
  if (!params.ok) return refusal(params.failure);
  const query = plan.parseQuery(exchange.search);
  if (!query.ok) return refusal(query.failure);
  const { actor, visit } = admitted.value;
  const answered = await run({
    plan,
    exchange,
    actor,
    visit,
    params: params.value,
    query: query.value,
  });
  if (isRefusal(answered)) {
    await noteDenied(exchange, { actor, route: plan.row.path, failure: answered });
  }
  return answered;
}

function traceServing(
  tracing: Tracing,
  { row }: Plan,
  { request, response, requestId, path }: Exchange,
  serve: () => Promise<void>,
): Promise<void> {
  const { traceparent, tracestate } = request.headers;
  const served = {
    method: row.method,
    route: row.path,
    path,
    requestId,
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    tracestate: typeof tracestate === 'string' ? tracestate : undefined,
    status: () => response.statusCode,
  };
  return tracing.serve(served, serve);
}
