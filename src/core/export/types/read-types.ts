// A schema as types of a programming language. A type may accept more than the schema does, because
// types cannot say everything, but it never excludes a value that the schema accepts. There is one
// exception: a schema with fields and no `type` is read as an object, although it accepts a text, too.

import type { Dialect } from '../../schema/dialects.ts';
import { annotationsOf, parseSchema } from '../../schema/parse-schema.ts';
import {
  type Keywords,
  type SchemaNode,
  saysSomething,
  stepsOf,
  type TypeName,
} from '../../schema/schema.ts';
import { isSameJson } from '../../value/canonical-json.ts';
import type { Json } from '../../value/json.ts';

export type Shape =
  | { readonly kind: 'any' | 'never' | 'null' | 'boolean' | 'integer' | 'number' | 'string' }
  | { readonly kind: 'literal'; readonly value: string | boolean | number }
  | { readonly kind: 'list' | 'map'; readonly of: Shape; readonly isMeant?: true }
  | { readonly kind: 'union'; readonly members: readonly Shape[] }
  | { readonly kind: 'named'; readonly name: string }
  | RecordShape;

export interface RecordShape {
  readonly kind: 'record';
  readonly fields: readonly Field[];
  /** The schema speaks of fields without saying that its values are objects; so may a list or map. */
  readonly isMeant?: true;
}

export interface Field extends Remarks {
  readonly name: string;
  readonly shape: Shape;
  readonly isRequired: boolean;
}

interface Remarks {
  readonly description: string;
  readonly isDeprecated: boolean;
}

export interface Declaration extends Remarks {
  readonly name: string;
  readonly shape: Shape;
}

/**
 * The declarations of all types, the one of the whole first. A record stands nowhere but in a
 * declaration of its own.
 *
 * @example readTypes({ properties: { id: { type: 'string' } } }, '2020-12', 'Order')[0].name // 'Order'
 */
export function readTypes(schema: Json, dialect: Dialect, name: string): readonly Declaration[] {
  return new Reading(name).declareAll(parseSchema(schema, dialect).root);
}

const any: Shape = { kind: 'any' };
const never: Shape = { kind: 'never' };

/** Schemas within each other, and references that other keywords stand beside. */
const maxDepth = 100;

/** A union with more members becomes `any`: nobody would read it. */
const maxMembers = 100;

/** Of records that are merged. Past it they stay as they are, so that a text is never many times its schema. */
const maxMergedFields = 20_000;

class Reading {
  private readonly names = new Names();
  private readonly nameOf = new Map<SchemaNode, string>();
  private readonly nodeOf = new Map<string, SchemaNode>();
  /** While the shape of a node is being read, it is `any` there. */
  private readonly shapes = new Map<SchemaNode, Shape>();
  private readonly waiting: SchemaNode[] = [];
  private readonly declared: Declaration[] = [];
  private readonly rootName: string;
  private mergedFields = 0;

  constructor(rootName: string) {
    this.rootName = rootName;
  }

  declareAll(root: SchemaNode): readonly Declaration[] {
    this.nameFor(root, this.rootName);
    for (let node = this.waiting.shift(); node !== undefined; node = this.waiting.shift()) {
      const name = this.nameOf.get(node) ?? '';
      this.addDeclaration(name, this.shapeOf(node, 0), remarksOn(node));
    }
    return reachedFrom(withoutCircles(this.declared));
  }

  private nameFor(node: SchemaNode, hint: string): string {
    const known = this.nameOf.get(node);
    if (known !== undefined) return known;
    const name = this.names.take(hint);
    this.nameOf.set(node, name);
    this.nodeOf.set(name, node);
    this.waiting.push(node);
    return name;
  }

  private addDeclaration(name: string, shape: Shape, remarks: Remarks): void {
    const index = this.declared.length;
    this.declared.push({ name, shape: any, ...remarks });
    const whole =
      shape.kind === 'record'
        ? { ...shape, fields: shape.fields.map((field) => this.withoutRecords(name, field)) }
        : this.named(shape, name);
    this.declared[index] = { name, shape: whole, ...remarks };
  }

  private withoutRecords(name: string, field: Field): Field {
    return { ...field, shape: this.named(field.shape, name + asTypeName(field.name)) };
  }

  /** The same with each record as the name of a declaration. */
  private named(shape: Shape, hint: string): Shape {
    switch (shape.kind) {
      case 'record': {
        const name = this.names.take(hint);
        this.addDeclaration(name, shape, noRemarks);
        return { kind: 'named', name };
      }
      case 'list':
      case 'map':
        return { ...shape, of: this.named(shape.of, `${hint}Item`) };
      case 'union':
        return { ...shape, members: shape.members.map((one) => this.named(one, hint)) };
      default:
        return shape;
    }
  }

  private shapeOf(node: SchemaNode, depth: number): Shape {
    const known = this.shapes.get(node);
    if (known !== undefined) return known;
    if (depth > maxDepth) return any;
    this.shapes.set(node, any);
    const shape = this.readShape(node.keywords, depth);
    this.shapes.set(node, shape);
    return shape;
  }

  private readShape(keywords: Keywords, depth: number): Shape {
    if (keywords.isFalse) return never;
    const { ref, allOf = [] } = keywords;
    let shape = this.ownShape(keywords, depth);
    if (ref !== undefined) {
      shape = this.meet({ kind: 'named', name: this.nameFor(ref, hintOf(ref)) }, shape, depth);
    }
    for (const part of allOf) shape = this.meet(shape, this.shapeOf(part, depth + 1), depth);
    for (const branches of [keywords.anyOf, keywords.oneOf]) {
      if (branches === undefined) continue;
      const members = branches.map((branch) => this.shapeOf(branch, depth + 1));
      shape = this.meet(shape, unionOf(members), depth);
    }
    return shape;
  }

  /** Without the schemas that apply to the same value. */
  private ownShape(keywords: Keywords, depth: number): Shape {
    const listed = keywords.const === undefined ? keywords.enum : [keywords.const.value];
    if (listed !== undefined && listed.length <= maxMembers) return unionOf(listed.map(literalOf));
    const { types } = keywords;
    if (types === undefined) return this.shapeMeant(keywords, depth);
    return unionOf(types.map((type) => this.shapeOfType(type, keywords, depth)));
  }

  private shapeMeant(keywords: Keywords, depth: number): Shape {
    const type = typeMeant(keywords);
    const shape = type === undefined ? any : this.shapeOfType(type, keywords, depth);
    return isStructure(shape) ? { ...shape, isMeant: true } : shape;
  }

  private shapeOfType(type: TypeName, keywords: Keywords, depth: number): Shape {
    if (type === 'array') return { kind: 'list', of: this.itemOf(keywords, depth) };
    return type === 'object' ? this.objectOf(keywords, depth) : { kind: type };
  }

  private itemOf({ prefixItems = [], items }: Keywords, depth: number): Shape {
    const first = prefixItems.map((item) => this.shapeOf(item, depth + 1));
    if (first.length === 0) return items === undefined ? any : this.shapeOf(items, depth + 1);
    const rest = items === undefined ? any : this.shapeOf(items, depth + 1);
    return unionOf([...first, rest]);
  }

  private objectOf(keywords: Keywords, depth: number): Shape {
    const { properties = new Map(), required = [] } = keywords;
    if (properties.size === 0 && required.length === 0) return this.mapOf(keywords, depth);
    const named = [...properties].map(([name, node]): Field => {
      const isRequired = required.includes(name);
      return { name, shape: this.shapeOf(node, depth + 1), isRequired, ...remarksOn(node) };
    });
    const unnamed = [...new Set(required)].filter((name) => !properties.has(name));
    const demanded = unnamed.map(
      (name): Field => ({ name, shape: any, isRequired: true, ...noRemarks }),
    );
    return { kind: 'record', fields: [...named, ...demanded].filter(isPossible) };
  }

  private mapOf(keywords: Keywords, depth: number): Shape {
    const { patternProperties = new Map(), additionalProperties, unevaluatedProperties } = keywords;
    const rest = additionalProperties ?? unevaluatedProperties;
    if (rest === undefined) return { kind: 'map', of: any };
    const values = [...patternProperties.values(), rest];
    return { kind: 'map', of: unionOf(values.map((node) => this.shapeOf(node, depth + 1))) };
  }
  /** A shape that every value of both has; the left one where no shape says that. */
  private meet(left: Shape, right: Shape, depth: number): Shape {
    if (left.kind === 'any' || right.kind === 'never') return right;
    if (right.kind === 'any' || left.kind === 'never') return left;
    if (left.kind === 'named' && isSameShape(left, right)) return left;
    if (left.kind === 'named') return this.meet(this.targetOf(left.name, depth), right, depth + 1);
    if (right.kind === 'named') return this.meet(left, this.targetOf(right.name, depth), depth + 1);
    if (left.kind === 'union' || right.kind === 'union') return this.meetUnions(left, right, depth);
    if (left.kind === 'record' && right.kind === 'record') {
      return this.meetRecords(left, right, depth);
    }
    return meetKinds(left, right);
  }

  /** What a name stands for, to be merged with what is said beside it. */
  private targetOf(name: string, depth: number): Shape {
    const node = this.nodeOf.get(name);
    return node === undefined || depth > maxDepth ? any : this.shapeOf(node, depth + 1);
  }

  private meetUnions(left: Shape, right: Shape, depth: number): Shape {
    const lefts = membersOf(left);
    const rights = membersOf(right);
    if (lefts.length * rights.length > maxMembers) return left;
    return unionOf(lefts.flatMap((one) => rights.map((other) => this.meet(one, other, depth))));
  }

  private meetRecords(left: RecordShape, right: RecordShape, depth: number): RecordShape {
    this.mergedFields += left.fields.length + right.fields.length;
    if (this.mergedFields > maxMergedFields) return left;
    const fields = new Map(left.fields.map((field) => [field.name, field]));
    for (const field of right.fields) {
      const known = fields.get(field.name);
      if (known === undefined) fields.set(field.name, field);
      else fields.set(field.name, this.meetFields(known, field, depth));
    }
    const met = { kind: 'record', fields: [...fields.values()].filter(isPossible) } as const;
    return isMeant(left) && isMeant(right) ? { ...met, isMeant: true } : met;
  }

  private meetFields(left: Field, right: Field, depth: number): Field {
    return {
      name: left.name,
      shape: this.meet(left.shape, right.shape, depth),
      isRequired: left.isRequired || right.isRequired,
      description: left.description || right.description,
      isDeprecated: left.isDeprecated || right.isDeprecated,
    };
  }
}

/** Whether a field may have a value. One that may not is left out, unless it is required. */
function isPossible({ shape, isRequired }: Field): boolean {
  return isRequired || shape.kind !== 'never';
}

/** A schema that names fields or items is about objects or lists. */
function typeMeant(keywords: Keywords): 'object' | 'array' | undefined {
  const { properties, required = [], additionalProperties, items, prefixItems } = keywords;
  const isOfFields = properties !== undefined || required.length > 0;
  if (isOfFields || saysSomething(additionalProperties)) return 'object';
  return items !== undefined || prefixItems !== undefined ? 'array' : undefined;
}

type Structure = Extract<Shape, { readonly isMeant?: true }>;

function isStructure(shape: Shape): shape is Structure {
  return shape.kind === 'record' || shape.kind === 'list' || shape.kind === 'map';
}

function isMeant(shape: Shape): boolean {
  return isStructure(shape) && shape.isMeant === true;
}

function literalOf(value: Json): Shape {
  if (value === null) return { kind: 'null' };
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return { kind: 'literal', value };
    case 'number':
      return Number.isSafeInteger(value) ? { kind: 'literal', value } : { kind: 'number' };
    default:
      return any;
  }
}

function unionOf(shapes: readonly Shape[]): Shape {
  const flat = shapes.flatMap(membersOf);
  const kinds = new Set(flat.map(({ kind }) => kind));
  if (kinds.has('any')) return any;
  const members: Shape[] = [];
  for (const one of flat) {
    if (one.kind === 'never' || (one.kind === 'integer' && kinds.has('number'))) continue;
    if (one.kind === 'literal' && isCovered(one.value, kinds)) continue;
    if (!members.some((member) => isSameShape(member, one))) members.push(one);
    if (members.length > maxMembers) return any;
  }
  const [only = never] = members;
  return members.length > 1 ? { kind: 'union', members } : only;
}

function isCovered(value: string | boolean | number, kinds: ReadonlySet<Shape['kind']>): boolean {
  return kinds.has(kindOfLiteral(value)) || (typeof value === 'number' && kinds.has('number'));
}

function kindOfLiteral(value: string | boolean | number): 'string' | 'boolean' | 'integer' {
  return typeof value === 'number' ? 'integer' : (typeof value as 'string' | 'boolean');
}

/** For shapes of single kinds; the kinds have no values in common, but for literals and numbers. */
function meetKinds(left: Shape, right: Shape): Shape {
  if (left.kind === 'literal') {
    if (right.kind === 'literal') return isSameShape(left, right) ? left : never;
    return isMeant(right) || isCovered(left.value, new Set([right.kind])) ? left : never;
  }
  if (right.kind === 'literal') return meetKinds(right, left);
  if (isMeant(left)) return right;
  if (left.kind === right.kind || isMeant(right)) return left;
  const kinds = new Set([left.kind, right.kind]);
  if (kinds.has('integer') && kinds.has('number')) return { kind: 'integer' };
  if (kinds.has('record') && kinds.has('map')) return left.kind === 'record' ? left : right;
  return never;
}

function membersOf(shape: Shape): readonly Shape[] {
  return shape.kind === 'union' ? shape.members : [shape];
}

/** A name that stands for itself, directly or through others, says nothing. */
function withoutCircles(declared: readonly Declaration[]): readonly Declaration[] {
  const shapes = new Map(declared.map(({ name, shape }) => [name, shape]));
  const settled = new Set<string>();
  for (const { name: start } of declared) {
    const open = new Set<string>();
    const waiting = [start];
    for (let name = waiting.at(-1); name !== undefined; name = waiting.at(-1)) {
      open.add(name);
      const below = aliasesIn(shapes.get(name)).filter((one) => !settled.has(one));
      if (below.some((one) => open.has(one))) shapes.set(name, any);
      const next = below.find((one) => !open.has(one));
      if (next === undefined) settled.add(waiting.pop() ?? '');
      else waiting.push(next);
    }
  }
  return declared.map((one) => ({ ...one, shape: shapes.get(one.name) ?? any }));
}

/** The names that a shape consists of, without those within records and lists. */
function aliasesIn(shape: Shape | undefined): readonly string[] {
  if (shape?.kind === 'named') return [shape.name];
  return shape?.kind === 'union' ? shape.members.flatMap(aliasesIn) : [];
}

/** Without those that nothing refers to, because what they say was merged into others. */
function reachedFrom(declared: readonly Declaration[]): readonly Declaration[] {
  const byName = new Map(declared.map((one) => [one.name, one]));
  const reached = new Set(declared.slice(0, 1));
  for (const { shape } of reached) {
    for (const name of namesIn(shape)) {
      const named = byName.get(name);
      if (named !== undefined) reached.add(named);
    }
  }
  return declared.filter((one) => reached.has(one));
}

function namesIn(shape: Shape): readonly string[] {
  switch (shape.kind) {
    case 'named':
      return [shape.name];
    case 'list':
    case 'map':
      return namesIn(shape.of);
    case 'union':
      return shape.members.flatMap(namesIn);
    case 'record':
      return shape.fields.flatMap((field) => namesIn(field.shape));
    default:
      return [];
  }
}

function isSameShape(left: Shape, right: Shape): boolean {
  return isSameJson(left as unknown as Json, right as unknown as Json);
}

const noRemarks: Remarks = { description: '', isDeprecated: false };

function remarksOn(node: SchemaNode): Remarks {
  const { description, deprecated } = annotationsOf(node);
  const text = typeof description === 'string' ? description.trim() : '';
  return { description: text, isDeprecated: deprecated === true };
}

/** The name of a definition, or of the property that it stands at. */
function hintOf(node: SchemaNode): string {
  const named = stepsOf(node).findLast(
    (step) => typeof step === 'string' && asTypeName(step) !== '',
  );
  return typeof named === 'string' ? named : 'Type';
}

/** @example asTypeName('line_items') // 'LineItems' */
function asTypeName(text: string): string {
  const words = text.match(/[A-Za-z0-9]+/g) ?? [];
  return words.map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`).join('');
}

/** Names that a declaration of both languages may have, each given once. */
class Names {
  private readonly taken = new Set<string>();
  private readonly next = new Map<string, number>();

  take(hint: string): string {
    const asked = asTypeName(hint);
    const name = /^[A-Za-z]/.test(asked)
      ? asked.slice(0, maxName)
      : `Type${asked}`.slice(0, maxName);
    const free = this.isFree(name) ? name : this.numbered(name);
    this.taken.add(free);
    return free;
  }

  private numbered(name: string): string {
    let count = this.next.get(name) ?? 2;
    while (!this.isFree(`${name}${count}`)) count += 1;
    this.next.set(name, count + 1);
    return `${name}${count}`;
  }

  private isFree(name: string): boolean {
    return !this.taken.has(name) && !reserved.has(name);
  }
}

const maxName = 80;

/** What both languages' declarations use, or have already. */
const reserved: ReadonlySet<string> = new Set([
  ...['Any', 'Literal', 'NotRequired', 'TypedDict', 'TypeAlias', 'Never'],
  ...['None', 'True', 'False', 'Record', 'Array'],
]);
