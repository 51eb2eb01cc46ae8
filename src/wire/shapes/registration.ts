// Registrations: which team consumes which asset.

import { z } from 'zod';
import { foundOrigins } from '../../core/need.ts';
import {
  choice,
  exampleId,
  flag,
  id,
  jsonSchema,
  pageAnswer,
  reason,
  text,
  timestamp,
} from './shape.ts';

export const registrationStates = ['active', 'inactive'] as const;

const notes = text('What the team uses the asset for.', 'Feeds the invoice run.');
const status = choice(
  registrationStates,
  'The consumer of an inactive registration is not asked, and the registration does not prevent archiving.',
);

const guaranteesOfNeed = z
  .array(text('A guarantee, or one column of it.', 'freshness').max(500))
  .max(1_000)
  .meta({ description: 'The guarantees that the team relies on; all of them if this is absent.' })
  .optional();

export const Needs = z
  .union([
    z.strictObject({
      fields: z
        .array(text('A field, as a path in values.', '$.lines[*].sku').max(1_000))
        .max(10_000)
        .meta({
          description:
            'The fields that the team reads, or sends to a request. An empty list: it reads nothing, and only wants to be notified.',
        }),
      guarantees: guaranteesOfNeed,
    }),
    z.strictObject({
      schema: jsonSchema('A JSON Schema of what the team reads, or sends, at most 1 MiB.'),
      guarantees: guaranteesOfNeed,
    }),
  ])
  .meta({
    id: 'Needs',
    description:
      'What the team reads: fields, or a schema. The `needs_mode` of the asset decides whom a change asks.',
    examples: [{ fields: ['$.id', '$.total'] }],
  });

const allowUnmet = flag(
  'Keep a need that the contract in force does not meet, as a wish.',
  false,
).optional();

/** The team itself reads them; null is the honest answer of a finder that could not tell. */
const foundFields = z
  .array(text('A field, as a path in values.', '$.lines[*].sku').max(1_000))
  .max(10_000)
  .nullable()
  .meta({
    description:
      'The fields that it reads. Null: it reads everything, or the finder could not resolve what it reads.',
  });

const foundOrigin = choice(foundOrigins, 'What was read to find it.', 'dbt');
const foundSource = text('The project or folder that was read.', 'analytics').max(500);
const foundPlace = text('What reads the asset there.', 'models/marts/revenue.sql').max(1_000);

const FoundNeeds = z
  .object({
    digest: text('Another one whenever the fields are others. Send it to confirm them.', 'found-1'),
    fields: foundFields,
    places: z
      .array(
        z.object({
          origin: foundOrigin,
          source: foundSource,
          place: foundPlace,
          fields: foundFields,
          last_seen_at: timestamp('When it was last found.'),
        }),
      )
      .meta({ description: 'Where it was found.' }),
  })
  .meta({
    id: 'FoundNeeds',
    description:
      'What was found that the team reads. It adds to what the team has stated, and excuses nobody.',
  });

export const FoundNeedsReport = z
  .strictObject({
    origin: foundOrigin,
    source: foundSource,
    places: z
      .array(z.strictObject({ place: foundPlace, fields: foundFields }))
      .max(1_000)
      .meta({ description: 'All places of the source that read the asset.' }),
  })
  .meta({
    id: 'FoundNeedsReport',
    description: 'What was found in one source.',
    examples: [
      {
        origin: 'dbt',
        source: 'analytics',
        places: [{ place: 'models/marts/revenue.sql', fields: ['$.id', '$.total'] }],
      },
    ],
  });

export const NeedsConfirmation = z
  .strictObject({
    digest: text('The digest of `found_needs`.', 'found-1'),
    reason: reason('Why an administrator answers for another team.').optional(),
  })
  .meta({
    id: 'NeedsConfirmation',
    description: 'What is confirmed.',
    examples: [{ digest: 'found-1' }],
  });

const RegistrationNeeds = z
  .object({
    stated: Needs,
    schema: jsonSchema('The schema of the need: the stated one, or that of the stated fields.'),
    digest: text('The same for needs that say the same.', 'b5bb9d8014a0f9b1'),
    status: choice(
      ['met', 'unmet'],
      'Whether the contract that was in force when the team stated it met the need.',
    ),
  })
  .meta({ id: 'RegistrationNeeds', description: 'What the team has said that it reads.' });

/** Absent as long as the team has not said anything. */
const needs = RegistrationNeeds.optional();

const created = {
  id: id('The registration.', exampleId.registration),
  contract_id: id('The contract that the team reads.', exampleId.contract),
  consumer_team_id: id('The team that consumes.', exampleId.otherTeam),
  consumer_team_name: text('The name of that team.', 'Billing'),
  notes: notes
    .nullable()
    .meta({ description: 'What the team uses the asset for; null if unknown.' }),
  status,
  created_at: timestamp('When it was created.'),
};

const listed = {
  ...created,
  asset_fqn: text('The FQN of the asset.', 'shop.public.orders'),
  contract_version: text('The version that the team reads.', '1.2.0'),
};

export const RegistrationCreated = z
  .object({ ...created, needs })
  .meta({ id: 'RegistrationCreated', description: 'The new registration.' });

export const RegistrationListed = z
  .object({ ...listed, asset_id: id('The asset.', exampleId.asset) })
  .meta({ id: 'RegistrationListed', description: 'A registration, as lists show it.' });

export const Registration = z
  .object({
    ...listed,
    asset_id: id('The asset.', exampleId.asset),
    registered_version: text('The version that the team first registered for.', '1.0.0'),
    migrates_at: timestamp('When it moves to the active contract.').nullable().meta({
      description:
        'When it moves to the active contract: the date that the team gave with `migrating`; null if it gave none.',
    }),
    ends_at: timestamp(
      'When it ends at the earliest, because the last ContractRegistration for it was deleted and none came in its place; absent otherwise. Until it ends the team is asked.',
    ).optional(),
    source: choice(['api', 'kubernetes', 'git', 'sync'], 'How it was created.'),
    needs,
    found_needs: FoundNeeds.optional(),
    updated_at: timestamp('When it was last changed.'),
  })
  .meta({ id: 'Registration', description: 'A registration: a team consumes an asset.' });

export const RegistrationList = z
  .object({
    results: z.array(RegistrationListed).meta({ description: 'The registrations of this page.' }),
    ...pageAnswer,
  })
  .meta({ id: 'RegistrationList', description: 'A page of registrations, newest first.' });

export const RegistrationCreate = z
  .strictObject({
    contract_id: id('The contract, which must not be archived.', exampleId.contract),
    consumer_team_id: id('The team that consumes.', exampleId.otherTeam),
    notes: notes.optional(),
    allow_self: flag('Allow the owner team to register for its own asset.', false).optional(),
    needs: Needs.optional(),
    allow_unmet: allowUnmet,
  })
  .meta({
    id: 'RegistrationCreate',
    description: 'A contract, and the team that consumes it.',
    examples: [{ contract_id: exampleId.contract, consumer_team_id: exampleId.otherTeam }],
  });

export const RegistrationUpdate = z
  .strictObject({
    notes: notes
      .nullable()
      .meta({ description: 'What the team uses the asset for; null removes the notes.' })
      .optional(),
    status: status.optional(),
    contract_id: id('Moves it to another contract of the asset.', exampleId.contract).optional(),
    needs: Needs.nullable()
      .meta({ description: 'What the team reads; null: everything, as without needs.' })
      .optional(),
    allow_unmet: allowUnmet,
    reason: reason(
      'Why an administrator changes what another team reads or pins, or ends its registration.',
    ).optional(),
  })
  .meta({
    id: 'RegistrationUpdate',
    description: 'The fields of a registration to change.',
    examples: [{ status: 'inactive' }],
  });
