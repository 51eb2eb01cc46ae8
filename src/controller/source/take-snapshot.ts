// Combines the files of a folder or a commit into a snapshot. Pure: callers list and read the
// files.

import { basename, extname } from 'node:path';
import { type DocumentRead, documentPathBeside } from './document.ts';
import type { ConfigMap, FileRead, Manifest, Unreadable } from './read-manifests.ts';
import { keyOf, type ObjectKey } from './source.ts';

export interface ReadFile {
  /** Below the root, with `/` between folders; the first folder is the namespace. */
  readonly path: string;
  readonly read: FileRead;
}

export interface PlacedManifest extends Manifest {
  readonly namespace: string;
  readonly path: string;
  readonly document?: DocumentRead;
}

export interface Snapshot {
  readonly objects: ReadonlyMap<ObjectKey, PlacedManifest>;
  readonly configMaps: ReadonlyMap<string, ConfigMap['data']>;
  /** Files with unreadable documents, by path: objects missing from them are not deleted. */
  readonly broken: ReadonlyMap<string, BrokenFile>;
  /** Links that are not followed, by path: what they lead to is not known. */
  readonly links: readonly string[];
  /** Whether there is no file of any kind. */
  readonly isEmpty: boolean;
  /** The commit that everything was read from; null if there is none. */
  readonly revision: string | null;
}

interface BrokenFile {
  readonly problem: string;
  /** Each document can be read, if only as one of another program. */
  readonly isForeign: boolean;
  /** An object for each unreadable document, so that its problem is visible. */
  readonly standIns: readonly PlacedManifest[];
}

const extensions = new Set(['.yaml', '.yml', '.json']);

/** `.git`, and `..data` of a mounted ConfigMap, whose files are also linked beside it. */
export function isHidden(name: string): boolean {
  return name.startsWith('.');
}

export function isManifestFile(path: string): boolean {
  return extensions.has(extname(path).toLowerCase());
}

/** The namespace of a file; null if it is in no folder. */
export function namespaceOf(path: string): string | null {
  const cut = path.indexOf('/');
  return cut < 0 ? null : path.slice(0, cut);
}

/** The files that manifests take their schemas from, sorted. */
export function documentPathsIn(files: readonly ReadFile[]): readonly string[] {
  const paths = files.flatMap(({ path, read }) =>
    namespaceOf(path) === null
      ? []
      : read.manifests.flatMap((manifest) => documentPathBeside(path, manifest) ?? []),
  );
  return [...new Set(paths)].sort();
}

interface SourceFiles {
  readonly files: readonly ReadFile[];
  readonly links: readonly string[];
  /** By the paths that `documentPathsIn` tells. */
  readonly documents: ReadonlyMap<string, DocumentRead>;
  readonly revision: string | null;
}

export function takeSnapshot({ files, links, documents, revision }: SourceFiles): Snapshot {
  const objects = new Map<ObjectKey, PlacedManifest>();
  const configMaps = new Map<string, ConfigMap['data']>();
  const broken = new Map<string, BrokenFile>();
  for (const { path, read } of files) {
    const namespace = namespaceOf(path);
    if (namespace === null) continue;
    for (const { name, data } of read.configMaps) configMaps.set(`${namespace}/${name}`, data);
    for (const manifest of read.manifests) {
      const key = keyOf(manifest.kind, namespace, manifest.name);
      const first = objects.get(key);
      const problem =
        first === undefined
          ? manifest.problem
          : `The object is defined in both ${first.path} and ${path}. Remove one of them.`;
      const document = documents.get(documentPathBeside(path, manifest) ?? '');
      const placed = { ...manifest, namespace, path, ...(document !== undefined && { document }) };
      objects.set(key, { ...(first ?? placed), problem });
    }
    if (read.unreadable.length === 0) continue;
    const problem = `${path}: ${read.unreadable.map(({ message }) => message).join('; ')}`;
    const standIns = read.unreadable.map((one) => standInFor(one, { path, namespace, read }));
    const isForeign = read.unreadable.every((one) => one.isForeign === true);
    broken.set(path, {
      problem,
      isForeign,
      standIns: standIns.map((one) => ({ ...one, problem })),
    });
  }
  return { objects, configMaps, broken, links, isEmpty: files.length === 0, revision };
}

function standInFor(
  { document, kind, name }: Unreadable,
  file: { readonly path: string; readonly namespace: string; readonly read: FileRead },
): Omit<PlacedManifest, 'problem'> {
  const { path, namespace, read } = file;
  const ofFile = basename(path, extname(path)).toLowerCase();
  const isAlone = read.manifests.length === 0 && read.unreadable.length === 1;
  return {
    kind: kind ?? 'DataContract',
    name: name ?? (isAlone ? ofFile : `${ofFile}-document-${document}`),
    namespace,
    path,
    spec: {},
    reconcileAt: null,
  };
}
