/** A break is never confused with a failure: each has a code of its own. */
export const exitCode = {
  fine: 0,
  breaking: 1,
  wrongUsage: 2,
  unreadableInput: 3,
  registryNotReachable: 4,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];
