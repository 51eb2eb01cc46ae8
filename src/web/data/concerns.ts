// Which questions an event concerns: those are asked again when it is told.

import type { EntityType } from '../../core/event.ts';
import type { BodyOf, RouteName } from './shapes.ts';

/** An event of the stream: an audit event with the asset it is about. */
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
];

const administration = {
  getTeam: ['team'],
  listTeams: ['team'],
  listUsers: ['user', 'team'],
  getUser: ['user', 'team'],
  listApiKeys: ['api_key', 'team'],
  listWebhooks: ['webhook'],
  getWebhook: ['webhook'],
} as const;

/** By the name of the route. One that is not here is concerned by whatever happens to data. */
const concerns: Readonly<Partial<Record<RouteName, readonly EntityType[] | 'all'>>> = {
  ...administration,
  listEvents: 'all',
  listEntityHistory: 'all',
  // An event never changes, and a published schema does not either.
  getEvent: [],
  compareContracts: [],
  listAssets: ['asset', 'contract', 'team', 'import', 'audit_run'],
  getAsset: ['asset', 'contract', 'team', 'import'],
  getContract: ['contract'],
  getAssetContract: ['contract', 'asset'],
  listAssetContracts: ['contract', 'asset'],
  listProposals: ['proposal', 'registration', 'asset'],
  getProposal: ['proposal', 'registration', 'team', 'asset'],
  listRegistrations: ['registration', 'contract', 'asset', 'team'],
  getTeamGraph: ['asset', 'team', 'contract', 'registration', 'proposal', 'dependency', 'import'],
  listQualityRuns: ['audit_run'],
  getQualityTrends: ['audit_run'],
  // No event reports the state of a delivery.
  listDeliveries: ['webhook'],
  getDelivery: ['webhook'],
};

/**
 * What the registry counts anew each time, and does not look up: asked again no sooner than this
 * after it was asked, however much happens.
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

/** Null on either side says nothing. */
function differs(asked: string | null, told: string | null): boolean {
  return asked !== null && told !== null && asked !== told;
}

/** The id that the question names, in its path or its filters. */
function namedIn(call: object, id: string): string | null {
  const { params, query } = call as { params?: object; query?: object };
  const value = Object.entries({ ...params, ...query }).find(([name]) => name === id)?.[1];
  return typeof value === 'string' ? value : null;
}
