// The small story that `make run` starts with: four teams, one contract with a second version, and a
// breaking change that one of two consumers has answered. A third one does not read what changes, as its
// dbt project shows, so it is not asked. It uses the public API like any client, and only an empty
// registry gets it.

import type { JsonObject } from '../../core/value/json.ts';
import type { Client, Refusal } from '../../wire/client.ts';

interface Story {
  readonly assetId: string;
  readonly proposalId: string;
}

/** An administrator tells the story, and gives a reason where it answers for a team. */
const whyForOthers = 'The story answers for its teams.';

const firstVersion = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Order',
  description: 'One row for each order that a customer has placed.',
  type: 'object',
  properties: {
    order_id: { type: 'string', format: 'uuid', description: 'Never used twice.' },
    customer_id: { type: 'string', format: 'uuid' },
    amount: { type: 'number', minimum: 0, description: 'In the currency of the order.' },
    currency: { type: 'string', enum: ['EUR', 'USD', 'GBP'] },
    status: { type: 'string', enum: ['placed', 'paid', 'shipped', 'cancelled'] },
    placed_at: { type: 'string', format: 'date-time' },
  },
  required: ['order_id', 'customer_id', 'amount', 'currency', 'status', 'placed_at'],
};

/** Adds an optional field, so consumers need not be asked. */
const secondVersion = {
  ...firstVersion,
  properties: {
    ...firstVersion.properties,
    channel: { type: 'string', description: 'Where the order came from.' },
  },
};

/** Amounts as text, so that no reader rounds them. This breaks consumers that add them up. */
const breakingVersion = {
  ...secondVersion,
  properties: {
    ...secondVersion.properties,
    amount: { type: 'string', pattern: '^[0-9]+\\.[0-9]{2}$', description: 'As text: "12.50".' },
  },
};

const guarantees = {
  freshness: { max_staleness_minutes: 60, measured_by: 'placed_at' },
  nullability: { order_id: 'never', amount: 'never' },
};

/** Null if the registry already has teams that no manifest declares. */
export async function createStory(client: Client): Promise<Story | null> {
  const known = value('look for teams', await client.listTeams({ query: { page_size: 100 } }));
  if (known.results.some(({ managed_by }) => managed_by == null)) return null;

  const producer = await createTeam(client, 'Orders');
  const finance = await createTeam(client, 'Finance');
  const analytics = await createTeam(client, 'Analytics');
  const logistics = await createTeam(client, 'Logistics');
  const asset = value(
    'create an asset',
    await client.createAsset({
      body: {
        fqn: 'warehouse.sales.orders',
        owner_team_id: producer,
        metadata: { resource_type: 'model', description: 'Orders, one row each.', tags: ['sales'] },
      },
    }),
  );
  const contractId = await publish(client, asset.id, firstVersion, { guarantees });
  await register(client, contractId, finance, 'Monthly revenue report.', {
    fields: ['$.amount', '$.currency', '$.placed_at'],
  });
  await register(client, contractId, analytics, 'Dashboards of the sales team.');
  const parcels = await register(client, contractId, logistics, 'Parcels of the day.');
  await findByDbt(client, parcels, ['$.order_id', '$.status']);
  await publish(client, asset.id, secondVersion, {});
  const proposalId = await propose(client, asset.id, breakingVersion);
  value(
    'acknowledge the proposal',
    await client.acknowledgeProposal({
      params: { proposal_id: proposalId },
      body: {
        team_id: finance,
        response: 'approved',
        notes: 'We parse it as a decimal.',
        reason: whyForOthers,
      },
    }),
  );
  value(
    'comment on the proposal',
    await client.commentOnProposal({
      params: { proposal_id: proposalId },
      body: { text: 'Until when can both forms be read?', team_id: analytics },
    }),
  );
  return { assetId: asset.id, proposalId };
}

async function createTeam(client: Client, name: string): Promise<string> {
  return value(`create the team ${name}`, await client.createTeam({ body: { name } })).id;
}

async function publish(
  client: Client,
  assetId: string,
  schema: JsonObject,
  more: { guarantees?: JsonObject },
): Promise<string> {
  const result = await client.publishContract({
    params: { asset_id: assetId },
    body: { schema, ...more },
  });
  const answer = value('publish a contract', result);
  if (answer.action !== 'published' || answer.contract.id === null) {
    throw new Error(`The story expected a published contract, and was told "${answer.action}".`);
  }
  return answer.contract.id;
}

async function propose(client: Client, assetId: string, schema: JsonObject): Promise<string> {
  const request = {
    reason:
      'Programs that read numbers round amounts: 0.1 became 0.10000000000000001 in two reports.',
    contact: 'Ada of team Orders, #orders',
    answer_by: dayIn(14),
    migration: 'Parse the text as a decimal, as the examples of the new version show.',
    migrate_by: dayIn(60),
  };
  const body = { schema, request };
  const result = await client.publishContract({ params: { asset_id: assetId }, body });
  const answer = value('propose a breaking change', result);
  if (answer.action !== 'proposal_created' || answer.proposal.id === null) {
    throw new Error(`The story expected a proposal, and was told "${answer.action}".`);
  }
  return answer.proposal.id;
}

/** @example dayIn(14) // '2026-12-11', on the 27th of November */
function dayIn(days: number): string {
  return new Date(Date.now() + days * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
}

async function register(
  client: Client,
  contractId: string,
  teamId: string,
  notes: string,
  needs?: { fields: string[] },
): Promise<string> {
  const result = await client.registerConsumer({
    body: { contract_id: contractId, consumer_team_id: teamId, notes, ...(needs && { needs }) },
  });
  return value('register a consumer', result).id;
}

/** As `concordat needs --dbt` sends it; the team has confirmed that this is all it reads. */
async function findByDbt(client: Client, id: string, fields: string[]): Promise<void> {
  const params = { registration_id: id };
  const places = [{ place: 'models/parcels.sql', fields }];
  const found = await client.findNeeds({
    params,
    body: { origin: 'dbt', source: 'logistics', places },
  });
  const { found_needs: needs } = value('send found needs', found);
  const body = { digest: needs?.digest ?? '', reason: whyForOthers };
  value('confirm found needs', await client.confirmNeeds({ params, body }));
}

type Result =
  | { readonly ok: true; readonly body: unknown }
  | { readonly ok: false; readonly refusal: Refusal };

function value<R extends Result>(act: string, result: R): Extract<R, { ok: true }>['body'] {
  if (result.ok) return result.body;
  throw new Error(`The story could not ${act}: ${result.refusal.message}`);
}
