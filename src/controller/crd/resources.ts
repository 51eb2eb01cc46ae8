// Made from src/controller/crd by `make golden`: change it there.

import type { JsonObject } from '../../core/value/json.ts';

/** What the controller reads of an object's metadata. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly generation: number;
  readonly resourceVersion: string;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** What a producer promises about one asset: its schema, guarantees and consumers. */
export interface DataContract {
  readonly apiVersion: string;
  readonly kind: 'DataContract';
  readonly metadata: ObjectMeta;
  readonly spec: DataContractSpec;
  readonly status?: DataContractStatus;
}

/** A file beside the manifest, in a folder or a repository. In a cluster there is none. */
export interface DataContractSpecSchemaFromFile {
  /** The path of the file from the folder of the manifest, such as `./order.schema.json`: in this folder, or in one below it. */
  readonly path: string;
}

/** A key of a ConfigMap in this namespace. */
export interface DataContractSpecSchemaFromConfigMapKeyRef {
  /** The name of the ConfigMap. */
  readonly name: string;
  /** The key of its data that contains the document. */
  readonly key: string;
}

/** The source of the schema, instead of `schema`. */
export interface DataContractSpecSchemaFrom {
  /** A file beside the manifest, in a folder or a repository. In a cluster there is none. */
  readonly file?: DataContractSpecSchemaFromFile;
  /** A key of a ConfigMap in this namespace. */
  readonly configMapKeyRef?: DataContractSpecSchemaFromConfigMapKeyRef;
  /** The format of the document. Defaults to JSONSchema. */
  readonly format?: 'jsonschema' | 'graphql' | 'openapi' | 'dbt' | 'odcs';
  /** With format GraphQL: the type to make the contract from. */
  readonly typeName?: string;
  /** With format OpenAPI: the operation, as its operationId or as `GET /orders/{id}`. While the contract has consumers, it must stay at its path. */
  readonly operation?: string;
  /** With format Dbt: the unique id of the node in the manifest. */
  readonly node?: string;
  /** With format ODCS: the name of the schema object, if the file contains more than one. */
  readonly schemaObject?: string;
}

/** A team that reads the asset. */
export interface DataContractSpecAddConsumer {
  /** The slug of the team. */
  readonly team: string;
  /** What the team uses the asset for. */
  readonly purpose?: string;
}

/** A team that reads the asset. */
export interface DataContractSpecConsumer {
  /** The slug of the team. */
  readonly team: string;
  /** What the team uses the asset for. */
  readonly purpose?: string;
}

/** The decision on one proposal. */
export interface DataContractSpecDecision {
  /** The digest of the proposed change, from status.proposal.digest. The decision holds only for this change. */
  readonly digest: string;
  /** Approve: approve it once all consumers have agreed, without publishing it. Publish: publish it once all consumers have agreed. Withdraw: withdraw it. */
  readonly decision: 'Approve' | 'Publish' | 'Withdraw';
  /** The reason for the decision. Required with Withdraw. */
  readonly reason?: string;
}

/** The contract, and how its changes are handled. */
export interface DataContractSpec {
  /** The fully qualified name of the asset: two or more segments joined by dots. Immutable. */
  readonly fqn: string;
  /** The environment of the asset. Defaults to the namespace's label concordat.dev/environment, and to production without one. Immutable. */
  readonly environment?: string;
  /** The slug of the team that owns the asset. This namespace must act for it. Defaults to the team of the namespace. */
  readonly team?: string;
  /** The e-mail address of the responsible user. */
  readonly ownerUser?: string;
  /** A description of the asset, which search finds. */
  readonly description?: string;
  /** Tags of the asset, which search finds. */
  readonly tags?: readonly string[];
  /** Free-form metadata of the asset. */
  readonly metadata?: JsonObject;
  /** Which changes are breaking. Backward: existing data must stay valid, and no field may disappear. Forward: consumers with the old version must be able to read new data. Full: every change except annotations needs approval. None: no change needs approval, consumers are only notified. Defaults to the mode of the active contract, and to Backward for the first contract. */
  readonly compatibilityMode?: 'backward' | 'forward' | 'full' | 'none';
  /** The JSON Schema (draft-04 to 2020-12) of the data. It is one value: server-side apply never merges the schemas of two appliers. */
  readonly schema?: JsonObject;
  /** The source of the schema, instead of `schema`. */
  readonly schemaFrom?: DataContractSpecSchemaFrom;
  /** What the producer promises beyond the schema. */
  readonly guarantees?: JsonObject;
  /** How a weaker guarantee is handled. Notify: consumers are notified. Strict: consumers must approve it. Ignore: it is only recorded. Defaults to Notify. */
  readonly guaranteeMode?: 'notify' | 'strict' | 'ignore';
  /** Which consumers a change asks, by what they have said that they read. Narrow: a breaking change asks those whose need may be affected. Protect: a compatible change asks them too. Ignore: a breaking change asks all consumers. Defaults to Narrow. */
  readonly needsMode?: 'narrow' | 'protect' | 'ignore';
  /** What happens when the last day for answers to a proposal is over. Nothing. Remind: the consumers that have not answered are told again. Escalate: their answers count as none, and an admin may force the proposal. Nothing is ever published for silence. Defaults to Nothing. */
  readonly onDeadline?: 'nothing' | 'remind' | 'escalate';
  /** Teams to register as consumers: they must approve breaking changes. A team that is removed from the list stays a consumer until the team or an admin ends its registration. */
  readonly addConsumers?: readonly DataContractSpecAddConsumer[];
  /** Deprecated: write addConsumers. */
  readonly consumers?: readonly DataContractSpecConsumer[];
  /** The version to publish. It may skip versions, but must be at least the version that the change needs. Defaults to the next version. */
  readonly version?: string;
  /** What happens to a breaking change once all consumers have acknowledged it. Automatic: it is published. Manual: it waits for the decision Publish, in decisions or in its ContractProposal. Defaults to Automatic. */
  readonly publishPolicy?: 'Automatic' | 'Manual';
  /** What happens to the asset when this object is deleted. Retain: the asset stays, and this object no longer manages it; the object is deleted immediately, without a finalizer. Deprecate: the active contract of the asset is deprecated. Delete: the asset is deleted. With Deprecate and Delete, a finalizer keeps the object while consumers are registered. Defaults to Retain. */
  readonly deletionPolicy?: 'Retain' | 'Deprecate' | 'Delete';
  /** Decisions on proposals that this object asks for, so that they can come from git. Writing one needs the verb decide on contractproposals. */
  readonly decisions?: readonly DataContractSpecDecision[];
  /** While true, this object takes over the asset from a source that is gone for good. It never takes an asset from a source that is alive. */
  readonly adopt?: boolean;
  /** While true, this object publishes, proposes and changes nothing. Ready stays as it was, with a condition Suspended; if consumers answer an open proposal meanwhile, Ready says so. */
  readonly suspend?: boolean;
}

/** A condition of this object. */
export interface DataContractStatusCondition {
  /** The name of the condition: Ready, Reconciling, Stalled, Suspended, Drifted, UnknownDecision. */
  readonly type: string;
  /** Whether the condition is true. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** When `status` last changed. */
  readonly lastTransitionTime: string;
  /** The reason in one word, for programs. */
  readonly reason: string;
  /** The reason in a sentence, and what to do next. */
  readonly message: string;
  /** The generation of the spec that the condition describes. */
  readonly observedGeneration?: number;
}

/** The effective values of fields that the spec omits. */
export interface DataContractStatusEffective {
  /** The mode of the active contract. */
  readonly compatibilityMode?: 'Backward' | 'Forward' | 'Full' | 'None';
  /** The environment of the asset. */
  readonly environment?: string;
  /** The slug of the team that owns the asset. */
  readonly team?: string;
}

/** How the change affects the consumers, judged by what they read. */
export interface DataContractStatusProposalVerdicts {
  /** Number of consumers that it breaks, with a field or a value that shows it. */
  readonly breaks?: number;
  /** Number of consumers that it may break, because they have not said what they read, or because nothing is proven. */
  readonly mayBreak?: number;
  /** Number of consumers that it does not affect. */
  readonly unaffected?: number;
}

/** The proposal that waits for the consumers. */
export interface DataContractStatusProposal {
  /** The name of the ContractProposal. */
  readonly name?: string;
  /** The id of the proposal in the registry. */
  readonly id?: string;
  /** The digest of the change that consumers are asked about now. Answers and decisions name it. */
  readonly digest?: string;
  /** Number of consumers that have acknowledged it. */
  readonly acknowledged?: number;
  /** Number of consumers. */
  readonly total?: number;
  /** How the change affects the consumers, judged by what they read. */
  readonly verdicts?: DataContractStatusProposalVerdicts;
}

/** One change. */
export interface DataContractStatusLastChangeChange {
  /** The type of change, such as PropertyRemoved. */
  readonly type: string;
  /** The location in the schema, such as `$.properties.lines.items`, or in the spec, such as `$.guaranteeMode`. */
  readonly path: string;
  /** The change in a sentence. */
  readonly description: string;
  /** Whether the change is breaking. */
  readonly breaking?: boolean;
  /** An example as JSON: a complete value that one version accepts and the other refuses. */
  readonly witness?: string;
}

/** The changes of the last version that this object published or proposed. */
export interface DataContractStatusLastChange {
  /** The version increment. */
  readonly bump?: 'Initial' | 'Patch' | 'Minor' | 'Major';
  /** Whether the change is breaking. */
  readonly breaking?: boolean;
  /** The changes, breaking ones first. */
  readonly changes?: readonly DataContractStatusLastChangeChange[];
}

/** Where the object was read from, where it was not a cluster. */
export interface DataContractStatusSource {
  /** The kind of source. */
  readonly kind?: 'Cluster' | 'Directory' | 'Git';
  /** The commit that it was read at. */
  readonly revision?: string;
  /** The file that it stands in. */
  readonly path?: string;
}

/** The state in the registry. */
export interface DataContractStatus {
  /** The generation of the spec that this status describes; -1 before the first reconcile. */
  readonly observedGeneration?: number;
  /** The conditions of this object. Reconciling and Stalled are present only while they are true. */
  readonly conditions?: readonly DataContractStatusCondition[];
  /** The id of the asset in the registry. */
  readonly assetId?: string;
  /** The id of the active contract. */
  readonly contractId?: string;
  /** The version of the active contract. */
  readonly version?: string;
  /** SHA-256 of the canonical form of the active schema, in hex. */
  readonly schemaDigest?: string;
  /** The effective values of fields that the spec omits. */
  readonly effective?: DataContractStatusEffective;
  /** The proposal that waits for the consumers. */
  readonly proposal?: DataContractStatusProposal;
  /** Number of teams that are registered as consumers. */
  readonly consumers?: number;
  /** The changes of the last version that this object published or proposed. */
  readonly lastChange?: DataContractStatusLastChange;
  /** The digest of the last spec that was handled: it is never published or proposed again. */
  readonly handledDigest?: string;
  /** The last value of the annotation concordat.dev/reconcile-at that was handled. */
  readonly lastHandledReconcileAt?: string;
  /** Where the object was read from, where it was not a cluster. */
  readonly source?: DataContractStatusSource;
}

/** A change of an asset that needs its consumers' approval. */
export interface ContractProposal {
  readonly apiVersion: string;
  readonly kind: 'ContractProposal';
  readonly metadata: ObjectMeta;
  readonly spec: ContractProposalSpec;
  readonly status?: ContractProposalStatus;
}

/** The DataContract to change. Immutable. */
export interface ContractProposalSpecContractRef {
  /** The name of a DataContract in this namespace. */
  readonly name: string;
}

/** A file beside the manifest, in a folder or a repository. In a cluster there is none. */
export interface ContractProposalSpecSchemaFromFile {
  /** The path of the file from the folder of the manifest, such as `./order.schema.json`: in this folder, or in one below it. */
  readonly path: string;
}

/** A key of a ConfigMap in this namespace. */
export interface ContractProposalSpecSchemaFromConfigMapKeyRef {
  /** The name of the ConfigMap. */
  readonly name: string;
  /** The key of its data that contains the document. */
  readonly key: string;
}

/** The source of the schema, instead of `schema`. */
export interface ContractProposalSpecSchemaFrom {
  /** A file beside the manifest, in a folder or a repository. In a cluster there is none. */
  readonly file?: ContractProposalSpecSchemaFromFile;
  /** A key of a ConfigMap in this namespace. */
  readonly configMapKeyRef?: ContractProposalSpecSchemaFromConfigMapKeyRef;
  /** The format of the document. Defaults to JSONSchema. */
  readonly format?: 'jsonschema' | 'graphql' | 'openapi' | 'dbt' | 'odcs';
  /** With format GraphQL: the type to make the contract from. */
  readonly typeName?: string;
  /** With format OpenAPI: the operation, as its operationId or as `GET /orders/{id}`. While the contract has consumers, it must stay at its path. */
  readonly operation?: string;
  /** With format Dbt: the unique id of the node in the manifest. */
  readonly node?: string;
  /** With format ODCS: the name of the schema object, if the file contains more than one. */
  readonly schemaObject?: string;
}

/** The answer of one consumer team. */
export interface ContractProposalSpecAcknowledgement {
  /** The slug of the team. This namespace must act for it. */
  readonly team: string;
  /** Approved: the team agrees. Migrating: the team agrees, and moves to the new version later. Blocked: the team does not agree. */
  readonly response: 'Approved' | 'Migrating' | 'Blocked';
  /** A message to the producer. Required with Blocked. */
  readonly reason?: string;
  /** Deprecated: write reason. */
  readonly notes?: string;
  /** With Migrating: when the team moves to the new version. */
  readonly until?: string;
  /** The digest of the answered change, from the status. Required if the proposal was written by a team or compared again, because its name may then stand for a different change. */
  readonly digest?: string;
}

/** The proposed change, the answers of consumers and the decision of the producer. */
export interface ContractProposalSpec {
  /** The DataContract to change. Immutable. */
  readonly contractRef?: ContractProposalSpecContractRef;
  /** The fully qualified name of the asset, instead of `contractRef`. Immutable. */
  readonly fqn?: string;
  /** With `fqn`. The environment of the asset. Defaults to the namespace's label concordat.dev/environment, and to production without one. Immutable. */
  readonly environment?: string;
  /** The kind of change. Schema: the schema, compatibility mode or guarantees change. Deprecation: the active contract is deprecated. Move: the asset gets another owner. GuaranteeMode: the asset gets a weaker guarantee mode. NeedsMode: some changes ask fewer consumers. Defaults to Schema. */
  readonly kind?: 'Schema' | 'Deprecation' | 'Move' | 'GuaranteeMode' | 'NeedsMode';
  /** The JSON Schema to publish. */
  readonly schema?: JsonObject;
  /** The source of the schema, instead of `schema`. */
  readonly schemaFrom?: ContractProposalSpecSchemaFrom;
  /** The compatibility mode of the new version. Defaults to the mode of the active contract. */
  readonly compatibilityMode?: 'backward' | 'forward' | 'full' | 'none';
  /** The guarantees of the new version. Defaults to the guarantees of the active contract. */
  readonly guarantees?: JsonObject;
  /** With kind Move: the slug of the new owner team. */
  readonly team?: string;
  /** With kind GuaranteeMode: the new guarantee mode. */
  readonly guaranteeMode?: 'notify' | 'strict' | 'ignore';
  /** With kind NeedsMode: the new needs mode. */
  readonly needsMode?: 'narrow' | 'protect' | 'ignore';
  /** The reason for the change, for the consumers. */
  readonly reason?: string;
  /** Whom the consumers ask: a person, or a channel. */
  readonly contact?: string;
  /** The last day for answers. It ends at midnight UTC. */
  readonly answerBy?: string;
  /** How the consumers move to the new version. */
  readonly migration?: string;
  /** The last day on which the old version is served. */
  readonly migrateBy?: string;
  /** The answers of consumer teams. Only answers of teams that this namespace acts for count. Other teams answer with a ContractRegistration in their own namespace, or through the API. */
  readonly acknowledgements?: readonly ContractProposalSpecAcknowledgement[];
  /** The decision of the producer. Pending: none yet. Approve: approve it once all consumers have agreed, without publishing it. Publish: publish it once all consumers have agreed. Withdraw: withdraw it. Force: publish it without the approval of all consumers; the registry must allow this. Defaults to Pending. */
  readonly decision?: 'Pending' | 'Approve' | 'Publish' | 'Withdraw' | 'Force';
  /** The digest of the change that the decision is about, from status.digest. If it is given, the decision is not carried out for any other change. */
  readonly decisionDigest?: string;
  /** The reason for the decision. Required with Withdraw and Force. */
  readonly decisionReason?: string;
}

/** A condition of this object. */
export interface ContractProposalStatusCondition {
  /** The name of the condition: Ready, Reconciling, Stalled. */
  readonly type: string;
  /** Whether the condition is true. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** When `status` last changed. */
  readonly lastTransitionTime: string;
  /** The reason in one word, for programs. */
  readonly reason: string;
  /** The reason in a sentence, and what to do next. */
  readonly message: string;
  /** The generation of the spec that the condition describes. */
  readonly observedGeneration?: number;
}

/** One change. */
export interface ContractProposalStatusChange {
  /** The type of change, such as PropertyRemoved. */
  readonly type: string;
  /** The location in the schema, such as `$.properties.lines.items`, or in the spec, such as `$.guaranteeMode`. */
  readonly path: string;
  /** The change in a sentence. */
  readonly description: string;
  /** Whether the change is breaking. */
  readonly breaking?: boolean;
  /** An example as JSON: a complete value that one version accepts and the other refuses. */
  readonly witness?: string;
}

/** One change. */
export interface ContractProposalStatusBreakingChange {
  /** The type of change, such as PropertyRemoved. */
  readonly type: string;
  /** The location in the schema, such as `$.properties.lines.items`, or in the spec, such as `$.guaranteeMode`. */
  readonly path: string;
  /** The change in a sentence. */
  readonly description: string;
  /** Whether the change is breaking. */
  readonly breaking?: boolean;
  /** An example as JSON: a complete value that one version accepts and the other refuses. */
  readonly witness?: string;
}

/** A consumer, with its answer. */
export interface ContractProposalStatusConsumer {
  /** The slug of the team. */
  readonly team: string;
  /** Whether the team has acknowledged. */
  readonly acknowledged?: boolean;
  /** When the team answered. */
  readonly acknowledgedAt?: string;
  /** The answer of the team. */
  readonly response?: 'Approved' | 'Migrating' | 'Blocked';
  /** What the team said with its answer; the first part of a long text. */
  readonly reason?: string;
  /** What the change does to what the team reads, if the team has said that. */
  readonly verdict?: 'Unaffected' | 'Breaks' | 'MayBreak';
  /** The field that is gone or no longer fits, or the guarantee that changed. */
  readonly path?: string;
  /** A value that the team would refuse, as JSON. */
  readonly witness?: string;
}

/** An objection. */
export interface ContractProposalStatusObjection {
  /** The name of the team. */
  readonly team: string;
  /** Why it objects; the first part of a long text. */
  readonly reason: string;
  /** When it objected. */
  readonly objectedAt: string;
}

/** How the change affects the consumers, judged by what they read. */
export interface ContractProposalStatusVerdicts {
  /** Number of consumers that it breaks, with a field or a value that shows it. */
  readonly breaks?: number;
  /** Number of consumers that it may break, because they have not said what they read, or because nothing is proven. */
  readonly mayBreak?: number;
  /** Number of consumers that it does not affect. */
  readonly unaffected?: number;
}

/** A comment on the proposal. */
export interface ContractProposalStatusComment {
  /** Who wrote it. */
  readonly by: string;
  /** When it was written. */
  readonly writtenAt: string;
  /** What was written; the first part of a long comment. */
  readonly text: string;
  /** The name of the team that it was written for. */
  readonly team?: string;
}

/** The progress of the proposal. */
export interface ContractProposalStatus {
  /** The generation of the spec that this status describes; -1 before the first reconcile. */
  readonly observedGeneration?: number;
  /** The conditions of this object. Reconciling and Stalled are present only while they are true. */
  readonly conditions?: readonly ContractProposalStatusCondition[];
  /** The id of the proposal in the registry. */
  readonly proposalId?: string;
  /** The state of the proposal in the registry. NotBreaking: the change needs no approval. */
  readonly phase?:
    | 'Pending'
    | 'Approved'
    | 'Published'
    | 'Rejected'
    | 'ForcePublished'
    | 'Withdrawn'
    | 'NotBreaking';
  /** The digest of the change that consumers are asked about now. Answers name it as their digest. */
  readonly digest?: string;
  /** Deprecated: read acknowledged and total. Only earlier releases write it. */
  readonly progress?: string;
  /** The changes that break nobody. */
  readonly changes?: readonly ContractProposalStatusChange[];
  /** The breaking changes. */
  readonly breakingChanges?: readonly ContractProposalStatusBreakingChange[];
  /** The consumers that are asked. */
  readonly consumers?: readonly ContractProposalStatusConsumer[];
  /** The consumers that are not asked, because the change is proven not to affect what they read. */
  readonly excused?: readonly string[];
  /** The newest objections of teams that are not asked, the oldest of them first. They hold nothing back. A team objects on the page, on the command line or through the API. */
  readonly objections?: readonly ContractProposalStatusObjection[];
  /** How the change affects the consumers, judged by what they read. */
  readonly verdicts?: ContractProposalStatusVerdicts;
  /** The newest comments, the oldest of them first. They are written on the page, on the command line or through the API. In a manifest, a team says what it thinks with its answer, in reason. */
  readonly comments?: readonly ContractProposalStatusComment[];
  /** Whether all consumers have acknowledged. */
  readonly canPublish?: boolean;
  /** The published version. */
  readonly publishedVersion?: string;
  /** The digest of the last spec that was handled. */
  readonly handledDigest?: string;
  /** Number of consumers that have acknowledged. */
  readonly acknowledged?: number;
  /** Number of consumers that are asked. */
  readonly total?: number;
  /** The last value of the annotation concordat.dev/reconcile-at that was handled. */
  readonly lastHandledReconcileAt?: string;
}

/** The registration of a team as a consumer of an asset. The team is asked before breaking changes. */
export interface ContractRegistration {
  readonly apiVersion: string;
  readonly kind: 'ContractRegistration';
  readonly metadata: ObjectMeta;
  readonly spec: ContractRegistrationSpec;
  readonly status?: ContractRegistrationStatus;
}

/** What the team reads, or sends to a request. A breaking change asks the team only if it may affect that. A need that the contract in force does not meet counts as none until a version meets it. */
export interface ContractRegistrationSpecNeeds {
  /** The fields. An empty list: the team reads nothing, and is only notified. */
  readonly fields?: readonly string[];
  /** A JSON Schema of what the team reads, instead of fields. */
  readonly schema?: JsonObject;
  /** The guarantees that the team relies on. Defaults to all of them. */
  readonly guarantees?: readonly string[];
}

/** The proposal, by the name of its ContractProposal or by its id. */
export interface ContractRegistrationSpecAcknowledgementProposalRef {
  /** The name of its ContractProposal. */
  readonly name?: string;
  /** The id of the proposal in the registry. */
  readonly id?: string;
}

/** The answer to one proposal. */
export interface ContractRegistrationSpecAcknowledgement {
  /** The proposal, by the name of its ContractProposal or by its id. */
  readonly proposalRef: ContractRegistrationSpecAcknowledgementProposalRef;
  /** The digest of the answered change, from status.digest of the ContractProposal. The answer counts only for this change. */
  readonly digest: string;
  /** Approved: the team agrees. Migrating: the team agrees, and moves to the new version later. Blocked: the team does not agree. */
  readonly response: 'Approved' | 'Migrating' | 'Blocked';
  /** A message to the producer. Required with Blocked. */
  readonly reason?: string;
  /** With Migrating: when the team moves to the new version. */
  readonly until?: string;
}

/** The answer to one proposal. */
export interface ContractRegistrationSpecAcknowledge {
  /** The proposal, by its id or by the name of its ContractProposal. */
  readonly proposal: string;
  /** Approved: the team agrees. Migrating: the team agrees, and moves to the new version later. Blocked: the team does not agree. */
  readonly response: 'Approved' | 'Migrating' | 'Blocked';
  /** A message to the producer. Required with Blocked. */
  readonly notes?: string;
  /** With Migrating: when the team moves to the new version. */
  readonly until?: string;
  /** The digest of the answered change, from the status. Required if the proposal was written by a team or compared again, because its name may then stand for a different change. */
  readonly digest?: string;
}

/** The asset that the team reads, and its answers to proposals. */
export interface ContractRegistrationSpec {
  /** The fully qualified name of the asset. Immutable. */
  readonly fqn: string;
  /** The environment of the asset. Defaults to the namespace's label concordat.dev/environment, and to production without one. Immutable. */
  readonly environment?: string;
  /** The slug of the consuming team. This namespace must act for it. Defaults to the team of the namespace. */
  readonly team?: string;
  /** What the team uses the asset for. */
  readonly purpose?: string;
  /** Deprecated: write purpose. */
  readonly notes?: string;
  /** What the team reads, or sends to a request. A breaking change asks the team only if it may affect that. A need that the contract in force does not meet counts as none until a version meets it. */
  readonly needs?: ContractRegistrationSpecNeeds;
  /** While true, this object registers, answers and changes nothing. Ready stays as it was, with a condition Suspended. */
  readonly suspend?: boolean;
  /** The answers of the team to proposals about this asset. An answer to a proposal that does not exist yet is given when it is created. If two entries name the same proposal, the last one counts. */
  readonly acknowledgements?: readonly ContractRegistrationSpecAcknowledgement[];
  /** Deprecated: use acknowledgements. Answers to proposals about this asset. */
  readonly acknowledge?: readonly ContractRegistrationSpecAcknowledge[];
}

/** A condition of this object. */
export interface ContractRegistrationStatusCondition {
  /** The name of the condition: Ready, Reconciling, Stalled, NeedsMet, Suspended. */
  readonly type: string;
  /** Whether the condition is true. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** When `status` last changed. */
  readonly lastTransitionTime: string;
  /** The reason in one word, for programs. */
  readonly reason: string;
  /** The reason in a sentence, and what to do next. */
  readonly message: string;
  /** The generation of the spec that the condition describes. */
  readonly observedGeneration?: number;
}

/** A proposal that waits for an answer of this team. */
export interface ContractRegistrationStatusPendingProposal {
  /** The id of the proposal in the registry. */
  readonly id: string;
  /** The digest that an answer to it must name. */
  readonly digest?: string;
  /** The name of its ContractProposal, if there is one. */
  readonly name?: string;
  /** The breaking changes, in a sentence. */
  readonly breakingChanges?: string;
}

/** The proposal, as the spec names it. */
export interface ContractRegistrationStatusAcknowledgementProposalRef {
  /** The name of its ContractProposal. */
  readonly name?: string;
  /** The id of the proposal in the registry. */
  readonly id?: string;
}

/** The result of one answer in the spec. */
export interface ContractRegistrationStatusAcknowledgement {
  /** The proposal, as the spec names it. */
  readonly proposalRef: ContractRegistrationStatusAcknowledgementProposalRef;
  /** Applied: the registry has recorded the answer. Stale: the answer was not given; see message. NotFound: the proposal does not exist yet; the answer is given when it is created. */
  readonly state: 'Applied' | 'Stale' | 'NotFound';
  /** The digest that the answer names. */
  readonly digest?: string;
  /** Why the answer was not given, and what to do. */
  readonly message?: string;
}

/** The state in the registry. */
export interface ContractRegistrationStatus {
  /** The generation of the spec that this status describes; -1 before the first reconcile. */
  readonly observedGeneration?: number;
  /** The conditions of this object. Reconciling and Stalled are present only while they are true. */
  readonly conditions?: readonly ContractRegistrationStatusCondition[];
  /** The id of the registration in the registry. */
  readonly registrationId?: string;
  /** The version of the contract that the team reads. */
  readonly contractVersion?: string;
  /** The digest of the need that this object has stated. */
  readonly needsDigest?: string;
  /** Proposals that wait for an answer of this team. */
  readonly pendingProposals?: readonly ContractRegistrationStatusPendingProposal[];
  /** The results of the answers in the spec, in the same order. */
  readonly acknowledgements?: readonly ContractRegistrationStatusAcknowledgement[];
  /** The digest of the last spec that was handled. */
  readonly handledDigest?: string;
  /** The last value of the annotation concordat.dev/reconcile-at that was handled. */
  readonly lastHandledReconcileAt?: string;
}

/** Data that is held against its contract on a schedule, by a Job in the namespace. */
export interface ContractCheck {
  readonly apiVersion: string;
  readonly kind: 'ContractCheck';
  readonly metadata: ObjectMeta;
  readonly spec: ContractCheckSpec;
  readonly status?: ContractCheckStatus;
}

/** A key of a Secret in this namespace. */
export interface ContractCheckSpecSourceUrlFromSecretKeyRef {
  /** The name of the Secret. */
  readonly name: string;
  /** The key of its data. */
  readonly key: string;
}

/** Its address from a Secret, instead of url. It may contain a password. */
export interface ContractCheckSpecSourceUrlFrom {
  /** A key of a Secret in this namespace. */
  readonly secretKeyRef: ContractCheckSpecSourceUrlFromSecretKeyRef;
}

/** A key of a Secret in this namespace. */
export interface ContractCheckSpecSourcePasswordFromSecretKeyRef {
  /** The name of the Secret. */
  readonly name: string;
  /** The key of its data. */
  readonly key: string;
}

/** The password of a Postgres. */
export interface ContractCheckSpecSourcePasswordFrom {
  /** A key of a Secret in this namespace. */
  readonly secretKeyRef: ContractCheckSpecSourcePasswordFromSecretKeyRef;
}

/** A key of a Secret in this namespace. */
export interface ContractCheckSpecSourceCaFromSecretKeyRef {
  /** The name of the Secret. */
  readonly name: string;
  /** The key of its data. */
  readonly key: string;
}

/** The certificates of the authorities that may have signed that of the source, as PEM. Without sslmode in the address of a Postgres, it is verify-full. */
export interface ContractCheckSpecSourceCaFrom {
  /** A key of a Secret in this namespace. */
  readonly secretKeyRef: ContractCheckSpecSourceCaFromSecretKeyRef;
}

/** A key of a Secret in this namespace. */
export interface ContractCheckSpecSourceCertFromSecretKeyRef {
  /** The name of the Secret. */
  readonly name: string;
  /** The key of its data. */
  readonly key: string;
}

/** A certificate for the source, as PEM, with keyFrom. */
export interface ContractCheckSpecSourceCertFrom {
  /** A key of a Secret in this namespace. */
  readonly secretKeyRef: ContractCheckSpecSourceCertFromSecretKeyRef;
}

/** A key of a Secret in this namespace. */
export interface ContractCheckSpecSourceKeyFromSecretKeyRef {
  /** The name of the Secret. */
  readonly name: string;
  /** The key of its data. */
  readonly key: string;
}

/** The private key of the certificate in certFrom, as PEM. */
export interface ContractCheckSpecSourceKeyFrom {
  /** A key of a Secret in this namespace. */
  readonly secretKeyRef: ContractCheckSpecSourceKeyFromSecretKeyRef;
}

/** The data. The registry never opens it: only the Job does, and it reads the Secrets itself. */
export interface ContractCheckSpecSource {
  /** Its address without a password: postgres://user@host/database or kafka://host:9092/topic. */
  readonly url?: string;
  /** Its address from a Secret, instead of url. It may contain a password. */
  readonly urlFrom?: ContractCheckSpecSourceUrlFrom;
  /** The password of a Postgres. */
  readonly passwordFrom?: ContractCheckSpecSourcePasswordFrom;
  /** The certificates of the authorities that may have signed that of the source, as PEM. Without sslmode in the address of a Postgres, it is verify-full. */
  readonly caFrom?: ContractCheckSpecSourceCaFrom;
  /** A certificate for the source, as PEM, with keyFrom. */
  readonly certFrom?: ContractCheckSpecSourceCertFrom;
  /** The private key of the certificate in certFrom, as PEM. */
  readonly keyFrom?: ContractCheckSpecSourceKeyFrom;
  /** For Postgres: the table or view, such as public.orders. */
  readonly table?: string;
  /** For Postgres: a query instead of a table. It runs in a read-only transaction. */
  readonly query?: string;
  /** Of a topic: only the records of the last 90m, 2h or 7d. */
  readonly window?: string;
  /** Columns whose values leave the source nowhere, beside those with "x-classification": "pii". */
  readonly redact?: readonly string[];
}

/** A key of a Secret in this namespace. */
export interface ContractCheckSpecRegistryKeySecretKeyRef {
  /** The name of the Secret. */
  readonly name: string;
  /** The key of its data. */
  readonly key: string;
}

/** An API key of the registry that may write for the team. The Job records its result with it. */
export interface ContractCheckSpecRegistryKey {
  /** A key of a Secret in this namespace. */
  readonly secretKeyRef: ContractCheckSpecRegistryKeySecretKeyRef;
}

/** The DataContract, in this namespace. */
export interface ContractCheckSpecContractRef {
  /** Its name. */
  readonly name: string;
}

/** The contract, the data, and when to check it. */
export interface ContractCheckSpec {
  /** The data. The registry never opens it: only the Job does, and it reads the Secrets itself. */
  readonly source: ContractCheckSpecSource;
  /** An API key of the registry that may write for the team. The Job records its result with it. */
  readonly registryKey: ContractCheckSpecRegistryKey;
  /** The DataContract, in this namespace. */
  readonly contractRef?: ContractCheckSpecContractRef;
  /** The fully qualified name of the asset, instead of contractRef. */
  readonly fqn?: string;
  /** With fqn: the environment of the asset. Defaults to the namespace's label concordat.dev/environment, and to production without one. */
  readonly environment?: string;
  /** The slug of the team that owns the asset. This namespace must act for it. Defaults to the team of the DataContract, and to that of the namespace. */
  readonly team?: string;
  /** When to check, in spec.timeZone, as five fields of cron: `30 5 * * *`, or @hourly, @daily, @weekly, @monthly. Without it, the data is checked once, and again when this spec changes. A new value of the annotation concordat.dev/reconcile-at checks it now. */
  readonly schedule?: string;
  /** The time zone of the schedule, such as Europe/Berlin. Defaults to UTC. A time that its clocks skip is no run, and one that they show twice is two. */
  readonly timeZone?: string;
  /** How bad it is if the data does not match: the label of the metric and of the alert. Defaults to Warning. */
  readonly severity?: 'Warning' | 'Critical';
  /** How long a run may take, including the time until its pod starts. Defaults to 3600. */
  readonly timeoutSeconds?: number;
  /** While true, no run begins. Conditions stay as they were. */
  readonly suspend?: boolean;
}

/** A condition of this object. */
export interface ContractCheckStatusCondition {
  /** The name of the condition: Ready, Reconciling, Stalled, DataMatches, Suspended. */
  readonly type: string;
  /** Whether the condition is true. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** When `status` last changed. */
  readonly lastTransitionTime: string;
  /** The reason in one word, for programs. */
  readonly reason: string;
  /** The reason in a sentence, and what to do next. */
  readonly message: string;
  /** The generation of the spec that the condition describes. */
  readonly observedGeneration?: number;
}

/** A rule that the data breaks. */
export interface ContractCheckStatusLastRunFailedRule {
  /** The name of the rule. */
  readonly name: string;
  /** Number of rows that break it. */
  readonly rows?: number;
}

/** The newest run. */
export interface ContractCheckStatusLastRun {
  /** The name of its Job. */
  readonly job: string;
  /** The uid of its Job: the run_id of the quality run. */
  readonly jobUid: string;
  /** Running: the Job has not ended. Passed: the data matches. Failed: it breaks rules. Error: the data could not be checked; see the message of Ready. */
  readonly state: 'Running' | 'Passed' | 'Failed' | 'Error';
  /** When the Job was made. */
  readonly startedAt: string;
  /** When the run ended. */
  readonly finishedAt?: string;
  /** The id of the quality run in the registry. */
  readonly qualityRunId?: string;
  /** The version of the contract. */
  readonly contractVersion?: string;
  /** The rules that the data breaks, at most 20. */
  readonly failedRules?: readonly ContractCheckStatusLastRunFailedRule[];
}

/** The last run and the next. */
export interface ContractCheckStatus {
  /** The generation of the spec that this status describes; -1 before the first reconcile. */
  readonly observedGeneration?: number;
  /** The conditions of this object. Reconciling and Stalled are present only while they are true. */
  readonly conditions?: readonly ContractCheckStatusCondition[];
  /** The id of the asset in the registry. */
  readonly assetId?: string;
  /** The name of the CronJob. */
  readonly cronJob?: string;
  /** When the schedule asks for the next run. */
  readonly nextRunAt?: string;
  /** The newest run. */
  readonly lastRun?: ContractCheckStatusLastRun;
  /** The digest of the last spec that was handled. */
  readonly handledDigest?: string;
  /** The last value of the annotation concordat.dev/reconcile-at that was handled. */
  readonly lastHandledReconcileAt?: string;
}

/** A team of the registry. Creating one needs the verb use on teams of its name. */
export interface Team {
  readonly apiVersion: string;
  readonly kind: 'Team';
  readonly metadata: ObjectMeta;
  readonly spec: TeamSpec;
  readonly status?: TeamStatus;
}

/** What the registry knows about the team. metadata.name is its slug. */
export interface TeamSpec {
  /** The name, unique among teams, ignoring case. Defaults to metadata.name for a new team. */
  readonly name?: string;
  /** Free-form, such as the channel of the team. Merged into what the registry has. */
  readonly metadata?: JsonObject;
  /** What happens to the team when this object is deleted. Retain: it stays, and nothing manages it. Delete: it is deleted, once it owns no assets. Defaults to Retain. */
  readonly deletionPolicy?: 'Retain' | 'Delete';
  /** While true, the object is not reconciled. Conditions stay as they were. */
  readonly suspend?: boolean;
}

/** A condition of this object. */
export interface TeamStatusCondition {
  /** The name of the condition: Ready, Reconciling, Stalled, Drifted, Suspended. */
  readonly type: string;
  /** Whether the condition is true. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** When `status` last changed. */
  readonly lastTransitionTime: string;
  /** The reason in one word, for programs. */
  readonly reason: string;
  /** The reason in a sentence, and what to do next. */
  readonly message: string;
  /** The generation of the spec that the condition describes. */
  readonly observedGeneration?: number;
}

/** The team in the registry. */
export interface TeamStatus {
  /** The generation of the spec that this status describes; -1 before the first reconcile. */
  readonly observedGeneration?: number;
  /** The conditions of this object. Reconciling and Stalled are present only while they are true. */
  readonly conditions?: readonly TeamStatusCondition[];
  /** The id of the team in the registry. */
  readonly teamId?: string;
  /** The name of the team. */
  readonly name?: string;
  /** The digest of the last spec that was handled. */
  readonly handledDigest?: string;
  /** The last value of the annotation concordat.dev/reconcile-at that was handled. */
  readonly lastHandledReconcileAt?: string;
}
