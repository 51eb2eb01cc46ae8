// The files that are made from the code say what the code says.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { goldenFiles } from '../scripts/golden-files.ts';

const root = join(import.meta.dirname, '..');

test.each(Object.entries(goldenFiles))('%s is what `make golden` makes', async (file, make) => {
  expect(readFileSync(join(root, file), 'utf8')).toBe(await make());
});
