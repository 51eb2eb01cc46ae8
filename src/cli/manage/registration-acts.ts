// `concordat register` and `concordat unregister`: make a team a consumer, or end that.

import { isJsonObject, parseJson } from '../../core/value/json.ts';
import type { Client } from '../../wire/client.ts';
import { wrongUsage } from '../exit-code.ts';
import { readTextFile } from '../input/read-text.ts';
import { toNames } from '../options.ts';
import { printable } from '../output.ts';
import { mustAnswer } from '../registry/connection/connect.ts';
import { mustFindAsset, mustFindConsumer } from '../registry/find-things.ts';
import { type Act, type Asked, mountAct } from './act.ts';

const assetArgument = ['<asset>', 'FQN or id of the asset'] as const;
const teamOption = [
  '--team <team>',
  'team that consumes it (default: the team of the key)',
] as const;

const reasonOption = [
  '--reason <text>',
  'administrators: why they answer for another team; it is kept in the audit trail',
] as const;

function consumerOf({ client, text }: Asked): Promise<string> {
  return mustFindConsumer(client, text('team'));
}

async function registrationOf(asked: Asked, asset: { readonly id: string; readonly fqn: string }) {
  const query = { asset_id: asset.id, consumer_team_id: await consumerOf(asked) };
  const [found] = mustAnswer(await asked.client.listRegistrations({ query })).results;
  if (found === undefined)
    throw wrongUsage(
      `That team is not registered for ${asset.fqn}. To see who is: concordat asset show ${asset.fqn}`,
    );
  return found;
}

const needOptions = [
  ['--reads <fields>', "the fields that it reads, such as '$.id,$.lines[*].sku'; '' for none"],
  ['--reads-schema <file>', 'a JSON Schema of what it reads, instead of fields'],
  ['--allow-unmet', 'also if the contract does not meet it yet'],
] as const;

type NeedsBody = Pick<Parameters<Client['registerConsumer']>[0]['body'], 'needs' | 'allow_unmet'>;

/** Empty if no option says what the team reads. */
async function needsAsked({ text, flag }: Asked): Promise<NeedsBody> {
  const [reads, path] = [text('reads'), text('readsSchema')];
  if (reads === undefined && path === undefined) return {};
  const more = flag('allowUnmet') ? { allow_unmet: true } : {};
  if (path === undefined) return { needs: { fields: [...toNames(reads ?? '')] }, ...more };
  if (reads !== undefined) throw wrongUsage('Give --reads or --reads-schema, not both.');
  const parsed = parseJson(await readTextFile(path));
  if (!parsed.ok || !isJsonObject(parsed.value)) {
    throw wrongUsage(`${path} is no JSON Schema: it must be a JSON object.`);
  }
  return { needs: { schema: parsed.value }, ...more };
}

export const mountRegister = mountAct({
  summary: 'register a team as a consumer of an asset, so that it is asked before breaking changes',
  argument: assetArgument,
  options: [
    teamOption,
    ['--notes <text>', 'what it uses the asset for'],
    ...needOptions,
    ['--own', 'also if the team owns the asset'],
  ],
  hasEnvironment: true,
  example: "register shop.public.orders --team billing --reads '$.id,$.total'",
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
          ...(await needsAsked(asked)),
          ...(flag('own') && { allow_self: true }),
        },
      }),
    );
    const version = asset.active_contract_version ?? '';
    const who = printable(`${answer.consumer_team_name} consumes ${asset.fqn} ${version}.`);
    return { answer, lines: [`${who} ${askedBefore(answer.needs)}`] };
  },
});

export const needsAct = {
  summary: 'say what a consumer reads of an asset, or show it',
  argument: assetArgument,
  options: [
    teamOption,
    ...needOptions,
    ['--everything', 'take back what was said: the team counts as a reader of everything'],
    ['--confirm <digest>', 'say that it reads what was found, as this command showed it'],
    reasonOption,
  ],
  hasEnvironment: true,
  example: "needs shop.public.orders --reads '$.id,$.lines[*].sku'",
  run: async (asked) => {
    const { client, name, text, flag, environment } = asked;
    const asset = await mustFindAsset(client, name, environment);
    const params = { registration_id: (await registrationOf(asked, asset)).id };
    const stated = flag('everything') ? { needs: null } : await needsAsked(asked);
    const digest = text('confirm');
    const reason = text('reason');
    const why = reason === undefined ? {} : { reason };
    const isStated = Object.keys(stated).length > 0;
    if (digest !== undefined && isStated) {
      throw wrongUsage('--confirm says what the team reads. Leave out the other options.');
    }
    const change = async () => {
      if (digest !== undefined) return client.confirmNeeds({ params, body: { digest, ...why } });
      if (isStated) return client.updateRegistration({ params, body: { ...stated, ...why } });
      return client.getRegistration({ params });
    };
    const answer = mustAnswer(await change());
    const told = JSON.stringify(answer.needs?.stated ?? 'everything');
    const lines = [
      printable(`${answer.consumer_team_name} reads of ${asset.fqn}: ${told}`),
      ...foundLines(answer.found_needs),
      askedBefore(answer.needs),
    ];
    return { answer, lines };
  },
} satisfies Act;

type FoundNeeds = Extract<Awaited<ReturnType<Client['getRegistration']>>, { status: 200 }>['body'];

/** What was found, place by place, and its digest for `--confirm`. */
function foundLines(found: FoundNeeds['found_needs']): readonly string[] {
  if (found === undefined) return [];
  const places = found.places.map(({ origin, source, place, fields, last_seen_at }) =>
    printable(
      `  ${origin} ${source}, ${place}: ${fields === null ? 'everything' : JSON.stringify(fields)} (last seen ${last_seen_at})`,
    ),
  );
  return [`Found, which adds to whom a change asks (${found.digest}):`, ...places];
}

function askedBefore(needs: { readonly status: string } | undefined): string {
  if (needs === undefined) return 'It is asked before a change that breaks it.';
  return needs.status === 'met'
    ? 'It is asked before a change that may affect what it reads.'
    : 'The contract does not meet what it reads, so it is asked before every break, until a version does.';
}

export const mountUnregister = mountAct({
  summary: 'end the registration of a consumer: the team is not asked any more',
  argument: assetArgument,
  options: [teamOption, reasonOption],
  hasEnvironment: true,
  example: 'unregister shop.public.orders --team billing',
  run: async (asked) => {
    const { client, name, text, environment } = asked;
    const asset = await mustFindAsset(client, name, environment);
    const found = await registrationOf(asked, asset);
    const reason = text('reason');
    const query = reason === undefined ? {} : { reason };
    const params = { registration_id: found.id };
    mustAnswer(await client.deleteRegistration({ params, query }));
    const who = printable(`${found.consumer_team_name} no longer consumes ${asset.fqn}.`);
    return { answer: found, lines: [who] };
  },
});
