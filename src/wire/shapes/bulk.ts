// Many writes of one kind in one request.

import { z } from 'zod';
import { choice, count, exampleId, id, jsonObject, text } from './shape.ts';

export const bulkModes = ['transaction', 'partial'] as const;
export const bulkLimit = 1000;

/** The items stay unparsed here: each is parsed later by the shape of the single route. */
export function bulkOf(
  what: string,
  { id, example }: { readonly id: string; readonly example: Readonly<Record<string, unknown>> },
) {
  return z
    .strictObject({
      mode: choice(
        bulkModes,
        '`transaction`: all items take effect, or none. `partial`: each item takes effect on its own, and those that were not reached within 60 seconds are answered with 503.',
      ).default('transaction'),
      items: z
        .array(jsonObject(what, example))
        .min(1)
        .max(bulkLimit)
        .meta({ description: `${what} At most ${bulkLimit}.`, examples: [[example]] }),
    })
    .meta({ id, description: 'Many items of one kind.', examples: [{ items: [example] }] });
}

const example = { id: exampleId.registration };

export const BulkResult = z
  .object({
    mode: choice(bulkModes, 'How the items took effect.'),
    succeeded: count('How many items took effect.'),
    refused: count('How many items did not.', 0),
    results: z
      .array(
        z
          .object({
            index: count('The place of the item in the request, from 0.', 0),
            asset: z
              .object({
                id: id('The asset.', exampleId.asset),
                fqn: text('Its FQN.', 'shop.public.orders'),
              })
              .meta({ description: 'Of a reassignment: the asset.' })
              .optional(),
            service: z
              .object({
                id: id('The service.', exampleId.service),
                name: text('Its name.', 'checkout-api'),
              })
              .meta({ description: 'Of a reassignment: the service.' })
              .optional(),
            status: z
              .int()
              .meta({ description: 'The status of the single route.', examples: [201] }),
            body: jsonObject('The body of the single route: the result, or `detail`.', example),
          })
          .meta({ description: 'The outcome of one item.' }),
      )
      .meta({ description: 'One outcome for each item, in the order of the request.' }),
  })
  .meta({ id: 'BulkResult', description: 'What became of each item.' });

export const Reassigned = BulkResult.extend({
  next_cursor: text('Send it as `cursor` for the next assets.', 'eyJrIjoi')
    .nullable()
    .meta({ description: 'Send it as `cursor` for the next assets; null if there are none.' }),
}).meta({ id: 'Reassigned', description: 'What became of each asset and service.' });
