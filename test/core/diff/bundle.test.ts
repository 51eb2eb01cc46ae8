// The page shows a live diff under a policy that forbids generated code, so the engine has to bundle
// for the browser without Node and without it.

import { runInNewContext } from 'node:vm';
import { build } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';

let bundle = '';

beforeAll(async () => {
  const result = await build({
    entryPoints: ['src/core/diff/compare.ts'],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2024',
    write: false,
    logLevel: 'silent',
  });
  bundle = result.outputFiles[0]?.text ?? '';
});

describe('The engine in the browser', () => {
  test('bundles, with no part of Node', () => {
    expect(bundle.length).toBeGreaterThan(10_000);
    expect(bundle).not.toMatch(/["']node:|\brequire\(|\bprocess\.|\bBuffer\./);
  });

  test('makes no code', () => {
    expect(bundle).not.toMatch(/\beval\s*\(|\bnew\s+Function\b|\bFunction\s*\(/);
  });

  test('compares where there are only the globals of the language', () => {
    const script = `${bundle.replace(/export \{[^}]*\};?\s*$/, '')};
      const terms = (schema) => ({ schema, compatibilityMode: 'backward', guarantees: null, direction: 'data' });
      JSON.stringify(compare(terms({ type: 'integer' }), terms({ type: 'string' })).changes);`;
    const answer: unknown = runInNewContext(
      script,
      {},
      { contextCodeGeneration: { strings: false } },
    );
    expect(JSON.parse(String(answer))).toMatchObject([{ type: 'type_changed', breaking: true }]);
  });
});
