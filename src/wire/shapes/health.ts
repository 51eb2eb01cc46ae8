// Responses to probes.

import { z } from 'zod';
import { choice, text } from './shape.ts';

export const Health = z
  .object({
    status: z.literal('ok').meta({ description: 'The process answers.' }),
    version: text('The version of Concordat.', '0.1.0'),
    uptime_seconds: z
      .number()
      .min(0)
      .meta({ description: 'Seconds since the process started.', examples: [12.5] }),
  })
  .meta({ id: 'Health', description: 'The process is alive.' });

export const Readiness = z
  .object({
    status: choice(['ready', 'not_ready'], 'Whether the process is ready for requests.'),
    checks: z.record(z.string(), choice(['ok', 'failing'], 'The result of the check.')).meta({
      description: 'The result of each check, by its name.',
      examples: [{ database: 'ok', migrations: 'ok', controller_cache: 'ok' }],
    }),
  })
  .meta({ id: 'Readiness', description: 'Whether the registry can serve.' });
