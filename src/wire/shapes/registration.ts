// Registrations: which team consumes which asset.

import { z } from 'zod';
import { choice, exampleId, flag, id, pageAnswer, text, timestamp } from './shape.ts';

export const registrationStates = ['active', 'inactive'] as const;

const notes = text('What it is used for.', 'Feeds the invoice run.');
const status = choice(registrationStates, 'An inactive one is not asked, and pins nothing.');

const created = {
  id: id('The registration.', exampleId.registration),
  contract_id: id('The contract it is on.', exampleId.contract),
  consumer_team_id: id('The team that consumes.', exampleId.otherTeam),
  consumer_team_name: text('Its name.', 'Billing'),
  notes: notes.nullable().meta({ description: 'What it is used for.' }),
  status,
  created_at: timestamp('When it was made.'),
};

const listed = {
  ...created,
  asset_fqn: text('The FQN of the asset.', 'shop.public.orders'),
  contract_version: text('The version it is on.', '1.2.0'),
};

export const RegistrationCreated = z
  .object(created)
  .meta({ id: 'RegistrationCreated', description: 'The new registration.' });

export const RegistrationListed = z
  .object({ ...listed, asset_id: id('The asset.', exampleId.asset) })
  .meta({ id: 'RegistrationListed', description: 'A registration, as lists show it.' });

export const Registration = z
  .object({
    ...listed,
    asset_id: id('The asset.', exampleId.asset),
    registered_version: text('The version it was first made on.', '1.0.0'),
    migrates_at: timestamp('When it moves on to the active contract.')
      .nullable()
      .meta({ description: 'When it moves on, where the team answered `migrating` with a date.' }),
    source: choice(['api', 'kubernetes', 'git', 'sync'], 'Where it came from.'),
    updated_at: timestamp('When it was last changed.'),
  })
  .meta({ id: 'Registration', description: 'A team consumes an asset.' });

export const RegistrationList = z
  .object({
    results: z.array(RegistrationListed).meta({ description: 'The registrations of this page.' }),
    ...pageAnswer,
  })
  .meta({ id: 'RegistrationList', description: 'A page of registrations, newest first.' });

export const RegistrationCreate = z
  .strictObject({
    contract_id: id('A contract of the asset; not an archived one.', exampleId.contract),
    consumer_team_id: id('The team that consumes.', exampleId.otherTeam),
    notes: notes.optional(),
    allow_self: flag('Let the owner of the asset be its consumer.', false).optional(),
  })
  .meta({
    id: 'RegistrationCreate',
    description: 'The contract, and the team that consumes it.',
    examples: [{ contract_id: exampleId.contract, consumer_team_id: exampleId.otherTeam }],
  });

export const RegistrationUpdate = z
  .strictObject({
    notes: notes
      .nullable()
      .meta({ description: 'What it is used for; null removes what is there.' })
      .optional(),
    status: status.optional(),
    contract_id: id('Moves it to another contract of the asset.', exampleId.contract).optional(),
  })
  .meta({
    id: 'RegistrationUpdate',
    description: 'What of a registration is to change.',
    examples: [{ status: 'inactive' }],
  });
