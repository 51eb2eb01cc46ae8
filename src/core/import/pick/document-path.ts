// The file beside a manifest that its schema comes from: how it may be called, and how large it may be.

import type { JsonObject } from '../../value/json.ts';
import { objectAt, textAt } from '../read-json.ts';

/** As large as a file of manifests may be. */
export const maxDocumentBytes = 10 * 1024 * 1024;

/**
 * A path below the folder of the manifest. A name that begins with a dot is hidden, as `.git` is, and `..` would
 * lead out of the folder.
 */
export const documentPathPattern =
  '^(\\./)?[^./\\\\\\x00-\\x1f][^/\\\\\\x00-\\x1f]*(/[^./\\\\\\x00-\\x1f][^/\\\\\\x00-\\x1f]*)*$';

export const documentPathRule =
  'path must lead to a file in the folder of the manifest, or in one below it: no .., no absolute path, no name that begins with a dot';

/** @example isDocumentPath('./schemas/order.json') // true */
export function isDocumentPath(path: string): boolean {
  return new RegExp(documentPathPattern).test(path);
}

/**
 * The path of the file that a spec takes its schema from, relative to the manifest; null if there is none.
 *
 * @example documentPathOf({ schemaFrom: { file: { path: './order.json' } } }) // 'order.json'
 */
export function documentPathOf(spec: JsonObject): string | null {
  const path = textAt(objectAt(objectAt(spec, 'schemaFrom'), 'file'), 'path');
  return path === undefined || !isDocumentPath(path) ? null : path.replace(/^\.\//, '');
}
