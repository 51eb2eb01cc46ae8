// Reads an AsyncAPI document, 2 and 3: each message of each operation. What the application sends is
// written by its owner, what it receives by others.

import type { Direction } from '../../comparison.ts';
import type { Dialect } from '../../schema/dialects.ts';
import { definitionsKeyword } from '../../schema/keywords.ts';
import { isJsonObject, type Json, type JsonObject, numberText } from '../../value/json.ts';
import { type CandidateTerms, fatal, type ImportProblem, itemProblem } from '../candidate.ts';
import { type Bundler, createBundler } from '../openapi/openapi-bundle.ts';
import {
  pointerTokens,
  type ReferenceProblem,
  resolveObject,
} from '../openapi/openapi-document.ts';
import { withVariants } from '../openapi/variants.ts';
import { arrayAt, memberOf, objectAt, placeOf, textAt } from '../read-json.ts';
import { followed, merged, statedWithTraits } from './message-traits.ts';
import type { ParsedParts, SchemaPart } from './parts.ts';

/** @example parseAsyncApi(document).parts[0].name // 'send lighting.measured LightMeasured' */
export function parseAsyncApi(given: Json): ParsedParts {
  const named = withoutIds(given);
  const document = isJsonObject(named) ? withVariants(named) : named;
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
  return [action, address, messageName].filter((word) => word !== '').join(' ');
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
      return choicesOf(stated, `${at}.${key}.message`, context).map((choice) => ({
        action,
        address,
        ...choice,
      }));
    });
  });
}

/** More choices within each other are a circle. */
const maxChoices = 8;

function choicesOf(
  raw: Json,
  place: string,
  context: Context,
  depth = 0,
): readonly Pick<Use, 'messageName' | 'message' | 'place'>[] {
  const message = resolve(raw, place, context);
  if (message === null) return [];
  const choices = arrayAt(message, 'oneOf');
  if (choices === undefined || depth > maxChoices) {
    const messageName = textAt(message, 'name') ?? lastOf(raw) ?? 'message';
    return [{ messageName, message, place }];
  }
  return choices.flatMap((choice, index) =>
    choicesOf(choice, `${place}.oneOf[${index}]`, context, depth + 1),
  );
}

/** The name of the component that a reference leads to. */
function lastOf(raw: Json): string | undefined {
  return pointerTokens(textAt(raw, '$ref') ?? '')?.at(-1);
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

/** The messages that an operation or its reply names, otherwise all of its channel. A reply may name no channel. */
function usesOfChannel(
  holder: JsonObject,
  action: Action,
  place: string,
  context: Context,
): readonly Use[] {
  const raw = memberOf(holder, 'channel') ?? {};
  const channel = resolve(raw, `${place}.channel`, context);
  if (channel === null) return [];
  const name = lastOf(raw) ?? '';
  const all = messagesOf(name, channel, action, `${place}.channel`, context);
  const stated = arrayAt(holder, 'messages');
  if (stated === undefined) return all;
  return stated.flatMap((each, index): readonly Use[] => {
    const at = `${place}.messages[${index}]`;
    const message = resolve(each, at, context);
    if (message === null) return [];
    const messageName = lastOf(each) ?? 'message';
    const meant = all.filter((use) => use.message === message);
    const known = meant.find((use) => use.messageName === messageName) ?? meant[0];
    const address = addressOf(name, channel);
    return [known ?? { action, address, messageName, message, place: at }];
  });
}

function addressOf(name: string, channel: JsonObject): string {
  return textAt(channel, 'address') ?? name;
}

function messagesOf(
  name: string,
  channel: JsonObject,
  action: Action,
  place: string,
  context: Context,
): readonly Use[] {
  const address = addressOf(name, channel);
  return membersOf(channel, 'messages', place).flatMap(([messageName, raw, at]) => {
    const message = resolve(raw, at, context);
    return message === null ? [] : [{ action, address, messageName, message, place: at }];
  });
}

function termsOf(name: string, use: Use, context: Context): CandidateTerms | null {
  const { message, place, action } = use;
  const { document } = context;
  const payload = unwrapped(memberOf(message, 'payload') ?? {}, context);
  const parts = statedWithTraits(document, message, 'headers').map((each) =>
    unwrapped(each, context),
  );
  const stated = statedWithTraits(document, message, 'schemaFormat').at(-1);
  const format = payload.format ?? (typeof stated === 'string' ? stated : '');
  const dialect = dialectOf(format);
  const other = parts.find((each) => dialectOf(each.format ?? format) !== dialect);
  const unread = (what: string, language: string | undefined) => {
    const text = `${name}: its ${what} is ${language}, which is not compared.`;
    context.problems.push(itemProblem('UNREADABLE_ITEM', text, place));
    return null;
  };
  if (dialect === null) return unread('payload', format);
  if (other !== undefined) return unread('header', other.format);
  const bundler = bundlerOf(dialect, context);
  const given =
    parts.length === 0
      ? undefined
      : merged(
          document,
          parts.map(({ schema }) => schema),
        );
  const headers = given === undefined ? [] : [bundler.read(given)];
  const body = bundler.read(payload.schema);
  const { defs, problems } = bundler.collect([...headers, body]);
  for (const problem of problems) report(problem, place, context);
  if (problems.length > 0) return null;
  const foreign = Object.values(defs).flatMap((each) => formatOf(each) ?? []);
  if (foreign.length > 0) return unread('payload partly', foreign[0]);
  const [header] = headers.map(({ schema }) => schema);
  const isDemanded = given !== undefined && demandsMembers(given, document);
  const schema: JsonObject = {
    type: 'object',
    properties: { ...(header === undefined ? {} : { headers: header }), payload: body.schema },
    required: isDemanded ? ['headers', 'payload'] : ['payload'],
    ...(Object.keys(defs).length === 0 ? {} : { [definitionsKeyword(dialect)]: defs }),
  };
  return { schema, direction: directions[action], format: 'jsonschema', dialect };
}

/** Whether a message without headers is none, because some have to be there. */
function demandsMembers(raw: Json, document: JsonObject, depth = 0): boolean {
  const schema = followed(raw, document);
  const isStated = (arrayAt(schema, 'required') ?? []).length > 0;
  if (isStated || Number(memberOf(schema, 'minProperties') ?? 0) > 0) return true;
  const within = (each: Json) => depth <= maxChoices && demandsMembers(each, document, depth + 1);
  const choices = ['anyOf', 'oneOf'].flatMap((key) => [arrayAt(schema, key) ?? []]);
  return (
    (arrayAt(schema, 'allOf') ?? []).some(within) ||
    choices.some((each) => each.length > 0 && each.every(within))
  );
}

/** Since version 3, a schema may stand beside its language, also behind a reference. */
function unwrapped(raw: Json, { document }: Pick<Context, 'document'>) {
  const resolved = resolveObject(document, raw, '');
  const format = resolved.ok ? formatOf(resolved.value) : undefined;
  if (!resolved.ok || format === undefined) return { schema: raw, format };
  return { schema: memberOf(resolved.value, 'schema') ?? {}, format };
}

function formatOf(value: Json): string | undefined {
  return memberOf(value, 'schema') === undefined ? undefined : textAt(value, 'schemaFormat');
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
  // What is in another language stays as it is, and is told.
  const made = createBundler(document, dialect, definitionsKeyword(dialect), (raw) => {
    const { schema, format } = unwrapped(raw, { document });
    return format !== undefined && dialectOf(format) === dialect ? schema : raw;
  });
  bundlers.set(dialect, made);
  return made;
}
