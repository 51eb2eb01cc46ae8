// `--agreements`: asks a registry whether the consumers agree to the breaks that a comparison of files
// found. They agree to one proposal; any other change must be proposed and agreed to again.

import type { Change, ContractTerms, Guarantees } from '../../core/comparison.ts';
import { termsOf } from '../../core/contract.ts';
import { hasSameBreaks } from '../../core/decide/publishing/publish.ts';
import { isSameTerms } from '../../core/diff/canonical.ts';
import { type CandidateTerms, toContractTerms } from '../../core/import/candidate.ts';
import type { Client } from '../../wire/client.ts';
import type { Accepted, DiffReport, ReportItem } from '../diff/report.ts';
import { CommandFailure } from '../exit-code.ts';
import { listedFirst } from '../output.ts';
import { askImpact, type ImpactAnswer, toDownstream } from './assess.ts';
import { mustAnswer, type Registry } from './connection/connect.ts';
import { findAsset, inTurns } from './find-things.ts';

/**
 * Adds the consumers of each break to the report, and accepts the breaks that they have agreed to.
 * If the registry does not answer, the report stays as it is.
 */
export async function withAgreements(
  report: DiffReport,
  connect: () => Registry,
  environment: string | undefined,
  warn: (sentence: string) => void,
): Promise<DiffReport> {
  if (!report.items.some(({ isBreaking }) => isBreaking)) return report;
  try {
    const { client } = connect();
    const items = await inTurns(report.items, async (item) => {
      const { isBreaking, heldBy, terms } = item;
      if (!isBreaking || heldBy == null || terms === undefined) return item;
      const where = heldBy.environment ?? environment ?? 'production';
      return withAgreement(client, { ...item, terms }, { ...heldBy, environment: where });
    });
    return { ...report, items };
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    warn(`The registry was not asked who has agreed. ${error.message}`);
    return report;
  }
}

type Proposed = ReportItem & { readonly terms: CandidateTerms };

async function withAgreement(
  client: Client,
  item: Proposed,
  { fqn, environment }: { readonly fqn: string; readonly environment: string },
): Promise<ReportItem> {
  const asset = await findAsset(client, fqn, environment);
  if (asset === null) return { ...item, agreement: `The registry has no asset ${fqn}.` };
  const active = await getActive(client, asset.active_contract_id);
  const stated = completed(item.terms, active?.terms ?? null);
  if (active !== null && isSameTerms(active.terms, stated)) {
    return accepted(item, `It is version ${active.version} of the registry.`);
  }
  const impact = await askImpact(client, asset.id, item);
  const hit: Proposed = {
    ...item,
    consumers: {
      names: impact.affected_consumers.map(({ team_name: name }) => name),
      from: 'registry',
    },
    downstream: toDownstream(impact.downstream.results),
  };
  const proposal = await findOpenProposal(client, asset.id);
  if (proposal === null) return { ...hit, agreement: 'Nobody has been asked for it yet.' };
  const { id, can_publish: isAgreed, consumers } = proposal;
  if (!isOfProposal(stated, impact, proposal, asset.active_contract_id)) {
    return { ...hit, agreement: `The open proposal ${id} is about another change.` };
  }
  const agreed = consumers.filter(({ acknowledged }) => acknowledged);
  const awaited = consumers.filter(({ acknowledged }) => !acknowledged);
  if (isAgreed) return accepted(hit, `${agreedText(agreed)} Proposal ${id}.`);
  const text = agreed.length === 0 ? '' : `${agreedText(agreed)} `;
  const missing = awaited.length === 0 ? '' : `Without an agreement: ${namesOf(awaited)}. `;
  return { ...hit, agreement: `${text}${missing}Proposal ${id}.` };
}

/** The item with its breaks accepted for this reason. */
function accepted(item: ReportItem, reason: string): ReportItem {
  const why: Accepted = { reason, until: null };
  const changes = item.changes.map((change) =>
    change.breaking ? { ...change, accepted: change.accepted ?? why } : change,
  );
  return { ...item, changes, isBreaking: false };
}

interface Team {
  readonly team_name: string;
}

function agreedText(teams: readonly Team[]): string {
  if (teams.length === 0) return 'No consumer has to agree.';
  return `${namesOf(teams)} ${teams.length === 1 ? 'has' : 'have'} agreed to exactly this.`;
}

function namesOf(teams: readonly Team[]): string {
  return listedFirst(
    teams.map(({ team_name: name }) => name),
    'other team',
  );
}

async function getActive(client: Client, id: string | null) {
  if (id === null) return null;
  const contract = mustAnswer(await client.getContract({ params: { contract_id: id } }));
  const { schema, version, compatibility_mode: compatibilityMode } = contract;
  const guarantees = contract.guarantees as Guarantees | null;
  return { version, terms: termsOf({ ...contract, schema, compatibilityMode, guarantees }) };
}

/** What a file leaves out stays as it is in the active contract; a JSON Schema names no direction. */
function completed(stated: CandidateTerms, active: ContractTerms | null): ContractTerms {
  const terms = toContractTerms(stated, active);
  const isDirected = stated.format !== 'jsonschema' || active === null;
  return isDirected ? terms : { ...terms, direction: active.direction };
}

type OpenProposal = NonNullable<Awaited<ReturnType<typeof findOpenProposal>>>;

/** The same version in place of the same one, with the same breaks. */
function isOfProposal(
  stated: ContractTerms,
  { changes }: ImpactAnswer,
  proposal: OpenProposal,
  activeId: string | null,
): boolean {
  const { proposed, proposed_schema: schema, base_contract_id: baseId } = proposal;
  if (proposed.kind !== 'schema' || schema === undefined || baseId !== activeId) return false;
  const { compatibility_mode: mode, guarantees } = proposed;
  // A proposal names neither its dialect nor its direction; with others, the breaks below would differ.
  const other = { ...stated, schema, compatibilityMode: mode, guarantees } as ContractTerms;
  if (!isSameTerms(other, stated)) return false;
  // The casts are safe: changes came as JSON, with these members.
  return hasSameBreaks(changes as readonly Change[], proposal.changes as readonly Change[]);
}

/** An asset has at most one, and it is among the newest. */
async function findOpenProposal(client: Client, assetId: string) {
  const query = { asset_id: assetId, page_size: 20, include_total: false };
  const { results } = mustAnswer(await client.listProposals({ query }));
  const open = results.find(({ status }) => ['pending', 'approved', 'rejected'].includes(status));
  if (open === undefined) return null;
  return mustAnswer(await client.getProposal({ params: { proposal_id: open.id } }));
}
