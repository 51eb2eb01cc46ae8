// The file beside a manifest that its schema comes from. Pure: callers read the files.

import { posix } from 'node:path';
import { documentPathOf, maxDocumentBytes } from '../../core/import/pick/document-path.ts';
import { digestOf } from '../effective.ts';
import { decodeUtf8, type Manifest } from './read-manifests.ts';

export type DocumentRead =
  | {
      readonly ok: true;
      /** Below the root of the source. */
      readonly path: string;
      readonly text: string;
      readonly digest: string;
    }
  | {
      readonly ok: false;
      /** It may come by itself. */
      readonly isMissing: boolean;
      readonly message: string;
    };

const stays = 'What was published stays as it is until then';

/**
 * The path of the file that a manifest takes its schema from; null if there is none.
 *
 * @example documentPathBeside('shop/a.yaml', manifest) // 'shop/order.schema.json'
 */
export function documentPathBeside(
  path: string,
  { kind, spec }: Pick<Manifest, 'kind' | 'spec'>,
): string | null {
  if (kind !== 'DataContract' && kind !== 'ContractProposal') return null;
  const beside = documentPathOf(spec);
  return beside === null ? null : posix.join(posix.dirname(path), beside);
}

export function readDocument(bytes: Uint8Array, path: string): DocumentRead {
  if (bytes.length > maxDocumentBytes) return tooLargeDocument(path);
  const text = decodeUtf8(bytes);
  if (text === null) return unreadableDocument(path, 'it is not UTF-8. Save it as UTF-8');
  if (text === '') {
    return absentDocument(path, 'is empty, as a file is while it is written. Write it');
  }
  return { ok: true, path, text, digest: digestOf(text) };
}

export function missingDocument(path: string): DocumentRead {
  return absentDocument(path, 'does not exist. Add it, or correct spec.schemaFrom.file.path');
}

export function unsettledDocument(path: string): DocumentRead {
  return absentDocument(path, 'was being written while it was read. Wait until it is whole');
}

export function tooLargeDocument(path: string): DocumentRead {
  return unreadableDocument(path, `it is larger than ${maxDocumentBytes} bytes. Split it`);
}

export function linkedDocument(path: string): DocumentRead {
  const why =
    'it is a link, or in a submodule, and these are not followed. Put the file itself there';
  return unreadableDocument(path, why);
}

export function unreadableDocument(path: string, why: string): DocumentRead {
  return { ok: false, isMissing: false, message: `${path} cannot be read: ${why}. ${stays}.` };
}

function absentDocument(path: string, what: string): DocumentRead {
  return { ok: false, isMissing: true, message: `${path} ${what}. ${stays}.` };
}
