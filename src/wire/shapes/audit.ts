// The audit trail.

import { z } from 'zod';
import { headPattern } from '../../core/audit/seal.ts';
import { entityTypes, eventTypes } from '../../core/event.ts';
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

export const entityType = choice(entityTypes, 'What kind of thing it happened to.');
export const eventType = choice(eventTypes, 'What happened.', 'contract.published');

const exampleHead = `90210:${'9f86d081884c7d65'.repeat(4)}`;

const shared = {
  id: id('The event. Later events have higher ids.', exampleId.event),
  event_type: eventType,
  entity_type: entityType,
  entity_id: id('The thing it happened to.', exampleId.contract),
  actor_id: id('The user, key or resource that did it.', exampleId.key),
  actor_type: actorType,
  timestamp: timestamp('When it happened.'),
  metadata: jsonObject('What a reader needs to understand it.', { version: '1.2.0' }),
};

const head = z
  .string()
  .regex(headPattern, 'must be a sequence, a colon and 64 hexadecimal digits')
  .meta({
    description: 'A head of the trail: the sequence of a seal, a colon and its hash.',
    examples: [exampleHead],
  });

/** A head that a caller kept, from the log or from an earlier answer. */
export const headQuery = head;

const finding = z
  .object({
    kind: choice(
      ['altered', 'removed', 'added', 'swapped', 'cut', 'head'],
      'What was done to it: `cut` for a tail that is gone, `head` for a chain written anew.',
    ),
    sequence: count('Its place in the chain.', 4711)
      .nullable()
      .meta({ description: 'Its place in the chain; null for an event without a seal.' }),
    event_id: id('The event.', exampleId.event)
      .nullable()
      .meta({ description: 'The event; null where nothing says which it was.' }),
    message: text('What was found.', 'The event ..., or its seal, is not what was sealed.'),
  })
  .meta({ id: 'AuditFinding', description: 'Something that is wrong with the audit trail.' });

export const AuditVerification = z
  .object({
    intact: flag('Whether nothing was found.', true),
    first: finding
      .nullable()
      .meta({ description: 'The first thing that is wrong; null where nothing is.' }),
    findings: z.array(finding).meta({ description: 'The first hundred of them.' }),
    findings_total: count('How many there are.', 0),
    sealed: z
      .object({
        first_sequence: count('The first seal that was looked at.', 1),
        last_sequence: count('The last one.', 90_210),
        head: head.meta({ description: 'The last seal, to be kept and asked with next time.' }),
        sealed_at: timestamp('When it was sealed.').nullable(),
      })
      .nullable()
      .meta({ description: 'The range that is sealed; null where nothing is.' }),
    unsealed: z
      .object({
        events: count('How many events have no seal yet.', 3),
        oldest: timestamp('When the oldest of them happened.')
          .nullable()
          .meta({ description: 'When the oldest of them happened; null where all are sealed.' }),
      })
      .meta({ description: 'The tail that the sealer has not reached.' }),
    heads: z
      .object({
        total: count('How many batches were sealed.', 512),
        authenticated: count("How many of them the registry's key confirms.", 512),
      })
      .meta({ description: 'The heads of the batches.' }),
  })
  .meta({ id: 'AuditVerification', description: 'What reading the whole trail came to.' });

export const AuditEventListed = z
  .object(shared)
  .meta({ id: 'AuditEventListed', description: 'An audit event, as lists show it.' });

export const AuditEvent = z
  .object({
    ...shared,
    request_id: text('The X-Request-ID of the request.', 'b2d1c7e0-1f3a-4f0e-9f43-0d6a5c4b3a21')
      .nullable()
      .meta({ description: 'The X-Request-ID of the request that did it; null where none did.' }),
  })
  .meta({ id: 'AuditEvent', description: 'Something that happened.' });

export const AuditEventList = z
  .object({
    results: z.array(AuditEventListed).meta({ description: 'The events, newest first.' }),
    total: count('How many events match; absent with `include_total=false`.', 42).optional(),
    next_cursor: nextCursor,
  })
  .meta({ id: 'AuditEventList', description: 'Events, newest first.' });
