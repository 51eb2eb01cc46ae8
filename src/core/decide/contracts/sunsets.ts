// Fields that end on a day, by `x-sunset` in the contract: which of their readers to tell, and when.

import type { Asset } from '../../asset.ts';
import { type SunsetStage, type SunsetsTold, sunsetStages } from '../../contract.ts';
import type { EventDraft } from '../../event.ts';
import {
  type ContractId,
  dayOf,
  type RegistrationId,
  type TeamId,
  type Timestamp,
} from '../../id.ts';
import type { Consumer } from '../../registration.ts';
import type { AssetFacts, BaseContract } from '../facts.ts';
import type { WriteOf } from '../write.ts';

interface FieldSunset {
  readonly path: string;
  readonly day: string;
  readonly readers: readonly Consumer[];
}

interface SunsetsSeen {
  readonly contractId: ContractId;
  /** The state of the contract before its readers were read. */
  readonly state: string;
  readonly fields: readonly FieldSunset[];
  readonly told: SunsetsTold;
}

const warningDays = 30;
const listedFields = 50;
const listedTeams = 100;
/** With more fields times teams than this, it is not stored who was told, and a new reader waits for the next stage. One takes 40 bytes. */
const keptTeams = 10_000;
/** No day is left on which somebody has to be told. Only a team that begins to read a field is told. */
const onceRead = 'infinity';

/**
 * The day in an `x-sunset`. Null if it is none: nobody can be told in time then.
 *
 * @example sunsetDay('2031-01-31') // '2031-01-31'
 */
export function sunsetDay(written: string): string | null {
  if (!/^\d{4}-\d{2}-\d{2}(?:T|$)/.test(written)) return null;
  const day = dayOf(written);
  return Number.isNaN(Date.parse(day)) || daysAfter(day, 0) !== day ? null : day;
}

type NamedAsset = Pick<Asset, 'id' | 'fqn' | 'environment' | 'ownerTeamId'>;
type NamedContract = Pick<BaseContract, 'id' | 'version'>;

interface SunsetFacts extends Pick<AssetFacts, 'consumers'> {
  readonly asset: NamedAsset & Pick<Asset, 'deletedAt'>;
  readonly base: (NamedContract & Pick<BaseContract, 'status'>) | null;
}

interface SunsetsDecided {
  /** The next day on which a stage begins, or `infinity`; null if no field has a date. */
  readonly due: string | null;
  /** Null if nobody has to be told. */
  readonly write: WriteOf<'note_sunsets'> | null;
}

/**
 * Tells each reader of a field once at each stage, also one that begins to read it in the middle of a stage.
 * Null if another version is in force.
 */
export function decideSunsets(
  { asset, base, consumers }: SunsetFacts,
  { contractId, state, fields, told }: SunsetsSeen,
  at: Timestamp,
): SunsetsDecided | null {
  const isInForce = base?.status === 'active' && base.id === contractId;
  if (!isInForce || asset.deletedAt !== null) return null;
  const today = dayOf(at);
  const days = fields.flatMap(({ day }) => [daysAfter(day, -warningDays), daysAfter(day, 1)]);
  const due = days.filter((day) => day > today).sort()[0] ?? (days.length > 0 ? onceRead : null);
  const active = new Set(consumers.map(({ registrationId }) => registrationId));
  const ending = fields.flatMap(({ path, day, readers }) => {
    const { stage, teams } = toldBefore(told[path], day, stageOn(today, day));
    const left = readers.filter(
      ({ registrationId, teamId }) => active.has(registrationId) && teams?.has(teamId) === false,
    );
    const after = [...(teams ?? []), ...left.map(({ teamId }) => teamId)];
    return left.length === 0 ? [] : [{ path, day, stage, readers: left, teams: after }];
  });
  const [first, ...rest] = sunsetStages.flatMap((stage) => {
    const those = ending.filter((each) => each.stage === stage);
    return those.length === 0 ? [] : [fieldsEnding(asset, base, stage, those)];
  });
  if (first === undefined) return { due, write: null };
  const isField = new Set(fields.map(({ path }) => path));
  const kept = Object.entries(told).filter(([path]) => isField.has(path));
  const added = ending.map(({ path, day, stage, teams }) => [path, { day, stage, teams }] as const);
  const write = { kind: 'note_sunsets', id: contractId, state, due } as const;
  return {
    due,
    write: {
      ...write,
      told: withinLimit(Object.fromEntries([...kept, ...added])),
      events: [first, ...rest],
    },
  };
}

/** Those that were told of the stage, which never goes back; null for all. */
function toldBefore(
  before: SunsetsTold[string] | undefined,
  day: string,
  stage: SunsetStage,
): { readonly stage: SunsetStage; readonly teams: ReadonlySet<TeamId> | null } {
  const isOfStage =
    before?.day === day && sunsetStages.indexOf(before.stage) >= sunsetStages.indexOf(stage);
  if (!isOfStage) return { stage, teams: new Set() };
  return { stage: before.stage, teams: before.teams === undefined ? null : new Set(before.teams) };
}

function withinLimit(told: SunsetsTold): SunsetsTold {
  const count = Object.values(told).reduce((sum, { teams = [] }) => sum + teams.length, 0);
  if (count <= keptTeams) return told;
  const withoutTeams = Object.entries(told).map(([path, { day, stage }]) => [path, { day, stage }]);
  return Object.fromEntries(withoutTeams);
}

function stageOn(today: string, day: string): SunsetStage {
  if (today > day) return 'over';
  return today >= daysAfter(day, -warningDays) ? 'near' : 'announced';
}

function daysAfter(day: string, count: number): string {
  const date = new Date(day);
  date.setUTCDate(date.getUTCDate() + count);
  return date.toISOString().slice(0, -'T00:00:00.000Z'.length);
}

function fieldsEnding(
  asset: NamedAsset,
  contract: NamedContract,
  stage: SunsetStage,
  ending: readonly FieldSunset[],
): EventDraft {
  const readers = new Map<RegistrationId, { consumer: Consumer; fields: string[] }>();
  for (const { path, readers: those } of ending) {
    for (const consumer of those) {
      const known = readers.get(consumer.registrationId) ?? { consumer, fields: [] };
      known.fields.push(path);
      readers.set(consumer.registrationId, known);
    }
  }
  const told = [...readers.values()];
  const teamIds = told.map(({ consumer }) => consumer.teamId);
  return {
    type: 'contract.fields_ending',
    entityType: 'contract',
    entityId: contract.id,
    metadata: {
      asset_id: asset.id,
      asset_fqn: asset.fqn,
      environment: asset.environment,
      team_id: asset.ownerTeamId,
      version: contract.version,
      stage,
      sunset: ending.map(({ day }) => day).sort()[0] ?? null,
      fields: ending.slice(0, listedFields).map(({ path, day }) => ({ path, sunset: day })),
      field_count: ending.length,
      affected: told.slice(0, listedTeams).map(({ consumer, fields }) => ({
        team_id: consumer.teamId,
        team_name: consumer.teamName,
        fields: fields.slice(0, listedFields),
      })),
    },
    assetId: asset.id,
    teamIds: [asset.ownerTeamId, ...teamIds],
    notifiedTeamIds: teamIds,
  };
}
