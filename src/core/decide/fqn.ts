// Fully qualified names: two or more segments, separated by dots.

const fqnLimit = 1_000;
const segmentLimit = 128;

/**
 * The problem of a name, as a sentence; null if there is none.
 *
 * @example problemOfFqn('warehouse.orders') // null
 */
export function problemOfFqn(fqn: string): string | null {
  if (fqn.length > fqnLimit) return `An FQN has at most ${fqnLimit} characters.`;
  const segments = fqn.split('.');
  if (segments.length < 2) {
    return `"${fqn}" has only one segment. An FQN has two or more, separated by dots, such as warehouse.orders.`;
  }
  const wrong = segments.find((segment) => !segmentPattern.test(segment));
  if (wrong === undefined) return null;
  return `The segment "${wrong.slice(0, segmentLimit)}" must have 1 to ${segmentLimit} letters, digits, "_", "-", "{" or "}".`;
}

const segmentPattern = /^[A-Za-z0-9_{}-]{1,128}$/;

/** An environment has the form of one segment of a name. */
export function problemOfEnvironment(environment: string): string | null {
  if (environmentPattern.test(environment)) return null;
  return `"${environment.slice(0, segmentLimit)}" is not a valid environment. Use 1 to ${segmentLimit} letters, digits, "_", "-" and ".".`;
}

const environmentPattern = /^[A-Za-z0-9_.-]{1,128}$/;
