// One GraphQL type as a JSON Schema. A field of another named type is a reference to a stub of that
// name, so that a change is told once, at the type where it happened, and another type is another.
//
// Fields are written by the server and read by callers; their arguments the other way round. A
// type whose fields take arguments is therefore an `operation`: its request holds, by field, the
// object of that field's arguments, its response the fields.

import {
  type ConstDirectiveNode,
  type ConstValueNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type TypeNode,
} from 'graphql/language';
import type { Direction } from '../diff/diff.types.ts';
import { type Json, type JsonObject, parseJson } from '../json.ts';
import { hasDirective, type SdlType } from './sdl-document.ts';

export interface SdlSchema {
  readonly schema: JsonObject;
  readonly direction: Direction;
  /** The named types that it refers to. */
  readonly typeNames: ReadonlySet<string>;
}

/** Null for a scalar, which is no asset. */
export function toTypeSchema(type: SdlType): SdlSchema | null {
  const typeNames = new Set<string>();
  const shape = shapeOf(type, typeNames);
  if (shape === null) return null;
  // A union says the names of its members itself.
  const stubs = (type.kind === 'union' ? [] : [...typeNames].sort()).map(
    (name) => [name, stubOf(name)] as const,
  );
  const schema = {
    title: type.name,
    ...(type.description === '' ? {} : { description: type.description }),
    ...shape.schema,
    ...(stubs.length === 0 ? {} : { $defs: Object.fromEntries(stubs) }),
  };
  return { schema, direction: shape.direction, typeNames };
}

interface Shape {
  readonly schema: JsonObject;
  readonly direction: Direction;
}

function shapeOf(type: SdlType, typeNames: Set<string>): Shape | null {
  switch (type.kind) {
    case 'object':
    case 'interface':
      return outputShape(type, typeNames);
    case 'input':
      return { schema: inputSchema(type, typeNames), direction: 'request' };
    case 'enum':
      return { schema: enumSchema(type), direction: 'request' };
    case 'union':
      // Like an enum: callers name its members, so that one removed breaks and one added does not.
      return { schema: unionSchema(type, typeNames), direction: 'request' };
    case 'scalar':
      return null;
    default:
      return type.kind satisfies never;
  }
}

/** No value of another type is of this one, and no number of fields tells them apart. */
function stubOf(name: string): JsonObject {
  return {
    type: 'object',
    properties: { __typename: { const: name } },
    required: typeNameKey,
  };
}

const typeNameKey = ['__typename'];

function outputShape(type: SdlType, typeNames: Set<string>): Shape {
  const response = responseSchema(type, typeNames);
  const hasArguments = [...type.fields.values()].some(
    (field) => (field.arguments ?? []).length > 0,
  );
  if (!hasArguments) return { schema: response, direction: 'response' };
  const request = {
    type: 'object',
    properties: Object.fromEntries<Json>(
      // Those without arguments too: a server refuses what a field does not take, so that its last
      // argument is not taken away unseen.
      [...type.fields.values()].map((field) => [
        field.name.value,
        argumentsSchema(field.arguments ?? [], typeNames),
      ]),
    ),
  };
  return {
    schema: { type: 'object', properties: { request, response } },
    direction: 'operation',
  };
}

/**
 * Callers get the fields that they ask for, so that none is required. A type's interfaces stand as
 * fields of `__implements`, a name that GraphQL keeps for itself: callers ask `... on Node` for
 * what implements it, and one taken away is a field taken away. An interface has
 * `__implementations`, for callers ask `... on User` of it, and of an object nobody can.
 */
function responseSchema(type: SdlType, typeNames: Set<string>): JsonObject {
  const fields = [...type.fields.values()].map(
    (field) => [field.name.value, annotate(typeSchema(field.type, typeNames), field)] as const,
  );
  const interfaces = [...type.interfaces].sort().map((name) => [name, { type: 'object' }] as const);
  const isObject = type.kind === 'object';
  return {
    type: 'object',
    properties: Object.fromEntries<Json>([
      ['__typename', isObject ? { const: type.name } : { type: 'string' }],
      ...(isObject ? [] : [['__implementations', { type: 'object' }] as const]),
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

/** A server refuses arguments and input fields that it does not know. */
function argumentsSchema(
  values: readonly InputValueDefinitionNode[],
  typeNames: Set<string>,
): JsonObject {
  if (values.length === 0) return { type: 'object', properties: {}, additionalProperties: false };
  const byName = new Map(values.map((value) => [value.name.value, value] as const));
  const required = [...byName.values()].filter(isRequired).map(({ name }) => name.value);
  return {
    type: 'object',
    properties: Object.fromEntries<Json>(
      [...byName].map(([name, value]) => [name, inputValueSchema(value, typeNames)]),
    ),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

function inputSchema(type: SdlType, typeNames: Set<string>): JsonObject {
  const schema = argumentsSchema([...type.inputFields.values()], typeNames);
  return type.isOneOf ? { ...schema, minProperties: 1, maxProperties: 1 } : schema;
}

function isRequired(value: InputValueDefinitionNode): boolean {
  return value.type.kind === Kind.NON_NULL_TYPE && value.defaultValue === undefined;
}

function inputValueSchema(value: InputValueDefinitionNode, typeNames: Set<string>): JsonObject {
  const schema = annotate(typeSchema(value.type, typeNames), value);
  if (value.defaultValue === undefined) return schema;
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

function unionSchema(type: SdlType, typeNames: Set<string>): JsonObject {
  const members = [...type.members].sort();
  for (const member of members) typeNames.add(member);
  return {
    type: 'object',
    properties: { __typename: { enum: members } },
    required: ['__typename'],
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

/** Lists nest as deep as the parser's stack allows, so they are unwrapped in a loop. */
function typeSchema(type: TypeNode, typeNames: Set<string>): JsonObject {
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
  let schema = namedSchema(at.name.value, isNullable, typeNames);
  for (const isNullableList of lists.reverse()) {
    schema = { type: isNullableList ? ['array', 'null'] : 'array', items: schema };
  }
  return schema;
}

function namedSchema(name: string, isNullable: boolean, typeNames: Set<string>): JsonObject {
  const builtIn = builtInScalars.get(name);
  if (builtIn !== undefined) return { type: isNullable ? builtIn.nullable : builtIn.plain };
  typeNames.add(name);
  const reference = { $ref: `#/$defs/${name}` };
  return isNullable ? { anyOf: [reference, { type: 'null' }] } : reference;
}

interface Described {
  readonly description?: { readonly value: string } | undefined;
  readonly directives?: readonly ConstDirectiveNode[] | undefined;
}

function annotate(schema: JsonObject, node: Described | FieldDefinitionNode): JsonObject {
  const description = node.description?.value ?? '';
  const isDeprecated = hasDirective(node.directives, 'deprecated');
  if (description === '' && !isDeprecated) return schema;
  if (!isDeprecated) return { ...schema, description };
  return { ...schema, ...(description === '' ? {} : { description }), deprecated: true };
}

/** A default deeper than any schema is cut short: it is an annotation. */
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
