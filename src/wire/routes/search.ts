// The search over everything that has a name.

import { z } from 'zod';
import { searchTypes } from '../../core/search/search.types.ts';
import { answer, apiPrefix, route } from '../route.ts';
import { SearchResults } from '../shapes/overviews/search.ts';
import { requiredText } from '../shapes/shape.ts';

const type = `(?:${searchTypes.join('|')})`;

export const searchRoutes = {
  search: route({
    method: 'GET',
    path: `${apiPrefix}/search`,
    tag: 'Assets',
    summary: 'Search assets, fields, services, teams and proposals',
    description:
      'Finds names by their beginning and by words, the best first. Fields are those of active contracts, ' +
      'nested ones too. Proposals are open, or were decided in the last 30 days.',
    scope: 'read',
    who: 'scope',
    query: z.strictObject({
      q: requiredText(
        'The text. Any character except letters and digits separates words; the order of words does not matter.',
        'customer email',
        200,
      ),
      types: z
        .string()
        .max(100)
        .regex(
          new RegExp(`^${type}(?:,${type})*$`),
          `must be some of ${searchTypes.join(', ')}, with commas between them`,
        )
        .optional()
        .meta({
          description:
            'What to search for: `asset`, `field`, `service`, `team`, `proposal`, `user`, with commas between ' +
            'them. Without it, everything that the caller may see; only administrators may search for users.',
          examples: ['asset,field'],
        }),
      limit: z
        .int()
        .min(1)
        .max(50)
        .default(10)
        .meta({ description: 'The maximum number of results of each type.', examples: [10] }),
    }),
    answers: { 200: answer('What was found.', SearchResults) },
    errors: ['FORBIDDEN'],
    fromReplica: true,
  }),
};
