// The actor of an event or a version.

import { z } from 'zod';
import { choice, exampleId, id, text } from './shape.ts';

const actorTypes = ['user', 'api_key', 'bootstrap', 'controller', 'system'] as const;

export const actorType = choice(actorTypes, 'The kind of actor.', 'api_key');

export const ActorReference = z
  .object({
    type: actorType,
    id: id('The id of the key, the user or the Kubernetes resource.', exampleId.key),
    name: text('The name of the actor at that time.', 'checkout CI'),
  })
  .meta({ id: 'ActorReference', description: 'Who did it.' });
