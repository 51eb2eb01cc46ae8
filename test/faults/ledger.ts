// Compares what clients were told with the registry's final state, and with the order in which they
// were told. Pure: each problem is a sentence.

import { compareVersions, parseVersion } from '../../src/core/decide/publishing/version.ts';
import type { ProposalState } from '../../src/core/proposal-machine.ts';

/**
 * Positions in one count of everything that was sent and received: a span whose `to` is lower came
 * before.
 */
interface Span {
  readonly from: number;
  readonly to: number;
}

export type Told =
  | { readonly is: 'published'; readonly contractId: string; readonly version: string }
  | { readonly is: 'proposed'; readonly proposalId: string; readonly isNew: boolean }
  | { readonly is: 'refused'; readonly code: string };

export type Entry = Span &
  (
    | {
        readonly act: 'publish';
        readonly assetId: string;
        /** In the schema, and in no other. */
        readonly mark: string;
        readonly told: Told;
      }
    | { readonly act: 'answer'; readonly proposalId: string; readonly isTaken: boolean }
    | { readonly act: 'withdraw'; readonly proposalId: string; readonly isTaken: boolean }
    | {
        readonly act: 'read active';
        readonly assetId: string;
        readonly versions: readonly string[];
      }
    | { readonly act: 'read state'; readonly proposalId: string; readonly state: ProposalState }
  );

export interface FinalState {
  readonly contracts: readonly {
    readonly id: string;
    readonly assetId: string;
    readonly version: string;
    readonly status: string;
    readonly mark: string;
  }[];
  readonly proposals: readonly {
    readonly id: string;
    readonly state: ProposalState;
    readonly mark: string;
    readonly publishedContractId: string | null;
  }[];
  readonly events: readonly { readonly type: string; readonly entityId: string }[];
}

export function problemsOf(entries: readonly Entry[], end: FinalState): readonly string[] {
  return [
    ...promisesKept(entries, end),
    ...nothingElse(entries, end),
    ...eventsOf(entries, end),
    ...linesOf(end),
    ...orderOfVersions(entries),
    ...orderOfStates(entries, end),
  ];
}

/** Acknowledged writes exist; refused ones do not. */
function promisesKept(entries: readonly Entry[], end: FinalState): string[] {
  const contracts = new Map(end.contracts.map((each) => [each.id, each]));
  const proposals = new Map(end.proposals.map((each) => [each.id, each]));
  const marks = new Set([...end.contracts, ...end.proposals].map(({ mark }) => mark));
  return entries.flatMap((entry) => {
    if (entry.act === 'withdraw' && entry.isTaken) {
      const state = proposals.get(entry.proposalId)?.state;
      return state === 'withdrawn' ? [] : [`withdrawn ${entry.proposalId} is ${state}`];
    }
    if (entry.act !== 'publish') return [];
    const { told, mark } = entry;
    if (told.is === 'refused') return marks.has(mark) ? [`refused ${mark} is there`] : [];
    if (told.is === 'proposed') {
      const found = proposals.get(told.proposalId);
      return found?.mark === mark ? [] : [`proposed ${mark} is ${found?.mark ?? 'lost'}`];
    }
    const found = contracts.get(told.contractId);
    const isAsTold = found?.mark === mark && found.version === told.version;
    return isAsTold
      ? []
      : [`published ${mark} ${told.version} is ${found?.mark ?? 'lost'} ${found?.version ?? ''}`];
  });
}

/** Every version was reported to a client, or is the result of a proposal. */
function nothingElse(entries: readonly Entry[], end: FinalState): string[] {
  const expected = new Set(
    end.proposals.flatMap(({ publishedContractId }) => publishedContractId ?? []),
  );
  for (const entry of entries) {
    if (entry.act === 'publish' && entry.told.is === 'published') {
      expected.add(entry.told.contractId);
    }
  }
  return end.contracts
    .filter(({ id }) => !expected.has(id))
    .map(({ version, mark }) => `nobody was told of ${version} ${mark}`);
}

/** Each change has one event. */
function eventsOf(entries: readonly Entry[], end: FinalState): string[] {
  const counts = new Map<string, number>();
  for (const { type, entityId } of end.events) {
    const key = `${type} ${entityId}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const wrong = (type: string, id: string, expected: number) => {
    const found = counts.get(`${type} ${id}`) ?? 0;
    return found === expected ? [] : [`${found} events ${type} of ${id}, and ${expected} happened`];
  };
  const answers = new Map<string, number>();
  for (const entry of entries) {
    if (entry.act !== 'answer' || !entry.isTaken) continue;
    answers.set(entry.proposalId, (answers.get(entry.proposalId) ?? 0) + 1);
  }
  return [
    ...end.contracts.flatMap(({ id }) => wrong('contract.published', id, 1)),
    ...end.proposals.flatMap(({ id }) => wrong('proposal.created', id, 1)),
    ...[...answers].flatMap(([id, taken]) => wrong('proposal.acknowledged', id, taken)),
  ];
}

/** For each asset: no repeated version, and one active version. */
function linesOf(end: FinalState): string[] {
  const byAsset = Map.groupBy(end.contracts, ({ assetId }) => assetId);
  return [...byAsset].flatMap(([assetId, line]) => {
    const active = line.filter(({ status }) => status === 'active').length;
    const versions = new Set(line.map(({ version }) => version)).size;
    return [
      ...(active === 1 ? [] : [`${assetId} has ${active} active versions`]),
      ...(versions === line.length ? [] : [`${assetId} has a version twice`]),
    ];
  });
}

interface Heard extends Span {
  readonly assetId: string;
  readonly version: string;
  readonly isNew: boolean;
}

/** After one client was told of a version, no other client is told of a lower one. */
function orderOfVersions(entries: readonly Entry[]): string[] {
  const heard: Heard[] = [];
  for (const entry of entries) {
    if (entry.act === 'read active') {
      for (const version of entry.versions) heard.push({ ...entry, version, isNew: false });
    } else if (entry.act === 'publish' && entry.told.is === 'published') {
      heard.push({ ...entry, version: entry.told.version, isNew: true });
    }
  }
  const problems = entries.flatMap((entry) =>
    entry.act === 'read active' && entry.versions.length !== 1
      ? [`${entry.assetId} was read with ${entry.versions.length} active versions`]
      : [],
  );
  for (const [assetId, line] of Map.groupBy(heard, (each) => each.assetId)) {
    for (const later of line) {
      for (const earlier of line) {
        if (earlier.to >= later.from) continue;
        const order = compare(earlier.version, later.version);
        if (order > 0 || (order === 0 && later.isNew)) {
          problems.push(`${assetId}: ${later.version} was told after ${earlier.version}`);
        }
      }
    }
  }
  return problems;
}

function compare(a: string, b: string): number {
  const [left, right] = [parseVersion(a), parseVersion(b)];
  if (left === null || right === null) throw new Error(`No versions: ${a}, ${b}.`);
  return compareVersions(left, right);
}

/** Decided proposals stay decided. */
const decided: ReadonlySet<ProposalState> = new Set(['published', 'force_published', 'withdrawn']);

function orderOfStates(entries: readonly Entry[], end: FinalState): string[] {
  const last = { from: Number.MAX_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };
  const heard = [
    ...entries.filter((entry) => entry.act === 'read state'),
    ...end.proposals.map(({ id, state }) => ({ ...last, proposalId: id, state })),
  ];
  const problems: string[] = [];
  for (const [id, line] of Map.groupBy(heard, ({ proposalId }) => proposalId)) {
    for (const earlier of line.filter(({ state }) => decided.has(state))) {
      const changed = line.find(({ from, state }) => earlier.to < from && state !== earlier.state);
      if (changed !== undefined) problems.push(`${id}: ${earlier.state}, then ${changed.state}`);
    }
  }
  return problems;
}
