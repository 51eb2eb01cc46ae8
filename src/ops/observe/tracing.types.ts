// The interface of tracing for the code that is traced, which gets it or null. Does not load the
// library.

export interface ServedRequest {
  readonly method: string;
  /** The path in the route table. */
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
  /** Runs the handler of a request, as part of the caller's trace if there is one. */
  readonly serve: <T>(request: ServedRequest, work: () => Promise<T>) => Promise<T>;
  /** Runs work that no HTTP request caused, in a trace of its own. */
  readonly begin: <T>(
    name: string,
    attributes: SpanAttributes,
    work: () => Promise<T>,
  ) => Promise<T>;
  /** Traces a step of the current trace; without one, only runs the work. */
  readonly span: <T>(
    name: string,
    attributes: SpanAttributes,
    work: () => Promise<T>,
  ) => Promise<T>;
  /**
   * Starts the span of a statement. Returns a function to call at its end; null without a trace.
   */
  readonly statement: (text: string) => ((error?: unknown) => void) | null;
  /** Marks the active span as failed. */
  readonly recordError: (error: unknown) => void;
  /** The ids of the active span, for log lines; empty outside of a trace. */
  readonly ids: () => { readonly trace_id?: string; readonly span_id?: string };
  /** Sends what is left. */
  readonly stop: () => Promise<void>;
}
