// Sends what was found to a registry, for the consumer's registrations.

import { type AssetReads, fitPlaces } from '../../core/needs/find/gather-reads.ts';
import { spellFields } from '../../core/needs/find/spell-fields.ts';
import type { Client } from '../../wire/client.ts';
import type { CommandLineIo } from '../command-line.ts';
import { wrongUsage } from '../exit-code.ts';
import { connect, mustAnswer } from '../registry/connection/connect.ts';
import { inTurns, mustFindConsumer } from '../registry/find-things.ts';
import type { FindOptions, Found, Outcomes } from './found.ts';
import { fieldsOfContract, findTable } from './known-contracts.ts';

interface Sending {
  readonly client: Client;
  readonly teamId: string;
  readonly environment: string;
  readonly origin: Found['origin'];
  readonly source: string;
}

export async function registerFound(
  found: Found,
  options: FindOptions,
  io: CommandLineIo,
): Promise<Outcomes> {
  const source = options.source ?? found.source;
  if (source === undefined) {
    throw wrongUsage('Name the project with --source: what it sends replaces what it sent before.');
  }
  const { client } = connect(options, io);
  const teamId = await mustFindConsumer(client, options.team);
  const environment = options.environment ?? 'production';
  const sending: Sending = { client, teamId, environment, origin: found.origin, source };
  const sent = new Set<string>();
  const outcomes = await inTurns(found.assets, async (reads) => {
    const [outcome, registrationId] = await sendOne(reads, sending);
    if (registrationId !== null) sent.add(registrationId);
    return [reads.fqn, outcome] as const;
  });
  await forget(sending, sent);
  return new Map(outcomes);
}

async function sendOne(
  { fqn, places }: AssetReads,
  sending: Sending,
): Promise<readonly [outcome: string, registrationId: string | null]> {
  const { client, teamId, environment, origin, source } = sending;
  const asset = await findTable(client, fqn, environment);
  if (asset === null) return ['not in the registry', null];
  const contractId = asset.active_contract_id;
  if (contractId === null) return ['it has no contract', null];
  const query = { asset_id: asset.id, consumer_team_id: teamId };
  const [before] = mustAnswer(await client.listRegistrations({ query })).results;
  if (before === undefined) {
    const { owner_team_id: owner } = mustAnswer(
      await client.getAsset({ params: { asset_id: asset.id } }),
    );
    if (owner === teamId) return ['the team owns it', null];
  }
  const body = { contract_id: contractId, consumer_team_id: teamId };
  const registration = before ?? mustAnswer(await client.registerConsumer({ body }));
  const spell = await spellingOf(client, contractId, origin);
  const spelled = places.map(({ place, fields }) => ({ place, fields: fields && spell(fields) }));
  const fitting = fitPlaces(spelled).map(({ place, fields }) => ({
    place,
    fields: fields === null ? null : [...fields],
  }));
  const params = { registration_id: registration.id };
  mustAnswer(await client.findNeeds({ params, body: { origin, source, places: fitting } }));
  return [before === undefined ? 'registered, and sent' : 'sent', registration.id];
}

/** Types and fields of GraphQL are written as the contract writes them. */
async function spellingOf(
  client: Client,
  contractId: string,
  origin: Found['origin'],
): Promise<(fields: readonly string[]) => readonly string[] | null> {
  if (origin === 'graphql') return (fields) => fields;
  return spellFields(await fieldsOfContract(client, contractId));
}

/** Takes back what the same project was found to read, where it reads nothing any more. */
async function forget(
  { client, teamId, environment, origin, source }: Sending,
  sent: ReadonlySet<string>,
): Promise<void> {
  const others: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const query = { consumer_team_id: teamId, page_size: 100, cursor };
    const page = mustAnswer(await client.listRegistrations({ query }));
    others.push(...page.results.map(({ id }) => id).filter((id) => !sent.has(id)));
    if (page.next_cursor === null || page.next_cursor === undefined) break;
    cursor = page.next_cursor;
  }
  await inTurns(others, async (id) => {
    const params = { registration_id: id };
    const { found_needs: found, asset_id } = mustAnswer(await client.getRegistration({ params }));
    const isOfSource = found?.places.some(
      (each) => each.origin === origin && each.source === source,
    );
    if (isOfSource !== true) return;
    const asset = await client.getAsset({ params: { asset_id } });
    if (!asset.ok || asset.body.environment !== environment) return;
    mustAnswer(await client.findNeeds({ params, body: { origin, source, places: [] } }));
  });
}
