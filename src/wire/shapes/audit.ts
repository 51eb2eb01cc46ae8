// The audit trail.

import { z } from 'zod';
import { headPattern } from '../../core/audit/seal.ts';
import { entityTypes, eventTopics, eventTypes } from '../../core/event.ts';
import { actorType } from './actor.ts';
import {
  choice,
  count,
  exampleId,
  flag,
  id,
  jsonObject,
  nextCursor,
  text,
  timestamp,
} from './shape.ts';

export const entityType = choice(entityTypes, 'The kind of object it happened to.');
export const eventType = choice(eventTypes, 'What happened.', 'contract.published');

export const eventTopic = choice(
  eventTopics,
  'Only events about contracts, assets and all that belongs to them, or only those about users, keys, trusts and sign-ins (`access`).',
  'contracts',
);

const exampleHead = `90210:${'9f86d081884c7d65'.repeat(4)}`;

const shared = {
  id: id('The event. Later events have higher ids.', exampleId.event),
  event_type: eventType,
  entity_type: entityType,
  entity_id: id('The object it happened to.', exampleId.contract),
  actor_id: id('The user, key or resource that did it.', exampleId.key),
  actor_type: actorType,
  timestamp: timestamp('When it happened.'),
  metadata: jsonObject('Details of the event.', { version: '1.2.0' }),
};

const head = z
  .string()
  .regex(headPattern, 'must be a sequence, a colon and 64 hexadecimal digits')
  .meta({
    description: 'A checkpoint of the trail: the sequence of a seal, a colon and its hash.',
    examples: [exampleHead],
  });

/** A checkpoint that the caller kept, from the log or from an earlier response. */
export const headQuery = head;

const finding = z
  .object({
    kind: choice(
      ['altered', 'removed', 'added', 'swapped', 'cut', 'head'],
      'The kind of damage: `cut` for a missing tail, `head` for a rewritten chain.',
    ),
    sequence: count('Its position in the chain.', 4711)
      .nullable()
      .meta({ description: 'Its position in the chain; null for an event without a seal.' }),
    event_id: id('The event.', exampleId.event)
      .nullable()
      .meta({ description: 'The event; null if unknown.' }),
    message: text('The problem in words.', 'The event ..., or its seal, is not what was sealed.'),
  })
  .meta({ id: 'AuditFinding', description: 'A problem in the audit trail.' });

export const AuditVerification = z
  .object({
    intact: flag('Whether no problem was found.', true),
    first: finding.nullable().meta({ description: 'The first problem; null if there is none.' }),
    findings: z.array(finding).meta({ description: 'The first hundred problems.' }),
    findings_total: count('Number of problems in total.', 0),
    sealed: z
      .object({
        first_sequence: count('The first seal that was checked.', 1),
        last_sequence: count('The last seal that was checked.', 90_210),
        head: head.meta({
          description: 'The checkpoint of the last seal. Keep it for the next verification.',
        }),
        sealed_at: timestamp('When it was sealed.').nullable(),
      })
      .nullable()
      .meta({ description: 'The sealed range; null if nothing is sealed.' }),
    unsealed: z
      .object({
        events: count('Number of events without a seal.', 3),
        oldest: timestamp('When the oldest of them happened.')
          .nullable()
          .meta({ description: 'When the oldest of them happened; null if all are sealed.' }),
      })
      .meta({ description: 'The events that are not sealed yet.' }),
    heads: z
      .object({
        total: count('Number of sealed batches.', 512),
        authenticated: count("Number of batches that the registry's key confirms.", 512),
      })
      .meta({ description: 'The checkpoints of the batches.' }),
  })
  .meta({ id: 'AuditVerification', description: 'The result of verifying the trail.' });

export const AuditEventListed = z
  .object(shared)
  .meta({ id: 'AuditEventListed', description: 'An audit event, as lists show it.' });

export const AuditEvent = z
  .object({
    ...shared,
    request_id: text('The X-Request-ID of the request.', 'b2d1c7e0-1f3a-4f0e-9f43-0d6a5c4b3a21')
      .nullable()
      .meta({
        description: 'The X-Request-ID of the request that did it; null if no request did.',
      }),
  })
  .meta({ id: 'AuditEvent', description: 'A recorded change or sign-in.' });

export const AuditEventList = z
  .object({
    results: z.array(AuditEventListed).meta({ description: 'The events, newest first.' }),
    total: count('Number of matching events; absent with `include_total=false`.', 42).optional(),
    next_cursor: nextCursor,
    archived_before: timestamp('2026-01-01T00:00:00.000Z').optional().meta({
      description:
        'On the last page, if events of before this time were archived: send a `start_date` to list them, too.',
    }),
  })
  .meta({ id: 'AuditEventList', description: 'Events, newest first.' });
