// A registry with a history, created through the public API: teams, assets with several versions,
// consumers, and proposals in every state.

import type { JsonObject } from '../../../src/core/value/json.ts';
import { type Client, createClient } from '../../../src/wire/client.ts';

export interface StoryTeam {
  readonly id: string;
  readonly name: string;
  /** A key that may write for this team. */
  readonly key: string;
}

export interface Story {
  readonly teams: Readonly<Record<'orders' | 'finance' | 'analytics' | 'logistics', StoryTeam>>;
  readonly ordersId: string;
  readonly proposalId: string;
  readonly forcedId: string;
  readonly blockedId: string;
  readonly deprecationId: string;
  readonly webhookId: string;
  readonly serviceId: string;
}

const ref = { $ref: '#/$defs/address' };

export const firstOrder = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Order',
  type: 'object',
  properties: {
    order_id: { type: 'string', format: 'uuid', description: 'Never used twice.' },
    customer_id: { type: 'string', format: 'uuid' },
    amount: { type: 'number', minimum: 0, description: 'Gross, in the currency of the order.' },
    currency: { type: 'string', enum: ['EUR', 'USD', 'GBP'] },
    status: { type: 'string', enum: ['placed', 'paid', 'shipped', 'cancelled'] },
    note: { type: ['string', 'null'], maxLength: 500 },
    placed_at: { type: 'string', format: 'date-time' },
    lines: {
      type: 'array',
      minItems: 1,
      description: 'What was ordered, at least one line.',
      items: {
        type: 'object',
        properties: {
          sku: { type: 'string', pattern: '^[A-Z]{3}-[0-9]{4}$' },
          quantity: { type: 'integer', minimum: 1 },
          price: { type: 'number', minimum: 0 },
        },
        required: ['sku', 'quantity'],
      },
    },
    shipping: { ...ref, description: 'Where it goes.' },
    billing: ref,
  },
  required: ['order_id', 'customer_id', 'amount', 'currency', 'status', 'placed_at', 'lines'],
  $defs: {
    address: {
      type: 'object',
      properties: {
        street: { type: 'string' },
        city: { type: 'string' },
        country: {
          type: 'string',
          minLength: 2,
          maxLength: 2,
          description: 'ISO 3166, two letters.',
        },
      },
      required: ['city', 'country'],
    },
  },
} as const;

const secondOrder = withProperties({
  channel: {
    type: 'string',
    description: 'Where the order came from.',
    enum: ['web', 'store', 'phone'],
  },
});

const thirdOrder = withProperties({
  channel: {
    type: 'string',
    description: 'Where the order came from: web, store or phone.',
    enum: ['web', 'store', 'phone'],
  },
  voucher: { type: 'string', maxLength: 32 },
});

/** Amounts become text, a status is removed, and a voucher must match a pattern. */
export const breakingOrder = withProperties({
  amount: { type: 'string', pattern: '^[0-9]+\\.[0-9]{2}$', description: 'As text: "12.50".' },
  status: { type: 'string', enum: ['placed', 'paid', 'shipped'] },
  channel: thirdOrder.properties.channel,
  voucher: { type: 'string', maxLength: 16 },
  discount: { type: 'number', minimum: 0, maximum: 1 },
});

const guarantees = {
  freshness: { max_staleness_minutes: 60, measured_by: 'placed_at' },
  volume: { min_rows: 10000, max_row_delta_pct: 20 },
  nullability: { order_id: 'never', amount: 'never' },
  accepted_values: { currency: ['EUR', 'USD', 'GBP'] },
};

/** A schema with these texts, of which the first is required. */
const simple = (...names: string[]) => ({ ...fieldsOf(...names), required: names.slice(0, 1) });

export async function tellStory(url: string, bootstrapKey: string): Promise<Story> {
  const admin = createClient({ baseUrl: url, key: bootstrapKey });
  const teams = {
    orders: await createTeam(admin, 'Orders'),
    finance: await createTeam(admin, 'Finance'),
    analytics: await createTeam(admin, 'Analytics'),
    logistics: await createTeam(admin, 'Logistics'),
  };
  await createTeam(admin, 'Customer care');
  await createTeam(admin, 'Growth and marketing');
  const webhookId = await tellPeople(admin, teams);
  const service = {
    ...{ name: 'order-desk', owner_team_id: teams.orders.id, description: 'Takes orders.' },
    repository: 'https://git.example.org/shop/order-desk',
  };
  const { id: serviceId } = bodyOf(await admin.createService({ body: service }));
  const ordersId = await createAsset(admin, teams.orders, 'warehouse.sales.orders', {
    resource_type: 'model',
    description: 'One row for each order a customer has placed, with its lines.',
    tags: ['sales', 'tier-1'],
  });
  const into = { params: { asset_id: ordersId }, body: { service_id: serviceId } };
  bodyOf(await admin.updateAsset(into));
  const contractId = await publish(admin, ordersId, firstOrder, { guarantees });
  await register(admin, contractId, teams.finance, 'Monthly revenue report.');
  await register(admin, contractId, teams.analytics, 'Dashboards of the sales team.');
  await register(admin, contractId, teams.logistics, 'Picks and packs what was ordered.');
  await publish(admin, ordersId, secondOrder, { commit: '4f1c2ab' });
  await publish(admin, ordersId, thirdOrder, { commit: '9be01d7' });
  const proposalId = await propose(admin, ordersId, breakingOrder);
  bodyOf(
    await admin.updateProposal({
      params: { proposal_id: proposalId },
      body: {
        reason: 'Programs that read numbers round amounts.',
        contact: 'Ada Byron, #orders',
        answer_by: '2099-01-31',
        migration: 'Parse `amount` as a decimal: the text has at most two digits after the point.',
        migrate_by: '2099-03-31',
      },
    }),
  );
  await answer(admin, proposalId, teams.finance, { notes: 'We parse it as a decimal.' });
  await answer(admin, proposalId, teams.analytics, {
    response: 'migrating',
    until: '2027-01-31T22:59:59Z',
    notes: 'Two dashboards still sum the number. We need January.',
  });

  const forcedId = await tellForced(admin, teams);
  const blockedId = await tellBlocked(admin, teams);
  const deprecationId = await tellDeprecation(admin, teams);
  await createSmallAssets(admin, teams);
  return {
    ...{ teams, ordersId, proposalId, forcedId, blockedId, deprecationId, webhookId },
    serviceId,
  };
}

/** A user, and a webhook whose receiver does not exist. */
async function tellPeople(admin: Client, teams: Teams): Promise<string> {
  bodyOf(
    await admin.createUser({
      body: {
        email: 'grace@example.com',
        name: 'Grace Hopper',
        role: 'editor',
        team_id: teams.finance.id,
        password: 'a long sentence',
      },
    }),
  );
  const made = await admin.createWebhook({
    body: {
      url: 'http://receiver.invalid/concordat',
      events: ['proposal.created', 'proposal.rejected'],
      team_ids: [teams.finance.id, teams.orders.id, teams.logistics.id],
    },
  });
  return bodyOf(made).id;
}

type Teams = Story['teams'];

async function tellForced(admin: Client, teams: Teams): Promise<string> {
  const id = await createAsset(admin, teams.finance, 'warehouse.finance.invoices', {
    resource_type: 'model',
    description: 'Issued invoices.',
    tags: ['finance'],
  });
  const contractId = await publish(admin, id, simple('invoice_id', 'customer_iban', 'total'), {});
  await register(admin, contractId, teams.analytics, 'Payment behaviour.');
  const proposalId = await propose(admin, id, simple('invoice_id', 'total'));
  const forced = await admin.forceProposal({
    params: { proposal_id: proposalId },
    body: { reason: 'Bank details must be gone today: a finding of the privacy audit.' },
  });
  if (!forced.ok) throw new Error(forced.refusal.message);
  return proposalId;
}

async function tellBlocked(admin: Client, teams: Teams): Promise<string> {
  const id = await createAsset(admin, teams.logistics, 'warehouse.logistics.shipments', {
    description: 'Parcels on their way.',
    tags: ['logistics'],
  });
  const contractId = await publish(admin, id, simple('shipment_id', 'carrier', 'tracking'), {});
  await register(admin, contractId, teams.orders, 'Tells customers where their parcel is.');
  bodyOf(
    await admin.recordQualityRun({
      params: { asset_id: id },
      body: {
        status: 'failed',
        triggered_by: 'nightly checks',
        guarantees: [{ name: 'not_null_tracking', status: 'failed', rows: 3 }],
      },
    }),
  );
  const proposalId = await propose(admin, id, simple('shipment_id', 'carrier'));
  await answer(admin, proposalId, teams.orders, {
    response: 'blocked',
    notes: 'Customers look at the tracking number every day.',
  });
  return proposalId;
}

async function tellDeprecation(admin: Client, teams: Teams): Promise<string> {
  const id = await createAsset(admin, teams.orders, 'legacy.shop.orders_export', {
    description: 'The nightly file of the old shop.',
  });
  const contractId = await publish(admin, id, simple('id', 'total'), {});
  await register(admin, contractId, teams.finance, 'Year-end closing.');
  const asked = await admin.updateContract({
    params: { contract_id: contractId },
    body: { status: 'deprecated' },
  });
  if (!asked.ok) throw new Error(asked.refusal.message);
  if (!('action' in asked.body) || asked.body.proposal.id === null) {
    throw new Error('A deprecation with consumers makes a proposal.');
  }
  await answer(admin, asked.body.proposal.id, teams.finance, {});
  return asked.body.proposal.id;
}

const smallAssets = [
  'warehouse.sales.customers',
  'warehouse.sales.carts',
  'warehouse.sales.returns',
  'warehouse.sales.vouchers',
  'warehouse.finance.payments',
  'warehouse.finance.ledger',
  'warehouse.logistics.carriers',
  'warehouse.logistics.stock_levels',
  'api.shop.get_orders',
  'api.shop.post_orders',
  'graphql.Order',
  'graphql.Customer',
] as const;

async function createSmallAssets(admin: Client, teams: Teams): Promise<void> {
  const owners = Object.values(teams);
  for (const [index, fqn] of smallAssets.entries()) {
    const owner = owners[index % owners.length];
    if (owner === undefined) continue;
    const id = await createAsset(admin, owner, fqn, { tags: [fqn.split('.')[1] ?? ''] });
    if (index % 4 !== 3) await publish(admin, id, simple('id', 'name', 'updated_at'), {});
  }
}

/** A schema with these texts, all optional. */
export function fieldsOf(...names: string[]) {
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  };
}

export async function createTeam(admin: Client, name: string): Promise<StoryTeam> {
  const team = bodyOf(await admin.createTeam({ body: { name } }));
  const issued = bodyOf(
    await admin.issueApiKey({ body: { name: `${name} CI`, team_id: team.id, scopes: ['write'] } }),
  );
  return { id: team.id, name, key: issued.key ?? '' };
}

export async function createAsset(
  client: Client,
  owner: StoryTeam,
  fqn: string,
  metadata: JsonObject = {},
): Promise<string> {
  return bodyOf(await client.createAsset({ body: { fqn, owner_team_id: owner.id, metadata } })).id;
}

export async function publish(
  client: Client,
  assetId: string,
  schema: JsonObject,
  more: { guarantees?: JsonObject; commit?: string },
): Promise<string> {
  const result = bodyOf(
    await client.publishContract({ params: { asset_id: assetId }, body: { schema, ...more } }),
  );
  if (result.action !== 'published' || result.contract.id === null) {
    throw new Error(`Expected a published contract, got "${result.action}".`);
  }
  return result.contract.id;
}

export async function propose(
  client: Client,
  assetId: string,
  schema: JsonObject,
): Promise<string> {
  const result = bodyOf(
    await client.publishContract({ params: { asset_id: assetId }, body: { schema } }),
  );
  if (result.action !== 'proposal_created' || result.proposal.id === null) {
    throw new Error(`Expected a proposal, got "${result.action}".`);
  }
  return result.proposal.id;
}

export async function register(
  client: Client,
  contractId: string,
  team: StoryTeam,
  notes: string,
): Promise<void> {
  bodyOf(
    await client.registerConsumer({
      body: { contract_id: contractId, consumer_team_id: team.id, notes },
    }),
  );
}

async function answer(
  client: Client,
  proposalId: string,
  team: StoryTeam,
  body: { response?: 'approved' | 'migrating' | 'blocked'; until?: string; notes?: string },
): Promise<void> {
  bodyOf(
    await client.acknowledgeProposal({
      params: { proposal_id: proposalId },
      body: { team_id: team.id, reason: 'The team agreed in a meeting.', ...body },
    }),
  );
}

function withProperties<P extends JsonObject>(more: P) {
  return { ...firstOrder, properties: { ...firstOrder.properties, ...more } };
}

type Result =
  | { readonly ok: true; readonly body: unknown }
  | { readonly ok: false; readonly refusal: { readonly code: string; readonly message: string } };

/** The body of a response; a refusal means that the story is broken. */
export function bodyOf<R extends Result>(result: R): Extract<R, { ok: true }>['body'] {
  if (!result.ok) throw new Error(`${result.refusal.code}: ${result.refusal.message}`);
  return result.body;
}
