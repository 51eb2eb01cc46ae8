// Assets, registrations and proposals, put together by team.

import { describe, expect, test } from 'vitest';
import { makeTeamGraph } from '../../../src/web/graph/team-graph.ts';

type Given = Parameters<typeof makeTeamGraph>;

const asset = (id: string, owner: string): Given[0][number] => ({
  id,
  fqn: `shop.${id}`,
  owner_team_id: owner,
  owner_team_name: owner.toUpperCase(),
  environment: 'production',
  metadata: {},
  created_at: '2026-01-01T00:00:00.000Z',
  active_contract_id: null,
  active_contract_version: null,
  current_contract_id: null,
});

const registration = (assetId: string, team: string): Given[1][number] => ({
  id: `${assetId} ${team}`,
  asset_id: assetId,
  asset_fqn: `shop.${assetId}`,
  contract_id: 'c',
  contract_version: '1.0.0',
  consumer_team_id: team,
  consumer_team_name: team.toUpperCase(),
  notes: null,
  status: 'active',
  created_at: '2026-01-01T00:00:00.000Z',
});

const proposal = (assetId: string): Given[2][number] => ({
  id: `p ${assetId}`,
  asset_id: assetId,
  asset_fqn: `shop.${assetId}`,
  kind: 'schema',
  status: 'pending',
  change_type: 'major',
  breaking_changes_count: 1,
  total_consumers: 1,
  acknowledgment_count: 0,
  can_publish: false,
  proposed_at: '2026-01-01T00:00:00.000Z',
  proposed_by: 'a',
});

describe('The graph of the whole', () => {
  test('has a line from an owner to each team that consumes of it, with what it is about', () => {
    const open = proposal('orders');
    const graph = makeTeamGraph(
      [asset('orders', 'a'), asset('carts', 'a'), asset('bills', 'b')],
      [
        registration('orders', 'b'),
        registration('carts', 'b'),
        registration('orders', 'c'),
        // On two versions of one asset: one asset all the same.
        { ...registration('orders', 'c'), id: 'again' },
        registration('bills', 'a'),
      ],
      [open],
    );
    expect(graph.teams).toEqual([
      { id: 'a', name: 'A', owned: 2, consumed: 1, pending: [open] },
      { id: 'b', name: 'B', owned: 1, consumed: 2, pending: [] },
      { id: 'c', name: 'C', owned: 0, consumed: 1, pending: [] },
    ]);
    expect(graph.edges).toEqual([
      {
        from: 'a',
        to: 'b',
        assets: [
          { id: 'orders', fqn: 'shop.orders' },
          { id: 'carts', fqn: 'shop.carts' },
        ],
        pending: [open],
      },
      { from: 'a', to: 'c', assets: [{ id: 'orders', fqn: 'shop.orders' }], pending: [open] },
      { from: 'b', to: 'a', assets: [{ id: 'bills', fqn: 'shop.bills' }], pending: [] },
    ]);
  });

  test('has no line of a team to itself, and counts what is elsewhere', () => {
    const graph = makeTeamGraph(
      [asset('orders', 'a')],
      [registration('orders', 'a'), registration('unknown', 'b')],
      [proposal('unknown')],
    );
    expect(graph).toEqual({
      teams: [{ id: 'a', name: 'A', owned: 1, consumed: 1, pending: [] }],
      edges: [],
      elsewhere: 1,
    });
  });
});
