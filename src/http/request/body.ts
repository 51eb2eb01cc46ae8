// Reads a body: its type, its size, its bytes, its JSON, its shape. Values that cannot be stored as
// they were sent are refused here.

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import { type Json, parseJson } from '../../core/value/json.ts';
import { findUnstorable, mayBeUnstorable } from '../../core/value/storable.ts';
import { formType, linesType, type Route } from '../../wire/route.ts';
import { parseOptions, toValidationFailure, validationFailure } from '../../wire/shapes/problem.ts';
import type { Plan } from './parse.ts';

/** A body as its route's shape parsed it. */
interface CallBody {
  readonly parsed: unknown;
  /** Identifies the body, to recognize a repeated request. */
  readonly identity: string;
}

const noBody: Outcome<CallBody> = accept({ parsed: undefined, identity: '' });

/** Bodies without a schema are small; parsing a large one would only delay other requests. */
const smallBodyBytes = 512 * 1024;

export async function readBody(
  { row, mayLackBody }: Plan,
  request: IncomingMessage,
  largestBytes: number,
): Promise<Outcome<CallBody>> {
  const { body: shape } = row;
  if (shape === undefined) return noBody;
  const limitBytes = row.largeBody === true ? largestBytes : Math.min(largestBytes, smallBodyBytes);
  const read = await readJsonBody(request, limitBytes, row);
  if (!read.ok) return read;
  const { value, text } = read.value;
  if (value === undefined && !mayLackBody) {
    return { ok: false, failure: validationFailure([{ field: '', message: 'is required' }]) };
  }
  const parsed = shape.safeParse(value === undefined ? {} : value, parseOptions);
  return parsed.success
    ? accept({ parsed: parsed.data, identity: withoutSecrets(row, parsed.data, text) })
    : { ok: false, failure: toValidationFailure(parsed.error) };
}

/** Without secrets, because a digest of a password would be a fast way to guess it. */
function withoutSecrets({ secrets }: Route, parsed: unknown, text: string): string {
  if (secrets === undefined) return text;
  return JSON.stringify(parsed, (key, value) => (secrets.includes(key) ? undefined : value));
}

interface ReadJson {
  /** Undefined if no body was sent. */
  readonly value: Json | undefined;
  readonly text: string;
}

async function readJsonBody(
  request: IncomingMessage,
  limitBytes: number,
  { lines, isForm }: Route,
): Promise<Outcome<ReadJson>> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > limitBytes) return tooLarge(limitBytes);
  const bytes = await readBytes(request, limitBytes);
  if (bytes === null) return tooLarge(limitBytes);
  if (bytes.length === 0) return accept({ value: undefined, text: '' });
  const areLines = lines !== undefined && typeOf(request).type === linesType;
  const otherTypes = [...(lines === undefined ? [] : [linesType]), ...(isForm ? [formType] : [])];
  const wrongType = refuseType(request, ['identity'], otherTypes);
  if (wrongType !== null) return wrongType;
  if (isForm && typeOf(request).type === formType) return parseBody(jsonOf(bytes), parseWhole);
  return parseBody(bytes, (text) => (areLines ? parseLines(text, lines) : parseWhole(text)));
}

export function tooLarge(limitBytes: number) {
  return refuse(
    'PAYLOAD_TOO_LARGE',
    `The body is larger than the limit of ${limitBytes} bytes. Send less.`,
  );
}

/** Null if the body exceeds the limit; the rest is received but not read. */
function readBytes(request: IncomingMessage, limitBytes: number): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limitBytes) {
        chunks.length = 0;
        resolve(null);
      } else {
        chunks.push(chunk);
      }
    });
    request.on('end', () =>
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)),
    );
    // Every request closes in the end; only one that was not read completely was cut off.
    const abort = () => {
      if (!request.readableEnded) reject(new RequestAborted());
    };
    request.on('error', abort).on('close', abort);
  });
}

/** The caller disconnected while sending, so nobody waits for a response. */
export class RequestAborted extends Error {
  override name = 'RequestAborted';
}

const jsonTypePattern = /^application\/(?:json|[a-z0-9!#$&^_.+-]+\+json)$/;

export function refuseType(
  request: IncomingMessage,
  encodings: readonly string[],
  otherTypes: readonly string[] = [],
): Outcome<never> | null {
  const { type, parameters } = typeOf(request);
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  if (
    !(jsonTypePattern.test(type) || otherTypes.includes(type)) ||
    (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset))
  ) {
    return refuse(
      'UNSUPPORTED_MEDIA_TYPE',
      `The body was sent as "${request.headers['content-type'] ?? ''}". Send Content-Type: ${['application/json', ...otherTypes].join(' or ')}, in UTF-8.`,
    );
  }
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (!encodings.includes(encoding)) {
    return refuse(
      'UNSUPPORTED_MEDIA_TYPE',
      `The body was sent with Content-Encoding: ${encoding}, which is not supported here. Send it uncompressed.`,
    );
  }
  return null;
}

function typeOf({ headers }: IncomingMessage) {
  const [type = '', ...parameters] = (headers['content-type'] ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  return { type, parameters };
}

type ParsedText = Outcome<{ readonly value: Json; readonly hasExactNumbers: boolean }>;

function parseBody(bytes: Buffer, parse: (text: string) => ParsedText): Outcome<ReadJson> {
  if (!isUtf8(bytes)) {
    return refuse('INVALID_JSON', 'The body is not UTF-8. Send JSON in UTF-8.');
  }
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  const parsed = parse(text);
  if (!parsed.ok) return parsed;
  const { value, hasExactNumbers } = parsed.value;
  if (mayBeUnstorable(text, hasExactNumbers)) {
    const problem = findUnstorable(value);
    if (problem !== null) return { ok: false, failure: validationFailure([problem]) };
  }
  return accept({ value, text });
}

function parseWhole(text: string): ParsedText {
  const parsed = parseJson(text);
  if (parsed.ok) return accept(parsed);
  return refuse('INVALID_JSON', `The body is not valid JSON: ${parsed.message}`);
}

/** The JSON of a form. A field that is sent twice is a list, which no shape takes. */
function jsonOf(form: Buffer): Buffer {
  const fields = new URLSearchParams(form.toString('utf8'));
  const values = [...fields.keys()].map((name) => {
    const all = fields.getAll(name);
    return [name, all.length === 1 ? all[0] : all];
  });
  return Buffer.from(JSON.stringify(Object.fromEntries(values)));
}

/** The values of NDJSON, as the list that a body of JSON would have. Empty lines are skipped. */
function parseLines(text: string, field: string): ParsedText {
  const values: Json[] = [];
  let hasExactNumbers = false;
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const parsed = parseJson(line);
    if (!parsed.ok) {
      const message = `Line ${index + 1} of the body is not valid JSON: ${parsed.message}`;
      return refuse('INVALID_JSON', message);
    }
    values.push(parsed.value);
    hasExactNumbers ||= parsed.hasExactNumbers;
  }
  return accept({ value: { [field]: values }, hasExactNumbers });
}
