// The three kinds, and the CustomResourceDefinitions made of them. `crds/`, the client types and
// the tables of docs/crds.md are all written from here.

import { stringify } from 'yaml';
import { contractProposal } from './contract-proposal.ts';
import { contractRegistration } from './contract-registration.ts';
import { dataContract } from './data-contract.ts';
import type { Schema } from './schema.ts';

export const group = 'concordat.dev';
export const version = 'v1';
export const apiVersion = `${group}/${version}`;
/** Its value is echoed in `status.lastHandledReconcileAt`. */
export const reconcileAtAnnotation = `${group}/reconcile-at`;
/** The proposal in the registry that the controller made an object for. */
export const madeForAnnotation = `${group}/proposal`;
/** The slugs of the teams that a namespace acts for, joined by dots. */
export const teamLabel = `${group}/team`;
export const finalizer = `${group}/registry`;

export const kindNames = ['DataContract', 'ContractProposal', 'ContractRegistration'] as const;
export type KindName = (typeof kindNames)[number];

export interface Kind {
  readonly kind: KindName;
  readonly plural: string;
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
  /** 1 is shown with `-o wide` only. */
  readonly priority?: 1;
}

const named = ['.spec.fqn', '.spec.environment'];

export const kinds: readonly Kind[] = [
  {
    kind: 'DataContract',
    plural: 'datacontracts',
    singular: 'datacontract',
    shortNames: ['dc'],
    description: 'What a producer promises about one asset: its schema, guarantees and consumers.',
    ...dataContract,
    selectableFields: named,
    columns: [
      column('FQN', '.spec.fqn', 'The name of the asset.'),
      column('Version', '.status.version', 'The version of the active contract.'),
      ...readyColumns(),
      wide('Environment', '.status.effective.environment', 'Where the asset lives.'),
      wide('Mode', '.status.effective.compatibilityMode', 'What a change may do.'),
      wide('Team', '.status.effective.team', 'Who owns the asset.'),
      { ...wide('Consumers', '.status.consumers', 'How many teams read it.'), type: 'integer' },
      wide('Proposal', '.status.proposal.name', 'The change that waits for its consumers.'),
      ...lastColumns(),
    ],
  },
  {
    kind: 'ContractProposal',
    plural: 'contractproposals',
    singular: 'contractproposal',
    shortNames: ['cprop'],
    description: 'A change that the consumers of an asset are asked about before it happens.',
    ...contractProposal,
    selectableFields: named,
    columns: [
      column('Contract', '.spec.contractRef.name', 'The DataContract that it would change.'),
      column('Phase', '.status.phase', 'Its state in the registry.'),
      column('Acknowledged', '.status.progress', 'How many of how many have acknowledged.'),
      ...readyColumns(),
      wide('FQN', '.spec.fqn', 'The name of the asset.'),
      wide('Version', '.status.publishedVersion', 'The version that it was published as.'),
      wide('Digest', '.status.digest', 'What an answer names as its digest.'),
      wide('Decision', '.spec.decision', 'What the producer decided.'),
      ...lastColumns(),
    ],
  },
  {
    kind: 'ContractRegistration',
    plural: 'contractregistrations',
    singular: 'contractregistration',
    shortNames: ['creg'],
    description: 'A team reads an asset, and is asked before it changes.',
    ...contractRegistration,
    selectableFields: named,
    columns: [
      column('FQN', '.spec.fqn', 'The name of the asset.'),
      column('Version', '.status.contractVersion', 'The version that the team reads.'),
      ...readyColumns(),
      wide('Environment', '.spec.environment', 'Where the asset lives.'),
      wide('Pending', '.status.pendingProposals[*].id', 'Proposals that wait for an answer.'),
      ...lastColumns(),
    ],
  },
];

/** One CustomResourceDefinition, as a value. */
export function toDefinition(kind: Kind): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${kind.plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
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
          selectableFields: kind.selectableFields.map((jsonPath) => ({ jsonPath })),
          schema: { openAPIV3Schema: toRootSchema(kind) },
        },
      ],
    },
  };
}

function toRootSchema(kind: Kind): object {
  return {
    type: 'object',
    description: kind.description,
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string', description: `Always ${apiVersion}.` },
      kind: { type: 'string', description: `Always ${kind.kind}.` },
      metadata: { type: 'object' },
      spec: kind.spec,
      status: kind.status,
    },
  };
}

/** A line for those who would edit the file. */
const header = '# Made from src/controller/crd by `make golden`: change it there.\n';

export function toDefinitionYaml(kind: Kind): string {
  // JSON leaves the rules' functions out, which only files are asked.
  const plain: unknown = JSON.parse(JSON.stringify(toDefinition(kind)));
  return header + stringify(plain, { lineWidth: 100, aliasDuplicateObjects: false });
}

/** All three, as `concordat crds` prints them: ready for `kubectl apply --server-side -f -`. */
export function definitionsYaml(): string {
  return kinds.map(toDefinitionYaml).join('---\n');
}

function column(name: string, jsonPath: string, description: string): Column {
  return { name, type: 'string', jsonPath, description };
}

function wide(name: string, jsonPath: string, description: string): Column {
  return { ...column(name, jsonPath, description), priority: 1 };
}

function readyColumns(): Column[] {
  const ready = '.status.conditions[?(@.type=="Ready")]';
  return [
    column('Ready', `${ready}.status`, 'Whether the registry says what the spec asks for.'),
    column('Reason', `${ready}.reason`, 'Why, in one word.'),
  ];
}

function lastColumns(): Column[] {
  const age = { ...column('Age', '.metadata.creationTimestamp', 'How old it is.'), type: 'date' };
  const message = '.status.conditions[?(@.type=="Ready")].message';
  return [
    { ...age, type: 'date' },
    wide('Message', message, 'Why, in a sentence that says what to do next.'),
  ];
}
