// Reads the body of an import: its JSON, the document in it, and each schema that came of it.

import { createHash } from 'node:crypto';
import { canonicalText } from '../core/diff/canonical.ts';
import { accept, type Outcome, refuse } from '../core/failure.ts';
import type { ParsedImport } from '../core/import/candidate.ts';
import { type Candidate, type ImportProblem, itemProblem } from '../core/import/candidate.ts';
import { parseDbtManifest } from '../core/import/dbt.ts';
import { parseGraphql } from '../core/import/graphql.ts';
import { parseOdcs } from '../core/import/odcs.ts';
import { parseOpenApi } from '../core/import/openapi.ts';
import { textAt } from '../core/import/read-json.ts';
import type { ImportKind, SourceTitle } from '../core/import/report-kinds.ts';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../core/json.ts';
import type { ImportDocument } from '../registry/ports.ts';
import { checkSchema } from './check-schema.ts';

export function readImport(kind: ImportKind, bytes: Uint8Array): Outcome<ImportDocument> {
  const text = decode(bytes);
  if (text === null) return refuse('INVALID_JSON', 'The body is not UTF-8. JSON is sent in UTF-8.');
  const body = parseJson(text);
  if (!body.ok) {
    return refuse('INVALID_JSON', `The body is not JSON that can be read: ${body.message}`);
  }
  const { member, takesText, takesObject, parse } = readers[kind];
  const envelope = isJsonObject(body.value) ? body.value : null;
  const document = envelope?.[member];
  const isTaken =
    document !== undefined &&
    (isJsonObject(document) ? takesObject : takesText && typeof document === 'string');
  // Who validates the envelope says what is wrong with it.
  if (envelope === null || !isTaken) return accept({ ...nothing, envelope: body.value });
  const { parsed, title } = parse(document, envelope);
  const checked = checkCandidates(parsed);
  const emptied = typeof document === 'string' ? '' : {};
  return accept({ ...checked, title, envelope: { ...envelope, [member]: emptied } });
}

const nothing = { parsed: { candidates: [], problems: [] }, digests: [], title: null };

interface Reader {
  readonly member: string;
  readonly takesText: boolean;
  readonly takesObject: boolean;
  readonly parse: (
    document: Json,
    envelope: JsonObject,
  ) => { readonly parsed: ParsedImport; readonly title: SourceTitle | null };
}

const readers: Readonly<Record<ImportKind, Reader>> = {
  dbt: {
    member: 'manifest',
    takesText: false,
    takesObject: true,
    parse: (document) => ({ parsed: parseDbtManifest(document), title: null }),
  },
  openapi: {
    member: 'spec',
    takesText: false,
    takesObject: true,
    parse: (document, envelope) => {
      const naming = envelope.naming === 'path' ? 'path' : 'title';
      const { apiTitle, apiVersion, ...parsed } = parseOpenApi(document, {
        naming,
        ...prefixOf(envelope),
      });
      return { parsed, title: { apiTitle, apiVersion } };
    },
  },
  graphql: {
    member: 'schema',
    takesText: true,
    takesObject: false,
    parse: (document, envelope) => ({
      parsed: parseGraphql(String(document), prefixOf(envelope)),
      title: null,
    }),
  },
  odcs: {
    member: 'contract',
    takesText: true,
    takesObject: true,
    parse: (document) => ({ parsed: parseOdcs(document), title: null }),
  },
};

function prefixOf(envelope: JsonObject): { readonly prefix?: string } {
  const prefix = textAt(envelope, 'prefix');
  return prefix === undefined ? {} : { prefix };
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** A schema that no contract may hold leaves its asset without one, and is told; the rest goes on. */
function checkCandidates(parsed: ParsedImport): Pick<ImportDocument, 'parsed' | 'digests'> {
  const problems: ImportProblem[] = [...parsed.problems];
  const digests: (string | null)[] = [];
  const candidates = parsed.candidates.map((candidate): Candidate => {
    const { terms } = candidate;
    const checked = terms === null ? null : checkSchema(terms.schema, terms.dialect);
    if (terms === null || checked === null || !checked.ok) {
      digests.push(null);
      if (checked === null || checked.ok) return candidate;
      const { code, message } = checked.failure;
      const told = `${candidate.fqn} is imported without a contract: ${message}`;
      const itemCode = code === 'SCHEMA_TOO_LARGE' ? 'TOO_LARGE' : 'UNREADABLE_ITEM';
      problems.push(itemProblem(itemCode, told, candidate.place));
      return { ...candidate, terms: null };
    }
    const canonical = canonicalText(terms.schema, terms.dialect);
    digests.push(createHash('sha256').update(canonical).digest('hex'));
    return candidate;
  });
  return { parsed: { candidates, problems }, digests };
}
