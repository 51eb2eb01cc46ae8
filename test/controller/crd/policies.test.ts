import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { ApiClient, messageOf } from '../../../src/controller/cluster/api-client.ts';
import { collectionPath, objectPath } from '../../../src/controller/cluster/resources.ts';
import {
  apiVersion,
  kinds,
  madeForAnnotation,
  teamLabel,
} from '../../../src/controller/crd/kinds.ts';
import { maxTeamsChanged, policiesYaml } from '../../../src/controller/crd/policies.ts';
import { toClusterRole, userRoles } from '../../../src/controller/crd/user-roles.ts';
import {
  type ClusterAddress,
  configOf,
  kubectl,
  kubectlOk,
  type UserName,
} from '../../support/kubernetes/kubernetes.ts';
import { shareKubernetes } from '../../support/kubernetes/kubernetes-setup.ts';

const patience = { timeout: 120_000, interval: 50 };

let address: ClusterAddress;
let release: () => Promise<void>;
const clients = new Map<UserName, ApiClient>();

const as = (user: UserName): ApiClient => {
  const known = clients.get(user) ?? new ApiClient(configOf(address, user));
  clients.set(user, known);
  return known;
};

const applyAll = (objects: readonly object[]) =>
  kubectlOk(address, ['apply', '--server-side', '-f', '-'], {
    input: objects.map((object) => stringify(object)).join('---\n'),
  });

const rbac = (kind: 'Role' | 'ClusterRole', name: string, rules: object[], namespace?: string) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind,
  metadata: { name, ...(namespace !== undefined && { namespace }) },
  rules,
});

const bind = (user: UserName, role: string, namespace?: string) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
  metadata: { name: `${user}-${role}`, ...(namespace !== undefined && { namespace }) },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
});

const useTeams = (...resourceNames: string[]) => ({
  apiGroups: ['concordat.dev'],
  resources: ['teams'],
  verbs: ['use'],
  ...(resourceNames.length > 0 && { resourceNames }),
});

const namespaceVerbs = {
  apiGroups: [''],
  resources: ['namespaces', 'namespaces/status', 'namespaces/finalize'],
  verbs: ['create', 'update', 'patch', 'get'],
};

beforeAll(async () => {
  ({ address, release } = await shareKubernetes());
  await applyAll([
    ...userRoles.map((role) => toClusterRole(role, 'policies')),
    // An API server alone aggregates nothing, so the rules that view and edit would gain are bound
    // directly.
    rbac('ClusterRole', 'policies-namespaces', [namespaceVerbs]),
    rbac('ClusterRole', 'policies-checkout', [useTeams('checkout', 'billing')]),
    rbac('ClusterRole', 'policies-any-team', [useTeams()]),
    rbac('ClusterRole', 'policies-teams', [
      {
        apiGroups: ['concordat.dev'],
        resources: ['teams'],
        verbs: ['create', 'patch', 'delete', 'deletecollection'],
      },
    ]),
    rbac('ClusterRole', 'policies-force', [
      { apiGroups: ['concordat.dev'], resources: ['contractproposals'], verbs: ['force'] },
    ]),
    rbac('ClusterRole', 'policies-secrets', [
      { apiGroups: [''], resources: ['secrets'], verbs: ['get'], resourceNames: ['a', 'b'] },
    ]),
    ...['policies-a', 'policies-b'].map((name) => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
    })),
  ]);
  await applyAll([
    // alice may act for two teams, robot for all, mallory for none.
    ...(['alice', 'robot', 'mallory'] as const).map((user) => bind(user, 'policies-namespaces')),
    bind('alice', 'policies-checkout'),
    bind('robot', 'policies-any-team'),
    // alice and mallory may write Teams, and only alice may use two of them.
    bind('alice', 'policies-teams'),
    bind('mallory', 'policies-teams'),
    // alice and mallory write in a, and only alice may force there; bob only reads.
    bind('alice', 'policies-edit', 'policies-a'),
    bind('alice', 'policies-view', 'policies-a'),
    bind('alice', 'policies-force', 'policies-a'),
    bind('alice', 'policies-edit', 'policies-b'),
    bind('mallory', 'policies-edit', 'policies-a'),
    bind('mallory', 'policies-view', 'policies-a'),
    // bob may decide in a, but not write there; mallory may write, but not decide.
    bind('bob', 'policies-decide', 'policies-a'),
    bind('alice', 'policies-decide', 'policies-a'),
    bind('bob', 'policies-view', 'policies-a'),
    bind('alice', 'policies-secrets', 'policies-a'),
  ]);
  await kubectlOk(address, ['apply', '--server-side', '-f', '-'], { input: policiesYaml() });
  // The API server applies policies a moment after storing them.
  await vi.waitFor(async () => {
    expect(await labelOnCreate('mallory', 'checkout')).toContain('needs the verb use');
    expect(await forceOnCreate('mallory', 'policies-a')).toContain('needs the verb force');
    expect(await decideOnCreate('ContractProposal')).toContain('needs the verb decide');
    expect(await decideOnCreate('DataContract')).toContain('needs the verb decide');
    expect(await check('mallory', 'a')).toContain('needs the verb get');
  }, patience);
});

afterAll(async () => {
  for (const client of clients.values()) client.close();
  await release?.();
});

let count = 0;
const fresh = (prefix: string) => `${prefix}-${++count}`;

/** The API server's message; '' if it accepts the request. */
async function said(asked: Promise<{ readonly status: number; readonly body: never }>) {
  const answer = await asked;
  return answer.status < 300 ? '' : `${answer.status} ${messageOf(answer.body)}`;
}

const namespaceOf = (name: string, team: string | null) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, ...(team !== null && { labels: { [teamLabel]: team } }) },
});

async function labelOnCreate(user: UserName, team: string | null): Promise<string> {
  return said(
    as(user).request({
      method: 'POST',
      path: '/api/v1/namespaces',
      query: { dryRun: 'All' },
      body: namespaceOf(fresh('policies-new'), team),
    }) as never,
  );
}

/** A namespace with a label, created by an administrator. */
async function labelled(team: string | null): Promise<string> {
  const name = fresh('policies-old');
  await as('admin').expect({
    method: 'POST',
    path: '/api/v1/namespaces',
    body: namespaceOf(name, team),
  });
  return name;
}

async function relabel(
  user: UserName,
  name: string,
  team: string | null,
  subresource: '' | '/status' = '',
): Promise<string> {
  return said(
    as(user).request({
      method: 'PATCH',
      path: `/api/v1/namespaces/${name}${subresource}`,
      contentType: 'application/merge-patch+json',
      body: { metadata: { labels: { [teamLabel]: team, other: 'x' } } },
    }) as never,
  );
}

const schema = { type: 'object' };

const proposalOf = (namespace: string, name: string, spec: object) => ({
  apiVersion,
  kind: 'ContractProposal',
  metadata: { namespace, name },
  spec: { contractRef: { name: 'orders' }, schema, ...spec },
});

const force = { decision: 'Force', decisionReason: 'The consumers are gone.' };

async function forceOnCreate(user: UserName, namespace: string): Promise<string> {
  return said(
    as(user).request({
      method: 'POST',
      path: collectionPath('ContractProposal', namespace),
      query: { dryRun: 'All' },
      body: proposalOf(namespace, fresh('forced'), force),
    }) as never,
  );
}

/** As mallory, who may not. */
async function decideOnCreate(kind: 'ContractProposal' | 'DataContract'): Promise<string> {
  const name = fresh('deciding');
  const decisions = [{ digest: 'f00', decision: 'Publish' }];
  const contract = {
    apiVersion,
    kind,
    metadata: { namespace: 'policies-a', name },
    spec: { fqn: 'a.b', schema, decisions },
  };
  return said(
    as('mallory').request({
      method: 'POST',
      path: collectionPath(kind, 'policies-a'),
      query: { dryRun: 'All' },
      body:
        kind === 'DataContract'
          ? contract
          : proposalOf('policies-a', name, { decision: 'Publish' }),
    }) as never,
  );
}

describe('The label that says for which teams a namespace acts', () => {
  const refusal = (team: string, how = 'gains') =>
    `the label concordat.dev/team ${how} ${team}: this needs the verb use on teams.concordat.dev of that name`;

  test('is set by those who may use the team, and by nobody else', async () => {
    expect(await labelOnCreate('alice', 'checkout')).toBe('');
    expect(await labelOnCreate('alice', 'search')).toContain(`403`);
    expect(await labelOnCreate('alice', 'search')).toContain(refusal('search'));
    expect(await labelOnCreate('mallory', 'checkout')).toContain(refusal('checkout'));
    expect(await labelOnCreate('mallory', null)).toBe('');
    expect(await labelOnCreate('robot', 'search')).toBe('');
    expect(await labelOnCreate('admin', 'search')).toBe('');
  });

  test('names several teams: every one of them is asked for', async () => {
    expect(await labelOnCreate('alice', 'checkout.billing')).toBe('');
    expect(await labelOnCreate('alice', 'checkout.search')).toContain(refusal('search'));
    expect(await labelOnCreate('alice', 'search.checkout')).toContain(refusal('search'));
    expect(await labelOnCreate('alice', 'checkout.billing.search')).toContain(refusal('search'));
  });

  test('is changed by those who may use what is added', async () => {
    const name = await labelled('search');
    expect(await relabel('mallory', name, 'search')).toBe('');
    expect(await relabel('mallory', name, 'checkout')).toContain(refusal('checkout'));
    expect(await relabel('alice', name, 'search.checkout')).toBe('');
    expect(await relabel('mallory', name, 'search.checkout.billing')).toContain(refusal('billing'));
  });

  test('is taken away by those who may use the team, and by nobody else', async () => {
    const name = await labelled('search.checkout');
    expect(await relabel('mallory', name, 'checkout')).toContain(refusal('search', 'loses'));
    expect(await relabel('alice', name, null)).toContain(refusal('search', 'loses'));
    expect(await relabel('alice', name, 'search')).toBe('');
    expect(await relabel('alice', name, 'checkout')).toContain('403');
    expect(await relabel('robot', name, null)).toBe('');
  });

  test('is not set through a subresource either', async () => {
    const name = await labelled(null);
    expect(await relabel('mallory', name, 'checkout', '/status')).toContain(refusal('checkout'));
    const held = await as('admin').expect({ method: 'GET', path: `/api/v1/namespaces/${name}` });
    const finalize = (user: UserName) =>
      said(
        as(user).request({
          method: 'PUT',
          path: `/api/v1/namespaces/${name}/finalize`,
          body: { ...held, ...namespaceOf(name, 'checkout') },
        }) as never,
      );
    expect(await finalize('mallory')).toContain(refusal('checkout'));
    expect(await relabel('alice', name, 'checkout', '/status')).toBe('');
  });

  test('is set in steps where it names very many', async () => {
    const teams = Array.from({ length: maxTeamsChanged + 1 }, (_, i) => `t${i}`);
    expect(await labelOnCreate('robot', teams.slice(1).join('.'))).toBe('');
    expect(await labelOnCreate('robot', teams.join('.'))).toContain(
      'may gain and lose 8 teams at once: set it in steps',
    );
    const name = await labelled(teams.slice(1).join('.'));
    expect(await relabel('robot', name, teams.join('.'))).toBe('');
  });
});

describe('A Team', () => {
  const needsUse = 'needs the verb use on teams.concordat.dev of that name';
  const path = (name: string) => objectPath('Team', '', name);
  const create = (user: UserName, name: string, more: object = {}) =>
    said(
      as(user).request({
        method: 'POST',
        path: collectionPath('Team', ''),
        body: { apiVersion, kind: 'Team', metadata: { name }, spec: {} },
        ...more,
      }) as never,
    );
  const patch = (user: UserName, name: string, body: object) =>
    said(
      as(user).request({
        method: 'PATCH',
        path: path(name),
        contentType: 'application/merge-patch+json',
        body,
      } as never) as never,
    );
  const remove = (user: UserName, at: string) =>
    said(as(user).request({ method: 'DELETE', path: at }) as never);

  test('is declared, changed and deleted by those who may use the team, and by nobody else', async () => {
    await vi.waitFor(async () => {
      const dryRun = { query: { dryRun: 'All' } };
      expect(await create('mallory', 'checkout', dryRun)).toContain(needsUse);
    }, patience);
    expect(await create('alice', 'somebody')).toContain(needsUse);
    expect(await create('alice', 'checkout')).toBe('');
    expect(await patch('mallory', 'checkout', { spec: { name: 'Mine' } })).toContain(needsUse);
    const annotations = { 'concordat.dev/reconcile-at': 'now' };
    expect(await patch('mallory', 'checkout', { metadata: { annotations } })).toContain(needsUse);
    expect(await patch('alice', 'checkout', { spec: { name: 'Checkout' } })).toBe('');
    expect(await remove('mallory', path('checkout'))).toContain(needsUse);
    expect(await remove('mallory', collectionPath('Team', ''))).toContain(needsUse);
    expect(await remove('alice', path('checkout'))).toBe('');
  });

  test('has the slug of the team as its name', async () => {
    expect(await create('robot', 'a')).toContain('cannot create resource "teams"');
    expect(await create('admin', 'not.a.slug')).toContain('metadata.name');
    expect(await create('admin', 'a'.repeat(64))).toContain('metadata.name');
  });
});

describe('A decision to force', () => {
  const refusal =
    'decision Force needs the verb force on contractproposals.concordat.dev in this namespace';

  test('is taken by those who may force in that namespace, and by nobody else', async () => {
    expect(await forceOnCreate('alice', 'policies-a')).toBe('');
    expect(await forceOnCreate('mallory', 'policies-a')).toContain(refusal);
    // alice may write in b, but not force there.
    expect(await forceOnCreate('alice', 'policies-b')).toContain(refusal);
    expect(await forceOnCreate('admin', 'policies-b')).toBe('');
  });

  test('is not changed by others: neither taken, nor given another schema', async () => {
    const name = fresh('decided');
    const path = objectPath('ContractProposal', 'policies-a', name);
    const change = (user: UserName, spec: object, metadata: object = {}) =>
      said(
        as(user).request({
          method: 'PATCH',
          path,
          contentType: 'application/merge-patch+json',
          body: { metadata, spec },
        }) as never,
      );
    await as('mallory').expect({
      method: 'POST',
      path: collectionPath('ContractProposal', 'policies-a'),
      body: proposalOf('policies-a', name, {}),
    });
    expect(await change('mallory', force)).toContain(refusal);
    expect(await change('alice', force)).toBe('');
    expect(await change('mallory', { schema: { type: 'string' } })).toContain(refusal);
    expect(await change('mallory', {}, { labels: { seen: 'yes' } })).toBe('');
    // A change that broke nothing when it was forced may break something by now.
    const annotations = { 'concordat.dev/reconcile-at': 'now' };
    expect(await change('mallory', {}, { annotations })).toContain(refusal);
    expect(await change('alice', {}, { annotations })).toBe('');
    // Taking a decision back also counts as deciding.
    expect(await change('mallory', { decision: 'Pending' })).toContain('needs the verb decide');
    expect(await change('alice', { decision: 'Pending' })).toBe('');
    expect(await change('mallory', { schema: { type: 'string' } })).toBe('');
  });
});

describe('A decision to force what is over', () => {
  const decided = async (phase: string) => {
    const name = fresh('over');
    const path = objectPath('ContractProposal', 'policies-a', name);
    await as('admin').expect({
      method: 'POST',
      path: collectionPath('ContractProposal', 'policies-a'),
      body: proposalOf('policies-a', name, {}),
    });
    const patch = { method: 'PATCH', contentType: 'application/merge-patch+json' } as const;
    await as('admin').expect({ ...patch, path: `${path}/status`, body: { status: { phase } } });
    return said(as('alice').request({ ...patch, path, body: { spec: force } }) as never);
  };

  test.each(['Published', 'ForcePublished', 'Withdrawn', 'NotBreaking'])(
    'is refused: %s',
    async (phase) => {
      expect(await decided(phase)).toContain(`the proposal is ${phase} already`);
    },
  );

  test.each(['Pending', 'Approved', 'Rejected'])('is taken: %s', async (phase) => {
    expect(await decided(phase)).toBe('');
  });
});

describe('A decision on a proposal', () => {
  const needsDecide = 'needs the verb decide on contractproposals.concordat.dev in this namespace';
  const needsCreate = 'needs the verb create on contractproposals.concordat.dev in this namespace';

  const open = async (spec: object = {}) => {
    const name = fresh('apart');
    await as('admin').expect({
      method: 'POST',
      path: collectionPath('ContractProposal', 'policies-a'),
      body: proposalOf('policies-a', name, spec),
    });
    return (user: UserName, changed: object) =>
      said(
        as(user).request({
          method: 'PATCH',
          path: objectPath('ContractProposal', 'policies-a', name),
          contentType: 'application/merge-patch+json',
          body: { spec: changed },
        }) as never,
      );
  };

  test('is a right apart from writing the text, which is a right apart from deciding', async () => {
    const change = await open();
    expect(await change('mallory', { schema: { type: 'array' } })).toBe('');
    expect(await change('mallory', { decision: 'Publish' })).toContain(needsDecide);
    expect(await change('bob', { schema: { type: 'string' } })).toContain(needsCreate);
    expect(await change('bob', { decision: 'Publish' })).toBe('');
    expect(await change('mallory', { decision: 'Pending' })).toContain(needsDecide);
    expect(await change('mallory', { decision: null })).toContain(needsDecide);
  });

  test('stays with the text that it was for: only with its digest may others change the text', async () => {
    const decided = await open({ decision: 'Publish' });
    expect(await decided('mallory', { schema: { type: 'string' } })).toContain(needsDecide);
    const acknowledgements = [{ team: 'billing', response: 'Approved' }];
    expect(await decided('mallory', { acknowledgements })).toBe('');
    const named = await open({ decision: 'Publish', decisionDigest: 'f00' });
    expect(await named('mallory', { schema: { type: 'string' } })).toBe('');
    expect(await named('mallory', { decisionDigest: 'f01' })).toContain(needsDecide);
  });

  test('stands in a DataContract only where somebody wrote it who may decide', async () => {
    const decisions = [{ digest: 'f00', decision: 'Publish' }];
    const name = fresh('decides');
    const apply = (user: UserName, spec: object) =>
      said(
        as(user).request({
          method: 'PATCH',
          path: objectPath('DataContract', 'policies-a', name),
          query: { fieldManager: user, force: true },
          contentType: 'application/apply-patch+yaml',
          body: {
            apiVersion,
            kind: 'DataContract',
            metadata: { name, namespace: 'policies-a' },
            spec: { fqn: 'a.b', schema, ...spec },
          },
        }) as never,
      );
    expect(await apply('mallory', { decisions })).toContain(needsDecide);
    expect(await apply('mallory', {})).toBe('');
    expect(await apply('alice', { decisions })).toBe('');
    // Keeping existing decisions does not require the right again.
    expect(await apply('mallory', { decisions, description: 'Orders.' })).toBe('');
    const more = [...decisions, { digest: 'f01', decision: 'Approve' }];
    expect(await apply('mallory', { decisions: more })).toContain(needsDecide);
  });
});

describe('A ContractProposal that the controller made', () => {
  const refusal = 'only acknowledgements and the decision may change';

  test('keeps what it asks; it takes answers and a decision', async () => {
    const name = fresh('made');
    const path = objectPath('ContractProposal', 'policies-a', name);
    const annotations = { [madeForAnnotation]: '01890000-0000-7000-8000-000000000000' };
    const made = proposalOf('policies-a', name, {});
    await as('admin').expect({
      method: 'POST',
      path: collectionPath('ContractProposal', 'policies-a'),
      body: { ...made, metadata: { ...made.metadata, annotations } },
    });
    const change = (spec: object, metadata: object = {}) =>
      said(
        as('alice').request({
          method: 'PATCH',
          path,
          contentType: 'application/merge-patch+json',
          body: { metadata, spec },
        }) as never,
      );
    for (const spec of [
      { schema: { properties: { id: null } } },
      { schema: { type: 'string' } },
      { schema: null, compatibilityMode: 'none' },
      { guarantees: {} },
      { reason: 'Nothing happens.' },
    ]) {
      expect(await change(spec), JSON.stringify(spec)).toContain(refusal);
    }
    const forgotten = { annotations: { [madeForAnnotation]: null } };
    expect(await change({}, forgotten)).toContain('is immutable');
    const acknowledgements = [{ team: 'billing', response: 'Approved' }];
    expect(await change({ acknowledgements })).toBe('');
    expect(await change({ decision: 'Withdraw', decisionReason: 'No need.' })).toBe('');
    expect(await change({}, { labels: { seen: 'yes' } })).toBe('');
  });
});

const check = (user: UserName, registryKey: string, source: object = { url: 'kafka://a/b' }) =>
  said(
    as(user).request({
      method: 'POST',
      path: collectionPath('ContractCheck', 'policies-a'),
      query: { dryRun: 'All' },
      body: {
        ...{ apiVersion, kind: 'ContractCheck', metadata: { name: fresh('check') } },
        spec: { fqn: 'a.b', source, registryKey: secretKey(registryKey) },
      },
    }) as never,
  );
const secretKey = (name: string) => ({ secretKeyRef: { name, key: 'x' } });

describe('A check', () => {
  const url = 'postgres://elsewhere/shop';

  test('names only Secrets that its author may read', async () => {
    expect(await check('alice', 'a')).toBe('');
    expect(await check('alice', 'a', { urlFrom: secretKey('b') })).toBe('');
    expect(await check('mallory', 'a')).toMatch(
      /^403 .*reads Secret a: naming it needs the verb get/,
    );
    expect(await check('alice', 'others')).toContain('reads Secret others');
    expect(await check('alice', 'a', { urlFrom: secretKey('others') })).toContain('Secret others');
    const passwordFrom = secretKey('others');
    expect(await check('alice', 'a', { url, passwordFrom })).toContain('Secret others');
    const three = { urlFrom: secretKey('b'), passwordFrom };
    expect(await check('alice', 'a', three)).toContain('Secret others');
  });

  test('is changed only by who may read its Secrets, because a Secret goes where the spec says', async () => {
    const name = fresh('check');
    const path = objectPath('ContractCheck', 'policies-a', name);
    const source = { url: 'postgres://here/shop', passwordFrom: secretKey('b') };
    await as('admin').expect({
      method: 'POST',
      path: collectionPath('ContractCheck', 'policies-a'),
      body: {
        ...{ apiVersion, kind: 'ContractCheck', metadata: { name } },
        spec: { fqn: 'a.b', source, registryKey: secretKey('a') },
      },
    });
    const change = (user: UserName, body: object) =>
      said(
        as(user).request({
          ...{ method: 'PATCH', path, contentType: 'application/merge-patch+json', body },
        }) as never,
      );
    const elsewhere = { spec: { source: { url } } };
    expect(await change('mallory', elsewhere)).toContain('needs the verb get');
    expect(await change('mallory', { metadata: { labels: { seen: 'yes' } } })).toBe('');
    expect(await change('alice', elsewhere)).toBe('');
  });
});

describe('What people may do with the kinds', () => {
  const can = async (user: UserName, verb: string, resource: string, ...more: string[]) => {
    const [namespace = '', ...flags] = more;
    const args = ['auth', 'can-i', verb, resource, '-n', namespace, ...flags];
    return (await kubectl(address, args, { user })).stdout.trim();
  };

  const inNamespaces = kinds.filter(({ scope }) => scope === undefined);
  test.each(inNamespaces.map(({ plural }) => `${plural}.concordat.dev`))(
    'is looking or writing, each in its namespace: %s',
    async (resource) => {
      const rows = await Promise.all([
        can('alice', 'create', resource, 'policies-a'),
        can('alice', 'delete', resource, 'policies-a'),
        can('bob', 'get', resource, 'policies-a'),
        can('bob', 'create', resource, 'policies-a'),
        can('bob', 'get', resource, 'policies-b'),
        can('mallory', 'create', resource, 'policies-b'),
        // Only the controller may write a status.
        can('alice', 'patch', resource, 'policies-a', '--subresource=status'),
      ]);
      expect(rows).toEqual(['yes', 'yes', 'yes', 'no', 'no', 'no', 'no']);
    },
  );
});
