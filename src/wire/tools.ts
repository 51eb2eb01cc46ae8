// The routes as tools for programs that talk to people: a name, what it does, and a JSON Schema of
// its arguments. Parameters, query and body are one object: a name that stands in two of them, such as
// `reason`, means the same in both.

import { z } from 'zod';
import { apiPrefix, type Route } from './route.ts';
import { type RouteName, routes } from './routes.ts';

export interface Tool {
  /** Such as `get_asset`. */
  readonly name: string;
  readonly route: RouteName;
  readonly row: Route;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ToolInput;
  /** Whether it may change something. */
  readonly writes: boolean;
  /**
   * The request for these arguments. What the query says may be said in the body as well, and what no
   * part knows goes where it is refused.
   */
  readonly callOf: (given: Readonly<Record<string, unknown>>) => ToolCall;
}

interface ToolInput {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, object>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
  readonly $defs?: Readonly<Record<string, unknown>>;
}

/** The parts of a request, as the client of the routes takes them. */
interface ToolCall {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** @example openTools().find(({ name }) => name === 'get_asset') */
export function openTools(): readonly Tool[] {
  return Object.entries<Route>(routes).flatMap(([route, row]) =>
    isTool(row) ? [toTool(route as RouteName, row)] : [],
  );
}

/** @example callOf(row, { asset_id: '…' }) // { params: { asset_id: '…' }, query: {} } */
function callOf(row: Route, given: Readonly<Record<string, unknown>>): ToolCall {
  const has = (shape: z.ZodObject | undefined, name: string) =>
    shape !== undefined && Object.hasOwn(shape.shape, name);
  const parts = { params: {}, query: {}, body: {} } satisfies Record<string, object>;
  for (const [name, value] of Object.entries(given)) {
    const place = has(row.params, name)
      ? 'params'
      : row.body === undefined || (has(row.query, name) && !has(row.body, name))
        ? 'query'
        : 'body';
    Object.assign(parts[place], { [name]: value });
  }
  const { body, ...rest } = parts;
  return { ...rest, ...(row.body !== undefined && { body }) };
}

const readable: ReadonlySet<string> = new Set(['', 'application/json', 'application/yaml']);

/** Leaves out routes about the process, these tools and sessions, and those with a secret or a stream. */
function isTool({ tag, secrets, answers, method, path }: Route): boolean {
  if (
    tag === 'SCIM' ||
    tag === 'Sessions' ||
    tag === 'Operations' ||
    tag === 'Agents' ||
    secrets !== undefined
  )
    return false;
  if (tag === 'API keys' && method === 'POST') return false;
  // These repeat the routes of `/sync/dbt` under an older name.
  if (path.startsWith(`${apiPrefix}/sync/buildtool`)) return false;
  return Object.values(answers).every(({ contentType }) => readable.has(contentType));
}

function toTool(route: RouteName, row: Route): Tool {
  const { $schema, ...schema } = z.toJSONSchema(
    z.strictObject({ ...row.params?.shape, ...row.query?.shape, ...row.body?.shape }),
    { io: 'input', unrepresentable: 'any', override: ({ jsonSchema }) => simplify(jsonSchema) },
  );
  const { summary, description = '' } = row;
  return {
    ...{ name: route.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), route, row },
    ...{ title: summary, description: `${summary}. ${description}`.trim() },
    inputSchema: { required: [], properties: {}, ...schema } as unknown as ToolInput,
    writes: row.method !== 'GET' && row.scope !== 'read',
    callOf: (given) => callOf(row, given),
  };
}

/** `format` says enough, and the largest integer says nothing. */
function simplify(schema: { format?: unknown; pattern?: unknown; maximum?: unknown }): void {
  if (schema.format === 'date-time' || schema.format === 'uuid') delete schema.pattern;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}
