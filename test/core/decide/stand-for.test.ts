import { expect, test } from 'vitest';
import type { ImportIdentity } from '../../../src/core/asset.ts';
import { decideStandsFor } from '../../../src/core/decide/assets/stand-for.ts';
import type { Consumer } from '../../../src/core/registration.ts';
import { asset } from './facts.ts';

const endpoint = (path: string, method = 'get'): ImportIdentity => ({
  ...{ of: 'x', thing: `${method} ${path.replaceAll(/\{[^}]*\}/g, '{}')}`, path },
});
const type = (thing: string): ImportIdentity => ({ of: 'x', thing });

// Only their number matters.
const read = [{} as Consumer];

/** What the asset stood for, and what the document says now. */
const pairs: Readonly<Record<string, readonly [ImportIdentity, ImportIdentity, boolean]>> = {
  'the same endpoint': [endpoint('/a/{x}'), endpoint('/a/{x}'), true],
  'another name of a parameter': [endpoint('/a/{x}/{y}'), endpoint('/a/{x}/{z}'), true],
  'parameters that changed places': [endpoint('/a/{x}/{y}'), endpoint('/a/{y}/{x}'), false],
  'a parameter in the place of another one': [
    endpoint('/a/{x}/{y}'),
    endpoint('/a/{y}/{z}'),
    false,
  ],
  'another path': [endpoint('/a'), endpoint('/b'), false],
  'another method': [endpoint('/a'), endpoint('/a', 'put'), false],
  'a path in other capitals': [endpoint('/a'), endpoint('/A'), false],
  'the same root under another name': [type('root query'), type('root query'), true],
  'a root that is one no more': [type('root query'), type('type Query'), false],
  'what an earlier release did not store': [{ of: 'x' }, endpoint('/a'), true],
};

test.each(Object.entries(pairs))(
  'A consumed asset does not come to stand for something else: %s',
  (_what, [before, now, isKept]) => {
    const known = { openapi: before };
    const facts = { asset, consumers: read };
    const decided = decideStandsFor(facts, known, { kind: 'openapi', identity: now });
    expect(decided.ok ? decided.value : decided.failure.code).toEqual(
      isKept ? known : 'ASSET_HAS_CONSUMERS',
    );
    const unread = decideStandsFor({ asset, consumers: [] }, known, {
      ...{ kind: 'openapi', identity: now },
    });
    expect(unread.ok && unread.value).toEqual(isKept ? known : { openapi: now });
  },
);

test('What an asset stands for is kept beside what files of other kinds say', () => {
  const facts = { asset, consumers: read };
  const dbt = { of: 'model.shop.orders' };
  const decided = decideStandsFor(facts, { dbt }, { kind: 'openapi', identity: endpoint('/a') });
  expect(decided).toEqual({ ok: true, value: { dbt, openapi: endpoint('/a') } });
});
