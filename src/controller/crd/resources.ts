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

/** A key of a ConfigMap in this namespace. */
export interface DataContractSpecSchemaFromConfigMapKeyRef {
  /** The name of the ConfigMap. */
  readonly name: string;
  /** The key in its data that holds the document. */
  readonly key: string;
}

/** Where the schema is read from, in place of `schema`. */
export interface DataContractSpecSchemaFrom {
  /** A key of a ConfigMap in this namespace. */
  readonly configMapKeyRef: DataContractSpecSchemaFromConfigMapKeyRef;
  /** What the document is. Where it is absent: jsonschema. */
  readonly format?: 'jsonschema' | 'graphql' | 'openapi' | 'dbt' | 'odcs';
  /** With format graphql: the type whose shape is the contract. */
  readonly typeName?: string;
  /** With format openapi: the operation, as its operationId or as `GET /orders/{id}`. */
  readonly operation?: string;
  /** With format dbt: the unique id of the node in the manifest. */
  readonly node?: string;
  /** With format odcs: the name of the schema object, where the file holds more than one. */
  readonly schemaObject?: string;
}

/** A team that reads the asset. */
export interface DataContractSpecConsumer {
  /** The slug of the team. */
  readonly team: string;
  /** What it reads it for. */
  readonly purpose?: string;
}

/** What is promised, and how changes to it are handled. */
export interface DataContractSpec {
  /** The fully qualified name of the asset: two or more segments joined by dots. Immutable. */
  readonly fqn: string;
  /** Where the asset lives. Where it is absent: production. Immutable. */
  readonly environment?: string;
  /** The slug of the team that owns the asset, one that this namespace acts for. Where it is absent: the team of the namespace. */
  readonly team?: string;
  /** The e-mail address of the person who answers for the asset. */
  readonly ownerUser?: string;
  /** What the asset is, for those who look for it. */
  readonly description?: string;
  /** Words that the asset is found by. */
  readonly tags?: readonly string[];
  /** Anything else that is kept with the asset. */
  readonly metadata?: JsonObject;
  /** What a change may do. backward: what was read before can still be read, and nothing that readers use goes away. forward: consumers of the old version can read new data. full: every change is asked about. none: nothing is asked, consumers are only told. Where it is absent: that of the active contract, for a first contract backward. */
  readonly compatibilityMode?: 'backward' | 'forward' | 'full' | 'none';
  /** The JSON Schema (draft-04 to 2020-12) that the data obeys. Taken as one value: two appliers never mix theirs. */
  readonly schema?: JsonObject;
  /** Where the schema is read from, in place of `schema`. */
  readonly schemaFrom?: DataContractSpecSchemaFrom;
  /** What is promised beyond the shape of the data. */
  readonly guarantees?: JsonObject;
  /** What weakening a guarantee does. notify: consumers are told. strict: they are asked. ignore: it is only recorded. Where it is absent: notify. */
  readonly guaranteeMode?: 'notify' | 'strict' | 'ignore';
  /** Teams that are asked before a breaking change. This list only adds: who is taken off it stays a consumer until that team, or an admin, ends the registration. */
  readonly consumers?: readonly DataContractSpecConsumer[];
  /** The version to publish as. It may skip ahead and never says less than the change asks for. Where it is absent: the next one. */
  readonly version?: string;
  /** What happens to a breaking change once its last consumer has acknowledged. Automatic: it is published. Manual: it waits for decision Publish in its ContractProposal. Where it is absent: Automatic. */
  readonly publishPolicy?: 'Automatic' | 'Manual';
  /** What becomes of the asset when this object is deleted. Retain: it stays, and is no longer managed from here; the object is gone at once, and no finalizer holds it. Deprecate: its active contract is deprecated. Delete: it is deleted. For the last two the object has a finalizer, and waits while consumers are registered. Where it is absent: Retain. */
  readonly deletionPolicy?: 'Retain' | 'Deprecate' | 'Delete';
  /** While true, nothing is published, proposed or changed from here. */
  readonly suspend?: boolean;
}

/** One thing that is known about this object. */
export interface DataContractStatusCondition {
  /** The name of the condition: Ready, Reconciling, Stalled, Drifted. */
  readonly type: string;
  /** Whether it holds. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** When `status` last changed. */
  readonly lastTransitionTime: string;
  /** Why, in one word that programs may rely on. */
  readonly reason: string;
  /** Why, in a sentence that says what to do next. */
  readonly message: string;
  /** The generation of the spec that it speaks of. */
  readonly observedGeneration?: number;
}

/** What holds where the spec is silent. */
export interface DataContractStatusEffective {
  /** The mode of the active contract. */
  readonly compatibilityMode?: 'backward' | 'forward' | 'full' | 'none';
  /** The environment of the asset. */
  readonly environment?: string;
  /** The slug of the team that owns the asset. */
  readonly team?: string;
}

/** The change that waits for its consumers. */
export interface DataContractStatusProposal {
  /** The name of the ContractProposal. */
  readonly name?: string;
  /** The id of the proposal in the registry. */
  readonly id?: string;
  /** How many consumers have acknowledged it. */
  readonly acknowledged?: number;
  /** How many consumers there are. */
  readonly total?: number;
}

/** One change. */
export interface DataContractStatusLastChangeChange {
  /** What kind of change, for example property_removed. */
  readonly type: string;
  /** Where: `$.properties.lines.items`. */
  readonly path: string;
  /** What changed, in a sentence. */
  readonly description: string;
  /** Whether it breaks somebody. */
  readonly breaking?: boolean;
  /** A whole value that one side has and the other refuses, as JSON. */
  readonly witness?: string;
}

/** What the last version that was published or proposed from here changed. */
export interface DataContractStatusLastChange {
  /** What the version number did, or would do. */
  readonly bump?: 'initial' | 'patch' | 'minor' | 'major';
  /** Whether it breaks consumers. */
  readonly breaking?: boolean;
  /** The changes, breaking ones first. */
  readonly changes?: readonly DataContractStatusLastChangeChange[];
}

/** Where the object was read from, where it was not a cluster. */
export interface DataContractStatusSource {
  /** The kind of source. */
  readonly kind?: 'cluster' | 'directory' | 'git';
  /** The commit that it was read at. */
  readonly revision?: string;
  /** The file that it stands in. */
  readonly path?: string;
}

/** What the registry made of it. */
export interface DataContractStatus {
  /** The generation of the spec that this status speaks of; -1 before the first look. */
  readonly observedGeneration?: number;
  /** What is known about this object. Reconciling and Stalled are there only while they hold. */
  readonly conditions?: readonly DataContractStatusCondition[];
  /** The id of the asset in the registry. */
  readonly assetId?: string;
  /** The id of the active contract. */
  readonly contractId?: string;
  /** The version of the active contract. */
  readonly version?: string;
  /** SHA-256 of the canonical form of the active schema, in hex. */
  readonly schemaDigest?: string;
  /** What holds where the spec is silent. */
  readonly effective?: DataContractStatusEffective;
  /** The change that waits for its consumers. */
  readonly proposal?: DataContractStatusProposal;
  /** How many teams are registered as consumers. */
  readonly consumers?: number;
  /** What the last version that was published or proposed from here changed. */
  readonly lastChange?: DataContractStatusLastChange;
  /** The digest of the last spec that was handled: it is never published or proposed again. */
  readonly handledDigest?: string;
  /** The value of the annotation concordat.dev/reconcile-at that was last obeyed. */
  readonly lastHandledReconcileAt?: string;
  /** Where the object was read from, where it was not a cluster. */
  readonly source?: DataContractStatusSource;
}

/** A change that the consumers of an asset are asked about before it happens. */
export interface ContractProposal {
  readonly apiVersion: string;
  readonly kind: 'ContractProposal';
  readonly metadata: ObjectMeta;
  readonly spec: ContractProposalSpec;
  readonly status?: ContractProposalStatus;
}

/** The DataContract that it would change. Immutable. */
export interface ContractProposalSpecContractRef {
  /** The name of a DataContract in this namespace. */
  readonly name: string;
}

/** A key of a ConfigMap in this namespace. */
export interface ContractProposalSpecSchemaFromConfigMapKeyRef {
  /** The name of the ConfigMap. */
  readonly name: string;
  /** The key in its data that holds the document. */
  readonly key: string;
}

/** Where the schema is read from, in place of `schema`. */
export interface ContractProposalSpecSchemaFrom {
  /** A key of a ConfigMap in this namespace. */
  readonly configMapKeyRef: ContractProposalSpecSchemaFromConfigMapKeyRef;
  /** What the document is. Where it is absent: jsonschema. */
  readonly format?: 'jsonschema' | 'graphql' | 'openapi' | 'dbt' | 'odcs';
  /** With format graphql: the type whose shape is the contract. */
  readonly typeName?: string;
  /** With format openapi: the operation, as its operationId or as `GET /orders/{id}`. */
  readonly operation?: string;
  /** With format dbt: the unique id of the node in the manifest. */
  readonly node?: string;
  /** With format odcs: the name of the schema object, where the file holds more than one. */
  readonly schemaObject?: string;
}

/** The answer of one consumer team. */
export interface ContractProposalSpecAcknowledgement {
  /** The slug of the team, one that this namespace acts for. */
  readonly team: string;
  /** Approved: go ahead. Migrating: go ahead, we move to the new version later. Blocked: do not. */
  readonly response: 'Approved' | 'Migrating' | 'Blocked';
  /** What the producer should know. Needed with Blocked. */
  readonly notes?: string;
  /** With Migrating: when the team will read the new version. */
  readonly until?: string;
  /** The digest of what is answered, as the status shows it. Needed where the name of the proposal may stand for something else by now: it was written by a team, or compared again. */
  readonly digest?: string;
}

/** What is proposed, and what was answered and decided about it. */
export interface ContractProposalSpec {
  /** The DataContract that it would change. Immutable. */
  readonly contractRef?: ContractProposalSpecContractRef;
  /** The name of the asset, in place of `contractRef`. Immutable. */
  readonly fqn?: string;
  /** With `fqn`: where the asset lives. Where it is absent: production. Immutable. */
  readonly environment?: string;
  /** What would change. Schema: schema, mode or guarantees. Deprecation: the active contract would be deprecated. Move: the asset would get another owner. GuaranteeMode: weakening a guarantee would be asked about less. Where it is absent: Schema. */
  readonly kind?: 'Schema' | 'Deprecation' | 'Move' | 'GuaranteeMode';
  /** The JSON Schema that would be published. */
  readonly schema?: JsonObject;
  /** Where the schema is read from, in place of `schema`. */
  readonly schemaFrom?: ContractProposalSpecSchemaFrom;
  /** The mode that the new version would have. Where it is absent: that of the active contract. */
  readonly compatibilityMode?: 'backward' | 'forward' | 'full' | 'none';
  /** What the new version would promise. Where it is absent: what the active contract promises. */
  readonly guarantees?: JsonObject;
  /** With kind Move: the slug of the team that would own the asset. */
  readonly team?: string;
  /** With kind GuaranteeMode: what it would become. */
  readonly guaranteeMode?: 'notify' | 'strict' | 'ignore';
  /** Why the change is wanted, for those who are asked. */
  readonly reason?: string;
  /** Answers of consumer teams. Only those of teams that this namespace acts for count; other teams answer with a ContractRegistration in their own namespace, or through the API. */
  readonly acknowledgements?: readonly ContractProposalSpecAcknowledgement[];
  /** What the producer decides. Pending: nothing yet. Approve: park it once everybody has acknowledged. Publish: publish it then. Withdraw: give it up. Force: publish it although not everybody has acknowledged, where that is allowed at all. Where it is absent: Pending. */
  readonly decision?: 'Pending' | 'Approve' | 'Publish' | 'Withdraw' | 'Force';
  /** Why. Needed with Withdraw and Force. */
  readonly decisionReason?: string;
}

/** One thing that is known about this object. */
export interface ContractProposalStatusCondition {
  /** The name of the condition: Ready, Reconciling, Stalled. */
  readonly type: string;
  /** Whether it holds. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** When `status` last changed. */
  readonly lastTransitionTime: string;
  /** Why, in one word that programs may rely on. */
  readonly reason: string;
  /** Why, in a sentence that says what to do next. */
  readonly message: string;
  /** The generation of the spec that it speaks of. */
  readonly observedGeneration?: number;
}

/** One change. */
export interface ContractProposalStatusChange {
  /** What kind of change, for example property_removed. */
  readonly type: string;
  /** Where: `$.properties.lines.items`. */
  readonly path: string;
  /** What changed, in a sentence. */
  readonly description: string;
  /** Whether it breaks somebody. */
  readonly breaking?: boolean;
  /** A whole value that one side has and the other refuses, as JSON. */
  readonly witness?: string;
}

/** One change. */
export interface ContractProposalStatusBreakingChange {
  /** What kind of change, for example property_removed. */
  readonly type: string;
  /** Where: `$.properties.lines.items`. */
  readonly path: string;
  /** What changed, in a sentence. */
  readonly description: string;
  /** Whether it breaks somebody. */
  readonly breaking?: boolean;
  /** A whole value that one side has and the other refuses, as JSON. */
  readonly witness?: string;
}

/** A consumer, and what it answered. */
export interface ContractProposalStatusConsumer {
  /** The slug of the team. */
  readonly team: string;
  /** Whether it has acknowledged. */
  readonly acknowledged?: boolean;
  /** When it answered. */
  readonly acknowledgedAt?: string;
  /** What it answered. */
  readonly response?: 'Approved' | 'Migrating' | 'Blocked';
}

/** How far it is. */
export interface ContractProposalStatus {
  /** The generation of the spec that this status speaks of; -1 before the first look. */
  readonly observedGeneration?: number;
  /** What is known about this object. Reconciling and Stalled are there only while they hold. */
  readonly conditions?: readonly ContractProposalStatusCondition[];
  /** The id of the proposal in the registry. */
  readonly proposalId?: string;
  /** Its state in the registry; NotBreaking where nobody needs to be asked. */
  readonly phase?:
    | 'Pending'
    | 'Approved'
    | 'Published'
    | 'Rejected'
    | 'ForcePublished'
    | 'Withdrawn'
    | 'NotBreaking';
  /** What an answer names as its digest: another one is asked by now. */
  readonly digest?: string;
  /** How many of how many consumers have acknowledged: 2/3. */
  readonly progress?: string;
  /** All changes, breaking ones first. */
  readonly changes?: readonly ContractProposalStatusChange[];
  /** Those that break somebody. */
  readonly breakingChanges?: readonly ContractProposalStatusBreakingChange[];
  /** Who is asked. */
  readonly consumers?: readonly ContractProposalStatusConsumer[];
  /** Whether everybody who is asked has acknowledged. */
  readonly canPublish?: boolean;
  /** The version that it was published as. */
  readonly publishedVersion?: string;
  /** The digest of the last spec that was handled. */
  readonly handledDigest?: string;
  /** How many consumers have acknowledged. */
  readonly acknowledged?: number;
  /** How many consumers are asked. */
  readonly total?: number;
  /** The value of the annotation concordat.dev/reconcile-at that was last obeyed. */
  readonly lastHandledReconcileAt?: string;
}

/** A team reads an asset, and is asked before it changes. */
export interface ContractRegistration {
  readonly apiVersion: string;
  readonly kind: 'ContractRegistration';
  readonly metadata: ObjectMeta;
  readonly spec: ContractRegistrationSpec;
  readonly status?: ContractRegistrationStatus;
}

/** The proposal, by its name or by its id. */
export interface ContractRegistrationSpecAcknowledgementProposalRef {
  /** The name of its ContractProposal. */
  readonly name?: string;
  /** Its id in the registry. */
  readonly id?: string;
}

/** The answer to one proposal. */
export interface ContractRegistrationSpecAcknowledgement {
  /** The proposal, by its name or by its id. */
  readonly proposalRef: ContractRegistrationSpecAcknowledgementProposalRef;
  /** The digest of what is answered, as status.digest of the ContractProposal shows it. The answer counts for this only. */
  readonly digest: string;
  /** Approved: go ahead. Migrating: go ahead, we move to the new version later. Blocked: do not. */
  readonly response: 'Approved' | 'Migrating' | 'Blocked';
  /** What the producer should know. Needed with Blocked. */
  readonly reason?: string;
  /** With Migrating: when the team will read the new version. */
  readonly until?: string;
}

/** The answer to one proposal. */
export interface ContractRegistrationSpecAcknowledge {
  /** The proposal: its id, or the name of its ContractProposal. */
  readonly proposal: string;
  /** Approved: go ahead. Migrating: go ahead, we move to the new version later. Blocked: do not. */
  readonly response: 'Approved' | 'Migrating' | 'Blocked';
  /** What the producer should know. Needed with Blocked. */
  readonly notes?: string;
  /** With Migrating: when the team will read the new version. */
  readonly until?: string;
  /** The digest of what is answered, as the status shows it. Needed where the name of the proposal may stand for something else by now: it was written by a team, or compared again. */
  readonly digest?: string;
}

/** What is read, and what the team answers when it is to change. */
export interface ContractRegistrationSpec {
  /** The fully qualified name of the asset. Immutable. */
  readonly fqn: string;
  /** Where the asset lives. Where it is absent: production. Immutable. */
  readonly environment?: string;
  /** The slug of the consuming team, one that this namespace acts for. Where it is absent: the team of the namespace. */
  readonly team?: string;
  /** What the asset is read for. */
  readonly notes?: string;
  /** While true, nothing is registered, answered or changed from here. */
  readonly suspend?: boolean;
  /** Answers to proposals about this asset. One that is not there yet is answered when it comes; if two entries name one proposal, the last one counts. */
  readonly acknowledgements?: readonly ContractRegistrationSpecAcknowledgement[];
  /** Deprecated: use acknowledgements. Answers to proposals about this asset. */
  readonly acknowledge?: readonly ContractRegistrationSpecAcknowledge[];
}

/** One thing that is known about this object. */
export interface ContractRegistrationStatusCondition {
  /** The name of the condition: Ready, Reconciling, Stalled. */
  readonly type: string;
  /** Whether it holds. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** When `status` last changed. */
  readonly lastTransitionTime: string;
  /** Why, in one word that programs may rely on. */
  readonly reason: string;
  /** Why, in a sentence that says what to do next. */
  readonly message: string;
  /** The generation of the spec that it speaks of. */
  readonly observedGeneration?: number;
}

/** A proposal that waits for an answer of this team. */
export interface ContractRegistrationStatusPendingProposal {
  /** Its id in the registry. */
  readonly id: string;
  /** What an answer to it names as its digest. */
  readonly digest?: string;
  /** The name of its ContractProposal, where there is one. */
  readonly name?: string;
  /** What would break, in a sentence. */
  readonly breakingChanges?: string;
}

/** The proposal, as the spec names it. */
export interface ContractRegistrationStatusAcknowledgementProposalRef {
  /** The name of its ContractProposal. */
  readonly name?: string;
  /** Its id in the registry. */
  readonly id?: string;
}

/** What became of one answer in the spec. */
export interface ContractRegistrationStatusAcknowledgement {
  /** The proposal, as the spec names it. */
  readonly proposalRef: ContractRegistrationStatusAcknowledgementProposalRef;
  /** Applied: the registry has this answer. Stale: it was not given, message says why. NotFound: there is no such proposal yet; it is answered when it comes. */
  readonly state: 'Applied' | 'Stale' | 'NotFound';
  /** The digest that the answer names. */
  readonly digest?: string;
  /** Why the answer was not given, and what to do. */
  readonly message?: string;
}

/** What the registry made of it. */
export interface ContractRegistrationStatus {
  /** The generation of the spec that this status speaks of; -1 before the first look. */
  readonly observedGeneration?: number;
  /** What is known about this object. Reconciling and Stalled are there only while they hold. */
  readonly conditions?: readonly ContractRegistrationStatusCondition[];
  /** The id of the registration in the registry. */
  readonly registrationId?: string;
  /** The version of the contract that the team reads. */
  readonly contractVersion?: string;
  /** Proposals that wait for an answer of this team. */
  readonly pendingProposals?: readonly ContractRegistrationStatusPendingProposal[];
  /** What became of the answers in the spec, in their order. */
  readonly acknowledgements?: readonly ContractRegistrationStatusAcknowledgement[];
  /** The digest of the last spec that was handled. */
  readonly handledDigest?: string;
  /** The value of the annotation concordat.dev/reconcile-at that was last obeyed. */
  readonly lastHandledReconcileAt?: string;
}
