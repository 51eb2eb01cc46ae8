// DataContract: what a producer promises about one asset.

import {
  choice,
  count,
  flag,
  freeObject,
  list,
  listByKey,
  object,
  type Schema,
  text,
} from './schema.ts';
import {
  changes,
  compatibilityMode,
  condition,
  environment,
  environmentIsImmutable,
  fqn,
  fqnIsImmutable,
  guaranteeMode,
  guarantees,
  jsonSchema,
  maxChangesShown,
  maxTeams,
  observedGeneration,
  schemaFrom,
  teamSlug,
  unobserved,
} from './shared-fields.ts';

const versionPattern = '^(0|[1-9][0-9]*)[.](0|[1-9][0-9]*)[.](0|[1-9][0-9]*)$';

const spec = object('What is promised, and how changes to it are handled.', {
  required: {
    fqn: fqn(
      'The fully qualified name of the asset: two or more segments joined by dots. Immutable.',
    ),
  },
  optional: {
    environment: environment('Where the asset lives. Where it is absent: production. Immutable.'),
    team: teamSlug(
      'The slug of the team that owns the asset, one that this namespace acts for. Where it is absent: the team of the namespace.',
    ),
    ownerUser: text('The e-mail address of the person who answers for the asset.', {
      maxLength: 320,
      pattern: '^[^@\\s]+@[^@\\s]+$',
    }),
    description: text('What the asset is, for those who look for it.', { maxLength: 10_000 }),
    tags: list(
      text('A tag.', { minLength: 1, maxLength: 256 }),
      'Words that the asset is found by.',
      100,
    ),
    metadata: freeObject('Anything else that is kept with the asset.'),
    compatibilityMode: compatibilityMode(
      'What a change may do. backward: what was read before can still be read, and nothing that readers use goes away. forward: consumers of the old version can read new data. full: every change is asked about. none: nothing is asked, consumers are only told. Where it is absent: that of the active contract, for a first contract backward.',
    ),
    schema: jsonSchema(
      'The JSON Schema (draft-04 to 2020-12) that the data obeys. Taken as one value: two appliers never mix theirs.',
    ),
    schemaFrom: schemaFrom(),
    guarantees: guarantees('What is promised beyond the shape of the data.'),
    guaranteeMode: guaranteeMode(
      'What weakening a guarantee does. notify: consumers are told. strict: they are asked. ignore: it is only recorded. Where it is absent: notify.',
    ),
    consumers: listByKey(
      'team',
      object('A team that reads the asset.', {
        required: { team: teamSlug('The slug of the team.') },
        optional: {
          purpose: text('What it reads it for.', { maxLength: 10_000 }),
        },
      }),
      'Teams that are asked before a breaking change. This list only adds: who is taken off it stays a consumer until that team, or an admin, ends the registration.',
      maxTeams,
    ),
    version: text(
      'The version to publish as. It may skip ahead and never says less than the change asks for. Where it is absent: the next one.',
      { maxLength: 64, pattern: versionPattern },
    ),
    publishPolicy: choice(
      ['Automatic', 'Manual'],
      'What happens to a breaking change once its last consumer has acknowledged. Automatic: it is published. Manual: it waits for decision Publish in its ContractProposal. Where it is absent: Automatic.',
    ),
    deletionPolicy: choice(
      ['Retain', 'Deprecate', 'Delete'],
      'What becomes of the asset when this object is deleted. Retain: it stays, and is no longer managed from here; the object is gone at once, and no finalizer holds it. Deprecate: its active contract is deprecated. Delete: it is deleted. For the last two the object has a finalizer, and waits while consumers are registered. Where it is absent: Retain.',
    ),
    suspend: flag('While true, nothing is published, proposed or changed from here.'),
  },
  rules: [
    fqnIsImmutable,
    environmentIsImmutable,
    {
      rule: 'has(self.schema) != has(self.schemaFrom)',
      message: 'give exactly one of schema and schemaFrom',
      holds: (self) => (self.schema === undefined) !== (self.schemaFrom === undefined),
    },
  ],
});

const status = object('What the registry made of it.', {
  default: unobserved,
  optional: {
    observedGeneration: observedGeneration(),
    conditions: condition('Ready, Reconciling, Stalled, Drifted'),
    assetId: text('The id of the asset in the registry.', { maxLength: 36 }),
    contractId: text('The id of the active contract.', { maxLength: 36 }),
    version: text('The version of the active contract.', { maxLength: 64 }),
    schemaDigest: text('SHA-256 of the canonical form of the active schema, in hex.', {
      maxLength: 64,
    }),
    effective: object('What holds where the spec is silent.', {
      optional: {
        compatibilityMode: compatibilityMode('The mode of the active contract.'),
        environment: text('The environment of the asset.', { maxLength: 100 }),
        team: text('The slug of the team that owns the asset.', { maxLength: 63 }),
      },
    }),
    proposal: object('The change that waits for its consumers.', {
      optional: {
        name: text('The name of the ContractProposal.', { maxLength: 253 }),
        id: text('The id of the proposal in the registry.', { maxLength: 36 }),
        acknowledged: count('How many consumers have acknowledged it.'),
        total: count('How many consumers there are.'),
      },
    }),
    consumers: count('How many teams are registered as consumers.'),
    lastChange: object('What the last version that was published or proposed from here changed.', {
      optional: {
        bump: choice(
          ['initial', 'patch', 'minor', 'major'],
          'What the version number did, or would do.',
        ),
        breaking: flag('Whether it breaks consumers.'),
        changes: changes('The changes, breaking ones first.', maxChangesShown),
      },
    }),
    handledDigest: text(
      'The digest of the last spec that was handled: it is never published or proposed again.',
      { maxLength: 64 },
    ),
    lastHandledReconcileAt: text(
      'The value of the annotation concordat.dev/reconcile-at that was last obeyed.',
      { maxLength: 1024 },
    ),
    source: object('Where the object was read from, where it was not a cluster.', {
      optional: {
        kind: choice(['cluster', 'directory', 'git'], 'The kind of source.'),
        revision: text('The commit that it was read at.', { maxLength: 256 }),
        path: text('The file that it stands in.', { maxLength: 4096 }),
      },
    }),
  },
});

export const dataContract: { readonly spec: Schema; readonly status: Schema } = { spec, status };
