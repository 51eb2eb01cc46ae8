// The object store of OBJECT_STORE_URL, with months of the audit trail. Part of the composition root.

import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { ArchiveUnavailable } from '../core/unavailable.ts';
import type { Config } from '../ops/config/config.ts';
import { openObjectStore, parseObjectStore } from '../ops/object-store.ts';
import type { Log } from '../ops/observe/log.ts';
import {
  type Archive,
  archiveTrail,
  type PackReader,
  packReader,
} from '../registry/audit/archive-trail.ts';
import type { Store } from '../store/store.ts';
import { exportText, readExport } from '../wire/audit-export.ts';

type OpenArchive = Omit<Archive, 'packs'> & { readonly reader: PackReader };

/** No pack exceeds it, and no text of Node.js can be longer. */
const packLimitBytes = 500 * 1024 * 1024;

/** Undefined without OBJECT_STORE_URL. */
export function openArchive({ OBJECT_STORE_URL }: Config): OpenArchive | undefined {
  const address = OBJECT_STORE_URL === undefined ? null : parseObjectStore(OBJECT_STORE_URL);
  if (address === null) return undefined;
  const store = openObjectStore(address);
  const zip = promisify(gzip);
  const unzip = promisify(gunzip);
  const reached = async <T>(work: () => Promise<T>) => {
    try {
      return await work();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new ArchiveUnavailable(
        `The object store with the archived audit trail cannot be used: ${why}. Try again once it answers.`,
        { cause: error },
      );
    }
  };
  const parts = {
    objects: {
      put: async (key: string, text: string) => {
        const bytes = await zip(text);
        await reached(() => store.put(key, bytes, 'application/gzip'));
      },
      get: async (key: string) => {
        const bytes = await reached(() => store.get(key));
        if (bytes === null) return null;
        // What is no longer what was written has another digest, also if it cannot be unpacked.
        const text = await unzip(bytes, { maxOutputLength: packLimitBytes }).catch(() => null);
        return text === null ? '' : text.toString();
      },
    },
    format: { write: exportText, read: readExport },
    sha256: (text: string) => hash('sha256', text, 'hex'),
  };
  return { ...parts, reader: packReader(parts) };
}

/** Moves the months that are due; told once for each month, and for each reason that holds one up. */
export function openArchiving(
  { AUDIT_ARCHIVE_AFTER_MONTHS: months }: Config,
  archive: OpenArchive | undefined,
  { store, log, signal }: { store: Store; log: Log; signal: AbortSignal },
): (() => Promise<void>) | null {
  if (months === undefined || archive === undefined) return null;
  const all: Archive = { ...archive, packs: store.auditPacks };
  let told = '';
  return async () => {
    for await (const outcome of archiveTrail(store.reads, all, months, signal)) {
      const { kind, month } = outcome;
      if (kind === 'left') {
        log.info({ month }, 'moved a month of the audit trail to the object store');
        continue;
      }
      const text = `${month} ${outcome.by}`;
      if (outcome.by !== 'elsewhere' && text !== told)
        log.warn(
          { month, cause: whyHeld[outcome.by] },
          'a month of the audit trail stays in Postgres',
        );
      told = text;
    }
  };
}

const whyHeld = {
  elsewhere: 'another process is moving it',
  unsealed: 'some of its events are not sealed yet',
  unpacked: 'some of its events stand in no object yet',
  recent: 'by the clock of Postgres it ended less than a month ago',
  order: 'a later month was moved before it',
  deliveries: 'webhooks have not been told of all of its events yet, or may be told again',
  bus: 'the event bus has not been sent all of its events yet',
  forbidden:
    'the role of DATABASE_URL has no right to. Run concordat migrate, or a start that migrates, with AUDIT_ARCHIVE_AFTER_MONTHS',
} as const;
