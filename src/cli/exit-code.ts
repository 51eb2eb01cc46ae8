/** Breaks and failures have separate codes, so they are never confused. */
export const exitCode = {
  fine: 0,
  breaking: 1,
  wrongUsage: 2,
  unreadableInput: 3,
  registryNotReachable: 4,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/**
 * Ends a command with an exit code and one sentence that says what to do. Caught at the top level.
 */
export class CommandFailure extends Error {
  readonly code: ExitCode;

  constructor(code: ExitCode, message: string) {
    super(message);
    this.code = code;
  }
}

export function wrongUsage(message: string): CommandFailure {
  return new CommandFailure(exitCode.wrongUsage, message);
}
