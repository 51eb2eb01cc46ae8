import type { Asset } from '../../core/asset.ts';
import { termsOf } from '../../core/contract.ts';
import { decideAccess } from '../../core/decide/access.ts';
import type { RecordLineage } from '../../core/decide/commands.ts';
import { type StartOver, startOver } from '../../core/decide/decided.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { decideFoundNeeds } from '../../core/decide/registrations/find-needs.ts';
import { decideRegistration } from '../../core/decide/registrations/register.ts';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import type { AssetId, ContractId } from '../../core/id.ts';
import { relationFqn } from '../../core/import/import-fqn.ts';
import { objectAt, textAt } from '../../core/import/read-json.ts';
import type { FoundPlace } from '../../core/need.ts';
import { fitPlaces, gatherReads } from '../../core/needs/find/gather-reads.ts';
import { findOpenlineageReads } from '../../core/needs/find/openlineage/find-openlineage-reads.ts';
import { spellFields } from '../../core/needs/find/spell-fields.ts';
import type { Registration } from '../../core/registration.ts';
import type { Json } from '../../core/value/json.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';
import type { Context, Ports } from '../ports.ts';
import { reopenIfAwaited } from '../proposals/reopen-proposal.ts';
import { settleProposal } from '../proposals/settle-proposal.ts';
import type { Transaction } from '../transaction.ts';
import { tryAgain } from '../try-again.ts';
import type { RecordedLineage, RecordedRead } from './record-lineage.types.ts';

/**
 * Keeps what an event of OpenLineage says that a job reads, for the team that sends it. It only
 * adds: neither the order of events nor their times matter, and sending one twice changes nothing.
 */
export const recordLineage: Verb<RecordLineage, RecordedLineage> = async (
  ports,
  context,
  command,
) => {
  const { event, teamId, environment } = command;
  const access = decideAccess(context.actor, 'find_needs', teamId);
  if (!access.ok) return access;
  if ((await ports.reads.getTeam(teamId)) === null) return notFound('TEAM', teamId, 'team_id');
  const reads = readEvent(event);
  if (!reads.ok) return reads;
  const touched = new Set<AssetId>();
  const outcome = await tryAgain<RecordedLineage>(async () => {
    const known: KnownRead[] = [];
    for (const each of reads.value) known.push(...(await findAssets(ports, environment, each)));
    // In one order, so that two events never wait for each other.
    known.sort((one, other) => ((one.assetId ?? '') < (other.assetId ?? '') ? -1 : 1));
    return ports.attempt(context, async (transaction) => {
      const results: RecordedRead[] = [];
      for (const each of known) {
        const kept = await keepRead(transaction, context, command, each);
        if ('startOver' in kept || !kept.ok) return kept;
        if (kept.value.registrationId !== null) touched.add(each.assetId ?? '');
        results.push(kept.value);
      }
      return accept({ results });
    });
  });
  if (outcome.ok) for (const assetId of touched) await settleProposal(ports, context, assetId);
  return outcome;
};

interface JobRead {
  readonly fqn: string;
  readonly place: string;
  readonly fields: FoundPlace['fields'];
}

/**
 * The SQL of jobs is not parsed here, so a job reads everything where its events do not name all
 * columns. When it starts, they rarely do; the event of its end follows.
 */
function readEvent(event: Json): Outcome<readonly JobRead[]> {
  const read = findOpenlineageReads([event], () => null);
  if (!read.ok) {
    return refuse('VALIDATION_ERROR', `${read.message} Send events as OpenLineage's clients do.`);
  }
  const isStart = textAt(event, 'eventType')?.toUpperCase() === 'START';
  const assets = gatherReads(read.places, relationFqn);
  return accept(
    assets.flatMap(({ fqn, places }) =>
      fitPlaces(places)
        .filter(({ fields }) => !(isStart && fields === null))
        .map(({ place, fields }) => ({ fqn, place, fields })),
    ),
  );
}

interface KnownRead extends JobRead {
  /** Null if the registry does not have it. */
  readonly assetId: AssetId | null;
  /** Null if nothing was published, or all of it is archived. */
  readonly contractId: ContractId | null;
}

/**
 * Databases ignore case in names, and the registry does not: a name may be that of several assets, of
 * which the one that is written alike counts.
 */
async function findAssets(
  ports: Pick<Ports, 'reads' | 'engine'>,
  environment: string,
  read: JobRead,
): Promise<readonly KnownRead[]> {
  const assets = await ports.reads.listAssetsOfTable(read.fqn, environment);
  if (assets.length === 0) return [{ ...read, assetId: null, contractId: null }];
  const exact = assets.filter(({ fqn }) => fqn === read.fqn);
  return Promise.all((exact.length > 0 ? exact : assets).map((each) => readOf(ports, read, each)));
}

async function readOf(
  { reads, engine }: Pick<Ports, 'reads' | 'engine'>,
  named: JobRead,
  asset: Pick<Asset, 'id' | 'fqn'>,
): Promise<KnownRead> {
  const read = { ...named, fqn: asset.fqn };
  const base = await reads.getContractByVersion(asset.id, 'latest');
  if (base === null || base.status === 'archived') {
    return { ...read, assetId: asset.id, contractId: null };
  }
  const declared = await engine.listFields({ contract: termsOf(base), needs: [] });
  const fields = read.fields === null ? null : spellFields(declared)(read.fields);
  return { ...read, assetId: asset.id, contractId: base.id, fields };
}

async function keepRead(
  transaction: Transaction,
  context: Context<never>,
  { event, teamId }: RecordLineage,
  { fqn, place, fields, assetId, contractId }: KnownRead,
): Promise<Outcome<RecordedRead> | StartOver> {
  const skipped = (why: RecordedRead['outcome']) =>
    accept({ fqn, fields, outcome: why, registrationId: null });
  if (assetId === null) return skipped('unknown_asset');
  if (contractId === null) return skipped('no_contract');
  const facts = await transaction.lockContract(contractId);
  if (facts === null || facts.asset.deletedAt !== null || facts.contract.status === 'archived') {
    return startOver;
  }
  const before = await transaction.findRegistration(facts.asset.id, teamId);
  if (before === null && facts.asset.ownerTeamId === teamId) return skipped('own_asset');
  const by = byOf(context, transaction);
  let registration: Registration | null = before;
  if (registration === null) {
    const team = await transaction.holdTeam(teamId);
    const decided = decideRegistration(
      { ...facts, team, existing: null, prepared: null },
      { contractId, consumerTeamId: teamId },
      by,
    );
    const made = await applyDecided(transaction, decided);
    if ('startOver' in made || !made.ok) return made;
    registration = made.value;
  }
  const source = textAt(objectAt(event, 'job'), 'namespace') ?? '';
  const decided = decideFoundNeeds(
    { ...facts, registration },
    {
      ...{ registrationId: registration.id, origin: 'openlineage', source, onlyAdds: true },
      places: [{ place, fields }],
    },
    by,
  );
  const updated = await applyDecided(transaction, decided);
  if (!updated.ok) return updated;
  const isNew = before?.status !== 'active' && updated.value.status === 'active';
  const isOther = isNew || before?.found?.digest !== updated.value.found?.digest;
  if (isOther) await reopenIfAwaited(transaction, facts);
  const outcome = isNew ? 'registered' : 'kept';
  return accept({ fqn, fields, outcome, registrationId: registration.id });
}
