// Team: a team of the registry, so that GitOps starts from nothing. The name of the object is the
// slug, and a Team gives no namespace a right: the label concordat.dev/team does.

import { choice, flag, freeObject, object, type Schema, text } from './schema.ts';
import { condition, observedGeneration, unobserved } from './shared-fields.ts';

const spec = object('What the registry knows about the team. metadata.name is its slug.', {
  optional: {
    name: text(
      'The name, unique among teams, ignoring case. Defaults to metadata.name for a new team.',
      { minLength: 1, maxLength: 200 },
    ),
    metadata: freeObject(
      'Free-form, such as the channel of the team. Merged into what the registry has.',
    ),
    deletionPolicy: choice(
      ['Retain', 'Delete'],
      'What happens to the team when this object is deleted. Retain: it stays, and nothing manages it. Delete: it is deleted, once it owns no assets. Defaults to Retain.',
    ),
    suspend: flag('While true, the object is not reconciled. Conditions stay as they were.'),
  },
});

const status = object('The team in the registry.', {
  default: unobserved,
  optional: {
    observedGeneration: observedGeneration(),
    conditions: condition('Ready, Reconciling, Stalled, Drifted, Suspended'),
    teamId: text('The id of the team in the registry.', { maxLength: 36 }),
    name: text('The name of the team.', { maxLength: 200 }),
    handledDigest: text('The digest of the last spec that was handled.', { maxLength: 64 }),
    lastHandledReconcileAt: text(
      'The last value of the annotation concordat.dev/reconcile-at that was handled.',
      { maxLength: 1024 },
    ),
  },
});

export const team: { readonly spec: Schema; readonly status: Schema } = { spec, status };
