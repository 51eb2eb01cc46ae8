// Which fields of which types GraphQL operations read, and which arguments they send.

import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
  type TypeNode,
} from 'graphql/language';
import type { SdlType } from '../../../import/graphql/sdl-document.ts';
import { stepText } from '../../../value/json-path.ts';
import { projectFields } from '../../project-fields.ts';
import type { FoundReads } from '../found-reads.ts';
import type { ReadPlace } from '../gather-reads.ts';
import type { OperationSchema } from './operation-schema.ts';

interface OperationFile {
  readonly place: string;
  readonly text: string;
}

/** The fragments of one file may be used in another. */
export function findGraphqlReads(
  files: readonly OperationFile[],
  schema: OperationSchema,
): readonly ReadPlace[] {
  const parsed = files.map(({ place, text }) => ({ place, ...parseOperations(text) }));
  const shared = new Map(parsed.flatMap(({ document }) => [...fragmentsOf(document)]));
  return parsed.map(({ place, document, message }) => {
    if (document === null) return { place, found: { reads: [], doubts: [], unread: [message] } };
    return { place, found: readDocument(document, schema, shared) };
  });
}

/** As many as the largest known operations have, ten times over. */
const maxTokens = 200_000;

function parseOperations(text: string): {
  readonly document: DocumentNode | null;
  readonly message: string;
} {
  try {
    return { document: parse(text, { noLocation: true, maxTokens }), message: '' };
  } catch (error) {
    if (error instanceof RangeError) return { document: null, message: 'It is nested too deeply.' };
    const message = error instanceof Error ? error.message : String(error);
    return { document: null, message: `It is no GraphQL. ${message}` };
  }
}

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

function fragmentsOf(document: DocumentNode | null): Fragments {
  const found = new Map<string, FragmentDefinitionNode>();
  for (const node of document?.definitions ?? []) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) found.set(node.name.value, node);
  }
  return found;
}

interface Reading {
  readonly schema: OperationSchema;
  readonly fragments: Fragments;
  readonly fields: Map<string, Set<string>>;
  /** Why everything of a type is taken. */
  readonly everything: Map<string, string>;
  readonly unread: Set<string>;
  selections: number;
}

/** The same fields, expanded through fragments that use each other, may be very many. */
const maxSelections = 100_000;

function readDocument(
  document: DocumentNode,
  schema: OperationSchema,
  shared: Fragments,
): FoundReads {
  const reading: Reading = {
    schema,
    fragments: new Map([...shared, ...fragmentsOf(document)]),
    ...{ fields: new Map(), everything: new Map(), unread: new Set(), selections: 0 },
  };
  for (const node of document.definitions) {
    if (node.kind === Kind.OPERATION_DEFINITION) readOperation(reading, node);
    // A fragment that no operation uses is read as well: its users may be elsewhere.
    else if (node.kind === Kind.FRAGMENT_DEFINITION) readFragment(reading, node, [], []);
    else reading.unread.add('It defines types. Give the schema apart from the operations.');
  }
  return conclude(reading);
}

function readOperation(reading: Reading, node: OperationDefinitionNode): void {
  const name = reading.schema.roots[node.operation] ?? '';
  const root = reading.schema.types.get(name);
  if (root === undefined) {
    reading.unread.add(`The schema has no type for a ${node.operation}.`);
    return;
  }
  readSelections(reading, node.selectionSet, {
    type: root,
    owners: [ownerOf(reading, root)],
    inside: [],
  });
}

/** An asset in whose values the selected fields stand, and where. */
interface Owner {
  readonly asset: string;
  readonly path: string;
  /** The type that the asset has there. */
  readonly type: SdlType;
}

function ownerOf({ schema }: Reading, type: SdlType): Owner {
  const isOperation = schema.contracts.get(type.name)?.direction === 'operation';
  return { asset: type.name, path: isOperation ? '$.response' : '$', type };
}

interface Selecting {
  readonly type: SdlType;
  readonly owners: readonly Owner[];
  /** The fragments around it, which cannot contain themselves. */
  readonly inside: readonly string[];
}

function readSelections(reading: Reading, node: SelectionSetNode, at: Selecting): void {
  for (const selection of node.selections) {
    if (++reading.selections > maxSelections) {
      reading.unread.add(`Its fragments expand to more than ${maxSelections} fields.`);
      return;
    }
    if (selection.kind === Kind.FIELD) readField(reading, selection, at);
    else if (selection.kind === Kind.INLINE_FRAGMENT) {
      const condition = selection.typeCondition?.name.value ?? at.type.name;
      readConditioned(reading, condition, selection.selectionSet, at);
    } else {
      const fragment = reading.fragments.get(selection.name.value);
      if (fragment === undefined) {
        reading.unread.add(`The fragment ${selection.name.value} is not in these files.`);
      } else readFragment(reading, fragment, at.owners, at.inside, at.type);
    }
  }
}

function readFragment(
  reading: Reading,
  { name, typeCondition, selectionSet }: FragmentDefinitionNode,
  owners: readonly Owner[],
  inside: readonly string[],
  type?: SdlType,
): void {
  if (inside.includes(name.value)) return;
  const condition = typeCondition.name.value;
  const around = type ?? reading.schema.types.get(condition);
  if (around === undefined) {
    reading.unread.add(`The schema has no type ${condition}.`);
    return;
  }
  const at = { type: around, owners, inside: [...inside, name.value] };
  readConditioned(reading, condition, selectionSet, at);
}

/** `... on User`: fields of another type, where the type around may be that. */
function readConditioned(
  reading: Reading,
  condition: string,
  selections: SelectionSetNode,
  at: Selecting,
): void {
  const type = reading.schema.types.get(condition);
  if (type === undefined) {
    reading.unread.add(`The schema has no type ${condition}.`);
    return;
  }
  const own = at.owners.some(({ asset, type: each }) => asset === condition && each === type);
  if (type !== at.type) {
    relate(reading, at.type, type);
    relate(reading, type, at.type);
  }
  const owners = own ? at.owners : [...at.owners, ownerOf(reading, type)];
  readSelections(reading, selections, { ...at, type, owners });
}

/** What a contract says about the types that another one may be. */
function relate(reading: Reading, type: SdlType, other: SdlType): void {
  const owner = ownerOf(reading, type);
  if (type.kind === 'union') takeEverything(reading, type, 'a union is taken whole');
  if (type.kind === 'interface') add(reading, type.name, `${owner.path}.__implementations`);
  if (type.interfaces.has(other.name)) {
    add(reading, type.name, `${owner.path}.__implements${stepText(other.name)}`);
  }
}

function readField(reading: Reading, node: FieldNode, at: Selecting): void {
  const name = node.name.value;
  if (name === '__schema' || name === '__type') return;
  const field = at.type.fields.get(name);
  if (name === '__typename') {
    if (at.type.kind === 'union') takeEverything(reading, at.type, 'a union is taken whole');
    for (const { asset, path } of at.owners) add(reading, asset, `${path}.__typename`);
    return;
  }
  if (field === undefined) {
    reading.unread.add(`The schema has no field ${at.type.name}.${name}.`);
    return;
  }
  readArguments(reading, node, at.type);
  const owners = at.owners.flatMap((owner): readonly Owner[] => {
    const declared = owner.type.fields.get(name);
    if (declared === undefined) {
      // Its values do not say so: they are read in another type's.
      add(reading, owner.asset, `${owner.path}.__typename`);
      return [];
    }
    const { lists, type } = targetOf(reading, declared.type);
    const path = `${owner.path}${stepText(name)}`;
    if (type === null || node.selectionSet === undefined) add(reading, owner.asset, path);
    return type === null ? [] : [{ asset: owner.asset, path: `${path}${lists}`, type }];
  });
  const { type } = targetOf(reading, field.type);
  if (type === null) return;
  if (type.kind === 'union') takeEverything(reading, type, 'a union is taken whole');
  if (type.kind === 'enum') takeEverything(reading, type, 'an enum is taken whole');
  if (node.selectionSet === undefined) return;
  const all = [...owners, ownerOf(reading, type)];
  readSelections(reading, node.selectionSet, { ...at, type, owners: all });
}

/** The named type of a field, null for a scalar, and a step for each list around it. */
function targetOf(
  { schema }: Reading,
  node: TypeNode,
): { readonly lists: string; readonly type: SdlType | null } {
  let lists = '';
  let at = node;
  while (at.kind !== Kind.NAMED_TYPE) {
    if (at.kind === Kind.LIST_TYPE) lists += '[*]';
    at = at.type;
  }
  const type = schema.types.get(at.name.value) ?? null;
  return { lists, type: type?.kind === 'scalar' ? null : type };
}

/** A field that is called without arguments may be called with any, because others could be added. */
function readArguments(reading: Reading, node: FieldNode, type: SdlType): void {
  if (reading.schema.contracts.get(type.name)?.direction !== 'operation') return;
  const called = `$.request${stepText(node.name.value)}`;
  const sent = node.arguments ?? [];
  if (sent.length === 0) add(reading, type.name, called);
  const declared = type.fields.get(node.name.value)?.arguments ?? [];
  for (const { name } of sent) {
    add(reading, type.name, `${called}${stepText(name.value)}`);
    const argument = declared.find((each) => each.name.value === name.value);
    if (argument === undefined) {
      const field = `${type.name}.${node.name.value}`;
      reading.unread.add(`The schema has no argument ${name.value} of ${field}.`);
    } else takeInput(reading, argument.type);
  }
}

/** The values that are sent come from variables, so all of an input is. */
function takeInput(reading: Reading, node: TypeNode): void {
  const waiting = [node];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { type } = targetOf(reading, next);
    if (type === null || reading.everything.has(type.name)) continue;
    takeEverything(reading, type, 'what is sent is not known');
    for (const field of type.inputFields.values()) waiting.push(field.type);
  }
}

function takeEverything({ everything }: Reading, { name }: SdlType, why: string): void {
  if (!everything.has(name)) everything.set(name, why);
}

function add({ fields }: Reading, asset: string, field: string): void {
  const own = fields.get(asset) ?? new Set();
  fields.set(asset, own.add(field));
}

function conclude({ schema, fields, everything, unread }: Reading): FoundReads {
  const names = new Set([...fields.keys(), ...everything.keys()]);
  const reads = [...names].sort().map((name) => {
    const reason = everything.get(name) ?? null;
    const own = reason === null ? [...(fields.get(name) ?? [])] : null;
    return { name: [name], fields: own && describedFields(schema, name, own), reason };
  });
  return { reads, doubts: [], unread: [...unread] };
}

/**
 * A contract describes the types near its own one, so what is read further away is the last field
 * that it describes.
 */
function describedFields(
  { contracts }: OperationSchema,
  type: string,
  fields: readonly string[],
): readonly string[] {
  const contract = contracts.get(type);
  if (contract === undefined) return [...fields].sort();
  const described = new Set<string>();
  for (let left = fields; left.length > 0; ) {
    const projected = projectFields(contract, left);
    if (!projected.ok) return [...fields].sort();
    const known = new Set(projected.known);
    for (const field of known) described.add(field);
    const shorter = left.filter((field) => !known.has(field)).map(withoutLast);
    left = [...new Set(shorter)].filter((field) => field !== '$');
  }
  return [...described].sort();
}

function withoutLast(field: string): string {
  return field.replace(/(\[\*\]|\.[^.[\]]+|\["(?:[^"\\]|\\.)*"\])$/, '');
}
