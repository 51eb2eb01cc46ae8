// `concordat register` and `concordat unregister`: make a team a consumer, or end that.

import { wrongUsage } from '../exit-code.ts';
import { printable } from '../output.ts';
import { mustAnswer } from '../registry/connect.ts';
import { mustFindAsset, mustFindTeam } from '../registry/find-things.ts';
import { type Asked, mountAct } from './act.ts';

const assetArgument = ['<asset>', 'FQN or id of the asset'] as const;
const teamOption = [
  '--team <team>',
  'team that consumes it (default: the team of the key)',
] as const;

async function consumerOf({ client, text }: Asked): Promise<string> {
  const team = text('team');
  if (team !== undefined) return mustFindTeam(client, team);
  const [own, ...others] = mustAnswer(await client.getIdentity()).team_ids;
  if (own !== undefined && others.length === 0) return own;
  throw wrongUsage(
    'The key does not act for exactly one team. Say which team consumes it: --team.',
  );
}

export const mountRegister = mountAct({
  summary: 'register a team as a consumer of an asset, so that it is asked before breaking changes',
  argument: assetArgument,
  options: [
    teamOption,
    ['--notes <text>', 'what it uses the asset for'],
    ['--own', 'also if the team owns the asset'],
  ],
  hasEnvironment: true,
  example: 'register shop.public.orders --team billing --notes "Feeds the invoice run."',
  run: async (asked) => {
    const { client, name, text, flag, environment } = asked;
    const asset = await mustFindAsset(client, name, environment);
    if (asset.active_contract_id === null) {
      throw wrongUsage(`${asset.fqn} has no contract yet. Register once one is published.`);
    }
    const notes = text('notes');
    const answer = mustAnswer(
      await client.registerConsumer({
        body: {
          contract_id: asset.active_contract_id,
          consumer_team_id: await consumerOf(asked),
          ...(notes && { notes }),
          ...(flag('own') && { allow_self: true }),
        },
      }),
    );
    const version = asset.active_contract_version ?? '';
    const who = printable(`${answer.consumer_team_name} consumes ${asset.fqn} ${version}.`);
    return { answer, lines: [`${who} It is asked before a change that breaks it.`] };
  },
});

export const mountUnregister = mountAct({
  summary: 'end the registration of a consumer: the team is not asked any more',
  argument: assetArgument,
  options: [teamOption],
  hasEnvironment: true,
  example: 'unregister shop.public.orders --team billing',
  run: async (asked) => {
    const { client, name, environment } = asked;
    const asset = await mustFindAsset(client, name, environment);
    const query = { asset_id: asset.id, consumer_team_id: await consumerOf(asked) };
    const [found] = mustAnswer(await client.listRegistrations({ query })).results;
    if (found === undefined) throw wrongUsage(`That team is not registered for ${asset.fqn}.`);
    mustAnswer(await client.deleteRegistration({ params: { registration_id: found.id } }));
    const who = printable(`${found.consumer_team_name} no longer consumes ${asset.fqn}.`);
    return { answer: found, lines: [who] };
  },
});
