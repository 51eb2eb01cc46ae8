// ContractCheck: data that is held against a contract, by a Job in the namespace.

import type { JsonObject } from '../../core/value/json.ts';
import {
  choice,
  count,
  flag,
  list,
  moment,
  object,
  type Rule,
  type Schema,
  text,
} from './schema.ts';
import {
  condition,
  environment,
  fqn,
  objectName,
  observedGeneration,
  oneContract,
  teamSlug,
  unobserved,
} from './shared-fields.ts';

/** Rules that a status shows; the quality run has all of them. */
export const maxRulesShown = 20;
/** A day: longer checks are better split. */
const maxSeconds = 86_400;

/**
 * The address of a source without a password. Its parameters are listed, because others carry
 * credentials or name files of the pod.
 */
const urlPattern =
  '^(postgres|postgresql|kafka)://([^\\s/?#@:]+@)?[^\\s/?#@]+/[^\\s/?#@]+([?](sslmode|application_name|tls|sasl)=[A-Za-z0-9_-]*(&(sslmode|application_name|tls|sasl)=[A-Za-z0-9_-]*)*)?$';

function secretKey(description: string): Schema {
  return object(description, {
    required: {
      secretKeyRef: object('A key of a Secret in this namespace.', {
        required: {
          name: objectName('The name of the Secret.'),
          key: text('The key of its data.', {
            minLength: 1,
            maxLength: 253,
            pattern: '^[-._a-zA-Z0-9]+$',
          }),
        },
      }),
    },
  });
}

function exclusive(one: string, other: string, needed: 'exactly' | 'at most'): Rule {
  const has = (self: JsonObject, name: string) => self[name] !== undefined;
  return {
    rule:
      needed === 'exactly'
        ? `has(self.${one}) != has(self.${other})`
        : `!(has(self.${one}) && has(self.${other}))`,
    message: `give ${needed} one of ${one} and ${other}`,
    fieldPath: `.${one}`,
    reason: 'FieldValueInvalid',
    holds: (self) =>
      needed === 'exactly'
        ? has(self, one) !== has(self, other)
        : !(has(self, one) && has(self, other)),
  };
}

const source = object(
  'The data. The registry never opens it: only the Job does, and it reads the Secrets itself.',
  {
    optional: {
      url: text(
        'Its address without a password: postgres://user@host/database or kafka://host:9092/topic.',
        { maxLength: 2_000, pattern: urlPattern },
      ),
      urlFrom: secretKey('Its address from a Secret, instead of url. It may contain a password.'),
      passwordFrom: secretKey('The password of a Postgres.'),
      caFrom: secretKey(
        'The certificates of the authorities that may have signed that of the source, as PEM. Without sslmode in the address of a Postgres, it is verify-full.',
      ),
      certFrom: secretKey('A certificate for the source, as PEM, with keyFrom.'),
      keyFrom: secretKey('The private key of the certificate in certFrom, as PEM.'),
      table: text('For Postgres: the table or view, such as public.orders.', {
        minLength: 1,
        maxLength: 500,
      }),
      query: text('For Postgres: a query instead of a table. It runs in a read-only transaction.', {
        minLength: 1,
        maxLength: 10_000,
      }),
      window: text('Of a topic: only the records of the last 90m, 2h or 7d.', {
        maxLength: 7,
        pattern: '^[0-9]{1,6}[mhd]$',
      }),
      redact: list(
        text('A column.', { minLength: 1, maxLength: 500, pattern: '^[^,]+$' }),
        'Columns whose values leave the source nowhere, beside those with "x-classification": "pii".',
        1_000,
      ),
    },
    rules: [
      exclusive('url', 'urlFrom', 'exactly'),
      exclusive('table', 'query', 'at most'),
      {
        rule: 'has(self.certFrom) == has(self.keyFrom)',
        message: 'give certFrom and keyFrom together',
        fieldPath: '.certFrom',
        reason: 'FieldValueInvalid',
        holds: (self) => (self.certFrom === undefined) === (self.keyFrom === undefined),
      },
    ],
  },
);

const spec = object('The contract, the data, and when to check it.', {
  required: {
    source,
    registryKey: secretKey(
      'An API key of the registry that may write for the team. The Job records its result with it.',
    ),
  },
  optional: {
    contractRef: object('The DataContract, in this namespace.', {
      required: { name: objectName('Its name.') },
    }),
    fqn: fqn('The fully qualified name of the asset, instead of contractRef.'),
    environment: environment(
      "With fqn: the environment of the asset. Defaults to the namespace's label concordat.dev/environment, and to production without one.",
    ),
    team: teamSlug(
      'The slug of the team that owns the asset. This namespace must act for it. Defaults to the team of the DataContract, and to that of the namespace.',
    ),
    schedule: text(
      'When to check, in spec.timeZone, as five fields of cron: `30 5 * * *`, or @hourly, @daily, @weekly, @monthly. Without it, the data is checked once, and again when this spec changes. A new value of the annotation concordat.dev/reconcile-at checks it now.',
      { maxLength: 200, pattern: '^(@[a-z]+|[^\\s@]+([ \\t]+[^\\s@]+){4})$' },
    ),
    timeZone: text(
      'The time zone of the schedule, such as Europe/Berlin. Defaults to UTC. A time that its clocks skip is no run, and one that they show twice is two.',
      { maxLength: 100, pattern: '^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$' },
    ),
    severity: choice(
      ['Warning', 'Critical'],
      'How bad it is if the data does not match: the label of the metric and of the alert. Defaults to Warning.',
    ),
    timeoutSeconds: {
      ...count(
        'How long a run may take, including the time until its pod starts. Defaults to 3600.',
      ),
      minimum: 1,
      maximum: maxSeconds,
    },
    suspend: flag('While true, no run begins. Conditions stay as they were.'),
  },
  rules: oneContract,
});

const status = object('The last run and the next.', {
  default: unobserved,
  optional: {
    observedGeneration: observedGeneration(),
    conditions: condition('Ready, Reconciling, Stalled, DataMatches, Suspended'),
    assetId: text('The id of the asset in the registry.', { maxLength: 36 }),
    cronJob: text('The name of the CronJob.', { maxLength: 63 }),
    nextRunAt: moment('When the schedule asks for the next run.'),
    lastRun: object('The newest run.', {
      required: {
        job: text('The name of its Job.', { maxLength: 63 }),
        jobUid: text('The uid of its Job: the run_id of the quality run.', { maxLength: 64 }),
        state: choice(
          ['Running', 'Passed', 'Failed', 'Error'],
          'Running: the Job has not ended. Passed: the data matches. Failed: it breaks rules. Error: the data could not be checked; see the message of Ready.',
        ),
        startedAt: moment('When the Job was made.'),
      },
      optional: {
        finishedAt: moment('When the run ended.'),
        qualityRunId: text('The id of the quality run in the registry.', { maxLength: 36 }),
        contractVersion: text('The version of the contract.', { maxLength: 64 }),
        failedRules: list(
          object('A rule that the data breaks.', {
            required: { name: text('The name of the rule.', { maxLength: 500 }) },
            optional: { rows: count('Number of rows that break it.') },
          }),
          `The rules that the data breaks, at most ${maxRulesShown}.`,
          maxRulesShown,
        ),
      },
    }),
    handledDigest: text('The digest of the last spec that was handled.', { maxLength: 64 }),
    lastHandledReconcileAt: text(
      'The last value of the annotation concordat.dev/reconcile-at that was handled.',
      { maxLength: 1024 },
    ),
  },
});

export const contractCheck: { readonly spec: Schema; readonly status: Schema } = { spec, status };
