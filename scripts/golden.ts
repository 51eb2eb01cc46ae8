// Writes the files that are made from the code, so that they always agree with it. `make golden`
// writes them; a test compares them.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { goldenFiles } from './golden-files.ts';

const root = join(import.meta.dirname, '..');

for (const [file, make] of Object.entries(goldenFiles)) {
  writeFileSync(join(root, file), await make());
  process.stdout.write(`${file}\n`);
}
