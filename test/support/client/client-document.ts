// Compares every response in every test with openapi.json: its status is documented, and its body
// has exactly the documented members.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { statusOf } from '../../../src/http/errors.ts';
import { buildOpenApi } from '../../../src/wire/openapi.ts';
import { type Route, refusalsOf } from '../../../src/wire/route.ts';

const document = buildOpenApi(statusOf, '0.0.0');

/** Members that contain values, not schemas. */
const literal = new Set(['examples', 'default', 'const', 'enum', 'required']);

const ajv = new Ajv2020({ strict: false, allErrors: true });
// The package is CommonJS: its default export is one level down in some of its typings.
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
ajv.addSchema(
  { $id: 'document', components: { schemas: closed(document.components.schemas) } },
  'document',
);

const validators = new Map<string, ValidateFunction | null>();

interface Answered {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  /** In lower case. */
  readonly headers: readonly string[];
}

/** Headers that tell a caller what to do, or what was done. */
const tellingHeaders = ['retry-after', 'www-authenticate', 'idempotency-replayed', 'etag'];

/** The difference between a response and the document, or null. */
export function problemOfAnswer(row: Route, answered: Answered): string | null {
  const { status, contentType, text } = answered;
  const where = `${row.method} ${row.path} answered ${status}`;
  const operation = document.paths[row.path]?.[row.method.toLowerCase()];
  const response = operation?.responses[String(status)];
  if (response === undefined) return `${where}, which is not documented: ${text.slice(0, 500)}`;
  const mute = answered.headers.find((name) => !isDocumented(response, name, status));
  if (mute !== undefined) return `${where} with ${mute}, which is not documented there`;
  const content = contentOf(response);
  if (content === null) return text === '' ? null : `${where} with a body: ${text.slice(0, 200)}`;
  const [type = ''] = contentType.split(';');
  if (!(type in content)) return `${where} as ${contentType}, which is not documented`;
  if (type !== 'application/json') return null;
  const validate = validatorOf(row, status, type);
  const body: unknown = JSON.parse(text);
  if (validate !== null && !validate(body)) {
    return `${where} with a body that openapi.json does not describe: ${ajv.errorsText(validate.errors)}\n${text.slice(0, 2000)}`;
  }
  return problemOfCode(row, body, where);
}

/** A replayed refusal has its headers like any other response, but they are documented once. */
function isDocumented(response: unknown, name: string, status: number): boolean {
  if (!tellingHeaders.includes(name)) return true;
  if (name === 'idempotency-replayed' && status >= 400) return true;
  const headers = isRecord(response) && isRecord(response.headers) ? response.headers : {};
  return Object.keys(headers).some((known) => known.toLowerCase() === name);
}

function problemOfCode(row: Route, body: unknown, where: string): string | null {
  const detail = isRecord(body) && isRecord(body.detail) ? body.detail : null;
  if (detail === null || !('code' in detail)) return null;
  const codes: readonly string[] = refusalsOf(row);
  return codes.includes(String(detail.code))
    ? null
    : `${where} with the code ${detail.code}, which its row does not list: ${detail.message}`;
}

function validatorOf(row: Route, status: number, type: string): ValidateFunction | null {
  const name = `${row.method} ${row.path} ${status}`;
  const known = validators.get(name);
  if (known !== undefined) return known;
  const response = document.paths[row.path]?.[row.method.toLowerCase()]?.responses[String(status)];
  const content = contentOf(response)?.[type];
  const schema = isRecord(content) && isRecord(content.schema) ? content.schema : null;
  const made = schema === null ? null : ajv.compile(rebased(closed(schema)));
  validators.set(name, made);
  return made;
}

function contentOf(response: unknown): Record<string, unknown> | null {
  return isRecord(response) && isRecord(response.content) ? response.content : null;
}

/**
 * The document allows additional members in responses; a test does not, because an undocumented one
 * is a mistake.
 */
function closed(schema: unknown): Record<string, unknown> {
  const done = closedValue(schema);
  return isRecord(done) ? done : {};
}

function closedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closedValue);
  if (!isRecord(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    copy[key] = literal.has(key) ? member : closedValue(member);
  }
  if (isRecord(copy.properties) && copy.additionalProperties === undefined) {
    copy.additionalProperties = false;
  }
  return copy;
}

function rebased(schema: unknown): Record<string, unknown> {
  const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
  return JSON.parse(text);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
