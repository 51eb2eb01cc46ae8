// What the probes ask.

import { z } from 'zod';
import { choice, text } from './shape.ts';

export const Health = z
  .object({
    status: z.literal('ok').meta({ description: 'The process answers.' }),
    version: text('The version of the product.', '0.1.0'),
    uptime_seconds: z
      .number()
      .min(0)
      .meta({ description: 'Since the start.', examples: [12.5] }),
  })
  .meta({ id: 'Health', description: 'The process is alive.' });

export const Readiness = z
  .object({
    status: choice(['ready', 'not_ready'], 'Whether to send requests here.'),
    checks: z.record(z.string(), choice(['ok', 'failing'], 'How the check ended.')).meta({
      description: 'Each check by its name.',
      examples: [{ database: 'ok', migrations: 'ok', controller_cache: 'ok' }],
    }),
  })
  .meta({ id: 'Readiness', description: 'Whether the registry can serve.' });
