// The questions that each event concerns: they are requested again when it arrives.

import type { EntityType } from '../../core/event.ts';
import type { BodyOf, RouteName } from './shapes.ts';

/** An event of the stream: an audit event with its asset. */
export type LiveEvent = BodyOf<'listEvents'>['results'][number] & {
  readonly asset_id: string | null;
};

interface Asked {
  readonly name: RouteName;
  readonly call: object;
}

/** The entities that concern every route that is not in the table below. */
const data: readonly EntityType[] = [
  'asset',
  'contract',
  'proposal',
  'registration',
  'dependency',
  'audit_run',
  'import',
  'source',
  'team',
  'service',
];

const administration = {
  getTeam: ['team'],
  listTeams: ['team'],
  getService: ['service', 'team'],
  listServices: ['service', 'asset', 'import', 'team'],
  listUsers: ['user', 'team'],
  getUser: ['user', 'team'],
  listApiKeys: ['api_key', 'team'],
  listTrusts: ['trust', 'team'],
  listWebhooks: ['webhook'],
  getWebhook: ['webhook'],
} as const;

/** By the name of the route. A route that is not listed is concerned by every event about data. */
const concerns: Readonly<Partial<Record<RouteName, readonly EntityType[] | 'all'>>> = {
  ...administration,
  listEvents: 'all',
  listEntityHistory: 'all',
  // Events and published schemas never change.
  getEvent: [],
  compareContracts: [],
  // Asked again with each letter; nobody keeps it open.
  search: [],
  listAssets: ['asset', 'contract', 'registration', 'team', 'service', 'import', 'audit_run'],
  getAsset: ['asset', 'contract', 'team', 'service', 'import'],
  getContract: ['contract'],
  getAssetContract: ['contract', 'asset'],
  listAssetContracts: ['contract', 'asset'],
  listProposals: ['proposal', 'registration', 'asset'],
  getProposal: ['proposal', 'registration', 'team', 'asset'],
  listComments: ['proposal', 'team'],
  listRevisions: ['proposal', 'team'],
  listRegistrations: ['registration', 'contract', 'asset', 'team'],
  getTeamGraph: [
    ...(['asset', 'team', 'service', 'contract', 'registration', 'proposal'] as const),
    ...(['dependency', 'import'] as const),
  ],
  listQualityRuns: ['audit_run'],
  getQualityTrends: ['audit_run'],
  getReadiness: [],
  getHealth: [],
  // Theirs alone, and no event reports it.
  listSavedViews: [],
  getOwnNotifications: ['webhook', 'user', 'team'],
  listSources: ['source'],
  // No event reports the state of a delivery.
  listDeliveries: ['webhook'],
  getDelivery: ['webhook'],
};

/**
 * Questions that the registry computes each time: repeated no sooner than after this time, however
 * many events arrive.
 */
export const restsMs: Readonly<Partial<Record<RouteName, number>>> = { getTeamGraph: 5_000 };

/**
 * @example
 * isConcerned({ name: 'getAsset', call: { params: { asset_id: 'a' } } }, contractOfAssetA) // true
 */
export function isConcerned({ name, call }: Asked, event: LiveEvent): boolean {
  const types = concerns[name] ?? data;
  if (types !== 'all' && !types.includes(event.entity_type)) return false;
  const named = (id: string) => namedIn(call, id);
  if (differs(named('asset_id'), event.asset_id)) return false;
  return !differs(named(`${event.entity_type}_id`), event.entity_id);
}

/** Null on either side matches everything. */
function differs(asked: string | null, told: string | null): boolean {
  return asked !== null && told !== null && asked !== told;
}

/** The id in the question's path or filters. */
function namedIn(call: object, id: string): string | null {
  const { params, query } = call as { params?: object; query?: object };
  const value = Object.entries({ ...params, ...query }).find(([name]) => name === id)?.[1];
  return typeof value === 'string' ? value : null;
}
