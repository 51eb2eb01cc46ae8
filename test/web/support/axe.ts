// axe-core in the page: what it finds, as lines a person can act on.

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

/** Of all that the page shows once nothing is on its way any more: what fades in has no contrast yet. */
export async function findViolations(page: Page): Promise<string[]> {
  await page.locator('.loading').first().waitFor({ state: 'detached' });
  await page.evaluate(axeSource);
  const result = (await page.evaluate('axe.run(document)')) as AxeResult;
  return result.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n  ${html}\n  ${failureSummary ?? ''}`),
  );
}
