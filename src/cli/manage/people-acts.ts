// `concordat team` and `concordat key`.

import { keyScopes } from '../../core/actor.ts';
import { isId } from '../../core/id.ts';
import type { Client } from '../../wire/client.ts';
import { wrongUsage } from '../exit-code.ts';
import { counted, printable } from '../output.ts';
import { mustAnswer } from '../registry/connection/connect.ts';
import { mustFindTeam } from '../registry/find-things.ts';
import { type Act, type Asked, mountActs } from './act.ts';
import { inColumns, listLines } from './tell.ts';

const teamArgument = ['<team>', 'name, slug or id of the team'] as const;

const pageOf = ({ text }: Asked) => ({ page_size: Number(text('limit') ?? 50) });
const limitOption = ['--limit <count>', 'at most so many (default: 50)'] as const;

type Moved = Extract<
  Awaited<ReturnType<Client['reassignAssets']>>,
  { readonly ok: true }
>['body']['results'][number];

function movedLines(outcomes: readonly Moved[]): readonly string[] {
  const refused = outcomes.filter(({ status }) => status >= 400);
  const asked = outcomes.filter(({ body }) => body.action === 'proposal_created');
  const moved = outcomes.filter((each) => !refused.includes(each) && !asked.includes(each));
  const services = moved.filter(({ service }) => service !== undefined).length;
  return [
    `${counted(moved.length - services, 'asset')}${services === 0 ? '' : ` and ${counted(services, 'service')}`} moved.`,
    ...asked.map(({ asset }) => printable(`  ${asset?.fqn}: its consumers are asked first`)),
    ...refused.map(({ asset, service, body }) =>
      printable(
        `  ${asset?.fqn ?? service?.name}: ${(body.detail as { readonly message: string }).message}`,
      ),
    ),
  ];
}

/** The team with this name or slug that was deleted last. */
async function mustFindDeleted(client: Client, name: string): Promise<string> {
  for (const by of ['slug', 'name'] as const) {
    const query = { [by]: name, include_deleted: true, page_size: 100 };
    const { results } = mustAnswer(await client.listTeams({ query }));
    const [last] = results
      .flatMap(({ id, deleted_at }) => (deleted_at === undefined ? [] : [{ id, deleted_at }]))
      .toSorted((a, b) => b.deleted_at.localeCompare(a.deleted_at));
    if (last !== undefined) return last.id;
  }
  throw wrongUsage(`No deleted team is called ${name}.`);
}

const teamActs: readonly Act[] = [
  {
    word: 'list',
    summary: 'list teams',
    options: [['--search <text>', 'words that the name or slug begins with'], limitOption],
    example: 'team list --search check',
    run: async (asked) => {
      const q = asked.text('search');
      const query = { ...pageOf(asked), ...(q && { q }) };
      const answer = mustAnswer(await asked.client.listTeams({ query }));
      return { answer, lines: listLines(answer, 'team', ({ slug, name, id }) => [slug, name, id]) };
    },
  },
  {
    word: 'show',
    summary: 'show a team',
    argument: teamArgument,
    example: 'team show checkout',
    run: async ({ client, name }) => {
      const params = { team_id: await mustFindTeam(client, name) };
      const answer = mustAnswer(await client.getTeam({ params }));
      const { id, slug } = answer;
      const rows = [
        ['id', id],
        ['slug', slug],
        ['created', answer.created_at],
      ];
      const metadata = Object.entries(answer.metadata).map(([key, value]) => [
        key,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]);
      return { answer, lines: [printable(answer.name), ...inColumns([...rows, ...metadata])] };
    },
  },
  {
    word: 'create',
    summary: 'create a team',
    argument: ['<name>', 'name of the team'],
    options: [['--slug <slug>', 'its name in files and addresses (default: made from the name)']],
    example: 'team create "Checkout" --slug checkout',
    run: async ({ client, name, text }) => {
      const slug = text('slug');
      const answer = mustAnswer(await client.createTeam({ body: { name, ...(slug && { slug }) } }));
      const { id } = answer;
      return { answer, lines: [`Created ${printable(answer.name)} (${answer.slug}): ${id}`] };
    },
  },
  {
    word: 'rename',
    summary: 'give a team another name; its slug stays',
    argument: teamArgument,
    options: [['--name <name>', 'the new name']],
    example: 'team rename checkout --name "Checkout and carts"',
    run: async ({ client, name, text }) => {
      const next = text('name');
      if (next === undefined) throw wrongUsage('Give the new name: --name.');
      const params = { team_id: await mustFindTeam(client, name) };
      const answer = mustAnswer(await client.updateTeam({ params, body: { name: next } }));
      return { answer, lines: [`${answer.slug} is called ${printable(answer.name)} now.`] };
    },
  },
  {
    word: 'delete',
    summary: 'delete a team; its keys stop working',
    argument: teamArgument,
    options: [
      ['--reassign-to <team>', 'team that owns its assets and services from now on'],
      ['--reason <text>', 'why; needed if it consumes assets, and kept in the audit trail'],
    ],
    example: 'team delete checkout --reassign-to payments',
    run: async ({ client, name, text }) => {
      const heir = text('reassignTo');
      const params = { team_id: await mustFindTeam(client, name) };
      const reason = text('reason');
      const query = {
        ...(heir !== undefined && { reassign_to: await mustFindTeam(client, heir) }),
        ...(reason !== undefined && { reason }),
      };
      mustAnswer(await client.deleteTeam({ params, query }));
      return { answer: params, lines: [`Deleted ${printable(name)}.`] };
    },
  },
  {
    word: 'reassign',
    summary: 'move all assets and services of a team to another one; consumers are asked first',
    argument: teamArgument,
    options: [
      ['--to <team>', 'team that owns them from now on'],
      ['--partial', 'move what can be moved; without it, one refused asset refuses all'],
      ['--override', 'also assets that are managed elsewhere (needs --reason)'],
      ['--reason <text>', 'why; it is kept in the audit trail'],
    ],
    example: 'team reassign checkout --to payments --partial',
    run: async ({ client, name, text, flag }) => {
      const to = text('to');
      if (to === undefined) throw wrongUsage('Choose the team that gets the assets: --to.');
      const params = { team_id: await mustFindTeam(client, name) };
      const reason = text('reason');
      const body = {
        owner_team_id: await mustFindTeam(client, to),
        ...(flag('partial') && { mode: 'partial' as const }),
        ...(flag('override') && { override: true }),
        ...(reason !== undefined && { reason }),
      };
      const answer: Moved[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const call = { params, body: { ...body, ...(cursor !== undefined && { cursor }) } };
        const { results, next_cursor } = mustAnswer(await client.reassignAssets(call));
        answer.push(...results);
        cursor = next_cursor;
      }
      return { answer, lines: movedLines(answer) };
    },
  },
  {
    word: 'restore',
    summary: 'restore a deleted team; its keys and registrations stay gone',
    argument: ['<team>', 'name, slug or id of the team'],
    example: 'team restore checkout',
    run: async ({ client, name }) => {
      const params = { team_id: isId(name) ? name : await mustFindDeleted(client, name) };
      const answer = mustAnswer(await client.restoreTeam({ params }));
      return { answer, lines: [`Restored ${printable(answer.name)} (${answer.slug}).`] };
    },
  },
];

/** A key by its id, or by the prefix that lists show. */
async function mustFindKey({ client, name }: Asked): Promise<string> {
  if (isId(name)) return name;
  for (let cursor: string | undefined; ; ) {
    const query = { page_size: 100, ...(cursor && { cursor }) };
    const { results, next_cursor } = mustAnswer(await client.listApiKeys({ query }));
    const found = results.find(({ prefix }) => name.startsWith(prefix));
    if (found !== undefined) return found.id;
    if (!next_cursor) break;
    cursor = next_cursor;
  }
  throw wrongUsage('The registry has no such key. Give its id or its prefix: concordat key list');
}

const keyActs: readonly Act[] = [
  {
    word: 'list',
    summary: 'list API keys, without their secrets',
    options: [['--team <team>', 'keys of this team'], limitOption],
    example: 'key list --team checkout',
    run: async (asked) => {
      const team = asked.text('team');
      const query = {
        ...pageOf(asked),
        ...(team && { team_id: await mustFindTeam(asked.client, team) }),
      };
      const answer = mustAnswer(await asked.client.listApiKeys({ query }));
      const lines = listLines(answer, 'key', (key) => [
        key.prefix,
        key.scopes.join(','),
        key.revoked_at !== null ? 'revoked' : `expires ${key.expires_at ?? 'never'}`,
        key.name,
        key.id,
      ]);
      return { answer, lines };
    },
  },
  {
    word: 'create',
    summary: 'create an API key, and print its secret once',
    argument: ['<name>', 'what the key is for'],
    options: [
      ['--team <team>', 'team that it acts for'],
      ['--all-teams', 'it acts for every team'],
      [
        '--scopes <scopes>',
        `permissions, separated by commas: ${keyScopes.join(', ')} (default: write)`,
      ],
      ['--expires <date>', 'last moment that it works'],
    ],
    example: 'key create "checkout CI" --team checkout',
    run: async ({ client, name, text, flag }) => {
      const [team, expires] = [text('team'), text('expires')];
      const asked = (text('scopes') ?? 'write').split(',').map((scope) => scope.trim());
      const scopes = keyScopes.filter((scope) => asked.includes(scope));
      const wrong = asked.find((scope) => !keyScopes.some((each) => each === scope));
      if (wrong !== undefined) {
        throw wrongUsage(`--scopes: there is no permission ${wrong}. Use ${keyScopes.join(', ')}.`);
      }
      if (expires !== undefined && Number.isNaN(Date.parse(expires))) {
        throw wrongUsage(`--expires: "${expires}" is not a date. Use the form 2027-12-31.`);
      }
      const body = {
        name,
        scopes,
        ...(team && { team_id: await mustFindTeam(client, team) }),
        ...(flag('allTeams') && { all_teams: true }),
        ...(expires && { expires_at: new Date(expires).toISOString() }),
      };
      const answer = mustAnswer(await client.issueApiKey({ body }));
      // The secret is alone on its line, so that a script can read it.
      return { answer, lines: [answer.key ?? `The key ${answer.id} was created before.`] };
    },
  },
  {
    word: 'revoke',
    summary: 'revoke an API key: it stops working at once',
    argument: ['<key>', 'id or prefix of the key'],
    example: 'key revoke cdt_live_8fK',
    run: async (asked) => {
      const params = { api_key_id: await mustFindKey(asked) };
      mustAnswer(await asked.client.revokeApiKey({ params }));
      return { answer: params, lines: [`Revoked ${params.api_key_id}.`] };
    },
  },
];

export const mountTeam = mountActs('Lists and changes teams.', teamActs);
export const mountKey = mountActs('Lists, creates and revokes API keys.', keyActs);
