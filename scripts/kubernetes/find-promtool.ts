// Finds promtool, for the tests of the alerts.

import { findProgram, type ProgramSearch } from './build-program.ts';

export function findPromtool(search: ProgramSearch): Promise<string> {
  return findProgram(search, {
    name: 'promtool',
    // The Go modules of Prometheus use 0.3xx for 3.xx.
    version: '3.16.0',
    given: 'PROMTOOL',
    module: 'promtool',
    package: 'github.com/prometheus/prometheus/cmd/promtool',
    linking: '-s -w',
    // Omits service discovery for thirty clouds, which is half of the program and not needed by
    // tests.
    tags: 'remove_all_sd',
  });
}
