// The engine, bundled into one module with a change to its text.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { postgresDialectOf, RunDialect } from '../../../src/core/checks/sql/dialect.ts';
import type { planCheck } from '../../../src/core/checks/sql/plan-check.ts';
import type { warehouses } from '../../../src/core/checks/sql/warehouse-dialects.ts';
import type { canonicalText } from '../../../src/core/diff/canonical.ts';
import type { compare } from '../../../src/core/diff/compare.ts';
import type { Contains, Open } from '../laws/laws.ts';
import type { NeedEngine } from '../laws/needs-laws.ts';
import type { AskingRule } from './breach-of-asking.ts';
import type { Mutant } from './mutants.ts';

const core = fileURLToPath(new URL('../../../src/core/', import.meta.url));

type Change = Pick<Mutant, 'file' | 'from' | 'to'>;

interface LoadedEngine {
  readonly contains: Contains;
  readonly openComparison: Open;
}

export function loadEngine(mutant: Change): Promise<LoadedEngine> {
  return load('containment/contains.ts', mutant);
}

/** The comparison of contracts with a change to its text. */
export async function loadComparison(mutant: Change): Promise<typeof compare> {
  const loaded: { compare: typeof compare } = await load('diff/compare.ts', mutant);
  return loaded.compare;
}

/** The digest's text with a change to what makes it. */
export async function loadCanonicalText(mutant: Change): Promise<typeof canonicalText> {
  const loaded: { canonicalText: typeof canonicalText } = await load('diff/canonical.ts', mutant);
  return loaded.canonicalText;
}

/** The answers about needs with a change to their text, or to what they rest on. */
export async function loadNeeds(mutant: Change): Promise<NeedEngine> {
  const verdicts: Pick<NeedEngine, 'findVerdicts'> = await load('needs/find-verdicts.ts', mutant);
  const made: Omit<NeedEngine, 'findVerdicts'> = await load('needs/make-need.ts', mutant);
  return { ...made, ...verdicts };
}

/** Whom a change asks, with a change to the rule. */
export function loadAsking(mutant: Change): Promise<AskingRule> {
  return load('decide/asking.ts', mutant);
}

/** The compiler of checks with a change to its text. */
export async function loadCheck(mutant: Change): Promise<LoadedCheck> {
  const plan: Pick<LoadedCheck, 'planCheck'> = await load('checks/sql/plan-check.ts', mutant);
  const dialects: Omit<LoadedCheck, 'planCheck' | 'warehouses'> = await load(
    'checks/sql/dialect.ts',
    mutant,
  );
  const others: Pick<LoadedCheck, 'warehouses'> = await load(
    'checks/sql/warehouse-dialects.ts',
    mutant,
  );
  return { ...plan, ...dialects, ...others };
}

interface LoadedCheck {
  readonly planCheck: typeof planCheck;
  readonly duckdbDialect: RunDialect;
  readonly postgresDialectOf: typeof postgresDialectOf;
  readonly warehouses: typeof warehouses;
}

/** What a mutant changes must stand in its file once. This reads the file and nothing else. */
export function readUnchanged(mutant: Change): string {
  const text = readFileSync(core + mutant.file, 'utf8');
  if (text.split(mutant.from).length !== 2) {
    throw new Error(`${mutant.file} does not hold this text once: ${mutant.from}`);
  }
  return text;
}

async function load<T>(entry: string, mutant: Change): Promise<T> {
  const source = Buffer.from(await bundleOf(entry, mutant)).toString('base64');
  return import(`data:text/javascript;base64,${source}`);
}

/** The text of one module: the entry and all that it imports, with the change. */
export async function bundleOf(entry: string, mutant: Change): Promise<string> {
  const path = core + mutant.file;
  const text = readUnchanged(mutant);
  const result = await build({
    entryPoints: [core + entry],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    plugins: [
      {
        name: 'mutant',
        setup: ({ onLoad }) => {
          onLoad({ filter: /\.ts$/ }, ({ path: file }) =>
            file === path
              ? { contents: text.replace(mutant.from, () => mutant.to), loader: 'ts' }
              : undefined,
          );
        },
      },
    ],
  });
  return result.outputFiles[0]?.text ?? '';
}
