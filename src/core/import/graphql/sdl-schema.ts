// One GraphQL type as a JSON Schema that validates a server's answers. A field with a named type
// refers to a definition in `$defs`, which states the name as `x-type`. align-terms.ts compares
// these definitions by name alone, so a change is reported once, at the changed type.
//
// Fields are written by the server and read by callers; arguments the other way round. So a type
// whose fields take arguments is an `operation`: its request holds, for each field, the object of
// its arguments, and its response the fields.

import {
  type ConstDirectiveNode,
  type ConstValueNode,
  type DirectiveDefinitionNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type TypeNode,
} from 'graphql/language';
import type { Direction } from '../../comparison.ts';
import { type Json, type JsonObject, parseJson } from '../../value/json.ts';
import { hasDirective, type SdlType } from './sdl-document.ts';

export interface SdlSchema {
  readonly schema: JsonObject;
  readonly direction: Direction;
  /** The named types that it refers to. */
  readonly typeNames: ReadonlySet<string>;
}

/**
 * The types that a value of an interface or a union may have. None in an import, which brings each of these types
 * and tells its change there.
 */
export type PossibleTypes = (type: SdlType) => readonly string[];

/** Of a schema from which one type is taken alone. */
export function possibleTypesIn(types: ReadonlyMap<string, SdlType>): PossibleTypes {
  const implementing = new Map<string, string[]>();
  for (const { name, interfaces } of types.values()) {
    for (const each of interfaces) {
      implementing.set(each, [...(implementing.get(each) ?? []), name]);
    }
  }
  return ({ kind, name, members }) =>
    kind === 'union' ? [...members] : (implementing.get(name) ?? []);
}

/** Null for a scalar, which is not an asset. */
export function toTypeSchema(
  type: SdlType,
  define: DefineType,
  possibleTypes: PossibleTypes,
): SdlSchema | null {
  const typeNames = new Set<string>();
  const shape = shapeOf(type, { typeNames, isDescribed: true, possibleTypes });
  if (shape === null) return null;
  // A union lists the names of its members itself.
  const definitions = type.kind === 'union' ? [] : definitionsOf(typeNames, define);
  const schema = {
    title: type.name,
    ...(type.description === '' ? {} : { description: type.description }),
    ...shape.schema,
    ...(definitions.length === 0 ? {} : { $defs: Object.fromEntries(definitions) }),
  };
  return { schema, direction: shape.direction, typeNames };
}

/** The places of an operation; a directive at others is the server's own. */
const executableLocations: ReadonlySet<string> = new Set([
  ...['QUERY', 'MUTATION', 'SUBSCRIPTION', 'FIELD', 'FRAGMENT_DEFINITION', 'FRAGMENT_SPREAD'],
  ...['INLINE_FRAGMENT', 'VARIABLE_DEFINITION'],
]);

export function isExecutableLocation({ value }: { readonly value: string }): boolean {
  return executableLocations.has(value);
}

/**
 * What callers may write in their operations with a directive: its arguments, and a field for each place where it may
 * stand, so that one that goes is a field that goes. Null for a directive of schemas alone.
 */
export function toDirectiveSchema(
  { name, description, arguments: values = [], locations, repeatable }: DirectiveDefinitionNode,
  define: DefineType,
): SdlSchema | null {
  const places = locations.filter(isExecutableLocation).map(({ value }) => value);
  if (places.length === 0) return null;
  const typeNames = new Set<string>();
  const writing = { typeNames, isDescribed: true, possibleTypes: () => [] };
  const fieldOf = (field: string) => [field, { type: 'object' }] as const;
  const properties = {
    arguments: argumentsSchema(values, writing),
    on: { type: 'object', properties: Object.fromEntries(places.sort().map(fieldOf)) },
    ...(repeatable ? Object.fromEntries([fieldOf('repeatable')]) : {}),
  };
  const definitions = definitionsOf(typeNames, define);
  const schema = {
    title: `@${name.value}`,
    ...(description === undefined ? {} : { description: description.value }),
    type: 'object',
    properties,
    ...(definitions.length === 0 ? {} : { $defs: Object.fromEntries(definitions) }),
  };
  return { schema, direction: 'request', typeNames };
}

interface Writing {
  /** Collects the types that are referred to. */
  readonly typeNames: Set<string>;
  /** Whether to include descriptions and defaults, which only the type itself has. */
  readonly isDescribed: boolean;
  readonly possibleTypes: PossibleTypes;
}

/** The schema of another type's values, and the types that it refers to. */
interface Definition {
  readonly schema: JsonObject;
  readonly typeNames: readonly string[];
}

/** Null for a name without a type. */
type DefineType = (name: string) => Definition | null;

/** Each definition is made once, however many types refer to it. */
export function definitionsIn(
  types: ReadonlyMap<string, SdlType>,
  possibleTypes: PossibleTypes,
): DefineType {
  const made = new Map<string, Definition>();
  return (name) => {
    const known = made.get(name);
    if (known !== undefined) return known;
    const type = types.get(name);
    if (type === undefined) return null;
    const typeNames = new Set<string>();
    const schema = {
      'x-type': name,
      // A scalar is not an asset, so no contract would report its change.
      ...(type.kind === 'scalar' && { 'x-scalar': true }),
      ...valueSchema(type, { typeNames, isDescribed: false, possibleTypes }),
    };
    const names = type.kind === 'union' ? [] : [...typeNames].sort();
    const definition = { schema, typeNames: names };
    made.set(name, definition);
    return definition;
  };
}

/**
 * In most schemas every type leads to nearly every other one. More distant types are given by name.
 */
const maxFullDefinitions = 25;

/** The nearest types in full, the others by name; sorted by name. */
function definitionsOf(
  typeNames: Iterable<string>,
  define: DefineType,
): readonly (readonly [string, JsonObject])[] {
  const found = new Map<string, JsonObject>();
  const waiting = [...typeNames].sort();
  for (const name of waiting) {
    if (found.has(name)) continue;
    const definition = found.size < maxFullDefinitions ? define(name) : null;
    found.set(name, definition?.schema ?? { 'x-type': name });
    waiting.push(...(definition?.typeNames ?? []));
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1));
}

function valueSchema(type: SdlType, writing: Writing): JsonObject {
  switch (type.kind) {
    case 'object':
    case 'interface':
      return {
        type: 'object',
        properties: Object.fromEntries([
          ...answeredFields(type, writing),
          ...possibleTypesField(type, writing),
        ]),
      };
    case 'input':
      return inputSchema(type, writing);
    case 'enum':
      return enumSchema(type);
    case 'union': {
      const { properties, ...union } = unionSchema(type, writing);
      const possible = Object.fromEntries(possibleTypesField(type, writing));
      return { ...union, properties: { ...properties, ...possible } };
    }
    case 'scalar':
      return {};
    default:
      return type.kind satisfies never;
  }
}

interface Shape {
  readonly schema: JsonObject;
  readonly direction: Direction;
}

function shapeOf(type: SdlType, writing: Writing): Shape | null {
  switch (type.kind) {
    case 'object':
    case 'interface':
      return outputShape(type, writing);
    case 'input':
      return { schema: inputSchema(type, writing), direction: 'request' };
    case 'enum':
      return { schema: enumSchema(type), direction: 'request' };
    case 'union':
      // Like an enum: callers name its members, so removing one breaks and adding one does not.
      return { schema: unionSchema(type, writing), direction: 'request' };
    case 'scalar':
      return null;
    default:
      return type.kind satisfies never;
  }
}

function outputShape(type: SdlType, writing: Writing): Shape {
  const response = responseSchema(type, writing);
  const hasArguments = [...type.fields.values()].some(
    (field) => (field.arguments ?? []).length > 0,
  );
  if (!hasArguments) return { schema: response, direction: 'response' };
  const request = {
    type: 'object',
    properties: Object.fromEntries<Json>(
      // Includes fields without arguments, so that removing the last argument of a field is
      // noticed: servers refuse unknown arguments.
      [...type.fields.values()].map((field) => [
        field.name.value,
        argumentsSchema(field.arguments ?? [], writing),
      ]),
    ),
  };
  return {
    schema: { type: 'object', properties: { request, response } },
    direction: 'operation',
  };
}

/**
 * Callers receive the fields that they request, so no field is required. A type's interfaces are
 * fields of `__implements`, a name that GraphQL reserves: callers request `... on Node` from its
 * implementations, so removing an interface removes a field. An interface has `__implementations`,
 * because callers request `... on User` from it, which is impossible for an object.
 */
function responseSchema(type: SdlType, writing: Writing): JsonObject {
  const [typeName, ...fields] = answeredFields(type, writing);
  const interfaces = [...type.interfaces].sort().map((name) => [name, { type: 'object' }] as const);
  return {
    type: 'object',
    properties: Object.fromEntries<Json>([
      typeName,
      ...(type.kind === 'object' ? [] : [['__implementations', { type: 'object' }] as const]),
      ...possibleTypesField(type, writing),
      ...(interfaces.length === 0
        ? []
        : [
            [
              '__implements',
              { type: 'object', properties: Object.fromEntries(interfaces) },
            ] as const,
          ]),
      ...fields,
    ]),
  };
}

type Field = readonly [name: string, schema: JsonObject];

/** Like `__implements`: callers request `... on User`, so a type that can no longer be there is a field that goes. */
function possibleTypesField(type: SdlType, { possibleTypes }: Writing): readonly Field[] {
  const names = [...possibleTypes(type)].sort();
  if (names.length === 0) return [];
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'object' }]));
  return [['__possibleTypes', { type: 'object', properties }]];
}

/** The answer of a server for requested fields, `__typename` first. */
function answeredFields(type: SdlType, writing: Writing): readonly [Field, ...Field[]] {
  const fields = [...type.fields.values()].map(
    (field): Field => [field.name.value, annotate(typeSchema(field.type, writing), field, writing)],
  );
  const typeName = type.kind === 'object' ? { const: type.name } : { type: 'string' };
  return [['__typename', typeName], ...fields];
}

/** A server refuses unknown arguments and input fields. */
function argumentsSchema(
  values: readonly InputValueDefinitionNode[],
  writing: Writing,
): JsonObject {
  if (values.length === 0) return { type: 'object', properties: {}, additionalProperties: false };
  const byName = new Map(values.map((value) => [value.name.value, value] as const));
  const required = [...byName.values()].filter(isRequired).map(({ name }) => name.value);
  return {
    type: 'object',
    properties: Object.fromEntries<Json>(
      [...byName].map(([name, value]) => [name, inputValueSchema(value, writing)]),
    ),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

function inputSchema(type: SdlType, writing: Writing): JsonObject {
  const schema = argumentsSchema([...type.inputFields.values()], writing);
  return type.isOneOf ? { ...schema, minProperties: 1, maxProperties: 1 } : schema;
}

function isRequired(value: InputValueDefinitionNode): boolean {
  return value.type.kind === Kind.NON_NULL_TYPE && value.defaultValue === undefined;
}

function inputValueSchema(value: InputValueDefinitionNode, writing: Writing): JsonObject {
  const schema = annotate(typeSchema(value.type, writing), value, writing);
  if (value.defaultValue === undefined || !writing.isDescribed) return schema;
  return { ...schema, default: toJson(value.defaultValue, 0) };
}

function enumSchema(type: SdlType): JsonObject {
  const values = [...type.values.values()];
  const deprecated = values.filter((value) => hasDirective(value.directives, 'deprecated'));
  return {
    type: 'string',
    enum: values.map((value) => value.name.value),
    ...(deprecated.length === 0
      ? {}
      : { 'x-deprecated-values': deprecated.map((value) => value.name.value) }),
  };
}

function unionSchema(type: SdlType, writing: Writing) {
  const members = [...type.members].sort();
  for (const member of members) writing.typeNames.add(member);
  return {
    type: 'object',
    properties: { __typename: { enum: members } },
  };
}

interface ScalarTypes {
  readonly plain: string;
  readonly nullable: readonly string[];
}

function scalarTypes(plain: string): ScalarTypes {
  return { plain, nullable: [plain, 'null'] };
}

const builtInScalars: ReadonlyMap<string, ScalarTypes> = new Map([
  ['Int', scalarTypes('integer')],
  ['Float', scalarTypes('number')],
  ['String', scalarTypes('string')],
  ['Boolean', scalarTypes('boolean')],
  ['ID', scalarTypes('string')],
]);

/** Lists may nest as deeply as the parser's stack allows, so they are unwrapped in a loop. */
function typeSchema(type: TypeNode, writing: Writing): JsonObject {
  const lists: boolean[] = [];
  let at = type;
  let isNullable = true;
  for (;;) {
    if (at.kind === Kind.NON_NULL_TYPE) {
      isNullable = false;
      at = at.type;
    } else if (at.kind === Kind.LIST_TYPE) {
      lists.push(isNullable);
      isNullable = true;
      at = at.type;
    } else break;
  }
  let schema = namedSchema(at.name.value, isNullable, writing);
  for (const isNullableList of lists.reverse()) {
    schema = { type: isNullableList ? ['array', 'null'] : 'array', items: schema };
  }
  return schema;
}

function namedSchema(name: string, isNullable: boolean, writing: Writing): JsonObject {
  const builtIn = builtInScalars.get(name);
  if (builtIn !== undefined) return { type: isNullable ? builtIn.nullable : builtIn.plain };
  writing.typeNames.add(name);
  const reference = { $ref: `#/$defs/${name}` };
  return isNullable ? { anyOf: [reference, { type: 'null' }] } : reference;
}

interface Described {
  readonly description?: { readonly value: string } | undefined;
  readonly directives?: readonly ConstDirectiveNode[] | undefined;
}

function annotate(
  schema: JsonObject,
  node: Described | FieldDefinitionNode,
  { isDescribed }: Writing,
): JsonObject {
  if (!isDescribed) return schema;
  const description = node.description?.value ?? '';
  const isDeprecated = hasDirective(node.directives, 'deprecated');
  if (description === '' && !isDeprecated) return schema;
  if (!isDeprecated) return { ...schema, description };
  return { ...schema, ...(description === '' ? {} : { description }), deprecated: true };
}

/**
 * A default that nests more deeply than any schema is truncated, because it is only an annotation.
 */
const maxValueDepth = 64;

function toJson(value: ConstValueNode, depth: number): Json {
  if (depth > maxValueDepth) return null;
  switch (value.kind) {
    case Kind.NULL:
      return null;
    case Kind.INT:
    case Kind.FLOAT:
      return exactNumber(value.value);
    case Kind.STRING:
    case Kind.ENUM:
    case Kind.BOOLEAN:
      return value.value;
    case Kind.LIST:
      return value.values.map((entry) => toJson(entry, depth + 1));
    case Kind.OBJECT:
      return Object.fromEntries(
        value.fields.map((field) => [field.name.value, toJson(field.value, depth + 1)] as const),
      );
    default:
      return value satisfies never;
  }
}

/** GraphQL writes numbers as JSON does. */
function exactNumber(text: string): Json {
  const parsed = parseJson(text);
  return parsed.ok ? parsed.value : Number(text);
}
