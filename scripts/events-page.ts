// docs/events.md: whom webhooks tell of each event. The teams are those that the events name, made
// here as a publish, an answer or a retirement makes them.

import { decideSunsets } from '../src/core/decide/contracts/sunsets.ts';
import {
  assetDeleted,
  contractPublished,
  contractRetired,
  proposalEvent,
} from '../src/core/decide/events.ts';
import { qualityRunRecorded } from '../src/core/decide/lineage/events.ts';
import { incidentOf } from '../src/core/decide/lineage/incident.ts';
import type { EventDraft, EventType } from '../src/core/event.ts';
import { emptyRequest, type Proposal } from '../src/core/proposal.ts';
import type { QualityRun } from '../src/core/quality-run.ts';
import { notifiedEventTypes } from '../src/core/webhook.ts';

type ProposalKind = Proposal['kind'];

const owner = 'the owner team';
const reader = 'consumers of this version';
const other = 'consumers of other versions';
const asset = {
  id: 'asset',
  fqn: 'warehouse.orders',
  environment: 'production',
  ownerTeamId: owner,
};
const consumerOf = (team: string) => ({
  teamId: team,
  teamName: team,
  registrationId: team,
  contractId: team === reader ? 'this' : 'another',
  contractVersion: '1.0.0',
  needDigest: null,
  foundDigest: null,
  isLeaving: false,
});
const consumers = [reader, other].map(consumerOf);

const proposal = (
  type: Extract<EventType, `proposal.${string}`>,
  {
    kind = 'schema',
    teamIds = [reader, other],
  }: Partial<{ kind: ProposalKind; teamIds: string[] }> = {},
) =>
  proposalEvent(
    type,
    asset,
    {
      id: 'proposal',
      kind,
      proposedBy: owner,
      breakingChanges: [],
      changes: [],
      consumers: [],
      request: emptyRequest,
    },
    { from: null, to: 'pending' },
    { teamIds },
  );

const published = (
  isUnasked: boolean,
  breaksBackward: boolean,
  more: Partial<Parameters<typeof contractPublished>[2]> = {},
) =>
  contractPublished(
    asset,
    {
      ...{ id: 'this', assetId: 'asset', assetFqn: asset.fqn, version: '2.0.0', status: 'active' },
      ...{ compatibilityMode: 'none', format: 'jsonschema', direction: 'data', dialect: null },
      ...{ schemaDigest: '', changeType: 'major', previousContractId: null, publishedAt: '' },
      ...{ publishedBy: owner, publishedByActor: { type: 'user', id: '', name: '' } },
      ...{ source: 'api', sourceReference: null, commit: null, guarantees: null },
    },
    {
      ...{ changes: [], previousVersion: '1.0.0', breaksBackward, consumers, moved: [] },
      ...{ proposalId: null, isUnasked, ...more },
    },
  );

/** Nobody was asked, by what the consumers read. */
const publishedByNeeds = (breaking: boolean) =>
  published(false, breaking, {
    changes: [{ type: 'property_removed', path: '$', description: '', breaking }],
    asking: {
      ...{ asks: 'affected', verdicts: {}, isProposed: false, excused: breaking ? consumers : [] },
      asked: breaking ? [] : [consumerOf('consumers whose need may be affected')],
    },
  });

const deleted = (force: boolean) =>
  assetDeleted({ ...asset, activeContractVersion: '1.0.0' }, force ? consumers : [], {
    force,
    reason: null,
  });

const retired = (type: 'contract.deprecated' | 'contract.archived', status: string) =>
  contractRetired(type, asset, { id: 'this', version: '1.0.0', status }, consumers);

const incident = (hasFailed: boolean): EventDraft => {
  const run: QualityRun = {
    ...{ id: 'run', assetId: 'asset', contractId: 'this', contractVersion: '1.0.0' },
    ...{ status: hasFailed ? 'passed' : 'failed', triggeredBy: 'concordat check', runId: null },
    ...{ guarantees: [], startedAt: null, finishedAt: null, occurredAt: '2', recordedAt: '2' },
    metadata: {},
  };
  const before = { occurredAt: '1', failingSince: hasFailed ? '1' : null };
  const teamIds = consumers.map(({ teamId }) => teamId);
  return qualityRunRecorded(
    run,
    asset,
    teamIds,
    incidentOf(run, { before, contract: null, answers: [] }),
  );
};

const fieldEnding = (day: string): EventDraft => {
  const readers = [consumerOf('consumers that read the fields')];
  const decided = decideSunsets(
    {
      asset: { ...asset, deletedAt: null },
      base: { id: 'this', version: '1.0.0', status: 'active' },
      consumers: readers,
    },
    { contractId: 'this', state: '', fields: [{ path: '$.old', day, readers }], told: {} },
    '2031-01-01T00:00:00.000Z',
  );
  const [event] = decided?.write?.events ?? [];
  if (event === undefined) throw new Error('The readers of a field are told that it ends.');
  return event;
};

/** What happens, and the event that it makes. */
const cases: readonly (readonly [when: string, draft: EventDraft])[] = [
  ['A breaking change is proposed.', proposal('proposal.created')],
  [
    'The producer changes what a proposal says: why, whom to ask, until when, how to migrate.',
    proposal('proposal.updated'),
  ],
  [
    'The producer reminds, or the last day for answers is over, with `on_deadline: remind`.',
    proposal('proposal.reminded', { teamIds: ['consumers that have not answered'] }),
  ],
  [
    'The last day for answers is over, with `on_deadline: escalate`.',
    proposal('proposal.deadline_passed', { teamIds: ['consumers that have not answered'] }),
  ],
  [
    'Somebody comments on a proposal.',
    proposal('proposal.commented', {
      teamIds: ['the owner team', 'all consumers', 'except the team that wrote it'],
    }),
  ],
  [
    'A team that is not asked objects, changes its objection or takes it back.',
    proposal('proposal.objected'),
  ],
  [
    'A team registers after the others agreed, and is asked too.',
    proposal('proposal.reopened', { teamIds: ['consumers that have not agreed'] }),
  ],
  [
    'Other consumers are asked than before: one has said what it reads, or `needs_mode` became `ignore`.',
    proposal('proposal.reassessed', { teamIds: ['consumers that were not asked before'] }),
  ],
  [
    'A proposal is compared again, and a new round of answers starts.',
    proposal('proposal.rebased'),
  ],
  ['A consumer answers `approved` or `migrating`.', proposal('proposal.acknowledged')],
  ['A consumer answers `blocked`.', proposal('proposal.rejected')],
  ['All consumers agreed, and the owner decides to publish later.', proposal('proposal.approved')],
  ['A proposal is withdrawn, or ended as expired.', proposal('proposal.withdrawn')],
  ['The first of two administrators forces a proposal.', proposal('proposal.force_requested')],
  ['A new version or a deprecation is published by force.', proposal('proposal.force_published')],
  [
    'A move to another owner or environment is published by force.',
    proposal('proposal.force_published', { kind: 'move' }),
  ],
  [
    'Another handling of guarantees is published by force.',
    proposal('proposal.force_published', { kind: 'guarantee_mode' }),
  ],
  ['A proposal is published, as all consumers agreed.', proposal('proposal.published')],
  ['A compatible version is published.', published(false, false)],
  ['A breaking version is published, as all consumers agreed.', published(false, true)],
  [
    'A breaking version is published unasked, as it is proven not to affect what the consumers read.',
    publishedByNeeds(true),
  ],
  [
    'A compatible version is published that may affect what a consumer reads.',
    publishedByNeeds(false),
  ],
  [
    'A version that breaks readers is published unasked: mode `none` or `forward`, or by force.',
    published(true, true),
  ],
  [
    'A newer version replaces this one, or this one is deprecated by hand.',
    retired('contract.deprecated', 'active'),
  ],
  ['The active version is archived.', retired('contract.archived', 'active')],
  ['An older version is archived.', retired('contract.archived', 'deprecated')],
  [
    'A field gets a date in `x-sunset`, a team begins to read such a field, the date is a month away, or it is over.',
    fieldEnding('2031-01-31'),
  ],
  ['An asset without consumers is deleted.', deleted(false)],
  ['An asset is deleted by force.', deleted(true)],
  [
    'The data of an asset stops to match its contract, by the first run that fails.',
    incident(false),
  ],
  ['The data matches again, by the first run that passes.', incident(true)],
];

export function eventRows(): readonly string[] {
  const told = new Set(
    cases.filter(([, { notifiedTeamIds }]) => notifiedTeamIds).map(([, { type }]) => type),
  );
  const missing = notifiedEventTypes.filter((type) => !told.has(type));
  if (missing.length > 0)
    throw new Error(`docs/events.md says of no case of ${missing.join(', ')}.`);
  return cases.map(
    ([when, { type, notifiedTeamIds = [] }]) =>
      `| ${when} | \`${type}\` | ${namesOf(notifiedTeamIds)} |`,
  );
}

function namesOf(teams: readonly string[]): string {
  if (teams.length === 0) return 'nobody';
  const isAll = teams.includes(reader) && teams.includes(other);
  const rest = teams.filter((team) => team !== reader && team !== other);
  return (isAll ? [...rest, 'all consumers'] : teams).join(', ');
}
