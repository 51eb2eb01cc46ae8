// Parses SDL into the types that it defines, with their extensions. Uses only the syntax tree, so a
// document that graphql-js would reject (a field defined twice, a missing type) can still be read.

import {
  type DefinitionNode,
  type DirectiveDefinitionNode,
  type EnumValueDefinitionNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type NameNode,
  type ParseOptions,
  parse,
} from 'graphql/language';
import { fatal, type ImportProblem, itemProblem } from '../candidate.ts';
import {
  type NamedDefinition,
  PlacingLexer,
  placeOf,
  placesOf,
  placeWithin,
  textFrom,
} from './sdl-places.ts';
import { statedRoots } from './sdl-roots.ts';

type SdlKind = 'object' | 'interface' | 'input' | 'enum' | 'union' | 'scalar';

export interface SdlType {
  readonly name: string;
  readonly kind: SdlKind;
  readonly description: string;
  readonly place: string;
  readonly isOneOf: boolean;
  /** For objects and interfaces. */
  readonly fields: ReadonlyMap<string, FieldDefinitionNode>;
  readonly interfaces: ReadonlySet<string>;
  /** For inputs. */
  readonly inputFields: ReadonlyMap<string, InputValueDefinitionNode>;
  /** For enums. */
  readonly values: ReadonlyMap<string, EnumValueDefinitionNode>;
  /** For unions. */
  readonly members: ReadonlySet<string>;
}

interface SdlDocument {
  readonly types: ReadonlyMap<string, SdlType>;
  /** The kind of operation that begins with a type, by the name of the type. */
  readonly roots: ReadonlyMap<string, string>;
  /** By name, without those of the specification, which a schema may define or not. */
  readonly directives: ReadonlyMap<string, DirectiveDefinitionNode>;
  readonly problems: readonly ImportProblem[];
  /** It defines something, if only a scalar or a directive. */
  readonly isSchema: boolean;
}

/** The largest known published schema has some 100,000 tokens; ten times as many take a second. */
const maxTokens = 1_000_000;

/** @example readSdl('type User { id: ID! }').types.get('User')?.kind // 'object' */
export function readSdl(sdl: string): SdlDocument {
  const lexer = new PlacingLexer(sdl);
  const parsed = parseText(sdl, { noLocation: true, lexer });
  if ('problem' in parsed) return unread(parsed.problem);
  const read = readDefinitions(parsed.definitions, placesNoted(lexer, parsed.definitions));
  if (read.problems.every(({ place }) => place !== unknownPlace)) return read;
  // For nodes without a recorded name, the parser is run again with locations.
  const located = parseText(sdl, {});
  if ('problem' in located) return unread(located.problem);
  return readDefinitions(located.definitions, placesByParser);
}

function unread(problem: ImportProblem): SdlDocument {
  const none = new Map<string, never>();
  return { types: none, roots: none, directives: none, problems: [problem], isSchema: false };
}

const unknownPlace = '$';

interface Places {
  ofDefinition(node: DefinitionNode): string;
  /** The place of a field or a value, by its index in its definition. */
  ofMember(node: DefinitionNode, index: number): string;
}

const placesByParser: Places = {
  ofDefinition: placeOfNode,
  ofMember: (node, index) => placeOfNode(membersOf(node)[index] ?? node),
};

function placesNoted(lexer: PlacingLexer, definitions: readonly DefinitionNode[]): Places {
  const nodes: DefinitionNode[] = [];
  const names: NamedDefinition[] = [];
  for (const node of definitions) {
    const kind = kinds[node.kind];
    if (kind === undefined || !('name' in node) || node.name === undefined) continue;
    nodes.push(node);
    names.push({ keyword: kind === 'object' ? 'type' : kind, name: nameOf(node.name) });
  }
  const places = placesOf(lexer, names);
  const known = new Map(nodes.map((node, index) => [node, places[index]] as const));
  const parsed = new Map<DefinitionNode, readonly string[]>();
  return {
    ofDefinition: (node) => known.get(node)?.place ?? unknownPlace,
    ofMember: (node, index) => {
      const members = parsed.get(node) ?? memberPlaces(lexer, known.get(node));
      parsed.set(node, members);
      return members[index] ?? unknownPlace;
    },
  };
}

function memberPlaces(
  lexer: PlacingLexer,
  definition: ReturnType<typeof placesOf>[number],
): readonly string[] {
  if (definition === undefined) return [];
  const again = parseText(textFrom(lexer, definition), {});
  const [node] = 'problem' in again ? [] : again.definitions;
  if (node === undefined) return [];
  return membersOf(node).map(({ name }) =>
    name.loc === undefined ? unknownPlace : placeWithin(definition, name.loc.startToken),
  );
}

function membersOf(node: DefinitionNode): readonly NamedNode[] {
  if ('fields' in node && node.fields !== undefined) return node.fields;
  return 'values' in node && node.values !== undefined ? node.values : [];
}

function readDefinitions(definitions: readonly DefinitionNode[], places: Places): SdlDocument {
  const problems: ImportProblem[] = [];
  const types = new Map<string, Draft>();
  const extensions: DefinitionNode[] = [];
  const add = (node: DefinitionNode): void => addDefinition(types, node, places, problems);
  for (const node of definitions) {
    if (isExtension(node)) extensions.push(node);
    else add(node);
  }
  // After all definitions, because an extension may come before its type.
  for (const node of extensions) add(node);
  const roots = new Map([...statedRoots(definitions)].map(([role, name]) => [name, role]));
  const directives = new Map(
    definitions
      .filter((node) => node.kind === Kind.DIRECTIVE_DEFINITION)
      .filter(({ name }) => !specified.has(name.value))
      .map((node) => [node.name.value, node] as const),
  );
  return {
    types,
    roots,
    directives,
    problems,
    isSchema: definitions.some((node) => !isExecutable(node)),
  };
}

const specified = new Set(['skip', 'include', 'deprecated', 'specifiedBy', 'oneOf']);

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

/** The parser throws on invalid text, and its stack overflows on extreme nesting. */
function explain(error: unknown): readonly [message: string, place: string] {
  if (error instanceof RangeError) return ['The SDL is nested too deeply. Flatten it.', '$'];
  const message = error instanceof Error ? error.message : String(error);
  const [location] = locationsOf(error);
  const place = location === undefined ? '$' : placeOf(location);
  return [`The SDL could not be read. ${message}`, place];
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

function isExecutable({ kind }: DefinitionNode): boolean {
  return kind === Kind.OPERATION_DEFINITION || kind === Kind.FRAGMENT_DEFINITION;
}

function isExtension(node: DefinitionNode): boolean {
  return node.kind.endsWith('Extension');
}

function addDefinition(
  types: Map<string, Draft>,
  node: DefinitionNode,
  places: Places,
  problems: ImportProblem[],
): void {
  const kind = kinds[node.kind];
  const place = places.ofDefinition(node);
  if (kind === undefined) {
    if (!isExecutable(node)) return;
    const message = 'A query is not part of a schema. It was skipped.';
    problems.push(itemProblem('UNREADABLE_ITEM', message, place));
    return;
  }
  if (!('name' in node) || node.name === undefined) return;
  const name = nameOf(node.name);
  const known = types.get(name);
  if (known !== undefined && (!isExtension(node) || known.kind !== kind)) {
    const message = isExtension(node)
      ? `${name} is ${known.kind} but is extended as ${kind}. The extension was skipped.`
      : `${name} is defined twice, first at ${known.place}. This definition was skipped.`;
    problems.push(itemProblem('DUPLICATE_DEFINITION', message, place));
    return;
  }
  const type = known ?? emptyType(name, kind, place);
  // An extension without a definition belongs to another part of a federated schema.
  types.set(name, type);
  const reportRepeated: ReportRepeated = (name, index) => {
    const message = `${type.name}.${name} is defined twice. The first definition is used.`;
    problems.push(itemProblem('DUPLICATE_DEFINITION', message, places.ofMember(node, index)));
  };
  addMembers(type, node, reportRepeated);
}

/** Reports a repeated member, by its name and index. */
type ReportRepeated = (name: string, index: number) => void;

function nameOf(node: NameNode | { readonly value: string }): string {
  return node.value;
}

// Only an extension of the same kind adds members, so nothing is ever added to these.
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

function addMembers(type: Draft, node: DefinitionNode, reportRepeated: ReportRepeated): void {
  if ('description' in node && node.description !== undefined && type.description === '') {
    type.description = node.description.value;
  }
  if ('directives' in node && hasDirective(node.directives, 'oneOf')) type.isOneOf = true;
  switch (node.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.OBJECT_TYPE_EXTENSION:
    case Kind.INTERFACE_TYPE_DEFINITION:
    case Kind.INTERFACE_TYPE_EXTENSION:
      addNamed(type.fields, node.fields ?? [], reportRepeated);
      for (const { name } of node.interfaces ?? []) type.interfaces.add(name.value);
      return;
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
    case Kind.INPUT_OBJECT_TYPE_EXTENSION:
      addNamed(type.inputFields, node.fields ?? [], reportRepeated);
      return;
    case Kind.ENUM_TYPE_DEFINITION:
    case Kind.ENUM_TYPE_EXTENSION:
      addNamed(type.values, node.values ?? [], reportRepeated);
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
  members: Map<string, Node>,
  nodes: readonly Node[],
  reportRepeated: ReportRepeated,
): void {
  for (const [index, node] of nodes.entries()) {
    const name = node.name.value;
    if (members.has(name)) reportRepeated(name, index);
    else members.set(name, node);
  }
}

export function hasDirective(
  directives: readonly { readonly name: NameNode }[] | undefined,
  name: string,
): boolean {
  return directives?.some((directive) => directive.name.value === name) === true;
}

/** The position of the node itself, after its description. */
export function placeOfNode(node: {
  readonly name?: NameNode | undefined;
  readonly loc?: DefinitionNode['loc'];
}): string {
  const token = (node.name?.loc ?? node.loc)?.startToken;
  return token === undefined ? unknownPlace : placeOf(token);
}
