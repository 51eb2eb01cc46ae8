// promtool, for the tests of the alerts: found where PROMTOOL says, in the cache, or built from the Go
// module proxy, which takes a few minutes once.

import { join } from 'node:path';
import { buildProgram, cacheOf, type Environment, isProgram } from './build-program.ts';

/** What the go.mod in `promtool` pins: the modules of Prometheus count 0.3xx for 3.xx. */
const promtoolVersion = '3.16.0';

export interface PromtoolSearch {
  readonly environment: Environment;
  readonly log: (line: string) => void;
}

export async function findPromtool({ environment, log }: PromtoolSearch): Promise<string> {
  const given = environment.PROMTOOL;
  if (given !== undefined && given !== '') return given;
  const program = join(cacheOf(environment), 'promtool', promtoolVersion, 'promtool');
  if (await isProgram(program)) return program;
  log(`Building promtool ${promtoolVersion} from the Go module proxy.`);
  await buildProgram(
    {
      module: 'promtool',
      package: 'github.com/prometheus/prometheus/cmd/promtool',
      linking: '-s -w',
      // Finding what to scrape in thirty clouds is half of the program, and nothing to a test.
      tags: 'remove_all_sd',
    },
    program,
  );
  return program;
}
