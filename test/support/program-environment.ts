/** What a program that a test starts gets of the environment: where programs are, and compiled code. */
export function programEnvironment(): Readonly<Record<string, string | undefined>> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { PATH, NODE_COMPILE_CACHE };
}
