// The kinds, and their CustomResourceDefinitions. `crds/`, the client types and the tables of
// docs/crds.md are all generated from here.

import { stringify } from 'yaml';
import { contractCheck } from './contract-check.ts';
import { contractProposal } from './contract-proposal.ts';
import { contractRegistration } from './contract-registration.ts';
import { dataContract } from './data-contract.ts';
import type { Schema } from './schema.ts';
import { slugPattern } from './shared-fields.ts';
import { team } from './team.ts';

export const group = 'concordat.dev';
export const version = 'v1';
export const apiVersion = `${group}/${version}`;
/** Its value is echoed in `status.lastHandledReconcileAt`. */
export const reconcileAtAnnotation = `${group}/reconcile-at`;
/** The id of the proposal that the controller created an object for. */
export const madeForAnnotation = `${group}/proposal`;
/** The slugs of the teams that a namespace acts for, joined by dots. */
export const teamLabel = `${group}/team`;
/** The environment of a namespace's objects that name none. */
export const environmentLabel = `${group}/environment`;
/** The uid of the ContractCheck that a Job or CronJob belongs to. */
export const checkLabel = `${group}/check`;
/** Its name, which may be longer than a label. */
export const checkNameAnnotation = `${group}/check-name`;
/** The id of the asset that a Job or CronJob checks. */
export const checkedAssetAnnotation = `${group}/checked-asset`;
export const finalizer = `${group}/registry`;

/** The kinds that folders and repositories may hold. */
export const fileKindNames = [
  'DataContract',
  'ContractProposal',
  'ContractRegistration',
  'Team',
] as const;
/** A ContractCheck needs Jobs, so it exists only in a cluster. */
export const kindNames = [...fileKindNames, 'ContractCheck'] as const;
export type KindName = (typeof kindNames)[number];

export interface Kind {
  readonly kind: KindName;
  readonly plural: string;
  /** Absent for kinds whose objects are in a namespace. */
  readonly scope?: 'Cluster';
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly description: string;
  readonly spec: Schema;
  readonly status: Schema;
  readonly selectableFields: readonly string[];
  readonly columns: readonly Column[];
}

interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean' | 'date';
  readonly jsonPath: string;
  readonly description: string;
  /** 1 is shown only with `-o wide`. */
  readonly priority?: 1;
}

const named = ['.spec.fqn', '.spec.environment'];

export const kinds: readonly Kind[] = [
  {
    kind: 'DataContract',
    plural: 'datacontracts',
    singular: 'datacontract',
    // `dc` is OpenShift's DeploymentConfig.
    shortNames: ['dcon'],
    description: 'What a producer promises about one asset: its schema, guarantees and consumers.',
    ...dataContract,
    selectableFields: named,
    columns: [
      column('FQN', '.spec.fqn', 'The fully qualified name of the asset.'),
      column('Version', '.status.version', 'The version of the active contract.'),
      ...readyColumns(),
      number('Acknowledged', '.status.proposal.acknowledged', 'Consumers that have acknowledged.'),
      number('Asked', '.status.proposal.total', 'Consumers that are asked.'),
      wide('Environment', '.status.effective.environment', 'The environment of the asset.'),
      wide('Mode', '.status.effective.compatibilityMode', 'The compatibility mode.'),
      wide('Team', '.status.effective.team', 'The team that owns the asset.'),
      { ...wide('Consumers', '.status.consumers', 'Number of consumers.'), type: 'integer' },
      wide('Proposal', '.status.proposal.name', 'The proposal that waits for the consumers.'),
      ...lastColumns(),
    ],
  },
  {
    kind: 'ContractProposal',
    plural: 'contractproposals',
    singular: 'contractproposal',
    shortNames: ['cprop'],
    description: "A change of an asset that needs its consumers' approval.",
    ...contractProposal,
    selectableFields: named,
    columns: [
      column('Contract', '.spec.contractRef.name', 'The DataContract to change.'),
      column('Phase', '.status.phase', 'The state of the proposal in the registry.'),
      number('Acknowledged', '.status.acknowledged', 'Consumers that have acknowledged.'),
      number('Asked', '.status.total', 'Consumers that are asked.'),
      ...readyColumns(),
      wide('FQN', '.spec.fqn', 'The fully qualified name of the asset.'),
      wide('Version', '.status.publishedVersion', 'The published version.'),
      wide('Digest', '.status.digest', 'The digest that answers must name.'),
      wide('Decision', '.spec.decision', 'The decision of the producer.'),
      ...lastColumns(),
    ],
  },
  {
    kind: 'ContractRegistration',
    plural: 'contractregistrations',
    singular: 'contractregistration',
    shortNames: ['creg'],
    description:
      'The registration of a team as a consumer of an asset. The team is asked before breaking changes.',
    ...contractRegistration,
    selectableFields: named,
    columns: [
      column('FQN', '.spec.fqn', 'The fully qualified name of the asset.'),
      column('Version', '.status.contractVersion', 'The version that the team reads.'),
      ...readyColumns(),
      wide('Environment', '.spec.environment', 'The environment of the asset.'),
      wide('Pending', '.status.pendingProposals[*].id', 'Proposals that wait for an answer.'),
      ...lastColumns(),
    ],
  },
  {
    kind: 'ContractCheck',
    plural: 'contractchecks',
    singular: 'contractcheck',
    shortNames: ['ccheck'],
    description: 'Data that is held against its contract on a schedule, by a Job in the namespace.',
    ...contractCheck,
    selectableFields: named,
    columns: [
      column('Schedule', '.spec.schedule', 'When to check, in spec.timeZone.'),
      column('Last', '.status.lastRun.state', 'The result of the newest run.'),
      column('Rule', '.status.lastRun.failedRules[0].name', 'The first rule that the data breaks.'),
      ...readyColumns(),
      wide('Contract', '.spec.contractRef.name', 'The DataContract.'),
      wide('FQN', '.spec.fqn', 'The fully qualified name of the asset.'),
      wide('Job', '.status.lastRun.job', 'The Job of the newest run.'),
      wide('Next', '.status.nextRunAt', 'When the next run is due.'),
      ...lastColumns(),
    ],
  },
  {
    kind: 'Team',
    plural: 'teams',
    singular: 'team',
    // A slug is unique in the registry; in a namespace, everybody who writes there could claim it.
    scope: 'Cluster',
    shortNames: ['cteam'],
    description: 'A team of the registry. Creating one needs the verb use on teams of its name.',
    ...team,
    selectableFields: [],
    columns: [
      column('Team', '.status.name', 'The name of the team.'),
      ...readyColumns(),
      wide('Id', '.status.teamId', 'The id of the team in the registry.'),
      wide('Deletion', '.spec.deletionPolicy', 'What happens to the team with this object.'),
      ...lastColumns(),
    ],
  },
];

/** @example isClusterScoped('Team') // true */
export function isClusterScoped(name: KindName): boolean {
  return kinds.some(({ kind, scope }) => kind === name && scope === 'Cluster');
}

/** One CustomResourceDefinition, as a value. */
export function toDefinition(kind: Kind): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${kind.plural}.${group}` },
    spec: {
      group,
      scope: kind.scope ?? 'Namespaced',
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular: kind.singular,
        shortNames: kind.shortNames,
        categories: ['concordat'],
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: kind.columns,
          ...(kind.selectableFields.length > 0 && {
            selectableFields: kind.selectableFields.map((jsonPath) => ({ jsonPath })),
          }),
          schema: { openAPIV3Schema: toRootSchema(kind) },
        },
      ],
    },
  };
}

/** The name of a Team is the slug of the team. */
const slug = { type: 'string', maxLength: 63, pattern: slugPattern };

function toRootSchema(kind: Kind): object {
  return {
    type: 'object',
    description: kind.description,
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string', description: `Always ${apiVersion}.` },
      kind: { type: 'string', description: `Always ${kind.kind}.` },
      metadata: { type: 'object', ...(kind.scope === 'Cluster' && { properties: { name: slug } }) },
      spec: kind.spec,
      status: kind.status,
    },
  };
}

/** Tells readers of the file where to change it. */
const header = '# Made from src/controller/crd by `make golden`: change it there.\n';

export function toDefinitionYaml(kind: Kind): string {
  // JSON drops the functions of the rules, which are only for manifests from files.
  const plain: unknown = JSON.parse(JSON.stringify(toDefinition(kind)));
  return header + stringify(plain, { lineWidth: 100, aliasDuplicateObjects: false });
}

/** All of them, as `concordat crds` prints them: ready for `kubectl apply --server-side -f -`. */
export function definitionsYaml(): string {
  return kinds.map(toDefinitionYaml).join('---\n');
}

function column(name: string, jsonPath: string, description: string): Column {
  return { name, type: 'string', jsonPath, description };
}

function number(name: string, jsonPath: string, description: string): Column {
  return { ...column(name, jsonPath, description), type: 'integer' };
}

function wide(name: string, jsonPath: string, description: string): Column {
  return { ...column(name, jsonPath, description), priority: 1 };
}

function readyColumns(): Column[] {
  const ready = '.status.conditions[?(@.type=="Ready")]';
  return [
    column('Ready', `${ready}.status`, 'Whether the registry matches the spec.'),
    column('Reason', `${ready}.reason`, 'The reason in one word.'),
  ];
}

function lastColumns(): Column[] {
  const age = {
    ...column('Age', '.metadata.creationTimestamp', 'The age of the object.'),
    type: 'date',
  };
  const message = '.status.conditions[?(@.type=="Ready")].message';
  return [
    { ...age, type: 'date' },
    wide('Message', message, 'The reason in a sentence, and what to do next.'),
  ];
}
