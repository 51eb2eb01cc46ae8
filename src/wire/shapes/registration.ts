// Registrations: which team consumes which asset.

import { z } from 'zod';
import { choice, exampleId, flag, id, jsonSchema, pageAnswer, text, timestamp } from './shape.ts';

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

const Needs = z
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
    source: choice(['api', 'kubernetes', 'git', 'sync'], 'How it was created.'),
    needs,
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
  })
  .meta({
    id: 'RegistrationUpdate',
    description: 'The fields of a registration to change.',
    examples: [{ status: 'inactive' }],
  });
