// promtool, for the tests of the alerts.

import { findProgram, type ProgramSearch } from './build-program.ts';

export function findPromtool(search: ProgramSearch): Promise<string> {
  return findProgram(search, {
    name: 'promtool',
    // The modules of Prometheus count 0.3xx for 3.xx.
    version: '3.16.0',
    given: 'PROMTOOL',
    module: 'promtool',
    package: 'github.com/prometheus/prometheus/cmd/promtool',
    linking: '-s -w',
    // Finding what to scrape in thirty clouds is half of the program, and nothing to a test.
    tags: 'remove_all_sd',
  });
}
