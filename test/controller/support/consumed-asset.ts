// Invariants of an asset that one team always consumes, checked against the registry and the
// objects of a cluster.

import type {
  ContractProposal,
  ContractRegistration,
  DataContract,
} from '../../../src/controller/crd/resources.ts';
import type { TestRegistry } from './open-controller.ts';

/** An answer that the consumer wrote, and what it had read at that time. */
export interface Answered {
  readonly name: string;
  /** The proposal, where it has no ContractProposal. */
  readonly id?: string;
  readonly digest: string;
  readonly response: 'Approved' | 'Blocked';
  /** The columns that were proposed. */
  readonly columns: readonly string[];
  /** The paths of the reported breaks. */
  readonly broken: readonly string[];
  readonly atMs: number;
}

/** What the consumer said that it reads. */
export interface Stated {
  /** The object that says so. */
  readonly name: string;
  readonly columns: readonly string[];
  readonly fromMs: number;
  state: 'stated' | 'taken back' | 'over';
  /** The controller had seen by then that it is taken back. */
  untilMs?: number;
}

/**
 * Versions that removed columns that the consumer reads without an answer to that; each answer counts
 * once.
 */
export async function findUnaskedBreaks(
  registry: TestRegistry,
  fqn: string,
  answered: readonly Answered[],
  stated: readonly Stated[],
): Promise<readonly string[]> {
  const versions = await registry.database.query(
    `select version, schema, extract(epoch from published_at) * 1000 as at, (select count(*)::integer from audit_event
       where event_type = 'contract.published' and entity_id = contract.id) as events
     from contract join asset on asset.id = contract.asset_id
     where fqn = $1 and asset.environment = 'production' order by ordinal`,
    [fqn],
  );
  const unused = new Set(answered.filter(({ response }) => response === 'Approved'));
  const found: string[] = [];
  let before: readonly string[] | null = null;
  for (const { version, schema, at, events } of versions) {
    const columns = Object.keys((schema as { properties?: object }).properties ?? {});
    const gone = before?.filter((column) => !columns.includes(column)) ?? [];
    before = columns;
    if (events !== 1) found.push(`${version} was told ${events} times`);
    if (gone.length === 0) continue;
    const publishedMs = Number(at);
    const isUnread = stated.some(
      (one) =>
        one.fromMs <= publishedMs &&
        publishedMs <= (one.untilMs ?? Number.POSITIVE_INFINITY) &&
        !gone.some((column) => one.columns.includes(column)),
    );
    if (isUnread) continue;
    const fitting = [...unused]
      .filter(
        (one) =>
          one.atMs <= publishedMs &&
          one.columns.join() === columns.join() &&
          gone.every((column) => one.broken.some((path) => path.split(/\W/).includes(column))),
      )
      .sort((a, b) => a.broken.length - b.broken.length);
    const [used] = fitting;
    if (used === undefined) found.push(`${version} took away ${gone.join()}, and nobody agreed`);
    else unused.delete(used);
  }
  return found;
}

/** Deprecations that the consumer has not agreed to. */
export async function findUnaskedEnds(
  registry: TestRegistry,
  fqn: string,
): Promise<readonly unknown[]> {
  return registry.database.query(
    `select audit_event.metadata from audit_event join asset on asset.id = asset_id and fqn = $1
     where event_type = 'contract.deprecated' and audit_event.metadata ->> 'superseded_by' is null
       and not exists (select from acknowledgement where response = 'approved'
         and proposal_id::text = audit_event.metadata ->> 'proposal_id')`,
    [fqn],
  );
}

/** Answers in the registry to changes that the consumer had not read when it wrote them. */
export async function findUnreadAnswers(
  registry: TestRegistry,
  fqn: string,
  answered: readonly Answered[],
): Promise<readonly string[]> {
  const given = await registry.database.query(
    `select response, proposed -> 'schema' as schema, proposal.actor_name as by
     from acknowledgement join proposal on proposal.id = proposal_id
       join asset on asset.id = proposal.asset_id where fqn = $1 and asset.environment = 'production'`,
    [fqn],
  );
  return given.flatMap(({ response, schema, by }) => {
    const columns = columnsOf(schema);
    const isRead = answered.some(
      (one) =>
        one.response.toLowerCase() === response &&
        one.columns.join() === columns &&
        (one.name === 'plan') === String(by).startsWith('ContractProposal '),
    );
    return isRead ? [] : [`${response} was answered to ${columns} of ${by}, which nobody had read`];
  });
}

/** The events that ended or deactivated the consumer's registration. */
export async function consumerLapses(
  registry: TestRegistry,
  fqn: string,
): Promise<readonly unknown[]> {
  return registry.database.query(
    `select event_type, audit_event.metadata from audit_event
       join asset on asset.id = asset_id and fqn = $1 and asset.environment = 'production'
     where (event_type = 'registration.deleted'
       or (event_type = 'registration.updated' and audit_event.metadata -> 'to' ->> 'status' = 'inactive'))`,
    [fqn],
  );
}

interface Objects {
  readonly contracts: readonly DataContract[];
  readonly proposals: readonly ContractProposal[];
  readonly registrations: readonly ContractRegistration[];
}

interface ChangedNamespaces {
  /** Namespaces that act for no team. */
  readonly unlabelled: readonly string[];
  /** Namespaces whose objects mean another environment. */
  readonly staging: readonly string[];
}

const proposalOf = ({ status }: Said) =>
  status !== undefined && 'proposal' in status ? status.proposal?.id : undefined;

type Said = DataContract | ContractProposal | ContractRegistration;

/** Statements in the statuses about one asset that are false or missing. */
export async function findFalseStatuses(
  registry: TestRegistry,
  fqn: string,
  all: Objects,
  { unlabelled, staging }: ChangedNamespaces,
): Promise<readonly string[]> {
  const { reads } = registry.ports;
  const asset = await reads.findAssetByName(fqn, 'production');
  const open = asset === null ? null : await reads.getOpenProposal(asset.id);
  const contract = asset === null ? null : ((await reads.getPublishBase(asset.id))?.base ?? null);
  const page = { page: 1, pageSize: 5, includeTotal: false };
  const listed = await reads.listRegistrations({ assetId: asset?.id ?? '', ...page });
  const registered = listed.ok ? listed.value.results : [];
  const named = (ones: readonly Said[]) => new Set(ones.map(nameOf));
  const found: string[] = [];
  const check = (object: Said, isTrue: (reason: string, message: string) => unknown) => {
    const { conditions = [], observedGeneration } = object.status ?? {};
    const ready = conditions.find(({ type }) => type === 'Ready');
    const isEnding = object.metadata.deletionTimestamp !== undefined;
    const isSuspended = !isEnding && 'suspend' in object.spec && object.spec.suspend === true;
    const saysSo = conditions.some(({ type }) => type === 'Suspended') === isSuspended;
    const isSeen = observedGeneration === object.metadata.generation;
    const said = `${ready?.reason}: ${ready?.message}`;
    const isRight = isSuspended
      ? ready?.reason !== 'ProposalPending' || open?.id === proposalOf(object)
      : ready !== undefined && isTrue(ready.reason, ready.message) === true;
    if (isSeen && saysSo && isRight) return;
    found.push(`${object.kind} ${nameOf(object)} (${isSeen ? 'seen' : 'not seen'}) says ${said}`);
  };

  /** The environment of what the object holds; null if it holds nothing. */
  const heldBy = async (object: DataContract | ContractRegistration) => {
    const { status = {} } = object;
    const { registrationId, assetId } = status as { registrationId?: string; assetId?: string };
    const held = registrationId === undefined ? null : await reads.getRegistration(registrationId);
    const id = held?.assetId ?? assetId;
    const owned = id === undefined ? null : await reads.getAsset(id);
    const isHeld = held !== null || owned?.managedBy?.reference.startsWith(`${nameOf(object)} in `);
    return isHeld === true ? (owned?.environment ?? null) : null;
  };
  /** After a change of its namespace's environment an object says so, or is about another asset. */
  const isAboutAnother = async (object: DataContract | ContractRegistration) => {
    const { namespace } = object.metadata;
    const environment = staging.includes(namespace) ? 'staging' : 'production';
    const held = await heldBy(object);
    if (held === null || held === environment) return environment === 'staging';
    check(object, (reason, message) =>
      unlabelled.includes(namespace)
        ? reason === 'TeamNotResolved'
        : reason === 'InvalidSpec' && message.includes(`in ${held}.`),
    );
    return true;
  };
  const [manager] = (asset?.managedBy?.reference ?? '').split(' in ');
  const isWaiting = open?.consumers.some(({ acknowledged }) => !acknowledged) === true;
  const waitsFor = (message: string) =>
    isWaiting ? message.includes('waiting for billing') : /decision|decide|approved/i.test(message);
  for (const object of all.contracts) {
    if (object.metadata.deletionTimestamp !== undefined) {
      const isAsked = (message: string) =>
        open === null ? /is (withdrawn|rejected)\./.test(message) : message.includes(open.id);
      check(object, (reason, message) => reason === 'DeletionBlocked' && isAsked(message));
      continue;
    }
    if (await isAboutAnother(object)) continue;
    const isOwn = manager === nameOf(object);
    const proposal = object.status?.proposal;
    const isDrifted = object.status?.conditions?.some(({ type }) => type === 'Drifted') === true;
    const isServed = columnsOf(contract?.schema) === columnsOf(object.spec.schema);
    const rules: Readonly<Record<string, (message: string) => boolean>> = {
      Published: () =>
        isOwn && (isServed || isDrifted) && open?.proposedByActor.id !== uidOf(object),
      UpToDate: () => isOwn && (isServed || isDrifted),
      ProposalPending: (message) => isOwn && open?.id === proposal?.id && waitsFor(message),
      ProposalRejected: (message) => isOwn && open?.id !== proposal?.id && /billing/.test(message),
      ProposalWithdrawn: () => isOwn && open?.id !== proposal?.id,
      ProposalConflict: (message) => isOwn && open !== null && message.includes(open.id),
      FqnConflict: (message) =>
        !isOwn &&
        message.includes(`belongs to ${manager},`) &&
        named(all.contracts).has(manager ?? ''),
    };
    check(object, (reason, message) => rules[reason]?.(message));
  }

  const columns = columnsOf(contract?.schema).split(',');
  const isHeld = ({ metadata, status }: ContractRegistration) =>
    metadata.deletionTimestamp === undefined && status?.registrationId === registered[0]?.id;
  /** If two of these say different things of what the team reads, neither counts. */
  const speaks = ({ metadata, spec }: ContractRegistration) =>
    spec.suspend !== true &&
    !unlabelled.includes(metadata.namespace) &&
    !staging.includes(metadata.namespace);
  for (const object of all.registrations) {
    if (await isAboutAnother(object)) continue;
    const isLabelled = !unlabelled.includes(object.metadata.namespace);
    const written = object.spec.acknowledgements?.length ?? 0;
    const told = object.status?.acknowledgements?.length ?? 0;
    const { fields = null } = object.spec.needs ?? {};
    const isMet = fields?.every((field) => columns.includes(field.slice('$.'.length)));
    const { conditions = [] } = object.status ?? {};
    const met = conditions.find(({ type }) => type === 'NeedsMet')?.status;
    const isDisputed = all.registrations.some(
      (one) =>
        speaks(one) &&
        JSON.stringify(one.spec.needs?.fields) !== JSON.stringify(object.spec.needs?.fields),
    );
    const isUnsaid = fields === null || isDisputed;
    const saysNeed = met === (isUnsaid ? undefined : isMet ? 'True' : 'False');
    const holders = all.registrations.filter((one) => one !== object && isHeld(one));
    const rules: Readonly<Record<string, (message: string) => boolean>> = {
      UpToDate: () =>
        isLabelled && registered[0]?.status === 'active' && told === written && saysNeed,
      Conflict: (message) =>
        isLabelled &&
        holders.some((one) => message.includes(`ContractRegistration ${nameOf(one)} `)),
      TeamNotResolved: () => !isLabelled,
    };
    check(object, (reason, message) => rules[reason]?.(message));
  }

  for (const object of all.proposals) {
    const { phase, proposalId } = object.status ?? {};
    const asked = proposalId === undefined ? null : await reads.getProposal(proposalId);
    if (asked !== null && asked.assetId !== asset?.id) continue;
    const isOpen = open !== null && open.id === proposalId;
    const rules: Readonly<Record<string, (message: string) => boolean>> = {
      ProposalPending: (message) => isOpen && waitsFor(message),
      ProposalRejected: (message) => !isOpen && message.includes('billing'),
      ProposalConflict: (message) => !isOpen && open !== null && message.includes(open.id),
      // Managed by an object of another namespace.
      ManagedElsewhere: (message) =>
        manager?.split('/')[0] !== object.metadata.namespace && message.includes(`(${manager} in `),
      // The environment of its namespace is another one now.
      InvalidSpec: (message) =>
        staging.includes(object.metadata.namespace) && message.includes('in production.'),
      Published: () => !isOpen && phase === 'Published',
      UpToDate: () => !isOpen && (phase === 'Withdrawn' || phase === 'NotBreaking'),
    };
    check(object, (reason, message) => rules[reason]?.(message));
  }
  return found;
}

function nameOf({ metadata: { namespace, name } }: Said): string {
  return `${namespace}/${name}`;
}

function uidOf({ metadata }: Said): string {
  return metadata.uid;
}

function columnsOf(schema: unknown): string {
  return Object.keys((schema as { properties?: object } | undefined)?.properties ?? {}).join();
}
