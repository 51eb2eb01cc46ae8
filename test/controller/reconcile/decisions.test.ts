// The parts of the controller that decide: no cluster, no database.

import { describe, expect, test } from 'vitest';
import {
  type Condition,
  isRetried,
  readyReasons,
  reasonOfCode,
  toConditions,
} from '../../../src/controller/conditions.ts';
import {
  digestOfSpec,
  effectiveContract,
  proposalName,
} from '../../../src/controller/effective.ts';
import {
  parseTeamMapping,
  resolveTeam,
  slugsOfNamespace,
} from '../../../src/controller/permission.ts';
import type { Team } from '../../../src/core/team.ts';
import { computeKstatus } from '../support/kstatus.ts';

const at = (second: number) => `2026-01-01T00:00:0${second}Z`;

function verdictOf(reason: (typeof readyReasons)[number], conditions: readonly Condition[] = []) {
  return toConditions({ reason, message: 'Because.' }, 3, conditions, at(1));
}

describe('Conditions', () => {
  test('say of every reason what kstatus makes of it', () => {
    const found = Object.fromEntries(
      readyReasons.map((reason) => [
        reason,
        computeKstatus({
          metadata: { generation: 3 },
          status: { observedGeneration: 3, conditions: verdictOf(reason) },
        }),
      ]),
    );
    expect(found).toEqual({
      Published: 'Current',
      UpToDate: 'Current',
      ProposalPending: 'InProgress',
      ProposalRejected: 'Failed',
      ProposalWithdrawn: 'Failed',
      ProposalConflict: 'InProgress',
      InvalidSchema: 'Failed',
      InvalidSpec: 'Failed',
      TeamNotResolved: 'Failed',
      TeamNotFound: 'InProgress',
      FqnConflict: 'Failed',
      Conflict: 'Failed',
      ManagedElsewhere: 'Failed',
      NotPermitted: 'Failed',
      SourceNotFound: 'InProgress',
      ContractNotFound: 'InProgress',
      AssetNotFound: 'InProgress',
      RegistryUnavailable: 'InProgress',
      CheckFailed: 'Failed',
      JobRefused: 'Failed',
      DeletionBlocked: 'InProgress',
    });
  });

  test('keep their time while their status stays, whatever the reason', () => {
    const first = toConditions({ reason: 'Published', message: 'a' }, 1, [], at(1));
    const second = toConditions({ reason: 'UpToDate', message: 'b' }, 2, first, at(2));
    const third = toConditions({ reason: 'ProposalPending', message: 'c' }, 3, second, at(3));
    const ready = (conditions: readonly Condition[]) => conditions[0]?.lastTransitionTime;
    expect([ready(first), ready(second), ready(third)]).toEqual([at(1), at(1), at(3)]);
    expect(third).toEqual([
      {
        type: 'Ready',
        status: 'False',
        reason: 'ProposalPending',
        message: 'c',
        observedGeneration: 3,
        lastTransitionTime: at(3),
      },
      {
        type: 'Reconciling',
        status: 'True',
        reason: 'ProposalPending',
        message: 'c',
        observedGeneration: 3,
        lastTransitionTime: at(3),
      },
    ]);
  });

  test('are the same text for the same verdict, so that nothing is written', () => {
    const first = verdictOf('InvalidSchema');
    const second = toConditions({ reason: 'InvalidSchema', message: 'Because.' }, 3, first, at(9));
    expect(second).toEqual(first);
  });

  test('stay as they were while the object is suspended, which is told beside them', () => {
    const say = (reason: 'UpToDate' | 'ProposalPending') =>
      toConditions({ reason, message: 'Because.', drift: null }, 1, [], at(1));
    const suspend = (before: readonly Condition[]) =>
      toConditions({ reason: 'Suspended', message: 'It is.' }, 2, before, at(2));
    const shown = (conditions: readonly Condition[]) =>
      conditions.map(({ type, status, reason }) => [type, status, reason].join(' '));
    expect(shown(suspend(say('UpToDate')))).toEqual([
      'Ready True UpToDate',
      'Suspended True Suspended',
    ]);
    expect(shown(suspend(say('ProposalPending')))).toEqual([
      'Ready False ProposalPending',
      'Suspended True Suspended',
    ]);
    expect(shown(suspend([]))).toEqual(['Suspended True Suspended']);
    const [ready, told] = suspend(suspend(say('UpToDate')));
    expect([ready?.observedGeneration, ready?.lastTransitionTime]).toEqual([2, at(1)]);
    const status = { observedGeneration: 2, conditions: [ready, told] as Condition[] };
    expect(computeKstatus({ metadata: { generation: 2 }, status })).toBe('Current');
    expect(
      toConditions({ reason: 'UpToDate', message: 'x' }, 3, [told as Condition], at(3)),
    ).toEqual([expect.objectContaining({ type: 'Ready', status: 'True' })]);
  });

  test('tell of a drift beside what they say', () => {
    const verdict = { reason: 'UpToDate', message: 'Fine.', drift: 'An admin published.' } as const;
    const types = toConditions(verdict, 1, [], at(1)).map(({ type, status }) => [type, status]);
    expect(types).toEqual([
      ['Ready', 'True'],
      ['Drifted', 'True'],
    ]);
  });

  test.each([
    ['INVALID_SCHEMA', 'InvalidSchema', false],
    ['FORBIDDEN', 'NotPermitted', false],
    ['OWNER_TEAM_NOT_FOUND', 'TeamNotResolved', false],
    ['TEAM_NOT_FOUND', 'TeamNotFound', false],
    ['PROPOSAL_PENDING', 'ProposalConflict', false],
    ['ASSET_MANAGED_ELSEWHERE', 'ManagedElsewhere', false],
    ['ASSET_HAS_CONSUMERS', 'DeletionBlocked', false],
    ['REGISTRY_UNAVAILABLE', 'RegistryUnavailable', true],
    ['CONTRACT_NOT_FOUND', 'RegistryUnavailable', true],
  ] as const)('take the refusal %s for %s', (code, reason, retried) => {
    expect([reasonOfCode(code), isRetried(reasonOfCode(code))]).toEqual([reason, retried]);
  });
});

describe('The effective spec', () => {
  const spec = { fqn: 'a.b', schema: { type: 'object' } };

  test('says what holds where the spec is silent', () => {
    expect(effectiveContract(spec)).toEqual({
      fqn: 'a.b',
      environment: 'production',
      autoPublish: true,
      deletionPolicy: 'Retain',
      guaranteeMode: 'notify',
      needsMode: 'narrow',
      onDeadline: 'nothing',
      ownerUser: null,
      metadata: {},
      consumers: [],
    });
    const full = {
      ...spec,
      metadata: { tags: ['lost'], cost: 1 },
      description: 'Orders.',
      tags: ['pii'],
      consumers: [{ team: 'billing' }],
    };
    expect(effectiveContract(full)).toMatchObject({
      metadata: { description: 'Orders.', tags: ['pii'], cost: 1 },
      consumers: [{ team: 'billing', purpose: null }],
    });
  });

  const digest = digestOfSpec(spec, null);
  test.each([
    ['the order of keys', { schema: { type: 'object' }, fqn: 'a.b' }],
    ['the default environment written out', { ...spec, environment: 'production' }],
    ['suspend', { ...spec, suspend: true }],
    ['the policies', { ...spec, publishPolicy: 'Manual', deletionPolicy: 'Delete' }],
  ] as const)('has the same digest whatever %s says', (_, other) => {
    expect(digestOfSpec(other, null)).toBe(digest);
  });

  test.each([
    ['the schema', { fqn: 'a.b', schema: { type: 'array' } }],
    ['the mode', { ...spec, compatibilityMode: 'full' }],
    ['the environment', { ...spec, environment: 'staging' }],
    ['the guarantees', { ...spec, guarantees: {} }],
  ] as const)('has another digest where %s is another', (_, other) => {
    expect(digestOfSpec(other, null)).not.toBe(digest);
  });

  test('has another digest where the document behind schemaFrom is another', () => {
    const from = { fqn: 'a.b', schemaFrom: { configMapKeyRef: { name: 'x', key: 'y' } } };
    expect(digestOfSpec(from, '{"a":1}')).not.toBe(digestOfSpec(from, '{"a":2}'));
  });

  test('names a proposal after what it asks and from where, within the limits of a name', () => {
    const asked = { id: 'first', baseContractId: 'base-1', proposedDigest: 'ignore' };
    const name = proposalName('orders', asked);
    expect(name).toMatch(/^orders-[0-9a-f]{10}$/);
    expect(proposalName('orders', { ...asked })).toBe(name);
    const others = [
      { ...asked, id: 'second' },
      { ...asked, baseContractId: 'base-2' },
      { ...asked, proposedDigest: 'notify' },
    ].map((one) => proposalName('orders', one));
    expect(new Set([name, ...others]).size).toBe(4);
    expect(proposalName('x'.repeat(253), asked)).toHaveLength(253);
  });
});

describe('Who acts for whom', () => {
  const team = (slug: string): Team => ({
    id: `id-of-${slug}`,
    name: slug,
    slug,
    metadata: {},
    managedBy: null,
    createdAt: at(1),
    updatedAt: at(1),
    deletedAt: null,
  });
  const teams = [team('checkout'), team('billing')];
  const ask = (slugs: readonly string[], named: string | null, bound?: Map<string, string>) => {
    const outcome = resolveTeam({
      namespace: 'shop',
      slugs,
      named,
      teams,
      ...(bound === undefined ? {} : { bound }),
    });
    return outcome.ok ? outcome.value.id : outcome.failure.code;
  };

  test('is what the label says, and the mapping file wins', () => {
    const mapping = new Map([['data', ['search']]]);
    const slugs = (namespace: string, label: string | null) =>
      slugsOfNamespace({ namespace, label }, mapping);
    expect(slugs('shop', 'checkout.billing')).toEqual(['checkout', 'billing']);
    expect(slugs('shop', null)).toEqual([]);
    expect(slugs('shop', 'checkout..Not-A-Slug.checkout')).toEqual(['checkout']);
    expect(slugs('data', 'checkout')).toEqual(['search']);
  });

  test.each([
    ['the only team of the namespace', ['checkout'], null, 'id-of-checkout'],
    ['the team that is named', ['checkout', 'billing'], 'billing', 'id-of-billing'],
    ['nobody where the namespace has no team', [], 'checkout', 'OWNER_TEAM_NOT_FOUND'],
    [
      'nobody where it has two and none is named',
      ['checkout', 'billing'],
      null,
      'OWNER_TEAM_NOT_FOUND',
    ],
    ['nobody else', ['checkout'], 'billing', 'FORBIDDEN'],
    ['no team that does not exist', ['search'], null, 'TEAM_NOT_FOUND'],
  ] as const)('is %s', (_, slugs, named, expected) => {
    expect(ask(slugs, named)).toBe(expected);
  });

  test('that does not exist is told with the place of its slug', () => {
    const said = (named: string | null) => {
      const asked = { namespace: 'shop', slugs: ['gone'], named, teams: [] };
      const resolved = resolveTeam(asked);
      return resolved.ok ? '' : resolved.failure.message;
    };
    expect(said(null)).toMatch(/in the label concordat\.dev\/team of namespace shop/);
    expect(said('gone')).toMatch(/in spec\.team\.$/);
  });

  test('is not handed over with a slug that another team has taken', () => {
    expect(ask(['checkout'], null, new Map([['checkout', 'id-of-checkout']]))).toBe(
      'id-of-checkout',
    );
    expect(ask(['checkout'], null, new Map([['checkout', 'id-of-an-old-team']]))).toBe('FORBIDDEN');
  });

  test('is read from a mapping file, which says what is wrong in it', () => {
    const { mapping, problems } = parseTeamMapping({
      shop: 'checkout',
      data: ['billing', 'No Slug'],
    });
    expect([...mapping]).toEqual([
      ['shop', ['checkout']],
      ['data', ['billing']],
    ]);
    expect(problems).toEqual(['data: "No Slug" is not a slug']);
    expect(parseTeamMapping([]).problems).toEqual(['must be an object of namespaces']);
  });
});
