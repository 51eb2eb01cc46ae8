// What an import asks the registry, and the answer: one question for all of its assets.

import type { ContractFormat } from '../../core/contract.ts';
import type { AssetFacts, AssetName, BaseContract, OpenProposal } from '../../core/decide/facts.ts';
import type { DependencySource, DependencyType } from '../../core/dependency.ts';
import type { Outcome } from '../../core/failure.ts';
import type { AssetId, DependencyId, TeamId, Timestamp, UserId } from '../../core/id.ts';
import type { CandidateTerms, ParsedImport } from '../../core/import/candidate.ts';
import type { ImportSource } from '../../core/import/import-source.ts';
import type { SourceTitle } from '../../core/import/plan/report-kinds.ts';
import type { Proposed } from '../../core/proposal.ts';
import type { Dialect } from '../../core/schema/dialects.ts';
import type { Json } from '../../core/value/json.ts';

/** A file that was read. */
export interface ReadImport {
  readonly parsed: ParsedImport;
  /** Of each candidate's schema as it is written, in their order; null for one without a schema. */
  readonly fingerprints: readonly (string | null)[];
  /** Whether a contract may hold it. */
  readonly checkSchema: (terms: CandidateTerms) => Outcome<true>;
  /** Of the normal form: to write that down takes most of the time of an import. */
  readonly digestOf: (terms: CandidateTerms) => string;
  readonly title: SourceTitle | null;
}

export interface ImportQuestion {
  readonly names: readonly ImportName[];
  /** Where an earlier import of the same source may have put what is gone now. */
  readonly environments: readonly string[];
  readonly source: ImportSource | null;
  /** In lower case. */
  readonly teamNames: readonly string[];
  readonly teamIds: readonly TeamId[];
  /** In lower case. */
  readonly emails: readonly string[];
}

interface ImportName extends AssetName {
  /** A schema that is written so is known to the caller: it is not sent again. */
  readonly fingerprint: string | null;
}

export interface ImportFound {
  readonly assets: readonly FoundAsset[];
  /** The last deleted holders of names that are free: their lines go on. */
  readonly predecessors: readonly FoundAsset[];
  readonly teams: readonly { readonly id: TeamId; readonly name: string }[];
  readonly users: readonly FoundUser[];
}

interface FoundUser {
  readonly id: UserId;
  readonly name: string;
  readonly email: string;
  readonly teamId: TeamId | null;
}

export interface FoundAsset extends AssetFacts {
  readonly base: FoundBase | null;
  readonly openProposal: FoundProposal | null;
  /** Teams with a registration, active or not. */
  readonly registeredTeamIds: readonly TeamId[];
  /** What it depends on, deleted or not. */
  readonly upstream: readonly FoundDependency[];
  /** The team whose import made it; null of what was made otherwise, or before that was kept. */
  readonly importedFor: TeamId | null;
}

export interface FoundDependency {
  readonly id: DependencyId;
  readonly type: DependencyType;
  readonly source: DependencySource;
  readonly createdAt: Timestamp;
  readonly assetId: AssetId;
  readonly fqn: string;
  readonly environment: string;
  readonly ownerTeamId: TeamId;
}

export interface FoundBase extends BaseContract {
  /** What it came from. */
  readonly format: ContractFormat;
  /** Null where its fingerprint is the one that was asked about. */
  readonly schema: Json | null;
  readonly dialect: Dialect | null;
}

export interface FoundProposal extends OpenProposal {
  readonly proposed: Proposed;
}
