// The closed union of writes. Every write carries its audit events, so a write without an audit
// cannot be expressed.

import type { ActorReference } from '../actor.ts';
import type { Asset, ImportedAs } from '../asset.ts';
import type { Comment } from '../comment.ts';
import type { Change } from '../comparison.ts';
import type { Contract, ContractChangeType, ContractStatus, SunsetsTold } from '../contract.ts';
import type { Dependency } from '../dependency.ts';
import type { EventDraft } from '../event.ts';
import type {
  ApiKeyId,
  AssetId,
  ContractId,
  DeliveryId,
  DependencyId,
  ProposalId,
  RegistrationId,
  TeamId,
  Timestamp,
  TrustId,
  UserId,
  WebhookId,
} from '../id.ts';
import type { FoundNeed, RegisteredNeed, Verdicts } from '../need.ts';
import type {
  AcknowledgementResponse,
  Asks,
  ChangeRequest,
  ForceRequest,
  Objection,
  Proposal,
  ProposalConsumer,
} from '../proposal.ts';
import type { ProposalState } from '../proposal-machine.ts';
import type { QualityRun } from '../quality-run.ts';
import type { Registration } from '../registration.ts';
import type { ApiKey, Service, Team, Trust } from '../team.ts';
import type { ScimAccount, ScimGroup, User, UserIdentity } from '../user.ts';
import type { Webhook } from '../webhook.ts';

interface NewSession {
  readonly digest: Uint8Array;
  readonly userId: UserId;
  readonly csrfToken: string;
  readonly createdAt: Timestamp;
  /** Null if the user signed in with a password. */
  readonly provider: string | null;
  /** What the provider calls its session; null if it does not say. */
  readonly providerSession: string | null;
}

type Events = readonly [EventDraft, ...EventDraft[]];

export type Write =
  | { readonly kind: 'insert_team'; readonly team: Team; readonly events: Events }
  | { readonly kind: 'update_team'; readonly team: Team; readonly events: Events }
  | {
      readonly kind: 'insert_service' | 'update_service';
      readonly service: Service;
      readonly events: Events;
    }
  | {
      readonly kind: 'insert_api_key';
      readonly apiKey: ApiKey;
      readonly digest: Uint8Array;
      /** The token that it was issued for, if that may not be used again. */
      readonly usedToken?: { readonly digest: Uint8Array; readonly endsAt: Timestamp };
      readonly events: Events;
    }
  | {
      readonly kind: 'revoke_api_key' | 'note_key_end';
      readonly id: ApiKeyId;
      readonly at: Timestamp;
      readonly events: Events;
    }
  | { readonly kind: 'insert_trust'; readonly trust: Trust; readonly events: Events }
  | { readonly kind: 'delete_trust'; readonly id: TrustId; readonly events: Events }
  | {
      readonly kind: 'insert_user';
      readonly user: User;
      readonly passwordHash: string | null;
      /** The identities of the user at a provider. */
      readonly identities?: readonly UserIdentity[];
      readonly account?: ScimAccount;
      readonly events: Events;
    }
  | {
      readonly kind: 'update_user';
      readonly user: User;
      /** Undefined leaves it unchanged. */
      readonly passwordHash: string | undefined;
      /** Identities at a provider that the user did not have before. */
      readonly identities?: readonly UserIdentity[];
      /** What SCIM keeps from now on; absent if that stays. */
      readonly account?: ScimAccount;
      readonly endsSessions: boolean;
      readonly events: Events;
    }
  | {
      readonly kind: 'insert_group' | 'update_group' | 'delete_group';
      readonly group: ScimGroup;
      readonly added: readonly UserId[];
      readonly removed: readonly UserId[];
      readonly events: Events;
    }
  | {
      readonly kind: 'insert_session';
      readonly session: NewSession;
      /** The digest of the session that this one ends. */
      readonly replaces: Uint8Array | null;
      readonly events: Events;
    }
  | { readonly kind: 'delete_session'; readonly digest: Uint8Array; readonly events: Events }
  /**
   * Records that missing objects were removed on purpose; the source's leader reads this with its
   * next renewal.
   */
  | { readonly kind: 'confirm_source'; readonly id: string; readonly events: Events }
  /** Ends the rights of the source's previous leader. */
  | { readonly kind: 'take_over_source'; readonly id: string; readonly events: Events }
  | {
      readonly kind: 'insert_webhook';
      readonly webhook: Webhook;
      readonly secret: string;
      readonly events: Events;
    }
  | {
      readonly kind: 'update_webhook';
      readonly webhook: Webhook;
      /** Undefined leaves it unchanged. */
      readonly secret: string | undefined;
      readonly events: Events;
    }
  | { readonly kind: 'delete_webhook'; readonly id: WebhookId; readonly events: Events }
  | {
      readonly kind: 'replay_deliveries';
      readonly webhookId: WebhookId;
      readonly which: 'parked' | readonly DeliveryId[];
      readonly events: Events;
    }
  /** An event that changes no row. */
  | { readonly kind: 'record_event'; readonly events: Events }
  | {
      readonly kind: 'insert_asset' | 'restore_asset';
      readonly asset: Asset;
      /**
       * The last holder of its name, whose contracts, proposals and registrations continue here.
       */
      readonly continues: AssetId | null;
      /** The team that owns the imported file; absent if no import created the asset. */
      readonly importedFor?: TeamId;
      /** What the imported file says that it is. */
      readonly importedAs?: ImportedAs;
      readonly events: Events;
    }
  | {
      readonly kind: 'update_asset';
      readonly asset: Asset;
      /** Absent if it stays as it is. */
      readonly importedAs?: ImportedAs;
      /** The team that the imported file is for; absent if it stays. */
      readonly importedFor?: TeamId;
      readonly events: Events;
    }
  /** The consumers that move to the new version, which the event of the contract names. */
  | {
      readonly kind: 'insert_contract';
      readonly contract: Contract;
      readonly moved: readonly RegistrationId[];
      /** Consumers whose need this version meets if the version before it met the need. */
      readonly met: readonly RegistrationId[];
      readonly events: Events;
    }
  | {
      readonly kind: 'set_contract_status';
      readonly id: ContractId;
      readonly status: ContractStatus;
      readonly at: Timestamp;
      readonly events: Events;
    }
  | {
      readonly kind: 'insert_registration';
      readonly registration: Registration;
      readonly createdBy: ActorReference;
      readonly events: Events;
    }
  | {
      readonly kind: 'update_registration';
      readonly registration: Registration;
      readonly events: Events;
    }
  | {
      readonly kind: 'set_need';
      readonly id: RegistrationId;
      readonly need: RegisteredNeed | null;
      /** The contract that decided its status. */
      readonly heldAgainst: ContractId | null;
      readonly at: Timestamp;
      readonly events: Events;
    }
  | {
      readonly kind: 'set_found_need';
      readonly id: RegistrationId;
      readonly found: FoundNeed | null;
      readonly at: Timestamp;
      readonly events: Events;
    }
  | {
      readonly kind: 'schedule_migration';
      readonly id: RegistrationId;
      readonly migratesAt: Timestamp;
      readonly at: Timestamp;
      readonly events: Events;
    }
  /** A registration that will end stays, as it is. */
  | {
      readonly kind: 'keep_registration';
      readonly id: RegistrationId;
      readonly at: Timestamp;
      readonly events: Events;
    }
  | {
      readonly kind: 'delete_registration';
      readonly id: RegistrationId;
      readonly events: Events;
    }
  | {
      readonly kind: 'insert_dependency';
      readonly dependency: Dependency;
      readonly events: Events;
    }
  | { readonly kind: 'delete_dependency'; readonly id: DependencyId; readonly events: Events }
  | { readonly kind: 'insert_quality_run'; readonly run: QualityRun; readonly events: Events }
  | {
      readonly kind: 'insert_proposal';
      readonly proposal: Proposal;
      readonly proposedDigest: string;
      readonly events: Events;
    }
  | {
      readonly kind: 'update_proposal';
      readonly id: ProposalId;
      readonly set: ProposalUpdate;
      readonly events: Events;
    }
  | {
      readonly kind: 'set_request';
      readonly id: ProposalId;
      readonly request: ChangeRequest;
      readonly events: Events;
    }
  | {
      readonly kind: 'note_reminder';
      readonly id: ProposalId;
      readonly at: Timestamp;
      readonly events: Events;
    }
  | {
      readonly kind: 'note_sunsets';
      readonly id: ContractId;
      readonly told: SunsetsTold;
      /** The next day on which somebody has to be told, `infinity` or null for never. */
      readonly due: string | null;
      /** Another state of the contract means that somebody has begun to read it: look again, not on that day. */
      readonly state: string;
      readonly events: Events;
    }
  | {
      readonly kind: 'note_deadline';
      readonly id: ProposalId;
      /** The day that is over. */
      readonly day: string;
      /** The round whose missing answers count as none from now on. */
      readonly escalates: { readonly at: Timestamp; readonly round: number } | null;
      readonly events: Events;
    }
  | {
      readonly kind: 'set_objections';
      readonly id: ProposalId;
      readonly objections: readonly Objection[];
      readonly events: Events;
    }
  | { readonly kind: 'insert_comment'; readonly comment: Comment; readonly events: Events }
  | {
      readonly kind: 'insert_acknowledgement';
      readonly acknowledgement: Acknowledgement;
      /** The state of the proposal with this answer. */
      readonly becomes: ProposalState;
      readonly events: Events;
    };

/** A write by its kind. */
export type WriteOf<Kind extends Write['kind']> = Write extends infer Each
  ? Each extends { readonly kind: infer Kinds }
    ? Kind extends Kinds
      ? Each & { readonly kind: Kind }
      : never
    : never
  : never;

/** Everything about a proposal that may change, with its new values. */
export interface ProposalUpdate {
  readonly status: ProposalState;
  readonly baseContractId: ContractId | null;
  readonly changes: readonly Change[];
  readonly breakingChanges: readonly Change[];
  readonly changeType: ContractChangeType;
  readonly asks: Asks;
  readonly verdicts: Verdicts;
  readonly round: number;
  readonly reason: string | null;
  readonly forceRequested: ForceRequest | null;
  readonly supersededBy: ProposalId | null;
  readonly publishedContractId: ContractId | null;
  readonly resolvedAt: Timestamp | null;
  /** Stored once the proposal is decided; null while the list is live. */
  readonly decidedConsumers: readonly ProposalConsumer[] | null;
}

/** One answer of one team. Earlier answers stay; the last one of the round counts. */
interface Acknowledgement {
  readonly id: string;
  readonly proposalId: ProposalId;
  readonly round: number;
  readonly teamId: TeamId;
  readonly response: AcknowledgementResponse;
  readonly until: Timestamp | null;
  readonly notes: string | null;
  readonly answeredAt: Timestamp;
  readonly answeredBy: ActorReference;
}
