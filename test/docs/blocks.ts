// The shell lines of the documentation: fenced `sh` blocks, and how the comment before each says it
// is tested.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

interface Block {
  readonly page: string;
  /** `run`, `run: gitops`, `needs: Flux`; empty without a comment. */
  readonly mark: string;
  readonly script: string;
}

const pagesIn = (folder: string) =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map(({ name }) => join(folder, name));

/** Every page for readers, except decisions. */
export const documentation: readonly string[] = [
  '.',
  'docs/guide',
  'docs',
  'docs/runbooks',
  'examples/ci',
  'examples/gitops',
].flatMap(pagesIn);

const pattern = /(?:<!-- ([\w: ,.]+) -->\n)?```(?:sh|bash|console|shell)\n([\s\S]*?)```/g;

export function blocksOf(page: string): readonly Block[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(pattern)].map(([, mark = '', script = '']) => ({ page, mark, script }));
}

/** One script of all blocks of a page with this mark; returns the output of each separately. */
export function scriptOf(page: string, mark: string): string {
  const blocks = blocksOf(page).filter((block) => block.mark === mark);
  return blocks.map(({ script }) => script).join('\necho "---"\n');
}
