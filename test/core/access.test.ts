import { describe, expect, test } from 'vitest';
import { type Act, accessTable, decideAccess, decideManagement } from '../../src/core/access.ts';
import { type Actor, highestScope, type Scope } from '../../src/core/actor.ts';

const mine = '018f0000-0000-7000-8000-00000000000a';
const theirs = '018f0000-0000-7000-8000-00000000000b';

function actorOf(scope: Scope, teams: Actor['teams']): Actor {
  return { type: 'api_key', id: mine, name: 'a key', scope, teams };
}

const acts = Object.keys(accessTable) as Act[];
const ofAdmin = acts.filter((act) => accessTable[act].who === 'admin');
const ofTeam = acts.filter((act) => accessTable[act].who !== 'admin');

describe('who may act', () => {
  test.each(acts)('%s: an admin, for any team', (act) => {
    expect(decideAccess(actorOf('admin', []), act, theirs).ok).toBe(true);
    expect(decideAccess(actorOf('admin', []), act, null).ok).toBe(true);
  });

  test.each(ofTeam)('%s: write for its own team, for several, for all; not for another', (act) => {
    expect(decideAccess(actorOf('write', [mine]), act, mine).ok).toBe(true);
    expect(decideAccess(actorOf('write', [theirs, mine]), act, mine).ok).toBe(true);
    expect(decideAccess(actorOf('write', 'all'), act, mine).ok).toBe(true);
    expect(decideAccess(actorOf('write', [mine]), act, theirs)).toMatchObject({
      failure: { code: 'FORBIDDEN' },
    });
    expect(decideAccess(actorOf('write', [mine]), act, null).ok).toBe(false);
  });

  test.each(ofTeam)('%s: never with read alone', (act) => {
    expect(decideAccess(actorOf('read', [mine]), act, mine).ok).toBe(false);
    expect(decideAccess(actorOf('read', 'all'), act, mine).ok).toBe(false);
  });

  test.each(ofAdmin)('%s: nobody but an admin', (act) => {
    expect(decideAccess(actorOf('write', 'all'), act, mine).ok).toBe(false);
  });

  test('a list of scopes comes to its highest', () => {
    expect(highestScope(['read', 'admin', 'write'])).toBe('admin');
    expect(highestScope([])).toBe('read');
  });
});

describe('an asset that is managed elsewhere', () => {
  const managed = { fqn: 'a.b', managedBy: { source: 'git', reference: 'a.yaml' } };

  test('is changed by its controller, and by an admin who overrides', () => {
    const manages = managed.managedBy;
    const controller = { ...actorOf('write', [mine]), type: 'controller' as const, manages };
    expect(decideManagement(controller, managed, false).ok).toBe(true);
    const other = { ...controller, manages: { ...manages, reference: 'b.yaml' } };
    expect(decideManagement(other, managed, false)).toMatchObject({
      failure: { code: 'ASSET_MANAGED_ELSEWHERE' },
    });
    expect(decideManagement(actorOf('admin', []), managed, true).ok).toBe(true);
    expect(decideManagement(actorOf('admin', []), managed, false)).toMatchObject({
      failure: { code: 'ASSET_MANAGED_ELSEWHERE' },
    });
    expect(decideManagement(actorOf('write', [mine]), managed, true)).toMatchObject({
      failure: { code: 'FORBIDDEN' },
    });
  });

  test('is nothing special where nobody manages it', () => {
    const free = { fqn: 'a.b', managedBy: null };
    expect(decideManagement(actorOf('write', [mine]), free, false).ok).toBe(true);
  });
});
