/** The environment of programs that tests start: paths of programs, and the compile cache. */
export function programEnvironment(): Readonly<Record<string, string | undefined>> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { PATH, NODE_COMPILE_CACHE };
}
