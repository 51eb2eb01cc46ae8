// Plans the consumers that an import declares, and those that its references imply.

import type { TeamId } from '../../id.ts';
import { assetKey } from './assess.ts';
import type {
  AssetKey,
  ImportError,
  ImportOptions,
  PlanDraft,
  PlannedChange,
  PlannedItem,
} from './plan.types.ts';

interface PlannedConsumers {
  readonly changes: readonly PlannedChange[];
  readonly errors: readonly ImportError[];
}

/** Declaring a consumer only adds registrations: existing ones stay, and are not repeated. */
export function planConsumers(
  items: readonly PlannedItem[],
  draft: Pick<PlanDraft, 'changes' | 'owners'>,
  teams: ReadonlyMap<string, TeamId>,
  options: ImportOptions,
): PlannedConsumers {
  const errors: ImportError[] = [];
  const wishes: Wish[] = [];
  if (options.autoRegisterConsumers) wishes.push(...declaredConsumers(items, teams, errors));
  if (options.inferConsumersFromRefs) wishes.push(...inferredConsumers(items, draft.owners));
  const byKey = new Map(items.map((item) => [item.assessment.key, item] as const));
  const published = new Set(
    draft.changes.filter(({ kind }) => kind === 'publish_contract').map(({ key }) => key),
  );
  const changes: PlannedChange[] = [];
  const seen = new Set<string>();
  const told = new Set<AssetKey>();
  for (const wish of wishes) {
    const item = byKey.get(wish.key);
    const pair = `${wish.consumerTeamId} ${wish.key}`;
    if (item === undefined || seen.has(pair)) continue;
    seen.add(pair);
    const { existing, line, candidate } = item.assessment;
    if (draft.owners.get(wish.key) === wish.consumerTeamId) {
      // A reference to a model of the same team is normal. Only a declared consumer is an error.
      if (wish.origin === 'declared') errors.push(ownConsumer(candidate));
      continue;
    }
    if (line?.registeredTeamIds.includes(wish.consumerTeamId) === true) continue;
    const base = line?.base ?? null;
    if (!published.has(wish.key) && (base === null || base.status === 'archived')) {
      const isOurs = candidate.isReference !== true;
      if (isOurs && !told.has(wish.key)) errors.push(noContract(candidate));
      told.add(wish.key);
      continue;
    }
    changes.push({ kind: 'register_consumer', assetId: existing?.id ?? null, ...wish });
  }
  return { changes, errors };
}

interface Wish {
  readonly key: AssetKey;
  readonly consumerTeamId: TeamId;
  readonly notes: string | null;
  readonly origin: 'declared' | 'inferred';
}

function declaredConsumers(
  items: readonly PlannedItem[],
  teams: ReadonlyMap<string, TeamId>,
  errors: ImportError[],
): readonly Wish[] {
  return items.flatMap(({ assessment: { key, candidate } }) =>
    candidate.consumers.flatMap(({ team, purpose }): readonly Wish[] => {
      const consumerTeamId = teams.get(team);
      if (consumerTeamId !== undefined) {
        return [{ key, consumerTeamId, notes: purpose ?? null, origin: 'declared' }];
      }
      const message = `Consumer team ${JSON.stringify(team)} was not found, so it was not registered. Create the team, or correct the name.`;
      errors.push({
        code: 'CONSUMER_TEAM_NOT_FOUND',
        message,
        fqn: candidate.fqn,
        place: candidate.place,
      });
      return [];
    }),
  );
}

/**
 * If a model references another one, the team that owns the referencing model consumes the other.
 */
function inferredConsumers(
  items: readonly PlannedItem[],
  owners: ReadonlyMap<AssetKey, TeamId>,
): readonly Wish[] {
  const models = new Set(
    items
      .filter(({ assessment }) => assessment.candidate.resourceType === 'model')
      .map(({ assessment }) => assessment.key),
  );
  return items.flatMap(({ assessment: { key, candidate, environment } }): readonly Wish[] => {
    const consumerTeamId = owners.get(key);
    if (consumerTeamId === undefined || !models.has(key)) return [];
    return candidate.refs
      .map((fqn) => assetKey(fqn, environment))
      .filter((upstream) => models.has(upstream))
      .map((upstream) => ({
        key: upstream,
        consumerTeamId,
        notes: `Inferred: ${candidate.fqn} references it.`,
        origin: 'inferred',
      }));
  });
}

function ownConsumer({
  fqn,
  place,
}: {
  readonly fqn: string;
  readonly place: string;
}): ImportError {
  const message = `${fqn} lists its own owner as a consumer, so it was not registered. Remove it from the consumers.`;
  return { code: 'CONSUMER_IS_OWNER', message, fqn, place };
}

function noContract(candidate: { readonly fqn: string; readonly place: string }): ImportError {
  const message = `${candidate.fqn} has no contract, so consumers cannot be registered. Use auto_publish_contracts.`;
  return { code: 'NO_CONTRACT', message, fqn: candidate.fqn, place: candidate.place };
}
