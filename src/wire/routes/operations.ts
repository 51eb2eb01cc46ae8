// Routes outside the API's prefix, which need no key.

import { z } from 'zod';
import { answer, page, route } from '../route.ts';
import { choice, text } from '../shapes/shape.ts';

const Health = z
  .object({
    status: z.literal('ok').meta({ description: 'The process answers.' }),
    version: text('The version of Concordat.', '0.1.0'),
    uptime_seconds: z
      .number()
      .min(0)
      .meta({ description: 'Seconds since the process started.', examples: [12.5] }),
  })
  .meta({ id: 'Health', description: 'The process is alive.' });

const Readiness = z
  .object({
    status: choice(['ready', 'not_ready'], 'Whether the process is ready for requests.'),
    checks: z.record(z.string(), choice(['ok', 'failing'], 'The result of the check.')).meta({
      description: 'The result of each check, by its name.',
      examples: [{ database: 'ok', migrations: 'ok', controller_cache: 'ok' }],
    }),
  })
  .meta({ id: 'Readiness', description: 'Whether the registry can serve.' });

const open = { scope: 'public', who: 'scope', tag: 'Operations', errors: [] } as const;

export const operationRoutes = {
  getHealth: route({
    ...open,
    method: 'GET',
    path: '/health',
    summary: 'Check that the process is alive',
    answers: { 200: answer('The process is alive.', Health) },
  }),
  getLiveness: route({
    ...open,
    method: 'GET',
    path: '/health/live',
    summary: 'Check that the process is alive',
    answers: { 200: answer('The process is alive.', Health) },
  }),
  getReadiness: route({
    ...open,
    method: 'GET',
    path: '/health/ready',
    summary: 'Check that the registry is ready',
    answers: {
      200: answer('The registry is ready.', Readiness),
      503: answer('The registry is not ready. `checks` names the failing check.', Readiness),
    },
  }),
  getMetrics: route({
    ...open,
    method: 'GET',
    path: '/metrics',
    summary: 'Get the metrics',
    description:
      'In the text format of Prometheus; docs/metrics.md lists them. No label contains the name or id of an asset, team or user.',
    answers: { 200: page('The metrics.', 'text/plain') },
  }),
  getOpenApi: route({
    ...open,
    method: 'GET',
    path: '/openapi.json',
    summary: 'Get this document',
    answers: {
      200: answer(
        'The OpenAPI document.',
        z
          .looseObject({
            openapi: z
              .string()
              .meta({ description: 'The version of OpenAPI.', examples: ['3.1.1'] }),
          })
          .meta({ id: 'OpenApiDocument', description: 'This document.' }),
      ),
    },
  }),
  getDocs: route({
    ...open,
    method: 'GET',
    path: '/docs',
    summary: 'Read this document in Swagger UI',
    answers: { 200: page('The page.', 'text/html') },
  }),
  getRedoc: route({
    ...open,
    method: 'GET',
    path: '/redoc',
    summary: 'Read this document in Redoc',
    answers: { 200: page('The page.', 'text/html') },
  }),
};
