/** A break is never confused with a failure: each has a code of its own. */
export const exitCode = {
  fine: 0,
  breaking: 1,
  wrongUsage: 2,
  unreadableInput: 3,
  registryNotReachable: 4,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** Ends a command with a code and one sentence that says what to do. Caught at the edge. */
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
