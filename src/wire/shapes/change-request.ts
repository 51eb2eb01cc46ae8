// What the producer tells the consumers that a proposal asks.

import { z } from 'zod';
import { day, requiredText } from './shape.ts';

const requestReason = requiredText(
  'Why the change is made.',
  'Finance needs amounts in cents.',
  4_000,
);
const contact = requiredText('Whom to ask: a person, or a channel.', 'Ada Byron, #orders', 200);
const answerBy = day('The last day for answers. It ends at midnight UTC.');
const migration = requiredText(
  'How the consumers move to the new version.',
  'Read `amount_cents` and divide by 100.',
  4_000,
);
const migrateBy = day('The last day on which the producer serves the old version.');

function nullable(shape: z.ZodString | z.ZodISODate, without: string) {
  const description = `${shape.meta()?.description} ${without}`;
  return shape.nullable().meta({ ...shape.meta(), description });
}

/** As it is read. */
export const ChangeRequest = z
  .object({
    reason: nullable(requestReason, 'Null if it does not say.'),
    contact: nullable(contact, 'Null if it names nobody.'),
    answer_by: nullable(answerBy, 'Null if there is none.'),
    migration: nullable(migration, 'Null if it does not say.'),
    migrate_by: nullable(migrateBy, 'Null if it does not say.'),
  })
  .meta({
    id: 'ChangeRequest',
    description:
      'What the producer says: why, whom to ask, until when, and how to migrate. Null where it said nothing.',
  });

/** As it comes with a change that may become a proposal. */
export const request = z
  .strictObject({
    reason: requestReason.optional(),
    contact: contact.optional(),
    answer_by: answerBy.optional(),
    migration: migration.optional(),
    migrate_by: migrateBy.optional(),
  })
  .meta({
    id: 'NewChangeRequest',
    description:
      'If the change becomes a proposal: why it is made, whom to ask, the last day for answers, and how consumers migrate. `PATCH /proposals/{proposal_id}` changes it later.',
    examples: [{ reason: 'Finance needs amounts in cents.', contact: 'Ada Byron, #orders' }],
  })
  .optional();

export const ProposalUpdate = z
  .strictObject({
    reason: nullable(requestReason, '`null` removes it.').optional(),
    contact: nullable(contact, '`null` removes it.').optional(),
    answer_by: nullable(answerBy, '`null` removes it.').optional(),
    migration: nullable(migration, '`null` removes it.').optional(),
    migrate_by: nullable(migrateBy, '`null` removes it.').optional(),
  })
  .meta({
    id: 'ProposalUpdate',
    description: 'The parts of its `request` to change. Omitted parts stay; `null` removes one.',
    examples: [{ contact: 'Ada Byron, #orders', answer_by: '2099-05-03' }],
  });
