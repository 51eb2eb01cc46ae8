// Traces, from a request or a reconcile to the statement: only where an endpoint is set. What is here
// is loaded then, and costs nothing otherwise. Nothing global is registered: two servers in one
// process trace apart from each other.

import {
  type Attributes,
  type Context,
  createTraceState,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import type { ServedRequest, Tracing } from './tracing.types.ts';

interface TracingOptions {
  /** The complete URL that traces are posted to. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly sampler: SamplerName;
  /** The share of traces to keep, up to 1, for samplers with a ratio. */
  readonly ratio: number;
  readonly version: string;
  readonly instanceId: string;
  readonly reportError: (error: unknown) => void;
}

/** Samplers, by their names in the OpenTelemetry standard. */
const samplers = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (ratio) => new TraceIdRatioBasedSampler(ratio),
  parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
  parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
  parentbased_traceidratio: (ratio) =>
    new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
} as const satisfies Readonly<Record<string, (ratio: number) => Sampler>>;

type SamplerName = keyof typeof samplers;

/** The longest time for which an unresponsive collector delays the end of the process. */
const stopPatienceMs = 3_000;
/** Statements are a few kilobytes; longer ones are truncated. */
const attributeLimit = 4_096;

export function openTracing(options: TracingOptions): Tracing {
  const provider = new BasicTracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({
        // Tells replicas apart; OTEL_RESOURCE_ATTRIBUTES may name the pod instead.
        'service.instance.id': options.instanceId,
        ...options.attributes,
        'service.name': options.serviceName,
        'service.version': options.version,
      }),
    ),
    sampler: samplers[options.sampler](options.ratio),
    spanLimits: { attributeValueLengthLimit: attributeLimit },
    spanProcessors: [new BatchSpanProcessor(openExporter(options))],
  });
  const tracer = provider.getTracer('concordat', options.version);
  const contexts = new AsyncLocalStorageContextManager().enable();

  const run = async <T>(
    parent: Context,
    name: string,
    how: { readonly kind: SpanKind; readonly attributes: Attributes },
    work: () => Promise<T>,
    conclude: (span: Span) => void = () => {},
  ): Promise<T> => {
    const span = tracer.startSpan(name, how, parent);
    try {
      return await contexts.with(trace.setSpan(parent, span), work);
    } catch (error) {
      fail(span, error);
      throw error;
    } finally {
      conclude(span);
      span.end();
    }
  };
  return {
    serve: (request, work) =>
      run(
        remoteContext(request),
        `${request.method} ${request.route}`,
        { kind: SpanKind.SERVER, attributes: requestAttributes(request) },
        work,
        (span) => concludeRequest(span, request.status()),
      ),
    begin: (name, attributes, work) =>
      run(ROOT_CONTEXT, name, { kind: SpanKind.INTERNAL, attributes }, work),
    // Background work, which runs twice a second, belongs to no trace.
    span: (name, attributes, work) => {
      const parent = contexts.active();
      if (trace.getSpan(parent) === undefined) return work();
      return run(parent, name, { kind: SpanKind.INTERNAL, attributes }, work);
    },
    statement: (text) => {
      const parent = contexts.active();
      if (trace.getSpan(parent) === undefined) return null;
      const attributes = { 'db.system.name': 'postgresql', 'db.query.text': text };
      const kind = SpanKind.CLIENT;
      const span = tracer.startSpan(summaryOf(text), { kind, attributes }, parent);
      return (error) => {
        if (error !== undefined) fail(span, error);
        span.end();
      };
    },
    recordError: (error) => {
      const span = trace.getSpan(contexts.active());
      if (span !== undefined) fail(span, error);
    },
    ids: () => {
      const active = trace.getSpanContext(contexts.active());
      return active === undefined ? {} : { trace_id: active.traceId, span_id: active.spanId };
    },
    stop: async () => {
      let timer: NodeJS.Timeout | undefined;
      const impatient = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, stopPatienceMs);
      });
      await Promise.race([provider.shutdown().catch(options.reportError), impatient]);
      clearTimeout(timer);
      contexts.disable();
    },
  };
}

function openExporter({ url, headers, reportError }: TracingOptions): SpanExporter {
  const exporter = new OTLPTraceExporter({ url, headers: { ...headers } });
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error !== undefined) reportError(result.error);
        done(result);
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}

function requestAttributes(request: ServedRequest): Attributes {
  return {
    'http.request.method': request.method,
    'http.route': request.route,
    'url.path': request.path,
    'concordat.request_id': request.requestId,
  };
}

function concludeRequest(span: Span, status: number): void {
  span.setAttribute('http.response.status_code', status);
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
}

function fail(span: Span, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof Error) span.recordException(error);
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}

/** Version, trace, parent, flags. Later versions may append more fields. */
const traceparentForm = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const stateLimit = 512;

/** The caller's trace context from `traceparent`; an invalid header is ignored. */
function remoteContext({ traceparent, tracestate }: ServedRequest): Context {
  const found = traceparentForm.exec(traceparent ?? '');
  if (found === null) return ROOT_CONTEXT;
  const [, version, traceId = '', spanId = '', flags = '00', more] = found;
  const isNone = /^0+$/.test(traceId) || /^0+$/.test(spanId);
  if (isNone || (version === '00' && more !== undefined)) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(tracestate !== undefined &&
      tracestate.length <= stateLimit && { traceState: createTraceState(tracestate) }),
  });
}

/** The first table that a statement writes, except those that it locks or updates on a conflict. */
const writing = /\b(insert\s+into|(?<!\b(?:for|do|no\s+key)\s+)update|delete\s+from)\s+([a-z_]+)/i;
const reading = /\bfrom\s+([a-z_]+)\b(?!\s*\()/i;

/** A short summary of a statement, such as `insert into contract` or `select asset`. */
function summaryOf(text: string): string {
  const written = writing.exec(text);
  if (written !== null) return `${written[1]?.toLowerCase().replace(/\s+/g, ' ')} ${written[2]}`;
  const verb = /^\s*(\w+)/.exec(text)?.[1]?.toLowerCase() ?? 'statement';
  const read = reading.exec(text)?.[1];
  return read === undefined ? verb : `${verb} ${read}`;
}
