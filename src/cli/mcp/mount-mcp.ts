import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-line.ts';
import { addAll, connectionOptions } from '../options.ts';
import type { McpOptions } from './mcp-command.ts';

/** `concordat mcp`. */
export function mountMcp(command: Command, context: CommandContext): void {
  command.description(
    'Serves the registry to agents and editors: the Model Context Protocol on standard input and output,\n' +
      'with a tool for each route. Tools only read, unless --allow-write is given; then each write says\n' +
      'first what it would do, and is done when it is asked for again with the code of that answer.',
  );
  addAll(command, [
    new Option('--allow-write', 'offer the tools that change something, too'),
    ...connectionOptions(),
  ]);
  command.addHelpText('after', examples).action((options: McpOptions) =>
    context.run(async () => {
      const { runMcp } = await import('./mcp-command.ts');
      return runMcp(options, context.io);
    }),
  );
}

const examples = `
Examples:
  $ concordat mcp --registry https://registry.example.com

In the settings of an editor:
  { "mcpServers": { "concordat": { "command": "concordat", "args": ["mcp"],
    "env": { "CONCORDAT_URL": "https://registry.example.com", "CONCORDAT_KEY": "..." } } } }`;
