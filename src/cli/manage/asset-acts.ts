// `concordat asset`.

import { isId } from '../../core/id.ts';
import { wrongUsage } from '../exit-code.ts';
import { printable } from '../output.ts';
import { mustAnswer } from '../registry/connection/connect.ts';
import {
  listConsumers,
  mustFindAsset,
  mustFindService,
  mustFindTeam,
} from '../registry/find-things.ts';
import { type Act, mountActs } from './act.ts';
import { inColumns, listLines } from './tell.ts';

const assetArgument = ['<asset>', 'FQN or id of the asset'] as const;

const acts: readonly Act[] = [
  {
    word: 'list',
    summary: 'list assets by FQN',
    options: [
      ['--prefix <text>', 'whose FQN begins so'],
      ['--search <words>', 'whose FQN, description or tags have words that begin so'],
      ['--team <team>', 'owned by this team'],
      ['--consumer <team>', 'consumed by this team'],
      ['--service <service>', 'that belong to this service'],
      ['--tag <tag>', 'with this tag'],
      ['--limit <count>', 'at most so many (default: 50)'],
    ],
    example: 'asset list --team checkout',
    run: async ({ client, text }) => {
      const [fqn, q, team, tag] = [text('prefix'), text('search'), text('team'), text('tag')];
      const [consumer, service] = [text('consumer'), text('service')];
      const query = {
        page_size: Number(text('limit') ?? 50),
        ...(fqn && { fqn }),
        ...(q && { q }),
        ...(tag && { tag }),
        ...(team && { owner_team_id: await mustFindTeam(client, team) }),
        ...(consumer && { consumer_team_id: await mustFindTeam(client, consumer) }),
        ...(service && { service_id: await mustFindService(client, service) }),
      };
      const answer = mustAnswer(await client.listAssets({ query }));
      const lines = listLines(answer, 'asset', (asset) => [
        asset.fqn,
        asset.environment,
        asset.active_contract_version ?? 'no contract',
      ]);
      return { answer, lines };
    },
  },
  {
    word: 'show',
    summary: 'show an asset: its version, owner and consumers',
    argument: assetArgument,
    hasEnvironment: true,
    example: 'asset show shop.public.orders',
    run: async ({ client, name, environment }) => {
      const { id } = await mustFindAsset(client, name, environment);
      const asset = mustAnswer(await client.getAsset({ params: { asset_id: id } }));
      const owner = mustAnswer(await client.getTeam({ params: { team_id: asset.owner_team_id } }));
      const consumers = await listConsumers(client, id);
      const who = consumers.map((team) => team.name).sort();
      const lines = inColumns([
        [asset.fqn, asset.environment],
        ['version', asset.active_contract_version ?? 'no contract'],
        ['owner', owner.name],
        ...(asset.service_name === undefined ? [] : [['service', asset.service_name]]),
        ['consumers', who.length === 0 ? 'none' : who.join(', ')],
        ...(asset.managed_by === null
          ? []
          : [['managed by', `${asset.managed_by.source} (${asset.managed_by.reference})`]]),
        ['id', id],
      ]);
      return { answer: { ...asset, owner, consumers }, lines };
    },
  },
  {
    word: 'create',
    summary: 'create an asset, without a contract',
    argument: ['<fqn>', 'FQN of the asset'],
    options: [
      ['--owner <team>', 'team that owns it'],
      ['--service <service>', 'service that it belongs to'],
      ['--auto-publish', 'publish a proposal automatically once all consumers agree'],
    ],
    hasEnvironment: true,
    example: 'asset create shop.public.orders --owner checkout',
    run: async ({ client, name, text, flag, environment }) => {
      const [owner, service] = [text('owner'), text('service')];
      if (owner === undefined) throw wrongUsage('Say which team owns the asset: --owner.');
      const body = {
        fqn: name,
        environment,
        owner_team_id: await mustFindTeam(client, owner),
        ...(service && { service_id: await mustFindService(client, service) }),
        ...(flag('autoPublish') && { auto_publish: true }),
      };
      const answer = mustAnswer(await client.createAsset({ body }));
      return { answer, lines: [`Created ${printable(answer.fqn)}: ${answer.id}`] };
    },
  },
  {
    word: 'delete',
    summary: 'delete an asset that has no consumers',
    argument: assetArgument,
    options: [
      ['--force', 'administrators: also if it has consumers (needs --reason)'],
      ['--override', 'administrators: also if it is managed elsewhere (needs --reason)'],
      ['--reason <text>', 'why; it is kept in the audit trail'],
    ],
    hasEnvironment: true,
    example: 'asset delete shop.public.orders',
    run: async ({ client, name, text, flag, environment }) => {
      const reason = text('reason');
      const isReasoned = flag('force') || flag('override');
      if (isReasoned && reason === undefined) {
        throw wrongUsage('Say why: add --reason "...". It is kept on record.');
      }
      const asset = await mustFindAsset(client, name, environment);
      const query = {
        ...(flag('force') && { force: true }),
        ...(flag('override') && { override: true }),
        ...(reason && { reason }),
      };
      mustAnswer(await client.deleteAsset({ params: { asset_id: asset.id }, query }));
      const lines = [
        `Deleted ${printable(asset.fqn)}. An administrator can restore it: concordat asset restore ${asset.id}`,
      ];
      return { answer: { asset_id: asset.id }, lines };
    },
  },
  {
    word: 'restore',
    summary: 'restore a deleted asset (administrators only)',
    argument: ['<id>', 'id of the asset'],
    example: 'asset restore 0192d1f0-0000-7000-8000-000000000001',
    run: async ({ client, name }) => {
      if (!isId(name)) {
        throw wrongUsage(
          'Give the id of the deleted asset, which `concordat asset delete` printed: its FQN may be in use again.',
        );
      }
      const answer = mustAnswer(await client.restoreAsset({ params: { asset_id: name } }));
      return { answer, lines: [`Restored ${printable(answer.fqn)}.`] };
    },
  },
];

export const mountAsset = mountActs(
  'Lists, creates and deletes assets. `concordat publish` gives them contracts.',
  acts,
);
