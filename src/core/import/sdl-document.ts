// SDL text as the types it defines, extensions merged in. Only the syntax tree is used: a document
// that graphql-js would not build (a field defined twice, a type that is not there) is still read.

import {
  type DefinitionNode,
  type EnumValueDefinitionNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type NameNode,
  type ParseOptions,
  parse,
} from 'graphql/language';
import { fatal, type ImportProblem, itemProblem } from './candidate.ts';
import { type NamedDefinition, PlacingLexer, placesOf } from './sdl-places.ts';

export type SdlKind = 'object' | 'interface' | 'input' | 'enum' | 'union' | 'scalar';

export interface SdlType {
  readonly name: string;
  readonly kind: SdlKind;
  readonly description: string;
  readonly place: string;
  readonly isOneOf: boolean;
  /** Of objects and interfaces. */
  readonly fields: ReadonlyMap<string, FieldDefinitionNode>;
  readonly interfaces: ReadonlySet<string>;
  /** Of inputs. */
  readonly inputFields: ReadonlyMap<string, InputValueDefinitionNode>;
  /** Of enums. */
  readonly values: ReadonlyMap<string, EnumValueDefinitionNode>;
  /** Of unions. */
  readonly members: ReadonlySet<string>;
}

export interface SdlDocument {
  readonly types: ReadonlyMap<string, SdlType>;
  readonly problems: readonly ImportProblem[];
}

/** The largest published schema known has some 100,000 tokens; ten times that takes a second. */
const maxTokens = 1_000_000;

/** @example readSdl('type User { id: ID! }').types.get('User')?.kind // 'object' */
export function readSdl(sdl: string): SdlDocument {
  const lexer = new PlacingLexer(sdl);
  const parsed = parseText(sdl, { noLocation: true, lexer });
  if ('problem' in parsed) return { types: new Map(), problems: [parsed.problem] };
  const read = readDefinitions(parsed.definitions, typePlaces(lexer, parsed.definitions));
  if (read.problems.length === 0) return read;
  // Where something is wrong, the parser says where each node stands.
  const located = parseText(sdl, {});
  if ('problem' in located) return { types: new Map(), problems: [located.problem] };
  return readDefinitions(located.definitions, new Map());
}

type Places = ReadonlyMap<DefinitionNode, string>;

function typePlaces(lexer: PlacingLexer, definitions: readonly DefinitionNode[]): Places {
  const nodes: DefinitionNode[] = [];
  const names: NamedDefinition[] = [];
  for (const node of definitions) {
    const kind = kinds[node.kind];
    if (kind === undefined || !('name' in node) || node.name === undefined) continue;
    nodes.push(node);
    names.push({ keyword: kind === 'object' ? 'type' : kind, name: nameOf(node.name) });
  }
  const places = placesOf(lexer, names);
  return new Map(nodes.map((node, index) => [node, places[index] ?? '$']));
}

/** Those without a place of their own say it themselves. */
function readDefinitions(definitions: readonly DefinitionNode[], places: Places): SdlDocument {
  const problems: ImportProblem[] = [];
  const types = new Map<string, Draft>();
  const extensions: DefinitionNode[] = [];
  const add = (node: DefinitionNode): void =>
    addDefinition(types, node, places.get(node) ?? placeOfNode(node), problems);
  for (const node of definitions) {
    if (isExtension(node)) extensions.push(node);
    else add(node);
  }
  // After all definitions: an extension may stand before what it extends.
  for (const node of extensions) add(node);
  return { types, problems };
}

type ParsedText =
  | { readonly definitions: readonly DefinitionNode[] }
  | { readonly problem: ImportProblem };

function parseText(sdl: string, options: ParseOptions): ParsedText {
  try {
    return { definitions: parse(sdl, { maxLexicalTokens: maxTokens, ...options }).definitions };
  } catch (error) {
    return { problem: fatal('INVALID_SDL', ...explain(error)) };
  }
}

/** The parser throws on bad text, and its stack ends on text that nests without end. */
function explain(error: unknown): readonly [message: string, place: string] {
  if (error instanceof RangeError) return ['The SDL nests too deep. Flatten it.', '$'];
  const message = error instanceof Error ? error.message : String(error);
  const [location] = locationsOf(error);
  const place = location === undefined ? '$' : `line ${location.line}, column ${location.column}`;
  return [`The SDL cannot be read. ${message}`, place];
}

interface SourceLocation {
  readonly line: number;
  readonly column: number;
}

function locationsOf(error: unknown): readonly SourceLocation[] {
  const isLocated = error instanceof Error && 'locations' in error;
  return isLocated && Array.isArray(error.locations) ? error.locations : [];
}

interface Draft extends SdlType {
  description: string;
  isOneOf: boolean;
  readonly fields: Map<string, FieldDefinitionNode>;
  readonly interfaces: Set<string>;
  readonly inputFields: Map<string, InputValueDefinitionNode>;
  readonly values: Map<string, EnumValueDefinitionNode>;
  readonly members: Set<string>;
}

const kinds: Readonly<Record<string, SdlKind>> = {
  [Kind.OBJECT_TYPE_DEFINITION]: 'object',
  [Kind.OBJECT_TYPE_EXTENSION]: 'object',
  [Kind.INTERFACE_TYPE_DEFINITION]: 'interface',
  [Kind.INTERFACE_TYPE_EXTENSION]: 'interface',
  [Kind.INPUT_OBJECT_TYPE_DEFINITION]: 'input',
  [Kind.INPUT_OBJECT_TYPE_EXTENSION]: 'input',
  [Kind.ENUM_TYPE_DEFINITION]: 'enum',
  [Kind.ENUM_TYPE_EXTENSION]: 'enum',
  [Kind.UNION_TYPE_DEFINITION]: 'union',
  [Kind.UNION_TYPE_EXTENSION]: 'union',
  [Kind.SCALAR_TYPE_DEFINITION]: 'scalar',
  [Kind.SCALAR_TYPE_EXTENSION]: 'scalar',
};

function isExtension(node: DefinitionNode): boolean {
  return node.kind.endsWith('Extension');
}

function addDefinition(
  types: Map<string, Draft>,
  node: DefinitionNode,
  place: string,
  problems: ImportProblem[],
): void {
  const kind = kinds[node.kind];
  if (kind === undefined) {
    const isExecutable =
      node.kind === Kind.OPERATION_DEFINITION || node.kind === Kind.FRAGMENT_DEFINITION;
    if (!isExecutable) return;
    const message = 'A query is no part of a schema: it is left out.';
    problems.push(itemProblem('UNREADABLE_ITEM', message, place));
    return;
  }
  if (!('name' in node) || node.name === undefined) return;
  const name = nameOf(node.name);
  const known = types.get(name);
  if (known !== undefined && (!isExtension(node) || known.kind !== kind)) {
    const message = isExtension(node)
      ? `${name} is ${known.kind}, and is extended as ${kind}: the extension is left out.`
      : `${name} is defined twice, first at ${known.place}: this one is left out.`;
    problems.push(itemProblem('DUPLICATE_DEFINITION', message, place));
    return;
  }
  const type = known ?? emptyType(name, kind, place);
  // An extension without a definition is that of another part of a federated schema.
  types.set(name, type);
  addMembers(type, node, problems);
}

function nameOf(node: NameNode | { readonly value: string }): string {
  return node.value;
}

// A type is extended by its own kind alone: nothing is ever added to these.
const noFields = new Map<string, FieldDefinitionNode>();
const noInputFields = new Map<string, InputValueDefinitionNode>();
const noValues = new Map<string, EnumValueDefinitionNode>();
const noNames = new Set<string>();

function emptyType(name: string, kind: SdlKind, place: string): Draft {
  const hasFields = kind === 'object' || kind === 'interface';
  return {
    name,
    kind,
    place,
    description: '',
    isOneOf: false,
    fields: hasFields ? new Map() : noFields,
    interfaces: hasFields ? new Set() : noNames,
    inputFields: kind === 'input' ? new Map() : noInputFields,
    values: kind === 'enum' ? new Map() : noValues,
    members: kind === 'union' ? new Set() : noNames,
  };
}

function addMembers(type: Draft, node: DefinitionNode, problems: ImportProblem[]): void {
  if ('description' in node && node.description !== undefined && type.description === '') {
    type.description = node.description.value;
  }
  if ('directives' in node && hasDirective(node.directives, 'oneOf')) type.isOneOf = true;
  switch (node.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.OBJECT_TYPE_EXTENSION:
    case Kind.INTERFACE_TYPE_DEFINITION:
    case Kind.INTERFACE_TYPE_EXTENSION:
      addNamed(type, type.fields, node.fields ?? [], problems);
      for (const { name } of node.interfaces ?? []) type.interfaces.add(name.value);
      return;
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
    case Kind.INPUT_OBJECT_TYPE_EXTENSION:
      addNamed(type, type.inputFields, node.fields ?? [], problems);
      return;
    case Kind.ENUM_TYPE_DEFINITION:
    case Kind.ENUM_TYPE_EXTENSION:
      addNamed(type, type.values, node.values ?? [], problems);
      return;
    case Kind.UNION_TYPE_DEFINITION:
    case Kind.UNION_TYPE_EXTENSION:
      for (const { name } of node.types ?? []) type.members.add(name.value);
      return;
    default:
      return;
  }
}

interface NamedNode {
  readonly name: NameNode;
  readonly loc?: DefinitionNode['loc'];
}

function addNamed<Node extends NamedNode>(
  type: SdlType,
  members: Map<string, Node>,
  nodes: readonly Node[],
  problems: ImportProblem[],
): void {
  for (const node of nodes) {
    const name = node.name.value;
    if (!members.has(name)) {
      members.set(name, node);
      continue;
    }
    const message = `${type.name}.${name} is defined twice: the first one counts.`;
    problems.push(itemProblem('DUPLICATE_DEFINITION', message, placeOfNode(node)));
  }
}

export function hasDirective(
  directives: readonly { readonly name: NameNode }[] | undefined,
  name: string,
): boolean {
  return directives?.some((directive) => directive.name.value === name) === true;
}

/** Where the node itself stands, past its description. */
export function placeOfNode(node: {
  readonly name?: NameNode | undefined;
  readonly loc?: DefinitionNode['loc'];
}): string {
  const token = (node.name?.loc ?? node.loc)?.startToken;
  return token === undefined ? '$' : `line ${token.line}, column ${token.column}`;
}
