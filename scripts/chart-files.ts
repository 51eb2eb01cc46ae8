// The parts of the chart that are made from the code: the kinds, the policies, the rights, and the
// schema of its values.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { webhookRights } from '../src/controller/admission/rights.ts';
import {
  checkRights,
  configMapRight,
  controllerRights,
  namespaceRight,
  teamRights,
} from '../src/controller/cluster/rights.ts';
import { group, type Kind, kinds, toDefinition, version } from '../src/controller/crd/kinds.ts';
import { policies, toPolicyYaml } from '../src/controller/crd/policies.ts';
import { rulesOf, userRoles } from '../src/controller/crd/user-roles.ts';
import { settings } from '../src/ops/config/config.ts';

const root = join(import.meta.dirname, '..');
const chart = 'charts/concordat';
const header = '# Made from the code by `npm run golden`: change it there.\n';

export const chartFiles: Readonly<Record<string, () => string>> = {
  ...Object.fromEntries(
    kinds.map((kind) => [`${chart}/files/crds/${kind.plural}.yaml`, () => definition(kind)]),
  ),
  ...Object.fromEntries(
    policies.map((one) => [`${chart}/files/policies/${one.file}.yaml`, () => toPolicyYaml(one)]),
  ),
  [`${chart}/files/rights.yaml`]: rights,
  [`${chart}/files/state-metrics.yaml`]: stateMetrics,
  [`${chart}/values.schema.json`]: valuesSchema,
};

/** Uninstalling a release must not delete the contracts. */
function definition(kind: Kind): string {
  const plain = JSON.parse(JSON.stringify(toDefinition(kind)));
  plain.metadata.annotations = { 'helm.sh/resource-policy': 'keep' };
  return header + stringify(plain, { lineWidth: 100, aliasDuplicateObjects: false });
}

/** Only in the release's namespace: the controller needs no leases elsewhere. */
const ofRelease = new Set(['leases']);

/** Resource names of the release are written as template expressions of the chart. */
function rights(): string {
  const isOfRelease = ({ resources }: { readonly resources: readonly string[] }) =>
    resources.every((resource) => ofRelease.has(resource));
  const webhook = webhookRights({
    configuration: '{{ include "concordat.clusterName" . }}',
    secret: '{{ include "concordat.webhookSecret" . }}',
  });
  const made = {
    controllerCluster: controllerRights.filter((right) => !isOfRelease(right)),
    // Where only some namespaces are reconciled: in each of them, and of the cluster.
    controllerNamespaced: controllerRights.filter(
      (right) => !isOfRelease(right) && right !== namespaceRight,
    ),
    controllerNamespaces: namespaceRight,
    controllerConfigMaps: configMapRight,
    controllerRelease: controllerRights.filter(isOfRelease),
    controllerChecks: checkRights,
    controllerTeams: teamRights,
    webhookCluster: webhook.cluster,
    webhookRelease: webhook.namespaced,
    userRoles: userRoles.map((role) => ({
      name: role.name,
      aggregateTo: role.aggregateTo,
      rules: rulesOf(role),
    })),
  };
  return header + stringify(made, { lineWidth: 100, aliasDuplicateObjects: false });
}

/**
 * For kube-state-metrics: one series per object and condition, instead of one per process and
 * object.
 */
function stateMetrics(): string {
  const resources = kinds.map((kind) => ({
    groupVersionKind: { group, version, kind: kind.kind },
    metricNamePrefix: `concordat_${kind.singular}`,
    labelsFromPath: {
      name: ['metadata', 'name'],
      ...(kind.scope === undefined && { namespace: ['metadata', 'namespace'] }),
    },
    metrics: [
      {
        name: 'condition',
        help: `The conditions of a ${kind.kind}: 1 where the status is True.`,
        each: {
          type: 'Gauge',
          gauge: {
            path: ['status', 'conditions'],
            labelsFromPath: { type: ['type'], reason: ['reason'] },
            valueFrom: ['status'],
          },
        },
      },
    ],
  }));
  const made = { kind: 'CustomResourceStateMetrics', spec: { resources } };
  return header + stringify(made, { lineWidth: 100 });
}

type ValueSchema = Readonly<Record<string, unknown>>;

const text = { type: 'string' };
const flag = { type: 'boolean' };
const count = { type: 'integer', minimum: 1 };
const size = { type: 'string', pattern: '^[0-9]+(\\.[0-9]+)?([EPTGMk]i?|m)?$' };
const texts = { type: 'object', additionalProperties: { type: 'string' } };
/** `--set list={}` is a list of one empty text. */
const namespace = { type: 'string', pattern: '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$' };
const enabled = { enabled: flag };
/** The API server validates these itself. */
const asKubernetesHasIt = { type: 'object' };
const listAsKubernetesHasIt = { type: 'array', items: { type: 'object' } };

function object(properties: Readonly<Record<string, ValueSchema>>): ValueSchema {
  return { type: 'object', additionalProperties: false, properties };
}

const key = { type: 'string', minLength: 1 };
const secretKey = object({ name: text, key });
const watchedSecretKey = object({ name: text, key, asFile: flag });

function oneOf(...values: readonly string[]): ValueSchema {
  return { type: 'string', enum: values };
}

/** Settings that the chart makes from other values. */
const ownSettings =
  /^(PORT|HOST|BASE_URL|BASE_PATH|LISTEN_DATABASE_URL_FILE|DATABASE_(?!READ_LAG).*|DATA_DIR|MIGRATE|CONTRACTS_.*|GIT_(?!TIMEOUT_SECONDS).*|KUBE.*|CLUSTER_NAME|WATCH_.*|LEASE_.*|ADMISSION_.*|CHECK_IMAGE.*|CHECK_REGISTRY_URL|TEAM_MAPPING_FILE|ALLOW_FORCE_FROM_RESOURCES|LOG_FORMAT)$/;

function settingNames(): readonly string[] {
  return Object.entries(settings)
    .filter(([name, setting]) => !ownSettings.test(name) && !('secret' in setting))
    .map(([name]) => name);
}

function valuesSchema(): string {
  const settingValue = { type: ['string', 'number', 'boolean'] };
  const made = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of the chart of Concordat',
    ...object({
      // Set by Helm itself, and by parent charts for all of their subcharts.
      global: { type: 'object' },
      replicas: count,
      nameOverride: text,
      fullnameOverride: text,
      image: object({
        repository: { type: 'string', minLength: 1 },
        tag: text,
        digest: { type: 'string', pattern: '^(sha256:[0-9a-f]{64})?$' },
        pullPolicy: oneOf('Always', 'IfNotPresent', 'Never'),
      }),
      imagePullSecrets: listAsKubernetesHasIt,
      database: object({
        secret: watchedSecretKey,
        migrateSecret: secretKey,
        listenSecret: watchedSecretKey,
        readSecret: watchedSecretKey,
        poolSize: count,
      }),
      cloudnativepg: object({
        ...enabled,
        instances: count,
        storage: object({ size, storageClass: text }),
      }),
      migrations: object({ mode: oneOf('start', 'job') }),
      baseUrl: { type: 'string', pattern: '^(https?://.+)?$' },
      basePath: { type: 'string', pattern: '^(/[\\w~-][\\w.~-]*)*$' },
      settings: object(Object.fromEntries(settingNames().map((name) => [name, settingValue]))),
      secretSettings: text,
      signIn: object({ providersSecret: text, passwords: { type: 'boolean' } }),
      controller: object({
        ...enabled,
        clusterName: { type: 'string', pattern: '^([a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?)?$' },
        watchNamespaces: { type: 'array', items: namespace, uniqueItems: true },
        readConfigMaps: flag,
        watchNamespaceSelector: object({
          matchLabels: texts,
          matchExpressions: {
            type: 'array',
            items: {
              ...object({
                key: text,
                operator: oneOf('In', 'NotIn', 'Exists', 'DoesNotExist'),
                values: { type: 'array', items: text },
              }),
              required: ['key', 'operator'],
            },
          },
        }),
        teamMapping: {
          type: 'object',
          additionalProperties: { type: 'array', items: { type: 'string' } },
        },
        allowForce: flag,
      }),
      checks: object({
        ...enabled,
        registryUrl: { type: 'string', pattern: '^(https?://.+)?$' },
      }),
      git: object({
        url: text,
        ref: { type: 'string', minLength: 1 },
        path: text,
        intervalSeconds: count,
        credentialsSecret: text,
        cloneSizeLimit: size,
      }),
      trustedAuthorities: object({
        configMap: text,
        key: { type: 'string', pattern: '^[-._a-zA-Z0-9]+$' },
      }),
      crds: object(enabled),
      policies: object(enabled),
      webhook: object({
        ...enabled,
        failurePolicy: oneOf('Ignore', 'Fail'),
        timeoutSeconds: { type: 'integer', minimum: 5, maximum: 30 },
        certManager: object({ ...enabled, issuerRef: asKubernetesHasIt }),
      }),
      rbac: object({ create: flag, userRoles: flag }),
      serviceAccount: object({ create: flag, name: text, annotations: texts }),
      service: object({
        type: oneOf('ClusterIP', 'NodePort', 'LoadBalancer'),
        port: { type: 'integer', minimum: 1, maximum: 65535 },
        annotations: texts,
      }),
      ingress: object({
        ...enabled,
        className: text,
        host: text,
        tlsSecret: text,
        annotations: texts,
      }),
      httpRoute: object({
        ...enabled,
        parentRefs: listAsKubernetesHasIt,
        hostnames: { type: 'array', items: text },
        annotations: texts,
      }),
      autoscaling: object({
        ...enabled,
        minReplicas: count,
        maxReplicas: count,
        targetCPUUtilizationPercentage: { type: 'integer', minimum: 1, maximum: 100 },
      }),
      resources: asKubernetesHasIt,
      podDisruptionBudget: object({ ...enabled, maxUnavailable: { type: ['integer', 'string'] } }),
      topologySpread: object(enabled),
      terminationGracePeriodSeconds: count,
      preStopSeconds: count,
      extraEnv: listAsKubernetesHasIt,
      extraVolumes: listAsKubernetesHasIt,
      extraVolumeMounts: listAsKubernetesHasIt,
      extraArgs: { type: 'array', items: text },
      probes: object({
        startup: asKubernetesHasIt,
        liveness: asKubernetesHasIt,
        readiness: asKubernetesHasIt,
      }),
      deploymentAnnotations: texts,
      podAnnotations: texts,
      podLabels: texts,
      nodeSelector: texts,
      tolerations: listAsKubernetesHasIt,
      affinity: asKubernetesHasIt,
      priorityClassName: text,
      networkPolicy: object({
        ...enabled,
        ingressFrom: listAsKubernetesHasIt,
        egress: listAsKubernetesHasIt,
      }),
      metrics: object({
        serviceMonitor: object({
          ...enabled,
          interval: { type: 'string', pattern: '^[0-9]+(ms|s|m|h)$' },
          labels: texts,
        }),
        prometheusRule: object({
          ...enabled,
          labels: texts,
          runbookUrl: { type: 'string', pattern: '^(https?://.+)?$' },
        }),
        dashboard: object({ ...enabled, labels: texts }),
        customResourceState: object({ ...enabled, labels: texts }),
      }),
    }),
  };
  return formatted(`${chart}/values.schema.json`, JSON.stringify(made));
}

function formatted(path: string, source: string): string {
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
  return execFileSync(process.execPath, [biome, 'format', `--stdin-file-path=${path}`], {
    input: source,
    encoding: 'utf8',
    cwd: root,
  });
}
