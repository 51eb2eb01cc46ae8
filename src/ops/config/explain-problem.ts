// Problems that an operator can solve are reported in a sentence; only bugs get a stack trace.

interface Problem extends Error {
  readonly code?: string;
  readonly port?: number;
}

const noAnswer = ({ message }: Problem) =>
  `No answer: ${message}. Check the address, and whether something listens there.`;

const noHost = ({ message }: Problem) =>
  `No such host: ${message}. Correct the setting that names it, such as HOST or DATABASE_URL.`;

const sentences: Readonly<Record<string, (problem: Problem) => string>> = {
  EADDRINUSE: ({ port }) =>
    `Port ${port} is taken. Stop what listens there, or set PORT to another (0 finds a free one).`,
  EACCES: ({ message }) => `Not allowed: ${message}. Choose another PORT or DATA_DIR.`,
  EADDRNOTAVAIL: ({ message }) =>
    `The address is not one of this machine: ${message}. Change HOST.`,
  ECONNREFUSED: noAnswer,
  EAI_AGAIN: noHost,
  ENOTFOUND: noHost,
  ETIMEDOUT: noAnswer,
  // invalid_authorization_specification, invalid_password, invalid_catalog_name
  '28000': ({ message }) =>
    `Postgres rejected the credentials: ${message}. Check the user in DATABASE_URL.`,
  '28P01': ({ message }) =>
    `Postgres rejected the credentials: ${message}. Check the password in DATABASE_URL.`,
  '3D000': ({ message }) =>
    `Postgres has no such database: ${message}. Create it, or correct DATABASE_URL.`,
};

/** Errors that are written to be read by operators, whatever they are about. */
const readable = new Set([
  'MigrationError',
  'PostgresAway',
  'DataFolderTaken',
  'DatabaseUrlProblem',
  'SecretKeyProblem',
  'SettingProblem',
  'ProvidersProblem',
]);

/** @example explainProblem(new TypeError('x is undefined')) // null: the stack is needed */
export function explainProblem(error: unknown): string | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (readable.has(cause.name)) return cause.message;
    const sentence = sentences[(cause as Problem).code ?? ''];
    if (sentence !== undefined) return sentence(cause);
  }
  return null;
}
