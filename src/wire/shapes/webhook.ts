// Webhooks and their deliveries.

import { z } from 'zod';
import {
  deliveryStates,
  formatOf,
  maxCountedDeliveries,
  notifiedEventTypes,
  webhookFormats,
} from '../../core/webhook.ts';
import { choice, count, exampleId, id, pageAnswer, text, timestamp } from './shape.ts';

const toldEvent = choice(
  notifiedEventTypes,
  'The type of event. Consumers get proposals when they are asked or asked again, contracts that are deprecated or archived, and versions that break backward compatibility and were published without their approval. Producers get the answers.',
);
export const deliveryState = choice(
  deliveryStates,
  '`parked`: retries ended, after a day by default. Replay it to send it again.',
);

const url = z
  .string()
  .max(2000)
  .refine(
    (text) => isMailAddress(text) || isWebUrl(text),
    'must be an http or https URL without a user and a password, or a mailto: with one address',
  )
  .meta({
    description:
      'The URL that receives events by POST, or `mailto:` with the address that receives them by e-mail. Private addresses are refused unless a setting allows them.',
    examples: ['https://hooks.example.com/concordat'],
  });

/** Plain addresses only: no names, no lists, no headers. */
function isMailAddress(text: string): boolean {
  const address = /^mailto:(.+)$/i.exec(text)?.[1] ?? '';
  return formatOf(text) === 'email' && z.email().safeParse(address).success;
}

function isWebUrl(text: string): boolean {
  const parsed = URL.parse(text);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return false;
  return parsed.username === '' && parsed.password === '' && parsed.hostname !== '';
}

const format = choice(
  webhookFormats,
  'How messages are written: `json` is the event itself; `slack` and `teams` are words for an incoming webhook of Slack or of Microsoft Teams, and `email` for a `mailto:` address. By default `email` for `mailto:`, else `json`.',
);

const secret = z
  .string()
  .min(16)
  .max(200)
  .regex(/^[\x21-\x7e]*$/, 'must be printable ASCII without spaces')
  .meta({
    description: 'Signs deliveries. Generated if omitted.',
    examples: ['a secret that both sides know'.replaceAll(' ', '-')],
  });

const events = z
  .array(toldEvent)
  .max(notifiedEventTypes.length)
  .meta({ description: 'Send only these types; empty for all.', examples: [['proposal.created']] });

const teamIds = z
  .array(id('A team.', exampleId.team))
  .max(1000)
  .meta({
    description: 'Send only events that are meant for one of these teams; empty for all.',
    examples: [[exampleId.team]],
  });

const dailyAt = z
  .int()
  .min(0)
  .max(23)
  .nullable()
  .meta({
    description:
      'The hour (UTC) at which all that happened since the day before is sent in one message; null sends each event at once. An event that has to be answered before the next summary brings it forward.',
    examples: [7],
  });

const stoppedAt = timestamp('When it was stopped.').nullable().meta({
  description:
    'Since when nothing is sent, because it was stopped here or by the link in a letter; null while it sends.',
});

const teamId = id('The team.', exampleId.team);

const webhookFields = {
  id: id('The webhook.', exampleId.webhook),
  url: text(
    'The URL that receives events. A replay of a request includes only its origin.',
    'https://hooks.example.com/concordat',
  ),
  format,
  team_id: teamId.nullable().meta({
    description:
      'The team that set it up, and only gets what is for it; null for an administrator.',
  }),
  user_id: id('The user.', exampleId.user).nullable().meta({
    description:
      "The user whose own choice it is, who is told by e-mail what is for the user's team; else null.",
  }),
  events,
  team_ids: teamIds,
  daily_at: dailyAt,
  stopped_at: stoppedAt,
  created_at: timestamp('When it was created.'),
  updated_at: timestamp('When it was last changed.'),
};

export const Webhook = z
  .object(webhookFields)
  .meta({ id: 'Webhook', description: 'A webhook, without its secret.' });

export const WebhookCreated = z
  .object({
    ...webhookFields,
    secret: text('The secret.', 'whsec_8fKq...')
      .meta({
        description: 'The secret, returned once. A replay of the request does not include it.',
      })
      .optional(),
  })
  .meta({ id: 'WebhookCreated', description: 'A new webhook, with its secret.' });

export const WebhookCreate = z
  .strictObject({
    url,
    format: format.optional(),
    team_id: teamId.optional().meta({
      description:
        'The team that sets it up: its members administer it, and it gets what is for this team. Only administrators may omit it.',
    }),
    secret: secret.optional(),
    events: events.default([]),
    team_ids: teamIds.default([]),
    daily_at: dailyAt.default(null),
  })
  .meta({
    id: 'WebhookCreate',
    description: 'A new webhook: its URL and its events.',
    examples: [{ url: 'https://hooks.example.com/concordat', team_id: exampleId.team }],
  });

export const WebhookUpdate = z
  .strictObject({
    url: url.optional(),
    format: format.optional(),
    secret: secret.optional(),
    events: events.optional(),
    team_ids: teamIds.optional(),
    daily_at: dailyAt.optional(),
    stopped: z
      .boolean()
      .optional()
      .meta({
        description:
          '`true` sends nothing from now on, not even what waits; `false` sends what happens from then on.',
        examples: [true],
      }),
  })
  .meta({
    id: 'WebhookUpdate',
    description:
      "The fields of a webhook to change. A user's own choice is only stopped here (`stopped: true`).",
    examples: [{ events: ['proposal.created'] }],
  });

const sent = z.boolean().meta({
  description: 'Whether the user is told by e-mail what is for their team.',
  examples: [true],
});

export const NotificationChoice = z
  .object({
    sent,
    events,
    daily_at: dailyAt,
    stopped_at: stoppedAt,
    team_id: id('The team.', exampleId.team).nullable().meta({
      description: 'The team of the user, whose matters are told; null for none.',
    }),
    email: text('The address of the user, where the letters go.', 'ada@example.com'),
    problem: text(
      'Why the registry sends no letter to this address.',
      'This registry sends no e-mail. Use a webhook, or ask an operator to set SMTP_URL.',
    )
      .nullable()
      .meta({ description: 'Why the registry sends no letter to this address; null if it does.' }),
  })
  .meta({ id: 'NotificationChoice', description: 'What a user is told in person.' });

export const NotificationChoose = z
  .strictObject({ sent, events: events.default([]), daily_at: dailyAt.default(null) })
  .meta({
    id: 'NotificationChoose',
    description: 'What the user wants to be told in person.',
    examples: [{ sent: true, daily_at: 7 }],
  });

const health = z
  .object({
    pending: count(
      `Messages that are still to be delivered; at most ${maxCountedDeliveries} are counted.`,
      2,
    ),
    parked: count(
      `Messages that are not tried any more; at most ${maxCountedDeliveries} are counted.`,
      0,
    ),
    failing_since: timestamp('When the oldest message was created that is tried again.')
      .nullable()
      .meta({
        description:
          'When the oldest message was created that was tried in vain and is tried again; null if there is none.',
      }),
    last_error: text('Why it was not delivered.', 'The receiver answered with status 503.')
      .nullable()
      .meta({ description: 'Why that message was not delivered; null if there is none.' }),
  })
  .meta({ description: 'What becomes of its messages.' });

export const ListedWebhook = z.object({ ...webhookFields, health }).meta({
  id: 'ListedWebhook',
  description: 'A webhook in a list, with what becomes of its messages.',
});

export const WebhookList = z
  .object({
    results: z.array(ListedWebhook).meta({ description: 'The webhooks of this page.' }),
    ...pageAnswer,
  })
  .meta({ id: 'WebhookList', description: 'A page of webhooks.' });

export const Delivery = z
  .object({
    id: id('The delivery. Every attempt has the same id.', exampleId.delivery),
    webhook_id: id('The webhook.', exampleId.webhook),
    event_id: id('The audit event it reports.', exampleId.event),
    event_type: toldEvent,
    asset_id: id('The asset that the event is about.', exampleId.asset),
    sequence: count('The position in the order of events of the asset.', 4711),
    team_ids: z.array(id('A team.', exampleId.team)).meta({
      description:
        'The teams that the event is meant for: the consumers or the producer, depending on its type.',
    }),
    state: deliveryState,
    attempts: count('Number of attempts.', 1),
    last_status: z
      .int()
      .nullable()
      .meta({ description: 'The last response status; null if there was none.', examples: [503] }),
    last_error: text('Why the last attempt failed.', 'The receiver answered 503.')
      .nullable()
      .meta({ description: 'Why the last attempt failed; null if it did not.' }),
    last_attempt_at: timestamp('When it was last tried.')
      .nullable()
      .meta({ description: 'When it was last tried; null before the first attempt.' }),
    next_attempt_at: timestamp('When it is tried again.').nullable().meta({
      description:
        'When it is tried again; null while it is being sent or waits for an earlier delivery of its asset.',
    }),
    created_at: timestamp('When the event happened.'),
    finished_at: timestamp('When it was delivered or parked.')
      .nullable()
      .meta({ description: 'When it was delivered or parked; null while it is pending.' }),
  })
  .meta({ id: 'Delivery', description: 'One event sent to one webhook.' });

export const DeliveryList = z
  .object({
    results: z.array(Delivery).meta({ description: 'The deliveries of this page.' }),
    ...pageAnswer,
  })
  .meta({ id: 'DeliveryList', description: 'A page of deliveries.' });

export const WebhookTried = z
  .object({
    delivered: z
      .boolean()
      .meta({ description: 'Whether the receiver took the message.', examples: [true] }),
    status: z
      .int()
      .nullable()
      .meta({ description: 'The response status; null if there was none.', examples: [200] }),
    error: text('Why it was not taken.', 'The receiver answered 404.')
      .nullable()
      .meta({ description: 'Why it was not taken; null if it was.' }),
  })
  .meta({ id: 'WebhookTried', description: 'What became of a test message.' });
