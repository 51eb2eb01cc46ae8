// The objects of a file source, which is a folder or a repository: the last snapshot, the results,
// and the conclusions from missing objects. Nothing is written into the files; results are stored
// in the records.

import { defaultEnvironment } from '../../core/asset.ts';
import { isSameJson } from '../../core/value/canonical-json.ts';
import { isJsonObject, type JsonObject } from '../../core/value/json.ts';
import type { KindName } from '../crd/kinds.ts';
import { digestOf } from '../effective.ts';
import { slugsOfNamespace, type TeamMapping } from '../permission.ts';
import { documentPathBeside } from './document.ts';
import type { ObjectRecord, ObjectRecords } from './object-records.ts';
import {
  keyOf,
  type ObjectKey,
  type ObjectNote,
  type ObjectWritten,
  type Source,
  type SourceListener,
  type SourceObject,
  SourceSuspicious,
} from './source.ts';
import { stableUuid } from './stable-uuid.ts';
import { namespaceOf, type PlacedManifest, type Snapshot } from './take-snapshot.ts';

interface FileObjectsOptions {
  readonly kind: 'directory' | 'git';
  /** The folder or the URL, for messages. */
  readonly place: string;
  readonly identity: string;
  readonly records: ObjectRecords;
  /** Which teams each folder acts for. */
  readonly mapping: TeamMapping;
  readonly tell?: ((object: SourceObject, note: ObjectNote) => void) | undefined;
}

/** The part that file sources share; each has its own way of reading. */
type FileSource = Omit<Source, 'start' | 'stop'>;

interface FileObjects {
  readonly source: FileSource;
  /** Loads the records from the last run. */
  readonly load: (listener: SourceListener) => Promise<void>;
  /** Applies a snapshot, unless it is suspicious and unconfirmed. Its reading began at `begunAtMs`. */
  readonly take: (
    snapshot: Snapshot,
    confirmation: 'confirmed' | 'unconfirmed',
    begunAtMs: number,
  ) => Promise<void>;
  /** Nothing has changed since the last snapshot. */
  readonly takeSame: (begunAtMs: number) => void;
  /** Reports that nothing could be read; the known objects stay. */
  readonly failToRead: (why: string) => void;
}

/**
 * If more than a fifth of the objects, and at least five, are missing, the cause is more likely an
 * unmounted volume than a deletion.
 */
const suspicious = { share: 0.2, least: 5 };

interface Held {
  readonly object: SourceObject;
  readonly specDigest: string;
}

type HeldObjects = Map<ObjectKey, Held>;

export function holdFileObjects(options: FileObjectsOptions): FileObjects {
  const { kind, place, identity, records, mapping } = options;
  const held: HeldObjects = new Map();
  const unsaved = new Set<ObjectKey>();
  let configMaps: Snapshot['configMaps'] = new Map();
  let suspicion: string | null = null;
  let readAtMs: number | null = null;
  let hidesObjects = false;
  let listener: SourceListener = { onChange: () => {}, onError: () => {} };

  const suspect = (why: string) => {
    suspicion = `SourceSuspicious: ${why}`;
    listener.onError(new SourceSuspicious(suspicion), `reading ${place}`);
  };

  const apply = async (snapshot: Snapshot): Promise<void> => {
    const changed = new Set<ObjectKey>();
    for (const manifest of snapshot.objects.values()) await put(manifest, snapshot, changed);
    await standInForBroken(snapshot, changed);
    const doubts = doubtsOf(snapshot, held, mapping);
    for (const [key, { object }] of held) {
      if (!snapshot.objects.has(key)) await miss(object, doubts, changed);
    }
    for (const key of dependentsOf(held, configMaps, snapshot.configMaps)) {
      const now = held.get(key);
      if (now === undefined) continue;
      held.set(key, { ...now, object: { ...now.object, revision: snapshot.revision } });
      changed.add(key);
    }
    configMaps = snapshot.configMaps;
    for (const key of changed) listener.onChange(key, 'changed');
  };

  const put = async (
    manifest: PlacedManifest,
    snapshot: Snapshot,
    changed: Set<ObjectKey>,
  ): Promise<void> => {
    const { kind: ofKind, namespace, name, spec, reconcileAt, problem, path, document } = manifest;
    const key = keyOf(ofKind, namespace, name);
    const before = held.get(key);
    const specDigest = digestOfContent(manifest);
    const isSameSpec = before?.specDigest === specDigest;
    const isSame =
      isSameSpec &&
      !before.object.isDeleting &&
      before.object.problem === problem &&
      before.object.reconcileAt === reconcileAt;
    const object: SourceObject = {
      key,
      kind: ofKind,
      namespace,
      name,
      uid: stableUuid(identity, key),
      generation: before === undefined ? 1 : before.object.generation + (isSameSpec ? 0 : 1),
      resourceVersion: specDigest,
      isDeleting: false,
      isClaimed: before?.object.isClaimed ?? false,
      reconcileAt,
      spec,
      status: before?.object.status ?? null,
      problem,
      // The first commit with this spec; later commits with the same spec change nothing.
      revision: (isSame ? before.object.revision : null) ?? snapshot.revision,
      path,
      ...(document !== undefined && { document }),
    };
    held.set(key, { object, specDigest });
    if (!isSame || before.object.path !== path) await trySaving(object);
    if (!isSame) changed.add(key);
  };

  /**
   * Adds an object for a broken document that belongs to no known object, so that its problem is
   * visible.
   */
  const standInForBroken = async (snapshot: Snapshot, changed: Set<ObjectKey>): Promise<void> => {
    for (const [path, { standIns }] of snapshot.broken) {
      const known = [...held.values()].filter(
        ({ object }) => object.path === path && !snapshot.objects.has(object.key),
      );
      // At least as many known objects are missing as documents are broken, so these documents
      // belong to them.
      if (known.length >= standIns.length) continue;
      for (const standIn of standIns) {
        const key = keyOf(standIn.kind, standIn.namespace, standIn.name);
        if (!snapshot.objects.has(key) && !held.has(key)) await put(standIn, snapshot, changed);
      }
    }
  };

  const miss = async (
    object: SourceObject,
    doubts: Doubts,
    changed: Set<ObjectKey>,
  ): Promise<void> => {
    const { key } = object;
    const problem = problemOfMissing(object, doubts);
    if (problem !== null) {
      const specDigest = held.get(key)?.specDigest ?? '';
      held.set(key, { object: { ...object, problem }, specDigest });
      if (object.problem !== problem) changed.add(key);
      return;
    }
    if (!object.isClaimed) {
      held.delete(key);
      changed.add(key);
      // If removing fails, the record says that the object owns nothing, so the next start drops
      // it.
      await records.remove(identity, key).catch(reportUnsaved);
      return;
    }
    if (object.isDeleting) return;
    held.set(key, { object: { ...object, isDeleting: true }, specDigest: '' });
    changed.add(key);
  };

  const save = async (object: SourceObject): Promise<void> => {
    unsaved.add(object.key);
    await records.save(identity, {
      key: object.key,
      generation: object.generation,
      specDigest: object.resourceVersion,
      isClaimed: object.isClaimed,
      status: object.status,
      lastSpec: object.spec,
    });
    unsaved.delete(object.key);
  };

  const reportUnsaved = (error: unknown) => listener.onError(error, `remembering ${place}`);

  /**
   * A failure to save does not affect the objects that were read; they are saved again with their
   * status.
   */
  const trySaving = (object: SourceObject): Promise<void> => save(object).catch(reportUnsaved);

  /** Updates the held object and its record. */
  const update = async (key: ObjectKey, change: Partial<SourceObject>): Promise<ObjectWritten> => {
    const now = held.get(key);
    if (now === undefined) return 'gone';
    const object = { ...now.object, ...change };
    held.set(key, { ...now, object });
    await save(object);
    return 'written';
  };

  return {
    source: {
      kind,
      identity,
      losesObjects: false,
      contractSource: 'git',
      get: (key) => held.get(key)?.object ?? null,
      keys: () => held.keys(),
      teamLabelOf: () => null,
      readConfigMap: async (namespace, name) => configMaps.get(`${namespace}/${name}`) ?? null,
      writeStatus: async (object, status) => {
        const now = held.get(object.key)?.object;
        // The status is for an older spec; the current one is reconciled next.
        if (now !== undefined && now.generation !== object.generation) return 'conflict';
        const isSame = now?.status != null && isSameJson(now.status, status);
        if (isSame && !unsaved.has(object.key)) return 'unchanged';
        return update(object.key, { status });
      },
      claim: (object) => update(object.key, { isClaimed: true }),
      release: async (object) => {
        const now = held.get(object.key)?.object;
        if (now === undefined) return 'gone';
        if (now.isDeleting) await records.remove(identity, object.key);
        // The object reappeared while it was being finalized, so it counts as a new object of the
        // same name.
        if (held.get(object.key)?.object.isDeleting === false) {
          return update(object.key, { isClaimed: false, status: null });
        }
        held.delete(object.key);
        return 'written';
      },
      tell: async (object, note) => options.tell?.(object, note),
      suspicion: () => suspicion,
      readAtMs: () => readAtMs,
      hidesObjects: () => hidesObjects,
    },
    load: async (given) => {
      listener = given;
      for (const record of await records.load(identity)) {
        held.set(record.key, heldOf(record, identity));
      }
    },
    take: async (given, confirmation, begunAtMs) => {
      const snapshot = withoutDocuments(given, held);
      const wasSuspicious = suspicion !== null;
      suspicion = null;
      const why = confirmation === 'confirmed' ? null : suspicionOf(place, held, snapshot, mapping);
      if (why !== null) return suspect(why);
      await apply(snapshot);
      readAtMs = begunAtMs;
      hidesObjects = snapshot.broken.size > 0;
      if (!wasSuspicious) return;
      for (const [key, { object }] of held)
        if (object.isDeleting) listener.onChange(key, 'changed');
    },
    takeSame: (begunAtMs) => {
      if (suspicion === null) readAtMs = begunAtMs;
    },
    failToRead: (why) =>
      suspect(`${place} cannot be read (${why}). Nothing is deleted until it can be read again.`),
  };
}

function heldOf(record: ObjectRecord, identity: string): Held {
  const [kind = '', namespace = '', name = ''] = record.key.split('/');
  const object: SourceObject = {
    key: record.key,
    // Keys come from keyOf, which takes a kind.
    kind: kind as KindName,
    namespace,
    name,
    uid: stableUuid(identity, record.key),
    generation: record.generation,
    resourceVersion: record.specDigest,
    isDeleting: false,
    isClaimed: record.isClaimed,
    reconcileAt: null,
    spec: record.lastSpec,
    status: record.status,
    problem: null,
    revision: sourceMemberOf(record.status, 'revision'),
    path: sourceMemberOf(record.status, 'path'),
  };
  return { object, specDigest: record.specDigest };
}

function sourceMemberOf(status: JsonObject | null, member: 'path' | 'revision'): string | null {
  const source = status?.source ?? null;
  const value = isJsonObject(source) ? source[member] : null;
  return typeof value === 'string' ? value : null;
}

/** Another file that the schema comes from is another generation, as if its text were in the spec. */
function digestOfContent({ spec, document }: PlacedManifest): string {
  if (document === undefined) return digestOf(spec);
  return digestOf({ spec, document: document.ok ? document.digest : document.message });
}

/**
 * A file that a schema comes from is no broken manifest, unless objects came from it before, or may be in it: after a
 * restart, or a renaming, nobody knows which file had them. While the manifest that names it cannot be read, it is what
 * it was.
 */
function withoutDocuments(snapshot: Snapshot, held: HeldObjects): Snapshot {
  const objects = [...held.values()].map(({ object }) => object);
  const unread = objects.filter(({ key }) => !snapshot.objects.has(key));
  const named = [...snapshot.objects.values(), ...unread].map((one) =>
    one.path === null ? null : documentPathBeside(one.path, one),
  );
  const documents = new Set(named);
  const had = new Set(objects.filter(({ isClaimed }) => isClaimed).map(({ path }) => path));
  const lacks = new Set(unread.filter(({ isClaimed }) => isClaimed).map((one) => one.namespace));
  const broken = [...snapshot.broken].filter(
    ([path, { isForeign }]) =>
      !documents.has(path) || had.has(path) || (!isForeign && lacks.has(namespaceOf(path) ?? '')),
  );
  return { ...snapshot, broken: new Map(broken) };
}

/** What in a source may hide an object that was found in no file. */
interface Doubts extends Pick<Snapshot, 'broken' | 'links'> {
  /** Registrations that belong to no team yet. Each may be a missing one that was renamed or moved to another folder. */
  readonly unsettled: readonly PlacedManifest[];
}

function doubtsOf(snapshot: Snapshot, held: HeldObjects, mapping: TeamMapping): Doubts {
  const unread = [...snapshot.broken.values()].flatMap(({ standIns }) => standIns);
  const unsettled = [...snapshot.objects.values(), ...unread].filter((one) => {
    const { kind, namespace, name, spec } = one;
    if (kind !== 'ContractRegistration') return false;
    if (held.get(keyOf(kind, namespace, name))?.object.isClaimed === true) return false;
    const slugs = slugsOfNamespace({ namespace, label: null }, mapping);
    const isOfTeam = typeof spec.team === 'string' ? slugs.includes(spec.team) : slugs.length === 1;
    return typeof spec.fqn !== 'string' || !isOfTeam;
  });
  return { ...snapshot, unsettled };
}

/**
 * A missing object may be in any file of its folder that cannot be read: the file may have been renamed, and after a
 * restart nobody knows which file had the object. Deleting it could end a registration that its consumer needs.
 */
function problemOfMissing(object: SourceObject, doubts: Doubts): string | null {
  const { path, namespace, isClaimed } = object;
  const own = doubts.broken.get(path ?? '');
  if (own !== undefined) return own.problem;
  // To delete what owns nothing in the registry loses nothing.
  if (!isClaimed) return null;
  const other = [...doubts.broken.values()].find(
    ({ standIns }) => standIns[0]?.namespace === namespace,
  );
  if (other !== undefined) {
    return `No file has this object, but it is not deleted as long as a file of its folder cannot be read, because it may be there. ${other.problem}`;
  }
  return object.kind === 'ContractRegistration' ? problemOfMoved(object, doubts) : null;
}

/** The team is asked until it is clear that it does not register any more. */
function problemOfMoved(object: SourceObject, { links, unsettled }: Doubts): string | null {
  const link = links.find((path) => (namespaceOf(path) ?? path) === object.namespace);
  if (link !== undefined) {
    return `No file has this object, but it is not deleted as long as ${link} is a link, because links are not followed and it may be there. Put the file itself in place of the link, or remove the link.`;
  }
  const moved = unsettled.find((one) => mayBe(one, object));
  if (moved === undefined) return null;
  return `No file has this object, but it is not deleted as long as ${moved.path} cannot register a team, because it may be this one. Correct its spec.fqn and spec.team, let its folder act for the team, or delete it.`;
}

/** It has the place or the name of the missing one, and asks for the same as far as it can be read. */
function mayBe({ namespace, name, spec }: PlacedManifest, missing: SourceObject): boolean {
  if (namespace !== missing.namespace && name !== missing.name) return false;
  return typeof spec.fqn !== 'string' || assetNameOf(spec) === assetNameOf(missing.spec);
}

function assetNameOf({ fqn, environment }: JsonObject): string {
  return `${String(environment ?? defaultEnvironment)}/${String(fqn)}`;
}

function suspicionOf(
  place: string,
  held: HeldObjects,
  snapshot: Snapshot,
  mapping: TeamMapping,
): string | null {
  const living = [...held.values()].filter(({ object }) => !object.isDeleting);
  if (living.length === 0) return null;
  const why = 'Nothing is deleted until an administrator confirms.';
  if (snapshot.isEmpty) {
    return `${place} is empty, and ${living.length} objects came from it before. ${why}`;
  }
  const doubts = doubtsOf(snapshot, held, mapping);
  // Only claimed objects count: removing one that owns nothing in the registry loses nothing.
  const missing = living.filter(
    ({ object }) =>
      object.isClaimed &&
      !snapshot.objects.has(object.key) &&
      problemOfMissing(object, doubts) === null,
  ).length;
  const isTooMany = missing >= suspicious.least && missing > living.length * suspicious.share;
  return isTooMany
    ? `${missing} of ${living.length} objects are missing from ${place}. ${why}`
    : null;
}

function* dependentsOf(
  held: HeldObjects,
  before: Snapshot['configMaps'],
  now: Snapshot['configMaps'],
): Iterable<ObjectKey> {
  for (const [key, { object }] of held) {
    const from = object.spec.schemaFrom ?? null;
    const reference = isJsonObject(from) ? (from.configMapKeyRef ?? null) : null;
    if (reference === null || !isJsonObject(reference)) continue;
    const name = `${object.namespace}/${String(reference.name)}`;
    if (!isSameJson(before.get(name), now.get(name))) yield key;
  }
}
