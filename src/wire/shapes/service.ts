// Services: what assets belong to.

import { z } from 'zod';
import { count, exampleId, id, jsonObject, pageAnswer, text, timestamp } from './shape.ts';

const exampleRepository = 'https://git.example.org/shop/checkout';

const name = text(
  'The name, unique among services: up to 100 lower-case letters, digits and inner dots, hyphens and underscores.',
  'checkout-api',
  100,
);
const repository = text(
  'Where its code is: https://host/path, ssh://git@host/path or git@host:path, without credentials.',
  exampleRepository,
  500,
);
const description = text('What it is, in a few sentences.', 'Takes orders.', 2_000);
const metadata = jsonObject('Free-form.', { pager: 'checkout' });

const fields = {
  id: id('The service.', exampleId.service),
  name,
  owner_team_id: id('The team that owns it.', exampleId.team),
  owner_team_name: text('The name of the team that owns it.', 'Checkout'),
  repository: repository.nullable().meta({ description: 'Where its code is; null if not said.' }),
  description: description.nullable().meta({ description: 'What it is; null if not said.' }),
  metadata,
  created_at: timestamp('When it was created.'),
  updated_at: timestamp('When it was last changed.'),
};

export const Service = z.object(fields).meta({
  id: 'Service',
  description:
    'What assets belong to, such as a program. It gives no rights and changes no verdict.',
});

const ServiceListed = z
  .object({ ...fields, assets: count('How many assets belong to it.', 12) })
  .meta({ id: 'ServiceListed', description: 'A service, as lists show it.' });

export const ServiceList = z
  .object({
    results: z.array(ServiceListed).meta({ description: 'The services of this page.' }),
    ...pageAnswer,
  })
  .meta({ id: 'ServiceList', description: 'A page of services, by name.' });

export const ServiceCreate = z
  .strictObject({
    name,
    owner_team_id: id('The team that owns it.', exampleId.team),
    repository: repository.optional(),
    description: description.optional(),
    metadata: metadata.optional(),
  })
  .meta({
    id: 'ServiceCreate',
    description: 'A new service.',
    examples: [
      { name: 'checkout-api', owner_team_id: exampleId.team, repository: exampleRepository },
    ],
  });

export const ServiceUpdate = z
  .strictObject({
    name: name.optional(),
    owner_team_id: id('The team that owns it from now on.', exampleId.otherTeam).optional(),
    repository: repository
      .nullable()
      .meta({ description: 'Where its code is; null removes it.' })
      .optional(),
    description: description
      .nullable()
      .meta({ description: 'What it is; null removes it.' })
      .optional(),
    metadata: jsonObject('Merged into the current metadata; `null` removes a key.', {
      pager: null,
    }).optional(),
  })
  .meta({
    id: 'ServiceUpdate',
    description: 'The fields of a service to change.',
    examples: [{ repository: exampleRepository }],
  });
