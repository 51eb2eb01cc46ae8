// `concordat service`.

import { wrongUsage } from '../exit-code.ts';
import { counted, printable } from '../output.ts';
import { mustAnswer } from '../registry/connection/connect.ts';
import { mustFindAsset, mustFindService, mustFindTeam } from '../registry/find-things.ts';
import { type Act, type Asked, mountActs } from './act.ts';
import { inColumns, listLines } from './tell.ts';

const serviceArgument = ['<service>', 'name or id of the service'] as const;
const assetArgument = ['<asset>', 'FQN or id of the asset'] as const;
const ownOptions = [
  ['--repository <url>', 'where its code is, without credentials'],
  ['--description <text>', 'what it is'],
] as const;

/** What is given of the two; an empty text removes what was there. */
function given({ text }: Asked) {
  const [repository, description] = [text('repository'), text('description')];
  return {
    ...(repository !== undefined && { repository }),
    ...(description !== undefined && { description }),
  };
}

const acts: readonly Act[] = [
  {
    word: 'list',
    summary: 'list services by name, with how many assets belong to each',
    options: [
      ['--search <text>', 'whose name contains this'],
      ['--team <team>', 'owned by this team'],
      ['--limit <count>', 'at most so many (default: 50)'],
    ],
    example: 'service list --team checkout',
    run: async ({ client, text }) => {
      const [q, team] = [text('search'), text('team')];
      const query = {
        page_size: Number(text('limit') ?? 50),
        ...(q && { q }),
        ...(team && { owner_team_id: await mustFindTeam(client, team) }),
      };
      const answer = mustAnswer(await client.listServices({ query }));
      const lines = listLines(answer, 'service', (service) => [
        service.name,
        service.owner_team_name,
        counted(service.assets, 'asset'),
      ]);
      return { answer, lines };
    },
  },
  {
    word: 'show',
    summary: 'show a service: its owner, its repository and its assets',
    argument: serviceArgument,
    example: 'service show checkout-api',
    run: async ({ client, name }) => {
      const service_id = await mustFindService(client, name);
      const service = mustAnswer(await client.getService({ params: { service_id } }));
      const assets = mustAnswer(await client.listAssets({ query: { service_id, page_size: 100 } }));
      const { total = assets.results.length } = assets;
      const lines = [
        ...inColumns([
          [service.name, service.description ?? ''],
          ['owner', service.owner_team_name],
          ...(service.repository === null ? [] : [['repository', service.repository]]),
          ['assets', String(total)],
          ['id', service.id],
        ]),
        ...assets.results.map(({ fqn, environment }) => `  ${printable(fqn)}  ${environment}`),
        ...(total > assets.results.length
          ? [`  To list all: concordat asset list --service ${printable(service.name)}`]
          : []),
      ];
      return { answer: { ...service, assets: assets.results }, lines };
    },
  },
  {
    word: 'create',
    summary: 'create a service',
    argument: ['<name>', 'unique name: lower-case letters, digits, dots, hyphens, underscores'],
    options: [['--owner <team>', 'team that owns it'], ...ownOptions],
    example: 'service create checkout-api --owner checkout',
    run: async (asked) => {
      const owner = asked.text('owner');
      if (owner === undefined) throw wrongUsage('Say which team owns the service: --owner.');
      const owner_team_id = await mustFindTeam(asked.client, owner);
      const body = { name: asked.name, owner_team_id, ...given(asked) };
      const answer = mustAnswer(await asked.client.createService({ body }));
      return { answer, lines: [`Created ${printable(answer.name)}: ${answer.id}`] };
    },
  },
  {
    word: 'change',
    summary: 'rename a service, give it to another team, or change what it says',
    argument: serviceArgument,
    options: [
      ['--name <name>', 'its new name'],
      ['--owner <team>', 'team that owns it from now on'],
      ...ownOptions,
    ],
    example: 'service change checkout-api --repository https://git.example.org/shop/checkout',
    run: async (asked) => {
      const { client, text } = asked;
      const [name, owner] = [text('name'), text('owner')];
      const { repository, description } = given(asked);
      const body = {
        ...(name !== undefined && { name }),
        ...(owner !== undefined && { owner_team_id: await mustFindTeam(client, owner) }),
        ...(repository !== undefined && { repository: repository || null }),
        ...(description !== undefined && { description: description || null }),
      };
      if (Object.keys(body).length === 0) {
        throw wrongUsage('Say what changes: --name, --owner, --repository or --description.');
      }
      const params = { service_id: await mustFindService(client, asked.name) };
      const answer = mustAnswer(await client.updateService({ params, body }));
      return { answer, lines: [`Changed ${printable(answer.name)}.`] };
    },
  },
  {
    word: 'delete',
    summary: 'delete a service; its assets stay, and belong to none',
    argument: serviceArgument,
    example: 'service delete checkout-api',
    run: async ({ client, name }) => {
      const params = { service_id: await mustFindService(client, name) };
      mustAnswer(await client.deleteService({ params }));
      return { answer: params, lines: [`Deleted ${printable(name)}.`] };
    },
  },
  {
    word: 'add',
    summary: 'put an asset into a service, out of any other one',
    argument: assetArgument,
    options: [['--to <service>', 'service that it belongs to from now on']],
    hasEnvironment: true,
    example: 'service add shop.public.orders --to checkout-api',
    run: async (asked) => {
      const to = asked.text('to');
      if (to === undefined) throw wrongUsage('Choose the service: --to.');
      return place(asked, await mustFindService(asked.client, to));
    },
  },
  {
    word: 'remove',
    summary: 'take an asset out of its service',
    argument: assetArgument,
    hasEnvironment: true,
    example: 'service remove shop.public.orders',
    run: (asked) => place(asked, null),
  },
];

async function place({ client, name, environment }: Asked, service_id: string | null) {
  const { id, fqn } = await mustFindAsset(client, name, environment);
  const params = { asset_id: id };
  const answer = mustAnswer(await client.updateAsset({ params, body: { service_id } }));
  const of = 'service_name' in answer ? (answer.service_name ?? null) : null;
  const line =
    of === null
      ? `${printable(fqn)} belongs to no service.`
      : `${printable(fqn)} belongs to ${printable(of)}.`;
  return { answer, lines: [line] };
}

export const mountService = mountActs(
  'Lists, creates, changes and deletes services, and says which assets belong to them.',
  acts,
);
