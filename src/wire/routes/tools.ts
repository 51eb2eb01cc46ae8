// The registry as tools for agents.

import { z } from 'zod';
import { answer, apiPrefix, noContent, route } from '../route.ts';
import { text } from '../shapes/shape.ts';

const jsonrpc = z.literal('2.0').meta({ description: 'Always 2.0.', examples: ['2.0'] });

export const toolRoutes = {
  callTools: route({
    method: 'POST',
    path: `${apiPrefix}/mcp`,
    tag: 'Agents',
    summary: 'Send a message of the Model Context Protocol',
    description:
      'The streamable HTTP transport of the protocol, without sessions: one message in, its answer out as ' +
      'JSON. Each tool is a route of this documentation, and is called with the key of this request.',
    scope: 'read',
    who: 'scope',
    largeBody: true,
    body: z
      .looseObject({
        jsonrpc,
        id: z
          .union([z.string(), z.int()])
          .meta({ description: 'Of a request: its answer has the same.', examples: [1] })
          .optional(),
        method: text('Of a request or a notification.', 'tools/list', 200).optional(),
      })
      .meta({
        id: 'McpMessage',
        description: 'A message of JSON-RPC 2.0.',
        examples: [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }],
      }),
    answers: {
      200: answer(
        'The answer to a request.',
        z.looseObject({ jsonrpc }).meta({
          id: 'McpAnswer',
          description: 'An answer of JSON-RPC 2.0, with a result or an error.',
        }),
      ),
      202: noContent('A notification was taken.'),
    },
    errors: ['ROUTE_NOT_FOUND'],
  }),
};
