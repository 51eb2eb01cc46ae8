// The Job of a ContractCheck: `concordat check --report` in a pod with no other rights. Pure.

import type { JsonObject } from '../../../core/value/json.ts';
import type { ContractCheckSpec } from '../../crd/resources.ts';
import { digestOf } from '../../effective.ts';
import type { SourceObject } from '../../source/source.ts';

export interface CheckSettings {
  readonly image: string;
  readonly imagePullPolicy: string;
  /** The URL at which the Jobs reach this registry. */
  readonly url: string;
}

export interface CheckedAsset {
  readonly fqn: string;
  readonly environment: string;
}

const defaultSeconds = 3_600;
/** How often a run is repeated if the source is unreachable or the pod is lost. Other results are final. */
const retries = 2;
/** Ends the program with these codes: the data breaks rules, wrong usage, unreadable. */
const finalCodes = [1, 2, 3];
/** Long enough to read the log of a run on the next working day. */
const keptSeconds = 3 * 86_400;
/** Fewer than the 100 missed starts after which Kubernetes gives a schedule up. */
const startsLateSeconds = 3_600;

/** The longest name of a CronJob, which adds 11 characters for its Jobs. */
const maxName = 52;
const digits = 10;

/**
 * The name of a Job or CronJob: it begins like the check, is a label of DNS, and no other check has it.
 *
 * @example jobName(check, 'schedule') // 'orders-2f6a90c1d4'
 */
export function jobName({ name, uid }: Pick<SourceObject, 'name' | 'uid'>, what: string): string {
  const shown = name
    .replaceAll('.', '-')
    .slice(0, maxName - digits - 1)
    .replace(/-+$/, '');
  return `${shown}-${digestOf({ uid, what }).slice(0, digits)}`;
}

/** What triggers the runs, by which incidents are told apart. */
export function triggerOf({ namespace, name }: Pick<SourceObject, 'namespace' | 'name'>): string {
  return `ContractCheck ${namespace}/${name}`;
}

export function scheduledJob(schedule: string, timeZone: string, jobTemplate: JsonObject) {
  return {
    schedule,
    timeZone,
    suspend: false,
    concurrencyPolicy: 'Forbid',
    startingDeadlineSeconds: startsLateSeconds,
    successfulJobsHistoryLimit: 1,
    failedJobsHistoryLimit: 3,
    jobTemplate,
  };
}

export function toJobSpec(
  check: SourceObject,
  spec: ContractCheckSpec,
  asset: CheckedAsset,
  { image, imagePullPolicy, url }: CheckSettings,
): JsonObject {
  const { timeoutSeconds = defaultSeconds } = spec;
  const files = certificatesOf(spec).map(({ variable, secretKeyRef: { name, key } }) => ({
    secret: { name, items: [{ key, path: variable }] },
  }));
  return {
    backoffLimit: retries,
    activeDeadlineSeconds: timeoutSeconds,
    ttlSecondsAfterFinished: keptSeconds,
    podFailurePolicy: {
      rules: [
        // A drained node is no attempt.
        { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
        {
          action: 'FailJob',
          onExitCodes: { containerName: 'check', operator: 'In', values: finalCodes },
        },
      ],
    },
    template: {
      metadata: {
        labels: {
          'app.kubernetes.io/name': 'concordat-check',
          'app.kubernetes.io/part-of': 'concordat',
        },
      },
      spec: {
        restartPolicy: 'Never',
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        containers: [
          {
            name: 'check',
            image,
            imagePullPolicy,
            args: argsOf(check, spec, asset, timeoutSeconds).map(literal),
            env: environmentOf(spec, url),
            // A file beside the program must not be taken for the contract.
            workingDir: '/tmp',
            securityContext: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ['ALL'] },
            },
            resources: {
              requests: { cpu: '100m', memory: '256Mi' },
              limits: { memory: '1Gi' },
            },
            volumeMounts: [
              { name: 'tmp', mountPath: '/tmp' },
              ...(files.length === 0
                ? []
                : [{ name: 'source', mountPath: filesFolder, readOnly: true }]),
            ],
          },
        ],
        volumes: [
          { name: 'tmp', emptyDir: { sizeLimit: '1Gi' } },
          ...(files.length === 0 ? [] : [{ name: 'source', projected: { sources: files } }]),
        ],
      },
    },
  };
}

function argsOf(
  check: SourceObject,
  { source: { table, query, window, redact = [] } }: ContractCheckSpec,
  { fqn, environment }: CheckedAsset,
  seconds: number,
): readonly string[] {
  const given = { table, query, since: window, redact: redact.join(',') || undefined };
  // With `=`, a value that begins with a dash is no option.
  const asked = Object.entries(given).filter(([, value]) => value !== undefined);
  return [
    ...['check', '--report', `--contract=${fqn}`, `--environment=${environment}`],
    ...asked.map(([name, value]) => `--${name}=${value}`),
    ...[`--triggered-by=${triggerOf(check)}`, `--source-timeout=${seconds}`],
  ];
}

/** The uid of the Job names the run, so that its result is found whoever started it. */
const runId = {
  name: 'CONCORDAT_RUN_ID',
  valueFrom: { fieldRef: { fieldPath: "metadata.labels['batch.kubernetes.io/controller-uid']" } },
};

type SecretKey = ContractCheckSpec['registryKey'];

function environmentOf({ source, registryKey }: ContractCheckSpec, url: string): JsonObject[] {
  const { url: address, urlFrom, passwordFrom } = source;
  return [
    runId,
    { name: 'CONCORDAT_URL', value: literal(url) },
    secret('CONCORDAT_KEY', registryKey),
    ...(address === undefined ? [] : [{ name: 'CONCORDAT_SOURCE', value: literal(address) }]),
    ...(urlFrom === undefined ? [] : [secret('CONCORDAT_SOURCE', urlFrom)]),
    ...(passwordFrom === undefined ? [] : [secret('PGPASSWORD', passwordFrom)]),
    ...certificatesOf({ source }).map(({ variable }) => ({
      ...{ name: variable, value: `${filesFolder}/${variable}` },
    })),
  ];
}

const filesFolder = '/run/secrets/concordat';

/** What the TLS of the source needs as files, each named as the variable that tells its path. */
function certificatesOf({
  source: { caFrom, certFrom, keyFrom },
}: Pick<ContractCheckSpec, 'source'>) {
  const wanted = [
    ['CONCORDAT_SOURCE_CA', caFrom],
    ['CONCORDAT_SOURCE_CERT', certFrom],
    ['CONCORDAT_SOURCE_CERT_KEY', keyFrom],
  ] as const;
  return wanted.flatMap(([variable, from]) => (from === undefined ? [] : [{ variable, ...from }]));
}

function secret(name: string, { secretKeyRef }: SecretKey): JsonObject {
  const { name: secretName, key } = secretKeyRef;
  return { name, valueFrom: { secretKeyRef: { name: secretName, key } } };
}

/** Kubernetes replaces `$(NAME)` by a variable, which may be a credential. */
function literal(text: string): string {
  return text.replaceAll('$', '$$$$');
}
