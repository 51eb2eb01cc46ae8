import { describe, expect, test } from 'vitest';
import { type Actor, highestScope, type Scope } from '../../src/core/actor.ts';
import {
  type Act,
  accessTable,
  decideAccess,
  decideManagement,
} from '../../src/core/decide/access.ts';

const mine = '018f0000-0000-7000-8000-00000000000a';
const theirs = '018f0000-0000-7000-8000-00000000000b';

function actorOf(scope: Scope, teams: Actor['teams']): Actor {
  return { type: 'api_key', id: mine, name: 'a key', scope, teams };
}

const acts = Object.keys(accessTable) as Act[];
const ofAdmin = acts.filter((act) => accessTable[act].who === 'admin');
const ofTeam = acts.filter((act) => ['owner', 'consumer'].includes(accessTable[act].who));

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
    expect(highestScope(['acknowledge'])).toBe('read');
  });
});

describe('the right to acknowledge', () => {
  const may = (actor: Actor) => decideAccess(actor, 'acknowledge_proposal', mine).ok;
  const named = { acknowledges: true } as const;

  test.each<[string, Actor, boolean]>([
    ['write for this team', actorOf('write', [mine]), true],
    ['write for several teams', actorOf('write', [mine, theirs]), false],
    ['write for all teams', actorOf('write', 'all'), false],
    [
      'write for several teams, and it is named',
      { ...actorOf('write', [mine, theirs]), ...named },
      true,
    ],
    ['write for all teams, and it is named', { ...actorOf('write', 'all'), ...named }, true],
    ['named alone', { ...actorOf('read', [mine]), ...named }, true],
    ['named for another team', { ...actorOf('write', [theirs]), ...named }, false],
    ['read for this team', actorOf('read', [mine]), false],
    ['admin', actorOf('admin', []), true],
  ])('%s', (_name, actor, expected) => {
    expect(may(actor)).toBe(expected);
  });

  test.each([
    ['who ends a registration, which ends the say of its team', 'delete_registration'],
    ['who switches it off, which does so too', 'deactivate_registration'],
    ['who moves it to another version, which agrees to that one', 'move_registration'],
  ] as const)('is asked of %s', (_name, act) => {
    expect(decideAccess(actorOf('write', 'all'), act, mine).ok).toBe(false);
    expect(decideAccess(actorOf('write', [mine]), act, mine).ok).toBe(true);
  });
});

describe('an asset that is managed elsewhere', () => {
  const managed = { fqn: 'a.b', managedBy: { source: 'git', reference: 'a.yaml' } };
  const overriding = { override: true, reason: 'It has to be.' };

  test('is changed by its controller, and by an admin who overrides', () => {
    const manages = managed.managedBy;
    const controller = { ...actorOf('write', [mine]), type: 'controller' as const, manages };
    expect(decideManagement(controller, managed, {}).ok).toBe(true);
    const other = { ...controller, manages: { ...manages, reference: 'b.yaml' } };
    expect(decideManagement(other, managed, {})).toMatchObject({
      failure: { code: 'ASSET_MANAGED_ELSEWHERE' },
    });
    expect(decideManagement(actorOf('admin', []), managed, overriding).ok).toBe(true);
    for (const reason of [undefined, '', 'because', '\u3164'.repeat(8), '\u2800'.repeat(8)]) {
      expect(
        decideManagement(actorOf('admin', []), managed, { override: true, reason }),
      ).toMatchObject({ failure: { code: 'VALIDATION_ERROR', field: 'reason' } });
    }
    expect(decideManagement(actorOf('admin', []), managed, {})).toMatchObject({
      failure: { code: 'ASSET_MANAGED_ELSEWHERE' },
    });
    expect(decideManagement(actorOf('write', [mine]), managed, overriding)).toMatchObject({
      failure: { code: 'FORBIDDEN' },
    });
  });

  test('is nothing special where nobody manages it', () => {
    const free = { fqn: 'a.b', managedBy: null };
    expect(decideManagement(actorOf('write', [mine]), free, {}).ok).toBe(true);
  });
});
