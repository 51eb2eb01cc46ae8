// All metrics. docs/metrics.md is made from this table, and tests check that the alerts and the
// dashboard use only its names. The values of each label come from a fixed set: no ids, and no names
// that users chose.

/** The values of each label. The code limits them, whatever callers send. */
export const labelSets = {
  route:
    'the path of the route, such as `/api/v1/assets/{asset_id}`; `page` for the page and its files, `none` for an unknown path, `/scim/v2` for all of SCIM, `/api/v1` for requests whose key was invalid or had reached its rate limit',
  status:
    '`2xx` to `5xx`; `401`, `409` and `429` are counted apart from `4xx`; `aborted` if the caller closed the connection first',
  kind: '`read`, `write`, `import`, `page` (the page and the documentation) or `probe` (health, metrics, openapi.json)',
  outcome: 'see the description of each metric',
  way: '`direct`, `proposal` or `force`',
  question: '`compare`, `compareMany`, `checkSchema`, `examine`, `examineNeed` or `findVerdicts`',
  pool: '`engine` or `import`',
  thread_state: '`busy` or `idle`',
  connection_state: '`busy`, `idle` or `opening`',
  refusal: '`credentials`, `disk_full`, `no_connections` or `read_only`',
  replica: 'the position of the URL in DATABASE_READ_URLS, from 1',
  proposal_state: '`pending` or `approved`',
  delivery_state: '`pending` or `parked`',
  import_kind: 'the operation of the API, such as `uploadDbt`',
  controller:
    'the kind: `datacontract`, `contractproposal`, `contractregistration` or `contractcheck`',
  check_state: '`passed`, `failed` or `error`',
  severity: '`warning` or `critical`, as the ContractCheck says',
  result: '`success`, `requeue_after` or `error`',
  source: 'the kind of source: `directory`, `git` or `cluster`',
  code: 'the status of the response; `<error>` if there was none',
  webhook: 'the path of the webhook: `/validate`',
  verb: 'the method of the request to the API server',
  resource: 'the watched resource, such as `datacontracts` or `namespaces`',
  why: '`ended` if the API server closed the watch, `expired` if its history was no longer available, or `failed`',
  version: 'the version of Concordat',
  node_version: 'the version of Node',
} as const;

type LabelSet = keyof typeof labelSets;

export interface MetricRow {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  /** The name of each label, with the set of its values. */
  readonly labels?: Readonly<Record<string, LabelSet>>;
  /** Upper bounds, in the unit of the name. */
  readonly buckets?: readonly number[];
  /** Read from the database when the metrics are requested; absent while the database is down. */
  readonly isQueried?: true;
}

/** A read takes a tenth of a millisecond, an import half a minute. */
const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Few, because there is a line of each for every question. */
const engineBuckets = [0.001, 0.005, 0.01, 0.05, 0.25, 1, 10];
const workBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60];
const importBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

export const metricTable = {
  concordat_build_info: {
    type: 'gauge',
    help: 'Always 1; its labels name the running version.',
    labels: { version: 'version', node_version: 'node_version' },
  },
  concordat_http_requests_total: {
    type: 'counter',
    help: 'Requests answered, or aborted by the caller.',
    labels: { route: 'route', status: 'status' },
  },
  concordat_http_request_duration_seconds: {
    type: 'histogram',
    help: 'Time from the request headers to the last byte of the response. Event streams are excluded.',
    labels: { kind: 'kind' },
    buckets: requestBuckets,
  },
  concordat_http_request_seconds_total: {
    type: 'counter',
    help: 'The same time by route. Divide by the number of requests for the mean.',
    labels: { route: 'route' },
  },
  concordat_http_requests_in_flight: {
    type: 'gauge',
    help: 'Requests in progress, including event streams.',
  },
  concordat_event_streams: {
    type: 'gauge',
    help: 'Open event streams.',
  },
  concordat_publishes_total: {
    type: 'counter',
    help: 'Publishes by outcome. Outcomes: `published`, `proposal_created`, `unchanged`, `parked` (approved, waiting for its manifest), `requested` (a force that waits for a second administrator), `dry_run`, `refused` or `failed`. Publishes by imports are counted as imports.',
    labels: { way: 'way', outcome: 'outcome' },
  },
  concordat_imports_total: {
    type: 'counter',
    help: 'Imports and their previews by outcome. Outcomes: `done`, `refused` or `failed`.',
    labels: { import: 'import_kind', outcome: 'outcome' },
  },
  concordat_import_duration_seconds: {
    type: 'histogram',
    help: 'Duration of an import, including the wait for a thread.',
    buckets: importBuckets,
  },
  concordat_engine_questions_total: {
    type: 'counter',
    help: 'Questions to the engine by answer. Answers: `compatible`, `breaking`, `undecided`, `checked` (a question without a comparison), `refused` (not a valid schema) or `failed`.',
    labels: { question: 'question', outcome: 'outcome' },
  },
  concordat_engine_question_duration_seconds: {
    type: 'histogram',
    help: 'Time from a question to its answer, including the wait for a thread.',
    labels: { question: 'question' },
    buckets: engineBuckets,
  },
  concordat_engine_serving_seconds_total: {
    type: 'counter',
    help: 'CPU seconds that the engine used on the serving thread, for small questions.',
  },
  concordat_threads: {
    type: 'gauge',
    help: 'Threads for comparisons and for imports.',
    labels: { pool: 'pool', state: 'thread_state' },
  },
  concordat_thread_queue_depth: {
    type: 'gauge',
    help: 'Tasks waiting for a thread.',
    labels: { pool: 'pool' },
  },
  concordat_database_up: {
    type: 'gauge',
    help: '1 if Postgres answered when the metrics were read, otherwise 0. A lock or a full pool does not count.',
  },
  concordat_database_bytes: {
    type: 'gauge',
    help: 'Size of the database on the disk of Postgres.',
    isQueried: true,
  },
  concordat_database_connections: {
    type: 'gauge',
    help: 'Connections of the pool.',
    labels: { state: 'connection_state' },
  },
  concordat_database_connections_max: {
    type: 'gauge',
    help: 'Maximum number of connections in the pool: DATABASE_POOL_SIZE.',
  },
  concordat_database_busy_total: {
    type: 'counter',
    help: 'Requests and chores refused because no connection became free, or a lock was not released, in time. Imports are not counted.',
  },
  concordat_database_refused_total: {
    type: 'counter',
    help: 'Requests and chores that failed because Postgres refused them: its disk is full, it is read-only, it has no free connection, or it does not accept the credentials.',
    labels: { reason: 'refusal' },
  },
  concordat_database_statement_duration_seconds: {
    type: 'histogram',
    help: 'Time from sending a statement to its answer. Statements that are sent with the next one take no time.',
    buckets: engineBuckets,
  },
  concordat_database_wait_duration_seconds: {
    type: 'histogram',
    help: 'Time that a read or a transaction waited for a free connection of the pool, also if it was refused.',
    buckets: engineBuckets,
  },
  concordat_database_waiting: {
    type: 'gauge',
    help: 'Statements and transactions waiting for a connection.',
  },
  concordat_database_replica_reads_total: {
    type: 'counter',
    help: 'Requests that a replica of DATABASE_READ_URLS may answer: answered by a `replica`, or by the primary because each replica was `behind` or `none` could be used; and reads that a replica `failed` to finish.',
    labels: { outcome: 'outcome' },
  },
  concordat_database_replica_used: {
    type: 'gauge',
    help: '1 if requests may read from the replica. 0 if it does not answer, is too far behind, was promoted, or is of another database or timeline than the primary.',
    labels: { replica: 'replica' },
  },
  concordat_database_replica_lag_seconds: {
    type: 'gauge',
    help: 'How long the primary has had what the replica has not replayed; absent while it does not answer.',
    labels: { replica: 'replica' },
  },
  concordat_database_replica_lag_bytes: {
    type: 'gauge',
    help: 'How much of the log the replica has not replayed; absent while it does not answer.',
    labels: { replica: 'replica' },
  },
  concordat_proposals: {
    type: 'gauge',
    help: 'Open proposals: `pending` ones await consumers, `approved` ones their producer. Counted up to 10,000.',
    labels: { state: 'proposal_state' },
    isQueried: true,
  },
  concordat_proposals_oldest_seconds: {
    type: 'gauge',
    help: 'Age of the oldest pending proposal. Which teams it awaits is in the API and on the page, not in a label: there may be any number of them.',
    isQueried: true,
  },
  concordat_proposals_overdue: {
    type: 'gauge',
    help: 'Pending proposals whose last day for answers is over. Counted up to 10,000.',
    isQueried: true,
  },
  concordat_assets_failing: {
    type: 'gauge',
    help: 'Assets whose newest quality run failed. Counted up to 10,000.',
    isQueried: true,
  },
  concordat_outbox_messages: {
    type: 'gauge',
    help: 'Messages not yet handed to webhooks. Counted up to 10,000.',
    isQueried: true,
  },
  concordat_outbox_oldest_seconds: {
    type: 'gauge',
    help: 'Age of the oldest message not yet handed to webhooks; 0 if there is none.',
    isQueried: true,
  },
  concordat_deliveries: {
    type: 'gauge',
    help: 'Deliveries waiting to be sent (`pending`) or no longer retried (`parked`). Counted up to 10,000.',
    labels: { state: 'delivery_state' },
    isQueried: true,
  },
  concordat_delivery_lane_overdue_seconds: {
    type: 'gauge',
    help: 'How long the oldest due delivery is overdue; 0 if none is due.',
    isQueried: true,
  },
  concordat_delivery_failing_seconds: {
    type: 'gauge',
    help: 'Age of the oldest delivery that its receiver has not accepted; 0 if there is none.',
    isQueried: true,
  },
  concordat_delivery_attempts_total: {
    type: 'counter',
    help: 'Delivery attempts: `delivered`, `failed` (retried later) or `parked` (no longer retried).',
    labels: { outcome: 'outcome' },
  },
  concordat_delivery_attempt_duration_seconds: {
    type: 'histogram',
    help: 'Duration of delivery attempts, including those that time out.',
    buckets: requestBuckets,
  },
  concordat_event_bus_events_total: {
    type: 'counter',
    help: 'Events that this process sent to the bus.',
  },
  concordat_event_bus_unsent_seconds: {
    type: 'gauge',
    help: 'Age of the oldest event that this process could not send to the bus yet; 0 if none waits.',
  },
  concordat_audit_unsealed_seconds: {
    type: 'gauge',
    help: 'Age of the oldest audit event without a seal; 0 if all are sealed.',
    isQueried: true,
  },
  concordat_audit_sealed_total: {
    type: 'counter',
    help: 'Audit events sealed by this process.',
  },
  concordat_audit_stray_events: {
    type: 'gauge',
    help: '1 if audit events are in the default partition, which slows every query of the trail.',
    isQueried: true,
  },
  concordat_api_keys_expiring: {
    type: 'gauge',
    help: 'Keys that expire within 30 days, except keys issued for 30 days or less. Counted up to 10,000.',
    isQueried: true,
  },
  concordat_bootstrap_key_accepted: {
    type: 'gauge',
    help: '1 if BOOTSTRAP_KEY still works although an administrator exists.',
    isQueried: true,
  },
  concordat_plain_webhook_secrets: {
    type: 'gauge',
    help: 'Webhooks whose URL and secret are not encrypted in the database. Set SECRET_KEY.',
    isQueried: true,
  },
  concordat_source_suspicious: {
    type: 'gauge',
    help: '1 if the registry does not follow a source until somebody confirms its contents, or may not read one of the namespaces that it watches. Reported by the leader.',
    labels: { source: 'source' },
  },
  concordat_check_runs_total: {
    type: 'counter',
    help: 'Runs of ContractChecks that ended: passed, failed (the data does not match its contract), or error (the data could not be checked). Counted by the leader.',
    labels: { state: 'check_state', severity: 'severity' },
  },
  concordat_git_last_fetch_timestamp_seconds: {
    type: 'gauge',
    help: 'When this process last fetched the git source, in seconds since 1970. The age is `time()` minus the maximum over all replicas.',
  },
  concordat_watch_restarts_total: {
    type: 'counter',
    help: 'Watches of the API server that were reopened.',
    labels: { resource: 'resource', why: 'why' },
  },
  controller_runtime_reconcile_total: {
    type: 'counter',
    help: 'Reconciles by their result.',
    labels: { controller: 'controller', result: 'result' },
  },
  controller_runtime_reconcile_time_seconds: {
    type: 'histogram',
    help: 'Duration of a reconcile.',
    labels: { controller: 'controller' },
    buckets: workBuckets,
  },
  controller_runtime_webhook_requests_total: {
    type: 'counter',
    help: 'Requests to the admission webhook by their HTTP status.',
    labels: { webhook: 'webhook', code: 'code' },
  },
  controller_runtime_webhook_latency_seconds: {
    type: 'histogram',
    help: 'Duration of a request to the admission webhook.',
    labels: { webhook: 'webhook' },
    buckets: workBuckets,
  },
  concordat_admission_reviews_total: {
    type: 'counter',
    help: 'Objects reviewed by the admission webhook, by the answer: allowed, warned, refused, or unchecked, which is admitted with a warning because it could not be checked in time.',
    labels: { outcome: 'outcome' },
  },
  controller_runtime_active_workers: {
    type: 'gauge',
    help: 'Objects being reconciled.',
    labels: { controller: 'controller' },
  },
  workqueue_depth: {
    type: 'gauge',
    help: 'Objects waiting to be reconciled.',
    labels: { name: 'source' },
  },
  workqueue_adds_total: {
    type: 'counter',
    help: 'Objects that were added to the queue.',
    labels: { name: 'source' },
  },
  workqueue_queue_duration_seconds: {
    type: 'histogram',
    help: 'Time that an object waits before it is reconciled.',
    labels: { name: 'source' },
    buckets: workBuckets,
  },
  workqueue_retries_total: {
    type: 'counter',
    help: 'Objects retried after a failure.',
    labels: { name: 'source' },
  },
  leader_election_master_status: {
    type: 'gauge',
    help: '1 if this process reconciles the source, 0 if another does.',
    labels: { name: 'source' },
  },
  rest_client_requests_total: {
    type: 'counter',
    help: 'Requests to the API server.',
    labels: { code: 'code', method: 'verb' },
  },
} as const satisfies Readonly<Record<string, MetricRow>>;

/** The metrics that prom-client adds for the process. A test compares the list with its output. */
export const processMetrics: readonly string[] = [
  'process_cpu_user_seconds_total',
  'process_cpu_system_seconds_total',
  'process_cpu_seconds_total',
  'process_start_time_seconds',
  'process_resident_memory_bytes',
  'process_virtual_memory_bytes',
  'process_heap_bytes',
  'process_open_fds',
  'process_max_fds',
  'nodejs_eventloop_lag_seconds',
  'nodejs_eventloop_lag_min_seconds',
  'nodejs_eventloop_lag_max_seconds',
  'nodejs_eventloop_lag_mean_seconds',
  'nodejs_eventloop_lag_stddev_seconds',
  'nodejs_eventloop_lag_p50_seconds',
  'nodejs_eventloop_lag_p90_seconds',
  'nodejs_eventloop_lag_p99_seconds',
  'nodejs_active_resources',
  'nodejs_active_resources_total',
  'nodejs_active_handles',
  'nodejs_active_handles_total',
  'nodejs_active_requests',
  'nodejs_active_requests_total',
  'nodejs_heap_size_total_bytes',
  'nodejs_heap_size_used_bytes',
  'nodejs_external_memory_bytes',
  'nodejs_version_info',
  'nodejs_gc_duration_seconds',
];
