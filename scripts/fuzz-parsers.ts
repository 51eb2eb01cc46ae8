// Part of `make soak`: fuzzes every parser, for FUZZ_SECONDS of processor time in all, with a daily
// seed. A finding is printed with its input, to become a test.
//
// node scripts/fuzz-parsers.ts --seconds 900 --seed 7

import { parseArgs } from 'node:util';
import { fuzzParser } from './fuzz/fuzz-parser.ts';
import { type ParserName, parsers } from './fuzz/parsers.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '900' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    parser: { type: 'string' },
  },
});

// The cast is safe: these are the table's own keys.
const names = (Object.keys(parsers) as ParserName[]).filter(
  (name) => values.parser === undefined || name === values.parser,
);
const cpuMs = (Number(values.seconds) * 1000) / names.length;
let found = 0;
for (const name of names) {
  const seed = Number(values.seed);
  const { findings, tried } = await fuzzParser(name, {
    seed,
    inputs: Number.POSITIVE_INFINITY,
    cpuMs,
  });
  process.stdout.write(`${name}: ${tried} inputs, ${findings.length} findings (seed ${seed})\n`);
  for (const { number, problem, input } of findings) {
    process.stdout.write(`  ${number}: ${problem}\n  ${JSON.stringify(input.slice(0, 2_000))}\n`);
  }
  found += findings.length;
}
process.exitCode = found === 0 ? 0 : 1;
