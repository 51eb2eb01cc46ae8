// A Kubernetes cluster as a source: objects through informers, status by server-side apply.

import type { SourceDescription } from '../../core/source.ts';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../../core/value/json.ts';
import type { Clock } from '../clock.ts';
import {
  type ApiAnswer,
  type ApiClient,
  ApiError,
  type ApiRequest,
  messageOf,
} from '../cluster/api-client.ts';
import { openCheckJobs } from '../cluster/check-jobs.ts';
import { Following } from '../cluster/following.ts';
import { Informer, type InformerChange } from '../cluster/informer.ts';
import type { LabelSelector } from '../cluster/label-selector.ts';
import { openMissed } from '../cluster/missed-objects.ts';
import { collectionPath, objectPath } from '../cluster/resources.ts';
import { openTeller } from '../cluster/tell-events.ts';
import { writeEvent } from '../cluster/write-event.ts';
import { fieldManager, writeStatus } from '../cluster/write-status.ts';
import {
  apiVersion,
  environmentLabel,
  fileKindNames,
  finalizer,
  isClusterScoped,
  type KindName,
  kindNames,
  madeForAnnotation,
  reconcileAtAnnotation,
  teamLabel,
} from '../crd/kinds.ts';
import { inEnvironment } from '../effective.ts';
import {
  type ConfigMapRead,
  keyOf,
  type ObjectKey,
  type ObjectWritten,
  type Source,
  type SourceListener,
  type SourceObject,
} from './source.ts';

interface ClusterOptions {
  readonly client: ApiClient;
  readonly clock: Clock;
  /** Names this process in Events. */
  readonly instance: string;
  readonly identity: string;
  /** Only these namespaces are reconciled; null for all. */
  readonly namespaces?: readonly string[] | null;
  /** Only namespaces with such labels are reconciled; null for all. */
  readonly selector?: LabelSelector | null;
  /** Whether ContractChecks are reconciled too, which needs rights on Jobs. */
  readonly hasChecks?: boolean;
}

/**
 * The identity of a cluster is its configured name, which a rebuilt cluster may reuse, or else the
 * uid of kube-system, which is unique and constant for a cluster's life.
 */
export async function describeCluster(
  client: ApiClient,
  name?: string,
): Promise<SourceDescription> {
  const path = '/api/v1/namespaces/kube-system';
  const found = await client.expect({ method: 'GET', path });
  const uid = String(objectOr(found.metadata).uid);
  return { identity: name ?? uid, kind: 'cluster', place: client.server, cluster: uid };
}

/**
 * The part of an object that stays in memory. A schema as text takes a fifth of the memory that it
 * takes as objects.
 */
interface Kept {
  readonly meta: Omit<SourceObject, 'spec' | 'status'>;
  readonly finalizers: readonly string[];
  /** Status fields of other managers, with their times; null if there are none. */
  readonly overwritten: string | null;
  /** The DataContract that the controller created this object for. */
  readonly owner: ObjectKey | null;
  /** The ConfigMap that its schema comes from. */
  readonly configMap: string | null;
  readonly body: string;
}

/** The relevant labels of a namespace; null for a missing label. */
interface KeptNamespace {
  readonly team: string | null;
  readonly environment: string | null;
  readonly isWatched: boolean;
  /** It is being deleted, so nothing new comes there. */
  readonly isEnding: boolean;
}

export function openCluster(options: ClusterOptions): Source {
  const { client, clock, identity } = options;
  let listener: SourceListener = { onChange: () => {}, onError: () => {} };
  const onError = (error: unknown, during: string) => listener.onError(error, during);
  const { namespaces: scope = null, selector = null, hasChecks = false } = options;
  const informers = new Map<KindName, Following<Kept>>();
  for (const kind of hasChecks ? kindNames : fileKindNames) {
    const following = new Following(
      isClusterScoped(kind) ? [null] : (scope ?? [null]),
      (namespace) =>
        new Informer<Kept>({
          client,
          clock,
          path: collectionPath(kind, namespace ?? undefined),
          keep: (object) => {
            const kept = keep(kind, object);
            followConfigMap(kept);
            return kept;
          },
          onChange: (change) => {
            if (!covers(namespaceOf(change.key))) return;
            tellChange(change, listener);
            // A created object is gone: its owner, or the object that replaced the owner, decides
            // whether it is still needed.
            const owner = change.now === null ? change.before?.owner : null;
            if (owner) listener.onChange(owner, 'changed');
          },
          onError,
        }),
    );
    informers.set(kind, following);
  }
  // Each kind has its informers.
  const registrations = informers.get('ContractRegistration') as Following<Kept>;
  const listMissed = openMissed(
    registrations,
    ({ meta }) => meta,
    (namespace) => isOver(namespace),
  );
  const listMissedTeams = openMissed(
    informers.get('Team') as Following<Kept>,
    ({ meta }) => meta,
    () => false,
  );
  const keepNamespace = ({ metadata }: JsonObject): KeptNamespace => {
    const { labels, deletionTimestamp } = objectOr(metadata);
    const { [teamLabel]: team, [environmentLabel]: environment } = objectOr(labels);
    return {
      team: textOr(team),
      environment: textOr(environment),
      isWatched: selector?.(objectOr(labels)) ?? true,
      isEnding: deletionTimestamp !== undefined,
    };
  };
  const openNamespaces = (name: string | null) =>
    new Informer<KeptNamespace>({
      client,
      clock,
      path: '/api/v1/namespaces',
      ...(name !== null && { query: { fieldSelector: `metadata.name=${name}` } }),
      metadataOnly: true,
      keep: keepNamespace,
      onChange: ({ key: namespace, before, now }) => {
        if (isSameNamespace(before, now)) return;
        for (const kept of keptIn(namespace)) {
          followConfigMap(kept);
          listener.onChange(kept.meta.key, 'changed');
        }
        if (before?.isWatched === false && now?.isWatched !== false) listener.onScopeGained?.();
      },
      onError,
    });
  const namespaces = new Map(
    (scope ?? [null]).map((name) => [name, openNamespaces(name)] as const),
  );
  const findNamespace = (namespace: string): KeptNamespace | null =>
    [...namespaces.values()]
      .map((informer) => informer.get(namespace))
      .find((one) => one !== null) ?? null;
  /** Whether the watch has told of a namespace what the server says now; if not, another one is opened. */
  const isToldNow = (namespace: string, now: KeptNamespace | null): boolean => {
    if (isSameNamespace(findNamespace(namespace), now)) return true;
    for (const [name, informer] of namespaces) {
      if (name === null || name === namespace) informer.watchAnew();
    }
    return false;
  };
  /** The namespaces whose registrations may count, and whose labels are not what the watch last told. */
  const listUntold = async (wanted: ReadonlySet<string>): Promise<ReadonlySet<string>> => {
    const untold = new Set<string>();
    for (const [name, informer] of namespaces) {
      if (wanted.size === 0 || (name !== null && !wanted.has(name))) continue;
      for await (const object of informer.listNow()) {
        const namespace = String(objectOr(object.metadata).name);
        const now = keepNamespace(object);
        const isWatchedEver = now.isWatched || findNamespace(namespace)?.isWatched === true;
        if (!wanted.has(namespace) || now.isEnding || !isWatchedEver) continue;
        if (!isToldNow(namespace, now)) untold.add(namespace);
      }
    }
    return untold;
  };
  /** What has to be read of a namespace, or of all of them, before anything there is reconciled. */
  const awaitedOf = (place: string | null) => {
    const kinds = fileKindNames.filter((kind) => !isClusterScoped(kind));
    const followed = kinds.map((kind) => informers.get(kind)?.informer(place));
    return [namespaces.get(place), ...followed].filter((one) => one !== undefined);
  };
  const isRead = (namespace: string) =>
    scope === null || awaitedOf(namespace).every(({ listCount }) => listCount > 0);
  /** Nobody can register there any more; and rights cannot be restored. */
  const isOver = (namespace: string) =>
    (namespaces.get(namespace)?.listCount ?? 0) > 0 && findNamespace(namespace)?.isEnding !== false;
  /**
   * With a selector, a namespace that is not known yet is not watched: it may arrive after its
   * first object, and only its labels decide.
   */
  const isWatched = (namespace: string) =>
    namespace === '' ||
    (isRead(namespace) && (selector === null || findNamespace(namespace)?.isWatched === true));
  /**
   * Also true for a namespace that is gone: it has no objects any more, so what they managed is
   * released.
   */
  const covers = (namespace: string) =>
    namespace === '' ||
    ((scope === null || (scope.includes(namespace) && isRead(namespace))) &&
      findNamespace(namespace)?.isWatched !== false);
  // ConfigMaps are watched only in namespaces where an object refers to one. Only their existence
  // is kept, because most of them belong to others.
  const configMaps = new Following<true>(
    [],
    (namespace) =>
      new Informer<true>({
        client,
        clock,
        path: `/api/v1/namespaces/${namespace}/configmaps`,
        metadataOnly: true,
        keep: () => true,
        onChange: ({ key }) => {
          for (const dependent of dependentsOn(key)) listener.onChange(dependent, 'changed');
        },
        onError,
      }),
  );
  const followConfigMap = ({ configMap, meta: { namespace } }: Kept) => {
    if (configMap !== null && isWatched(namespace)) configMaps.follow(namespace);
  };

  const listRefused = () =>
    (scope ?? []).filter(
      (namespace) => !isOver(namespace) && awaitedOf(namespace).some(({ isRefused }) => isRefused),
    );
  const readOf = (place: string | null) =>
    Promise.all(awaitedOf(place).map(({ synced }) => synced));
  /**
   * Settles once every namespace was read or refused, and at least one was read. The controller does not wait for a
   * namespace that it has no right to read. If it may read it later, the objects are reported then.
   */
  const read = async (): Promise<void> => {
    if (scope === null) return void (await readOf(null));
    await Promise.all(scope.flatMap(awaitedOf).map(({ answered }) => answered));
    const late = scope.filter((namespace) => !isRead(namespace));
    if (late.length === scope.length) await Promise.race(late.map(readOf));
    for (const namespace of late) {
      void readOf(namespace).then(() => {
        for (const kept of keptIn(namespace)) {
          followConfigMap(kept);
          listener.onChange(kept.meta.key, 'changed');
        }
        listener.onScopeGained?.();
      });
    }
  };

  const get = (key: ObjectKey): SourceObject | null => {
    const [kind, inKind] = splitKey(key);
    const kept = informers.get(kind)?.get(inKind) ?? null;
    if (kept === null || !isWatched(kept.meta.namespace)) return null;
    const object = toObject(kept);
    const environment = findNamespace(object.namespace)?.environment ?? null;
    return { ...object, spec: inEnvironment(object.spec, environment) };
  };
  function* keys(): Iterable<ObjectKey> {
    for (const [kind, informer] of informers) {
      for (const key of informer.keys()) {
        if (isWatched(namespaceOf(key))) yield `${kind}/${isClusterScoped(kind) ? '/' : ''}${key}`;
      }
    }
  }
  function* keptIn(namespace: string): Iterable<Kept> {
    for (const informer of informers.values()) {
      for (const kept of informer.values(namespace)) {
        if (kept.meta.namespace === namespace) yield kept;
      }
    }
  }
  function* dependentsOn(configMap: string): Iterable<ObjectKey> {
    const [namespace = '', name] = configMap.split('/');
    for (const kept of keptIn(namespace)) if (kept.configMap === name) yield kept.meta.key;
  }

  /**
   * Patches without a resourceVersion, so that other writers cannot cause conflicts, however busy
   * they are. The uid protects another object of the same name.
   */
  const patchFinalizers = async (
    object: SourceObject,
    patchOf: (held: Kept) => Pick<ApiRequest, 'query' | 'contentType' | 'body'>,
  ): Promise<ObjectWritten> => {
    const [kind, inKind] = splitKey(object.key);
    const held = informers.get(kind)?.get(inKind);
    if (held === undefined || held === null || held.meta.uid !== object.uid) return 'gone';
    const path = objectPath(kind, object.namespace, object.name);
    const answer = await client.request({ method: 'PATCH', path, ...patchOf(held) });
    if (answer.status === 404) return 'gone';
    if (answer.status === 409 || isOvertaken(answer)) return 'conflict';
    if (answer.status !== 200) throw new ApiError(`PATCH ${path}`, answer);
    if (isJsonObject(answer.body)) informers.get(kind)?.learn(object.namespace, answer.body);
    return 'written';
  };
  const checks = openCheckJobs({
    ...{ client, clock, namespaces: hasChecks ? (scope ?? [null]) : [], onError },
    onChange: (key) => {
      if (get(key) !== null) listener.onChange(key, 'changed');
    },
  });
  const teller = openTeller(clock, (error) => onError(error, 'telling an Event'));

  return {
    kind: 'cluster',
    identity,
    losesObjects: true,
    contractSource: 'kubernetes',
    get,
    keys,
    covers,
    teamLabelOf: (namespace) => findNamespace(namespace)?.team ?? null,
    isTold: async (namespace) => {
      const path = `/api/v1/namespaces/${namespace}`;
      const found = await client.request({ method: 'GET', path });
      if (found.status !== 200 && found.status !== 404) throw new ApiError(`GET ${path}`, found);
      return isToldNow(
        namespace,
        found.status === 404 ? null : keepNamespace(objectOr(found.body)),
      );
    },
    readConfigMap: (namespace, name) => readConfigMap(client, namespace, name),
    writeStatus: async (object, status) => {
      // Compares generations, so that a finalizer written by this reconcile is no conflict, but
      // another spec is.
      const now = get(object.key);
      if (now === null || now.uid !== object.uid) return 'gone';
      if (now.generation !== object.generation) return 'conflict';
      const written = await writeStatus(client, now, status);
      if (written.result === 'written')
        informers.get(object.kind)?.learn(object.namespace, written.object);
      return written.result;
    },
    claim: (object) =>
      patchFinalizers(object, ({ meta: { kind, namespace, name, uid } }) => ({
        query: { fieldManager, force: true },
        contentType: 'application/apply-patch+yaml',
        body: { apiVersion, kind, metadata: { namespace, name, uid, finalizers: [finalizer] } },
      })),
    release: (object) =>
      patchFinalizers(object, ({ finalizers }) => {
        const path = `/metadata/finalizers/${finalizers.indexOf(finalizer)}`;
        return {
          query: { fieldManager },
          contentType: 'application/json-patch+json',
          body: [
            { op: 'test', path: '/metadata/uid', value: object.uid },
            { op: 'test', path, value: finalizer },
            { op: 'remove', path },
          ],
        };
      }),
    made: {
      create: async (owner, { name, proposalId, spec }) => {
        const { namespace } = owner;
        const path = collectionPath('ContractProposal', namespace);
        const answer = await client.request({
          method: 'POST',
          path,
          query: { fieldManager },
          body: {
            apiVersion,
            kind: 'ContractProposal',
            metadata: {
              name,
              namespace,
              annotations: { [madeForAnnotation]: proposalId },
              ownerReferences: [
                {
                  apiVersion,
                  kind: owner.kind,
                  name: owner.name,
                  uid: owner.uid,
                  controller: true,
                },
              ],
            },
            spec,
          },
        });
        if (answer.status !== 201 && answer.status !== 409) {
          throw new ApiError(`POST ${path}`, answer);
        }
      },
      remove: async ({ kind, namespace, name, uid }) => {
        const path = objectPath(kind, namespace, name);
        const answer = await client.request({
          method: 'DELETE',
          path,
          body: { preconditions: { uid } },
        });
        // The object is gone already, or another one has its name; either way nothing is left to
        // delete.
        if (![200, 202, 404, 409].includes(answer.status)) {
          throw new ApiError(`DELETE ${path}`, answer);
        }
      },
    },
    tell: (object, note) => {
      const { kind, namespace, name, uid } = object;
      const event = { regarding: { kind, namespace, name, uid }, ...note };
      // Its Events would be in the namespace default, where the controller has no rights then.
      if (namespace === '' && scope !== null) return Promise.resolve();
      return teller.tell(() => writeEvent(options, event));
    },
    ...(hasChecks && { checks }),
    suspicion: () => null,
    readAtMs: () => {
      // A namespace that was not told may have the registrations that are missed here.
      const times = [...namespaces.values()].map((informer) => informer.readAtMs);
      const known = [registrations.readAtMs(), ...times].filter((time) => time !== null);
      return known.length > times.length ? Math.min(...known) : null;
    },
    listMissed: async (fqn) => {
      const [refused] = listRefused();
      if (refused !== undefined) throw new Error(refusedText([refused]));
      const { found, missed } = await listMissed('spec.fqn', fqn);
      const untold = await listUntold(new Set(found.map(namespaceOf)));
      const isMissed = (key: string) => missed.includes(key) && isWatched(namespaceOf(key));
      return found.filter((key) => untold.has(namespaceOf(key)) || isMissed(key));
    },
    isTeamMissed: async (slug) => {
      try {
        return (await listMissedTeams('metadata.name', slug)).missed.length > 0;
      } catch (error) {
        // Without the kind or its rights, no Team declares anything.
        if (error instanceof ApiError && [403, 404].includes(error.status)) return false;
        throw error;
      }
    },
    listRefused,
    isKindEnding: (kind) => isKindEnding(client, kind),
    hidesObjects: () => false,
    start: async (given) => {
      listener = given;
      for (const informer of namespaces.values()) informer.start();
      // ConfigMap informers that are added while reading the objects are not waited for.
      await configMaps.start();
      // Checks and Teams may lack their kind or their rights, which must not hold up the contracts.
      for (const following of [checks, ...informers.values()]) void following.start();
      await read();
    },
    stop: async () => {
      const all = [...namespaces.values(), configMaps, checks, ...informers.values()];
      await Promise.all([teller.stop(), ...all.map((informer) => informer.stop())]);
    },
  };
}

/** @example refusedText(['bi']) // 'Namespace bi may not be read: ...' */
export function refusedText(namespaces: readonly string[]): string {
  const [what, where] = namespaces.length === 1 ? ['Namespace', 'it'] : ['Namespaces', 'them'];
  return `${what} ${namespaces.join(', ')} may not be read, so nothing in ${where} is reconciled, and no breaking change is published before it may. Restore the Role and RoleBinding of the controller there, or take the namespace out of WATCH_NAMESPACES`;
}

/** Whether the object is being deleted, or its finalizers differ from the known ones. */
function isOvertaken({ status, body }: ApiAnswer): boolean {
  const said = messageOf(body);
  const isTest = said.startsWith('the server rejected our request');
  return status === 422 && (isTest || said.includes('no new finalizers can be added'));
}

/** Reports a change, unless it was only a status write by this controller. */
function tellChange(change: InformerChange<Kept>, listener: SourceListener): void {
  const { before, now } = change;
  if (before !== null && before.meta.uid !== now?.meta.uid) listener.onDeparture?.(before.meta.key);
  if (now === null) return;
  const isSame =
    before !== null &&
    before.meta.uid === now.meta.uid &&
    before.meta.generation === now.meta.generation &&
    before.meta.isDeleting === now.meta.isDeleting &&
    // Replacing an object, as with kubectl replace, removes our finalizer.
    before.meta.isClaimed <= now.meta.isClaimed &&
    before.meta.reconcileAt === now.meta.reconcileAt &&
    (now.overwritten === null || before.overwritten === now.overwritten);
  if (!isSame) listener.onChange(now.meta.key, 'changed');
}

function keep(kind: KindName, object: JsonObject): Kept {
  const metadata = objectOr(object.metadata);
  const namespace = textOr(metadata.namespace) ?? '';
  const name = String(metadata.name);
  const finalizers = Array.isArray(metadata.finalizers) ? metadata.finalizers.map(String) : [];
  const annotations = objectOr(metadata.annotations);
  const reconcileAt = annotations[reconcileAtAnnotation];
  const madeFor = annotations[madeForAnnotation];
  const owner = ownerOf(metadata);
  const { name: configMap } = objectOr(objectOr(objectOr(object.spec).schemaFrom).configMapKeyRef);
  return {
    meta: {
      key: keyOf(kind, namespace, name),
      kind,
      namespace,
      name,
      uid: String(metadata.uid),
      generation: Number(metadata.generation),
      resourceVersion: String(metadata.resourceVersion),
      isDeleting: metadata.deletionTimestamp !== undefined,
      isClaimed: finalizers.includes(finalizer),
      reconcileAt: typeof reconcileAt === 'string' ? reconcileAt : null,
      problem: null,
      revision: null,
      path: null,
      createdAt: String(metadata.creationTimestamp),
      ...(typeof owner?.uid === 'string' ? { ownerUid: owner.uid } : {}),
      ...(typeof madeFor === 'string' ? { madeFor } : {}),
    },
    finalizers,
    overwritten: overwrittenBy(metadata),
    owner: owner?.kind === 'DataContract' ? keyOf(owner.kind, namespace, String(owner.name)) : null,
    configMap: typeof configMap === 'string' ? configMap : null,
    body: JSON.stringify({ spec: object.spec ?? {}, status: object.status ?? null }),
  };
}

/**
 * The status fields of other managers. After this controller writes the status again, others only
 * keep fields that it does not have. So each write by another manager is reported once.
 */
function overwrittenBy({ managedFields = [] }: JsonObject): string | null {
  const entries = Array.isArray(managedFields) ? managedFields : [];
  const others = entries
    .map((one: Json) => objectOr(one))
    .filter(({ manager, subresource }) => subresource === 'status' && manager !== fieldManager);
  return others.length === 0 ? null : JSON.stringify(others);
}

/** The owner reference of the controller that created the object, if there is one. */
function ownerOf({ ownerReferences = [] }: JsonObject): JsonObject | undefined {
  const owners = Array.isArray(ownerReferences) ? ownerReferences : [];
  return owners.map((one: Json) => objectOr(one)).find((one) => one.controller === true);
}

/** Deeper than any object: see maxObjectDepth of the client. */
const maxBodyDepth = 20_000;

function toObject(kept: Kept): SourceObject {
  const parsed = parseJson(kept.body, maxBodyDepth);
  if (!parsed.ok || !isJsonObject(parsed.value)) {
    const problem = 'The object is nested too deeply. Flatten it.';
    return { ...kept.meta, spec: {}, status: null, problem };
  }
  const { spec, status } = parsed.value;
  const isStatus = status !== undefined && isJsonObject(status);
  return { ...kept.meta, spec: objectOr(spec), status: isStatus ? status : null };
}

/**
 * A CustomResourceDefinition that is being deleted takes no new objects, which everybody who is authenticated may
 * read. Where that was taken away, no kind is known to end.
 */
async function isKindEnding(client: ApiClient, kind: KindName): Promise<boolean> {
  const path = `/apis/${apiVersion}`;
  const answer = await client.request({ method: 'GET', path });
  if (answer.status === 404) return true;
  if (answer.status === 403) return false;
  if (answer.status !== 200) throw new ApiError(`GET ${path}`, answer);
  const { resources = [] } = objectOr(answer.body);
  const found = (Array.isArray(resources) ? resources : [])
    .map((one: Json) => objectOr(one))
    .find((one) => one.kind === kind && !String(one.name).includes('/'));
  const verbs = found?.verbs;
  return !(Array.isArray(verbs) && verbs.includes('create'));
}

async function readConfigMap(
  client: ApiClient,
  namespace: string,
  name: string,
): Promise<ConfigMapRead> {
  const path = `/api/v1/namespaces/${namespace}/configmaps/${encodeURIComponent(name)}`;
  const answer = await client.request({ method: 'GET', path });
  if (answer.status === 404) return null;
  if (answer.status === 403) return 'forbidden';
  if (answer.status !== 200) throw new ApiError(`GET ${path}`, answer);
  const data = objectOr(isJsonObject(answer.body) ? answer.body.data : undefined);
  return Object.fromEntries(
    Object.entries(data).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** '' for an object without a namespace. */
function namespaceOf(inKind: string): string {
  return inKind.includes('/') ? inKind.slice(0, inKind.indexOf('/')) : '';
}

function splitKey(key: ObjectKey): readonly [KindName, string] {
  const cut = key.indexOf('/');
  const inKind = key.slice(cut + 1);
  // Keys come from keyOf, which takes a kind. The informer knows no namespace of a cluster-scoped one.
  return [key.slice(0, cut) as KindName, inKind.startsWith('/') ? inKind.slice(1) : inKind];
}

function textOr(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function isSameNamespace(a: KeptNamespace | null, b: KeptNamespace | null): boolean {
  return a?.team === b?.team && a?.environment === b?.environment && a?.isWatched === b?.isWatched;
}

function objectOr(value: Json | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}
