import { beforeEach, expect, test } from 'vitest';
import { type KnownTeams, openKnownTeams } from '../../../src/controller/known-teams.ts';
import type { Team } from '../../../src/core/team.ts';
import { ManualClock } from '../support/manual-clock.ts';

let clock: ManualClock;
let asked: string[][];
let answer: () => Promise<readonly Team[]>;
let teams: KnownTeams;

beforeEach(() => {
  clock = new ManualClock();
  asked = [];
  answer = async () => [];
  teams = openKnownTeams((slugs) => {
    asked.push([...slugs]);
    return answer();
  }, clock);
});

test('the teams of a namespace are asked once for all its objects, each set of them once', async () => {
  const both = await Promise.all(
    [['a'], ['a'], ['a', 'b']].map((one) => teams.listTeamsBySlug(one)),
  );
  expect(both).toEqual([[], [], []]);
  expect(asked).toEqual([['a'], ['a', 'b']]);
});

test('a team that changed is asked for anew, also while an answer is on its way', async () => {
  const late = Promise.withResolvers<readonly Team[]>();
  answer = () => late.promise;
  const first = teams.listTeamsBySlug(['a']);
  teams.forget();
  answer = async () => [];
  await teams.listTeamsBySlug(['a']);
  late.resolve([]);
  await first;
  expect(asked).toHaveLength(2);
});

test('nothing is believed for longer than a second', async () => {
  await teams.listTeamsBySlug(['a']);
  clock.advance(999);
  await teams.listTeamsBySlug(['a']);
  expect(asked).toHaveLength(1);
  clock.advance(1);
  await teams.listTeamsBySlug(['a']);
  expect(asked).toHaveLength(2);
});

test('a failure is told to who asked, and not to the next', async () => {
  answer = async () => {
    throw new Error('away');
  };
  await expect(teams.listTeamsBySlug(['a'])).rejects.toThrow('away');
  answer = async () => [];
  expect(await teams.listTeamsBySlug(['a'])).toEqual([]);
});
