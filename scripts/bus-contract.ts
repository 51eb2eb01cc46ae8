// The contract of the events on the bus, as a sample of a contract: `make run` publishes it.

import { stringify } from 'yaml';
import { entityTypes, eventTypes, personalEntityTypes } from '../src/core/event.ts';

export const busContractFile = 'examples/contracts/platform/registry-events.yaml';

const uuid = { type: 'string', format: 'uuid' };
const personal: readonly string[] = [...personalEntityTypes, 'auth'];
const isSent = (name: string) => !personal.includes(name.split('.')[0] ?? '');

export function busContract(): string {
  const sent = eventTypes.filter(isSent);
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      specversion: { const: '1.0' },
      id: { ...uuid, description: 'The same each time that the event is sent.' },
      source: { type: 'string', description: 'The address of the registry.' },
      type: {
        type: 'string',
        pattern: '^dev\\.concordat\\.[a-z_]+\\.[a-z_]+$',
        description: 'Skip a type that you do not know: releases add some.',
        examples: sent.map((type) => `dev.concordat.${type}`),
      },
      subject: { type: 'string', description: 'The FQN of the asset, or what the event is about.' },
      time: { type: 'string', format: 'date-time' },
      datacontenttype: { const: 'application/json' },
      partitionkey: { ...uuid, description: 'The asset: its events come in their order.' },
      sequence: {
        type: 'string',
        pattern: '^[0-9]{16}$',
        description: 'Grows with each event of a partitionkey; drop what is not higher.',
      },
      data: {
        type: 'object',
        properties: {
          id: uuid,
          event_type: { type: 'string', pattern: '^[a-z_]+\\.[a-z_]+$', examples: sent },
          entity_type: { type: 'string', examples: entityTypes.filter(isSent) },
          entity_id: uuid,
          asset_id: { type: ['string', 'null'], format: 'uuid' },
          actor_id: uuid,
          actor_type: { type: 'string' },
          timestamp: { type: 'string', format: 'date-time' },
          metadata: { type: 'object', description: 'What is needed to understand the event.' },
          metadata_left_out: {
            const: true,
            description: 'The event was too large for the topic: ask the API for it.',
          },
        },
        required: [
          ...['id', 'event_type', 'entity_type', 'entity_id', 'asset_id', 'actor_id', 'actor_type'],
          ...['timestamp', 'metadata'],
        ],
      },
    },
    required: [
      ...['specversion', 'id', 'source', 'type', 'subject', 'time', 'datacontenttype'],
      ...['partitionkey', 'sequence', 'data'],
    ],
  };
  const contract = {
    apiVersion: 'concordat.dev/v1',
    kind: 'DataContract',
    metadata: { name: 'registry-events' },
    spec: {
      fqn: 'concordat.registry.events',
      description:
        'What happens in this registry, as CloudEvents 1.0 on the topic of EVENT_BUS_URL.',
      compatibilityMode: 'Full',
      schema,
    },
  };
  return [
    '# Made by `make golden` from the code: do not edit. The events that a registry sends to a bus have a',
    '# contract like other data, and `concordat check` holds the topic against it.',
    stringify(contract, { lineWidth: 100 }),
  ].join('\n');
}
