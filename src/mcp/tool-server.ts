// A registry as a server of the Model Context Protocol: its routes as tools, and two questions as
// prompts. Who calls the routes, and how messages arrive, is decided elsewhere.

import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import type { Tool } from '../wire/tools.ts';
import type { CallRoute, RouteAnswer } from './call-route.ts';
import { confirmation, inputOf, noted, roundNotSaid } from './confirmation.ts';
import { askPrompt, prompts } from './prompts.ts';

export interface ToolServerOptions {
  readonly call: CallRoute;
  /** Whether tools that change something are offered. */
  readonly allowWrites: boolean;
  /** Known to this server and its caller's key only: makes the codes that confirm a write. */
  readonly secret: string;
  readonly version: string;
}

/** @example await openToolServer({ call, allowWrites: false, secret, version }).connect(transport) */
export function openToolServer(options: ToolServerOptions): Server {
  const { allowWrites, version } = options;
  const server = new Server(
    { name: 'concordat', title: 'Concordat, a data contract registry', version },
    { capabilities: { tools: {}, prompts: {} }, instructions: instructionsFor(allowWrites) },
  );
  const isOffered = ({ writes }: Tool) => allowWrites || !writes;
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: (await loadTools()).filter(isOffered).map(listed),
  }));
  server.setRequestHandler(
    CallToolRequestSchema,
    async ({ params: { name, arguments: given } }) => {
      const tool = (await loadTools()).find((each) => each.name === name);
      if (tool === undefined || !isOffered(tool)) {
        throw new McpError(ErrorCode.InvalidParams, notOffered(name, tool));
      }
      return use(tool, given ?? {}, options);
    },
  );
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [...prompts] }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => {
    const asked = askPrompt(params.name, params.arguments ?? {});
    if (typeof asked === 'string') throw new McpError(ErrorCode.InvalidParams, asked);
    return asked;
  });
  return server;
}

function instructionsFor(allowWrites: boolean): string {
  const reading =
    'Concordat keeps data contracts: assets, the versions of their schemas, and the teams that consume them. ' +
    'Find an asset by its FQN with list_assets, and ask assess_impact what a new schema would break, and for whom.';
  return allowWrites
    ? `${reading} A tool that changes something does nothing at first: it says what it would do, with a code. Show that to a person, and call it again with the code in \`confirm\`.`
    : `${reading} This server only reads.`;
}

function notOffered(name: string, tool: Tool | undefined): string {
  return tool === undefined
    ? `There is no tool ${JSON.stringify(name)}.`
    : `${name} changes something, and this server only reads. Start it with --allow-write, or set AGENT_TOOLS=write.`;
}

let tools: readonly Tool[] | null = null;

/** When they are first asked for: their shapes take longer to load than all the rest. */
async function loadTools(): Promise<readonly Tool[]> {
  const { openTools } = await import('../wire/tools.ts');
  tools ??= openTools();
  return tools;
}

const confirm = {
  type: 'string',
  description: 'The code of the answer to the same call without it. Without it, nothing is done.',
} as const;

function listed(tool: Tool) {
  const { name, title, description, row, writes } = tool;
  const { properties, ...schema } = inputOf(tool);
  return {
    ...{ name, title, description },
    inputSchema: {
      ...schema,
      properties: { ...properties, ...(writes && { confirm }) },
    },
    annotations: {
      ...{ title, readOnlyHint: !writes, openWorldHint: false },
      ...(writes && { destructiveHint: row.method === 'DELETE' }),
    },
  };
}

type Given = Readonly<Record<string, unknown>>;

async function use(tool: Tool, given: Given, options: ToolServerOptions): Promise<CallToolResult> {
  const { confirm: code, ...others } = given;
  const asked = tool.writes ? others : given;
  const call = tool.callOf(asked);
  // Before it becomes a path: `..` would lead to another route.
  const parsed = tool.row.params?.safeParse(call.params);
  if (parsed?.success === false) return shown({ ok: false, refusal: refusalOf(parsed.error) });
  const unsaid = roundNotSaid(tool, asked);
  if (unsaid !== null) return shown({ ok: false, refusal: roundMissing(unsaid) });
  const expected = confirmation(options.secret, tool.name, asked);
  if (!tool.writes || code === expected) return shown(await options.call(tool.route, call));
  const tried = await tryOut(tool, asked, options);
  if (tried !== null && !tried.ok) return shown(tried);
  return said(noted(tool, call, { code: expected, isOther: code !== undefined, tried }));
}

/** What the registry itself says that would happen, where the route can be tried. */
async function tryOut(tool: Tool, asked: Given, { call }: ToolServerOptions) {
  if (!Object.hasOwn(tool.row.body?.shape ?? {}, 'dry_run')) return null;
  return call(tool.route, tool.callOf({ ...asked, dry_run: true }));
}

function refusalOf({ issues }: { readonly issues: readonly PathIssue[] }) {
  const told = issues.map(({ path, message }) => `${path.join('.')} ${message}`);
  return { code: 'VALIDATION_ERROR', message: `${told.join('; ')}.` };
}

function roundMissing(field: string) {
  const message = `"${field}" is required: the round of the proposal, as get_proposal shows it.`;
  return { code: 'VALIDATION_ERROR', message };
}

interface PathIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

function shown(answer: RouteAnswer): CallToolResult {
  if (answer.ok) return said(textOf(answer.body));
  const { code, message, ...more } = answer.refusal;
  const rest = Object.keys(more).length === 0 ? '' : ` ${textOf(more)}`;
  return { ...said(`${code}: ${message}${rest}`), isError: true };
}

/** More than this helps no model, and costs its reader much. */
const longestAnswer = 100_000;

function said(text: string): CallToolResult {
  const isLong = text.length > longestAnswer;
  const shownText = isLong
    ? `${text.slice(0, longestAnswer)}\n… ${text.length - longestAnswer} more characters. Ask for less, such as a smaller page.`
    : text;
  return { content: [{ type: 'text', text: shownText }] };
}

function textOf(body: unknown): string {
  if (body === undefined) return 'Done.';
  return typeof body === 'string' ? body : JSON.stringify(body);
}
