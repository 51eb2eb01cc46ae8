// Every parser of untrusted input, with its allowed results: an answer, or a refusal with a code of
// the table and a sentence. Any exception is a finding.

import type { IncomingMessage } from 'node:http';
import { canonicalText } from '../../src/core/diff/canonical.ts';
import type { DocumentKind } from '../../src/core/import/candidate.ts';
import { parseYamlText } from '../../src/core/import/yaml-text.ts';
import { parseJson } from '../../src/core/value/json.ts';
import { checkSchema } from '../../src/engine/check-schema.ts';
import { readDocument } from '../../src/engine/read-import.ts';
import { statusOfCode } from '../../src/http/errors.ts';
import { createAuthenticate } from '../../src/http/request/caller/auth.ts';
import { tokenOf } from '../../src/http/request/caller/session.ts';
import { parsePlace } from '../../src/notify/stream-place.ts';
import { checkImport } from '../../src/registry/imports/check-import.ts';
import { questionOf } from '../../src/registry/imports/import-facts.ts';
import { parseCursor } from '../../src/store/read/list.ts';
import * as samples from './samples.ts';

export interface Parser {
  readonly samples: readonly string[];
  /** Null, or the problem of the result. */
  readonly problemOf: (text: string) => string | null;
}

const dbtSettings = {
  metaAliases: [],
  nullableColumns: true,
  integerAtScale0: true,
  notNullAsRequired: true,
};

/** One row per parser. */
export const parsers = {
  'dbt manifest': { samples: samples.manifests, problemOf: (text) => ofDocument('dbt', text) },
  'dbt run results': {
    samples: samples.runResults,
    problemOf: (text) => ofDocument('run_results', text),
  },
  OpenAPI: { samples: samples.openApis, problemOf: (text) => ofDocument('openapi', text) },
  SDL: {
    samples: samples.sdls,
    problemOf: (text) => ofDocument('graphql', JSON.stringify({ schema: text })),
  },
  ODCS: {
    samples: samples.odcsTexts,
    problemOf: (text) => ofDocument('odcs', JSON.stringify({ contract: text })),
  },
  YAML: { samples: samples.odcsTexts, problemOf: ofYaml },
  'JSON Schema': { samples: samples.schemas, problemOf: ofSchema },
  cursor: { samples: samples.cursors, problemOf: ofCursor },
  'place in a stream': { samples: samples.places, problemOf: ofPlace },
  token: { samples: samples.authorizations, problemOf: ofToken },
  cookie: { samples: samples.cookies, problemOf: ofCookie },
} satisfies Readonly<Record<string, Parser>>;

export type ParserName = keyof typeof parsers;

function ofDocument(kind: DocumentKind, text: string): string | null {
  const outcome = readDocument(kind, text, dbtSettings);
  if (!outcome.ok) return ofFailure(outcome.failure);
  // The part that is passed on is serialized again.
  JSON.stringify(outcome.value.envelope);
  const { read } = outcome.value;
  const question = questionOf(read, 'production', []);
  const checked = checkImport(read, question, { assets: [], predecessors: [] });
  for (const { terms } of checked.parsed.candidates) if (terms !== null) read.digestOf(terms);
  for (const problem of checked.parsed.problems) {
    if (problem.message === '' || problem.place === '') {
      return `an unnamed problem: ${JSON.stringify(problem)}`;
    }
  }
  return ofPrototypes();
}

function ofYaml(text: string): string | null {
  const parsed = parseYamlText(text);
  if (!parsed.ok) return parsed.message === '' || parsed.place === '' ? 'no words' : null;
  JSON.stringify(parsed.value);
  return ofPrototypes();
}

function ofSchema(text: string): string | null {
  const parsed = parseJson(text);
  if (!parsed.ok) return parsed.message === '' ? 'no words' : null;
  const checked = checkSchema(parsed.value);
  if (!checked.ok) return ofFailure(checked.failure);
  return canonicalText(parsed.value) === '' ? 'no text' : ofPrototypes();
}

function ofCursor(text: string): string | null {
  for (const given of [text, Buffer.from(text).toString('base64url')]) {
    const place = parseCursor(given, 'created_at', 'descending');
    if (place === 'malformed') continue;
    if (/\0/.test(place.key) || !/^[\da-f-]{36}$/i.test(place.id)) return JSON.stringify(place);
  }
  return null;
}

function ofPlace(text: string): string | null {
  const place = parsePlace(text);
  if (place === 'malformed') return null;
  return Number.isSafeInteger(place.after) && /^[\d:,]+$/.test(place.before)
    ? null
    : JSON.stringify(place);
}

const authenticate = createAuthenticate({
  findKeysByDigest: async () => new Map(),
  keyChanges: { isListening: () => true, onChange: () => {} },
  bootstrapKey: 'another',
  acceptsBootstrapKey: () => true,
  clock: () => 0,
  elapsedMs: () => 0,
});

function ofToken(text: string): string | null {
  const outcome = authenticate(text);
  // Only text that looks like a key is looked up; other text is refused at once.
  if (outcome instanceof Promise) {
    return /cdt_live_[0-9A-Za-z]{43} *$/.test(text) ? null : 'looked up';
  }
  return outcome.ok ? 'let in' : ofFailure(outcome.failure);
}

function ofCookie(text: string): string | null {
  const token = tokenOf({ headers: { cookie: text } } as IncomingMessage);
  return token === '' || token?.includes(';') ? `token ${token}` : null;
}

function ofFailure({ code, message }: { readonly code: string; readonly message: string }) {
  return code in statusOfCode && code !== 'INTERNAL_ERROR' && message.length > 10
    ? null
    : `no named refusal: ${code} ${message}`;
}

function ofPrototypes(): string | null {
  const polluted = Object.keys(Object.prototype);
  return polluted.length === 0 && !('polluted' in {}) ? null : `prototypes have ${polluted}`;
}
