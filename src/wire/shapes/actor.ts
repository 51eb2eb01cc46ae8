// Who acted.

import { z } from 'zod';
import { choice, exampleId, id, text } from './shape.ts';

const actorTypes = ['user', 'api_key', 'bootstrap', 'controller', 'system'] as const;

export const actorType = choice(actorTypes, 'The kind of actor.', 'api_key');

export const ActorReference = z
  .object({
    type: actorType,
    id: id('The key, the user, or the resource of the controller.', exampleId.key),
    name: text('Its name at that time.', 'checkout CI'),
  })
  .meta({ id: 'ActorReference', description: 'Who did it.' });
