// The registry as tools, on standard input and output, with one key.

import { randomUUID } from 'node:crypto';
import type { Writable } from 'node:stream';
import { type CallRoute, callBy } from '../../mcp/call-route.ts';
import { serveStdio } from '../../mcp/serve-stdio.ts';
import type { CommandLineIo } from '../command-line.ts';
import { CommandFailure, type ExitCode, exitCode } from '../exit-code.ts';
import type { RegistryOptions } from '../options.ts';
import { readConnection } from '../registry/connection/connection.ts';

export interface McpOptions extends RegistryOptions {
  readonly allowWrite?: boolean;
}

/** Ends when the input ends. */
export async function runMcp(options: McpOptions, io: CommandLineIo): Promise<ExitCode> {
  readConnection(options, io.env);
  // The routes are loaded when they are asked for: an editor waits for the first answer.
  let opened: Promise<CallRoute> | null = null;
  const open = async () => {
    const { connect } = await import('../registry/connection/connect.ts');
    return withFailures(callBy(connect(options, io).client));
  };
  const call: CallRoute = async (...asked) => {
    opened ??= open();
    return (await opened)(...asked);
  };
  const served = {
    call,
    allowWrites: options.allowWrite === true,
    secret: randomUUID(),
    version: io.version,
  };
  await serveStdio(served, io.stdin, io.stdout as Writable);
  return exitCode.fine;
}

/** A registry that is away is an answer, too: the server stays. */
function withFailures(call: CallRoute): CallRoute {
  return async (route, given) => {
    try {
      return await call(route, given);
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      return { ok: false, refusal: { code: 'NOT_REACHABLE', message: error.message } };
    }
  };
}
