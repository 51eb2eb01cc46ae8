// The lineage and the quality runs of the story, created through the public API.

import { createClient } from '../../../src/wire/client.ts';
import { bodyOf, type Story } from './story.ts';

/** Each depends on the one behind it. */
const dependencies = [
  ['warehouse.sales.orders', 'api.shop.post_orders'],
  ['warehouse.sales.orders', 'warehouse.sales.customers'],
  ['warehouse.sales.orders', 'warehouse.sales.carts'],
  ['warehouse.sales.carts', 'graphql.Customer'],
  ['warehouse.sales.customers', 'graphql.Customer'],
  ['warehouse.sales.returns', 'warehouse.sales.orders'],
  ['warehouse.finance.payments', 'warehouse.sales.orders'],
  ['warehouse.finance.ledger', 'warehouse.finance.payments'],
  ['warehouse.logistics.shipments', 'warehouse.sales.orders'],
  ['warehouse.logistics.stock_levels', 'warehouse.logistics.shipments'],
  ['api.shop.get_orders', 'warehouse.sales.orders'],
] as const;

const runCount = 24;

export async function tellData(url: string, bootstrapKey: string, story: Story): Promise<void> {
  const admin = createClient({ baseUrl: url, key: bootstrapKey });
  const { results } = bodyOf(await admin.listAssets({ query: { page_size: 100 } }));
  const ids = new Map(results.map(({ fqn, id }) => [fqn, id]));
  for (const [fqn, from] of dependencies) {
    bodyOf(
      await admin.addDependency({
        params: { asset_id: ids.get(fqn) ?? '' },
        body: { depends_on_asset_id: ids.get(from) ?? '', type: 'transforms' },
      }),
    );
  }
  for (let index = 0; index < runCount; index++) {
    const isFailed = index % 7 === 2;
    bodyOf(
      await admin.recordQualityRun({
        params: { asset_id: story.ordersId },
        body: {
          status: isFailed ? 'failed' : 'passed',
          triggered_by: 'dbt',
          run_id: `nightly-${runCount - index}`,
          guarantees: [
            { name: 'not_null_orders_order_id', status: 'passed' },
            { name: 'accepted_values_orders_currency', status: 'passed' },
            { name: 'freshness', status: index % 5 === 4 ? 'warned' : 'passed' },
            isFailed
              ? {
                  name: 'row_count_delta',
                  status: 'failed',
                  rows: 4120,
                  message: '38 % fewer rows than in the run before.',
                }
              : { name: 'row_count_delta', status: index === 0 ? 'skipped' : 'passed' },
          ],
          finished_at: new Date(Date.now() - (index * 20 + 1) * 3_600_000).toISOString(),
        },
      }),
    );
  }
}
