// Reads an AsyncAPI document, 2 and 3: each message of each operation. What the application sends is
// written by its owner, what it receives by others.

import type { Direction } from '../../comparison.ts';
import type { Dialect } from '../../schema/dialects.ts';
import { definitionsKeyword } from '../../schema/keywords.ts';
import { isJsonObject, type Json, type JsonObject, numberText } from '../../value/json.ts';
import { readPointerToken } from '../../value/pointer-token.ts';
import { type CandidateTerms, fatal, type ImportProblem, itemProblem } from '../candidate.ts';
import { type Bundler, createBundler } from '../openapi/openapi-bundle.ts';
import { type ReferenceProblem, resolveObject } from '../openapi/openapi-document.ts';
import { arrayAt, memberOf, objectAt, placeOf, textAt } from '../read-json.ts';
import type { ParsedParts, SchemaPart } from './parts.ts';

/** @example parseAsyncApi(document).parts[0].name // 'send lighting.measured LightMeasured' */
export function parseAsyncApi(given: Json): ParsedParts {
  const document = withoutIds(given);
  const stated = memberOf(document, 'asyncapi') ?? null;
  const version = typeof stated === 'string' ? stated : (numberText(stated) ?? '');
  const [, major] = /^([23])(?:\.|$)/.exec(version) ?? [];
  if (major === undefined || !isJsonObject(document)) {
    const message = `"asyncapi" is ${JSON.stringify(version)}: AsyncAPI 2 and 3 are read.`;
    return { parts: [], problems: [fatal('INVALID_ASYNCAPI', message, '$.asyncapi')] };
  }
  const context: Context = { document, problems: [], bundlers: new Map() };
  const uses = major === '2' ? usesOfVersion2(context) : usesOfVersion3(context);
  const byName = new Map<string, Use>();
  for (const use of uses) addUse(byName, use);
  const parts = [...byName].map(([name, use]): SchemaPart => {
    const terms = termsOf(name, use, context);
    return { name, terms, place: use.place };
  });
  return { parts, problems: context.problems };
}

/** The references in other files lead to places in the document by now, which the id of a file would hide. */
function withoutIds(document: Json): Json {
  const files = objectAt(document, 'x-files');
  if (files === undefined || !isJsonObject(document)) return document;
  const plain = Object.entries(files).map(([name, file]): readonly [string, Json] => {
    if (!isJsonObject(file)) return [name, file];
    const { $id: _, ...rest } = file;
    return [name, rest];
  });
  return { ...document, 'x-files': Object.fromEntries(plain) };
}

interface Context {
  readonly document: JsonObject;
  readonly problems: ImportProblem[];
  readonly bundlers: Map<Dialect, Bundler>;
}

/** A message in an operation. */
interface Use {
  readonly action: Action;
  readonly address: string;
  readonly messageName: string;
  readonly message: JsonObject;
  readonly place: string;
}

/** Without an operation, nobody says who writes a message. */
type Action = 'send' | 'receive' | 'message';

const directions: Readonly<Record<Action, Direction>> = {
  send: 'response',
  receive: 'request',
  message: 'data',
};

function nameOf({ action, address, messageName }: Use): string {
  return `${action} ${address} ${messageName}`;
}

/** Two messages of one operation may have one name, or none. */
function addUse(byName: Map<string, Use>, use: Use): void {
  const own = nameOf(use);
  let name = own;
  for (let at = 2; (byName.get(name)?.message ?? use.message) !== use.message; at++) {
    name = `${own} ${at}`;
  }
  byName.set(name, byName.get(name) ?? use);
}

function resolve(raw: Json, place: string, context: Context): JsonObject | null {
  const resolved = resolveObject(context.document, raw, place);
  if (resolved.ok) return resolved.value;
  report(resolved.problem, place, context);
  return null;
}

function report({ code, message }: ReferenceProblem, place: string, context: Context): void {
  context.problems.push(itemProblem(code, message, place));
}

function membersOf(holder: JsonObject | undefined, key: string, place: string) {
  return Object.entries(objectAt(holder, key) ?? {}).map(
    ([name, member]) => [name, member, placeOf(`${place}.${key}`, name)] as const,
  );
}

/** In version 2, what others publish is what the application receives. */
const actionsOfVersion2 = [
  ['publish', 'receive'],
  ['subscribe', 'send'],
] as const;

function usesOfVersion2(context: Context): readonly Use[] {
  return membersOf(context.document, 'channels', '$').flatMap(([address, raw, at]) => {
    const channel = resolve(raw, at, context);
    if (channel === null) return [];
    return actionsOfVersion2.flatMap(([key, action]) => {
      const operation = objectAt(channel, key);
      const stated = memberOf(operation, 'message');
      if (stated === undefined) return [];
      const place = `${at}.${key}.message`;
      const choices = arrayAt(resolve(stated, place, context) ?? undefined, 'oneOf');
      const messages =
        choices === undefined
          ? [[stated, place] as const]
          : choices.map((choice, index) => [choice, `${place}.oneOf[${index}]`] as const);
      return messages.flatMap(([each, where]) => {
        const message = resolve(each, where, context);
        if (message === null) return [];
        const messageName = textAt(message, 'name') ?? lastOf(each) ?? 'message';
        return [{ action, address, messageName, message, place: where }];
      });
    });
  });
}

/** The name of the component that a reference leads to. */
function lastOf(raw: Json): string | undefined {
  return textAt(raw, '$ref')?.split('/').at(-1);
}

function usesOfVersion3(context: Context): readonly Use[] {
  const used = membersOf(context.document, 'operations', '$').flatMap(([, raw, at]) => {
    const operation = resolve(raw, at, context);
    if (operation === null) return [];
    const action = textAt(operation, 'action') === 'send' ? 'send' : 'receive';
    const stated = memberOf(operation, 'reply');
    const reply = stated === undefined ? null : resolve(stated, `${at}.reply`, context);
    const answer = action === 'send' ? 'receive' : 'send';
    return [
      ...usesOfChannel(operation, action, at, context),
      ...(reply === null ? [] : usesOfChannel(reply, answer, `${at}.reply`, context)),
    ];
  });
  const told = Map.groupBy(used, ({ message }) => message);
  const others = membersOf(context.document, 'channels', '$').flatMap(([name, raw, at]) => {
    const channel = resolve(raw, at, context);
    return channel === null ? [] : messagesOf(name, channel, 'message', at, context);
  });
  const unused = others.filter(
    ({ message, address }) => told.get(message)?.some((use) => use.address === address) !== true,
  );
  return [...used, ...unused];
}

/** The messages that an operation or its reply names, otherwise all of its channel. */
function usesOfChannel(
  holder: JsonObject,
  action: Action,
  place: string,
  context: Context,
): readonly Use[] {
  const raw = memberOf(holder, 'channel');
  if (raw === undefined) return [];
  const channel = resolve(raw, `${place}.channel`, context);
  if (channel === null) return [];
  const all = messagesOf(lastOf(raw) ?? '', channel, action, `${place}.channel`, context);
  const named = arrayAt(holder, 'messages')?.flatMap((each) => lastOf(each) ?? []);
  if (named === undefined) return all;
  return all.filter(({ messageName }) => named.includes(messageName));
}

function messagesOf(
  name: string,
  channel: JsonObject,
  action: Action,
  place: string,
  context: Context,
): readonly Use[] {
  const address = textAt(channel, 'address') ?? readPointerToken(name);
  return membersOf(channel, 'messages', place).flatMap(([messageName, raw, at]) => {
    const message = resolve(raw, at, context);
    return message === null ? [] : [{ action, address, messageName, message, place: at }];
  });
}

function termsOf(name: string, use: Use, context: Context): CandidateTerms | null {
  const { message, place, action } = use;
  const payload = unwrapped(memberOf(message, 'payload') ?? {}, context);
  const parts = headersOf(message, place, context).map((each) => unwrapped(each, context));
  const format = payload.format ?? textAt(message, 'schemaFormat') ?? '';
  const dialect = dialectOf(format);
  const other = parts.find((each) => dialectOf(each.format ?? format) !== dialect);
  if (dialect === null || other !== undefined) {
    const [what, unread] = other === undefined ? ['payload', format] : ['header', other.format];
    const text = `${name}: its ${what} is ${unread}, which is not compared.`;
    context.problems.push(itemProblem('UNREADABLE_ITEM', text, place));
    return null;
  }
  const bundler = bundlerOf(dialect, context);
  const headers = parts.map(({ schema }) => bundler.read(schema));
  const body = bundler.read(payload.schema);
  const { defs, problems } = bundler.collect([...headers, body]);
  for (const problem of problems) report(problem, place, context);
  if (problems.length > 0) return null;
  const [first, ...others] = headers.map(({ schema }) => schema);
  const schema: JsonObject = {
    type: 'object',
    properties: {
      ...(first === undefined
        ? {}
        : { headers: others.length === 0 ? first : { allOf: [first, ...others] } }),
      payload: body.schema,
    },
    required: ['payload'],
    ...(Object.keys(defs).length === 0 ? {} : { [definitionsKeyword(dialect)]: defs }),
  };
  return { schema, direction: directions[action], format: 'jsonschema', dialect };
}

/** Since version 3, a schema may stand beside its language, also behind a reference. */
function unwrapped(raw: Json, { document }: Context) {
  const resolved = resolveObject(document, raw, '');
  const format = resolved.ok ? textAt(resolved.value, 'schemaFormat') : undefined;
  if (!resolved.ok || format === undefined) return { schema: raw, format };
  return { schema: memberOf(resolved.value, 'schema') ?? {}, format };
}

/** The headers of a message, and those that its traits add. */
function headersOf(message: JsonObject, place: string, context: Context): readonly Json[] {
  const traits = (arrayAt(message, 'traits') ?? []).map((raw, index) =>
    resolve(raw, `${place}.traits[${index}]`, context),
  );
  return [message, ...traits].flatMap((each) => memberOf(each ?? undefined, 'headers') ?? []);
}

/** Null for languages other than JSON Schema. AsyncAPI's own is a superset of draft-07. */
function dialectOf(format: string): Dialect | null {
  if (/openapi/.test(format)) return 'openapi-3.0';
  if (format !== '' && !/asyncapi|schema\+(json|yaml)/.test(format)) return null;
  const [version] = /draft-0[467]|2019-09|2020-12/.exec(format) ?? [];
  return (version as Dialect | undefined) ?? 'draft-07';
}

function bundlerOf(dialect: Dialect, { document, bundlers }: Context): Bundler {
  const known = bundlers.get(dialect);
  if (known !== undefined) return known;
  const made = createBundler(document, dialect, definitionsKeyword(dialect));
  bundlers.set(dialect, made);
  return made;
}
