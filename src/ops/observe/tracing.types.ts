// What tracing is for those who are traced: they are given it, or null. Nothing of the library is
// loaded for this.

export interface ServedRequest {
  readonly method: string;
  /** The path of the route table. */
  readonly route: string;
  readonly path: string;
  readonly requestId: string;
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
  /** The status of the response, read once it is sent. */
  readonly status: () => number;
}

type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface Tracing {
  /** Runs what answers a request, as a part of the caller's trace where it has one. */
  readonly serve: <T>(request: ServedRequest, work: () => Promise<T>) => Promise<T>;
  /** Runs work that nobody asked for over HTTP: a trace of its own. */
  readonly begin: <T>(
    name: string,
    attributes: SpanAttributes,
    work: () => Promise<T>,
  ) => Promise<T>;
  /** A step of what is traced; outside of it, only the work. */
  readonly span: <T>(
    name: string,
    attributes: SpanAttributes,
    work: () => Promise<T>,
  ) => Promise<T>;
  /** A statement that begins; what is answered is called at its end. Null outside of a trace. */
  readonly statement: (text: string) => ((error?: unknown) => void) | null;
  /** Marks the active span as failed. */
  readonly recordError: (error: unknown) => void;
  /** The ids of the active span, for log lines; empty outside of a trace. */
  readonly ids: () => { readonly trace_id?: string; readonly span_id?: string };
  /** Sends what is left. */
  readonly stop: () => Promise<void>;
}
