// npm `json-schema-diff`, one question per line: if nothing is removed, a is in b.

import { createInterface } from 'node:readline';
import jsonSchemaDiff from 'json-schema-diff';

for await (const line of createInterface({ input: process.stdin })) {
  const { a, b } = JSON.parse(line);
  const start = performance.now();
  let answer: { readonly verdict: string; readonly reason?: string };
  try {
    const found = await jsonSchemaDiff.diffSchemas({ sourceSchema: a, destinationSchema: b });
    answer = { verdict: found.removalsFound ? 'no' : 'yes' };
  } catch (error) {
    answer = { verdict: 'undecided', reason: String(error).slice(0, 200) };
  }
  const micros = (performance.now() - start) * 1000;
  process.stdout.write(`${JSON.stringify({ ...answer, micros })}\n`);
}
