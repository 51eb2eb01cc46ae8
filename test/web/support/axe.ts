// Runs axe-core in the page, and returns its findings as readable lines.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/**
 * Checks the whole page once all transitions have ended, because a fading element has no contrast
 * yet. Without `rules`, all of them.
 */
export async function findViolations(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.locator('.loading').first().waitFor({ state: 'detached' });
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axeSource);
  const options = {
    // Nobody reads what passed, nor where a violation is: its HTML says it.
    ...{ resultTypes: ['violations'], selectors: false, preload: false },
    ...(rules === undefined ? {} : { runOnly: rules }),
  };
  const run = `axe.run(document, ${JSON.stringify(options)})`;
  const result = (await page.evaluate(run)) as AxeResult;
  return result.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n  ${html}\n  ${failureSummary ?? ''}`),
  );
}
