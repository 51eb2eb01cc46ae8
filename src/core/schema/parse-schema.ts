// Converts JSON in any dialect to a graph of dialect-free nodes (schema.ts). Never throws: anything
// that cannot be read is a problem on its node. Never recurses: a node creates its children, which
// read themselves on demand.

import { isJsonObject, type Json, type JsonObject } from '../value/json.ts';
import { percentDecoded, readPointerToken } from '../value/pointer-token.ts';
import type { Dialect } from './dialects.ts';
import { allowsOtherDialects, defaultDialect, hasDynamicNames } from './keywords.ts';
import { findMetaschema } from './metaschemas.ts';
import {
  bearsName,
  dialectOfDocument,
  mentionsNames,
  resourceStart,
  type Standing,
  standingBelow,
} from './places.ts';
import { listAnnotations, type Reading, readKeywords } from './read-keywords.ts';
import {
  indexReferences,
  mentionsDynamicAnchors,
  type Named,
  type ReferenceIndex,
} from './reference-index.ts';
import type {
  Annotations,
  Keywords,
  SchemaDocument,
  SchemaNode,
  SchemaProblem,
  SchemaResource,
} from './schema.ts';
import { isAbsoluteUri, resolveUri, splitFragment } from './uri.ts';

/**
 * Parses a schema document. `dialect` applies without a `$schema`.
 *
 * @example parseSchema({ type: 'string' }).root.keywords.types // ['string']
 */
export function parseSchema(json: Json, dialect: Dialect = defaultDialect): SchemaDocument {
  return new Document(json, dialect);
}

/** A document whose root is exchanged for another with the same definitions: see `parseShared`. */
export interface SharedDocument extends SchemaDocument {
  /** Names are only known by the definitions, and these must be the same objects as before. */
  enter(json: JsonObject): void;
}

/** A document whose nodes are kept while its root is exchanged. */
export function parseShared(json: JsonObject, dialect: Dialect): SharedDocument {
  return new Document(json, dialect);
}

/** The annotations of the node: title, description, default, unknown keywords. */
export function annotationsOf(node: SchemaNode): Annotations {
  return isJsonObject(node.raw) ? listAnnotations(node.raw, node.dialect) : {};
}

class Document implements SharedDocument {
  json: Json;
  readonly dialect: Dialect;
  root: SchemaNode;
  private readonly resources = new Map<object, Resource>();
  private index: ReferenceIndex | undefined;
  private nextId: number;
  private mayHaveAnchors: boolean | undefined;

  constructor(json: Json, dialect: Dialect, firstId = 0) {
    this.json = json;
    this.nextId = firstId;
    this.dialect = dialectOfDocument(json, dialect);
    const resource = this.resourceOf(json, this.dialect, undefined);
    this.root = this.makeNode(json, resource, undefined, []);
  }

  enter(json: JsonObject): void {
    const resource = this.root.resource as Resource;
    this.json = json;
    this.root = this.makeNode(json, resource, undefined, []);
    resource.root = this.root;
  }

  nodeAt(pointer: string): SchemaNode | undefined {
    const tokens = pointerTokens(pointer);
    return tokens === undefined ? undefined : this.walk(this.root, tokens)?.node;
  }

  nodeBelow(steps: readonly (string | number)[]): SchemaNode | undefined {
    return this.walk(this.root, steps)?.node;
  }

  /** The node of the subschema that is `steps` below `parent`. */
  childOf(parent: SchemaNode, steps: readonly (string | number)[], raw: Json): SchemaNode {
    const resource = this.resourceOf(raw, parent.dialect, parent.resource as Resource);
    return this.makeNode(raw, resource, parent, steps);
  }

  resolve(from: SchemaNode, reference: string): SchemaNode | SchemaProblem {
    const { resolved } = from.resource as Resource;
    const known = resolved.get(reference);
    if (known !== undefined) return known;
    const made = this.resolveAnew(from, reference);
    resolved.set(reference, made);
    return made;
  }

  private resolveAnew(from: SchemaNode, reference: string): SchemaNode | SchemaProblem {
    const [uri, fragment] = splitFragment(reference);
    const resource = this.resourceAt(from, uri);
    if (resource === 'repeated') return unclear(reference, 'bears a name that stands twice');
    if (resource === undefined) {
      const isExtended = this.mentionsDynamicAnchors();
      const found = isExtended ? undefined : resolveInMetaschema(from, reference);
      return found ?? externalReference(from, reference);
    }
    if (fragment === '') return this.rootOf(resource);
    const decoded = percentDecoded(fragment);
    if (!decoded.startsWith('/')) {
      const named = this.referenceIndex().anchors.get(resource.key)?.get(decoded);
      if (named === 'repeated') return unclear(reference, 'bears a name that stands twice');
      return named === undefined ? referenceNotFound(reference) : this.nodeOfNamed(named);
    }
    const tokens = pointerTokens(decoded);
    const target = tokens && this.walk(this.rootOf(resource), tokens);
    if (target === undefined) return referenceNotFound(reference);
    return target.isUnclear()
      ? unclear(reference, 'stands under no keyword, where names may count or not')
      : target.node;
  }

  dynamicAnchorOf(resource: Resource, name: string): SchemaNode | undefined {
    const named = this.referenceIndex().dynamicAnchors.get(resource.key)?.get(name);
    return named && this.nodeOfNamed(named);
  }

  dynamicTargets(anchor: string): readonly SchemaNode[] {
    return [...this.referenceIndex().dynamicAnchors.values()].flatMap((names) => {
      const named = names.get(anchor);
      return named === undefined ? [] : [this.nodeOfNamed(named)];
    });
  }

  hasDynamicAnchors(resource: Resource): boolean {
    // For most dialects the text need not be searched.
    if (!hasDynamicNames(resource.dialect) || !this.mentionsDynamicAnchors()) return false;
    return this.referenceIndex().dynamicAnchors.has(resource.key);
  }

  private mentionsDynamicAnchors(): boolean {
    this.mayHaveAnchors ??= mentionsDynamicAnchors(this.json);
    return this.mayHaveAnchors;
  }

  private referenceIndex(): ReferenceIndex {
    this.index ??= indexReferences(this.json, this.dialect);
    return this.index;
  }

  private resourceAt(from: SchemaNode, uri: string): Resource | 'repeated' | undefined {
    const own = from.resource as Resource;
    if (uri === '') return own;
    const target = resolveUri(own.uri, uri);
    const named = this.referenceIndex().resources.get(target);
    if (named === 'repeated') return named;
    if (target === own.uri) return own;
    if (target === this.root.resource.uri) return this.root.resource as Resource;
    return named && (this.nodeOfNamed(named).resource as Resource);
  }

  private rootOf(resource: Resource): SchemaNode {
    return resource.root ?? this.root;
  }

  /** Walks down from the document's root, so that ids and dialects on the path apply. */
  private nodeOfNamed(named: Named): SchemaNode {
    if (named === 'repeated') return this.unreadable();
    return this.walk(this.root, named.steps)?.node ?? this.root;
  }

  /** A node for a schema that cannot be known. */
  private unreadable(): SchemaNode {
    return this.makeNode(null, this.root.resource as Resource, undefined, []);
  }

  private walk(start: SchemaNode, tokens: readonly (string | number)[]): Walked | undefined {
    if (tokens.length === 0) return { node: start, isUnclear: () => false };
    let raw = start.raw;
    let resource = start.resource as Resource;
    let standing: Standing = 'schema';
    let isNamedData = false;
    const steps: (string | number)[] = [];
    for (const token of tokens) {
      const next = memberOf(raw, token);
      if (next === undefined) return undefined;
      const isRoot = start === this.root && steps.length === 0;
      standing = standingBelow(standing, raw, token, { dialect: resource.dialect, isRoot });
      steps.push(Array.isArray(raw) ? Number(token) : String(token));
      raw = next;
      if (standing === 'schema') {
        resource = this.resourceOf(raw, resource.dialect, resource);
        // References within a resource are resolved from its root.
        if (resource.root === undefined) this.makeNode(raw, resource, start, [...steps]);
      }
      isNamedData ||= standing === 'data' && bearsName(raw, resource.dialect);
    }
    const { dialect } = resource;
    const isUnclear = (): boolean =>
      standing !== 'schema' && (isNamedData || mentionsNames(raw, dialect));
    return { node: this.makeNode(raw, resource, start, steps), isUnclear };
  }

  /** The resource that `raw` starts with its id, otherwise the enclosing one. */
  private resourceOf(raw: Json, dialect: Dialect, around: Resource | undefined): Resource {
    const start = isJsonObject(raw) ? resourceStart(raw, dialect) : undefined;
    if (around !== undefined && start === undefined) return around;
    const key = isJsonObject(raw) ? raw : rootKey;
    const known = this.resources.get(key);
    if (known !== undefined) return known;
    const uri = start === undefined ? '' : resolveUri(around?.uri ?? '', start.id);
    const made = new Resource(this, uri, key, start?.dialect ?? dialect, around);
    this.resources.set(key, made);
    return made;
  }

  private makeNode(
    raw: Json,
    resource: Resource,
    parent: SchemaNode | undefined,
    steps: readonly (string | number)[],
  ): SchemaNode {
    const known = isJsonObject(raw) ? resource.nodes.get(raw) : undefined;
    if (known !== undefined) return known;
    const node = new Node(this, this.nextId++, raw, resource, parent, steps);
    if (isJsonObject(raw)) resource.nodes.set(raw, node);
    if (raw === resource.key) resource.root = node;
    return node;
  }
}

/** The target of a pointer. */
interface Walked {
  readonly node: SchemaNode;
  /**
   * The target is in data, with names inside or around it: validators disagree on whether these
   * count. Requires reading all of its text.
   */
  isUnclear(): boolean;
}

/** Represents the root of a document that is a boolean. */
const rootKey: JsonObject = {};

class Resource implements SchemaResource {
  readonly uri: string;
  readonly key: JsonObject;
  readonly dialect: Dialect;
  readonly nodes = new Map<object, SchemaNode>();
  /** Resolved references, because a large document has a thousand to the same target. */
  readonly resolved = new Map<string, SchemaNode | SchemaProblem>();
  readonly foreignIn: Dialect | undefined;
  root: SchemaNode | undefined;
  private readonly document: Document;

  constructor(
    document: Document,
    uri: string,
    key: JsonObject,
    dialect: Dialect,
    around: Resource | undefined,
  ) {
    this.document = document;
    this.uri = uri;
    this.key = key;
    this.dialect = dialect;
    this.foreignIn = around?.foreignIn ?? (around && dialectRefusing(around.dialect, dialect));
  }

  get hasDynamicAnchors(): boolean {
    return this.document.hasDynamicAnchors(this);
  }

  dynamicAnchor(name: string): SchemaNode | undefined {
    return this.document.dynamicAnchorOf(this, name);
  }
}

class Node implements SchemaNode, Reading {
  readonly document: Document;
  readonly id: number;
  readonly raw: Json;
  readonly resource: Resource;
  readonly parent: SchemaNode | undefined;
  readonly steps: readonly (string | number)[];
  private read: Keywords | undefined;

  constructor(
    document: Document,
    id: number,
    raw: Json,
    resource: Resource,
    parent: SchemaNode | undefined,
    steps: readonly (string | number)[],
  ) {
    this.document = document;
    this.id = id;
    this.raw = raw;
    this.resource = resource;
    this.parent = parent;
    this.steps = steps;
  }

  get dialect(): Dialect {
    return this.resource.dialect;
  }

  get keywords(): Keywords {
    this.read ??= readKeywords(this);
    return this.read;
  }

  childOf(steps: readonly (string | number)[], raw: Json): SchemaNode {
    return this.document.childOf(this, steps, raw);
  }

  resolve(reference: string): SchemaNode | SchemaProblem {
    return this.document.resolve(this, reference);
  }
}

function dialectRefusing(around: Dialect, dialect: Dialect): Dialect | undefined {
  return around === dialect || allowsOtherDialects(around) ? undefined : around;
}

function memberOf(raw: Json, token: string | number): Json | undefined {
  if (Array.isArray(raw)) {
    const isIndex = typeof token === 'number' || /^(0|[1-9]\d*)$/.test(token);
    return isIndex ? raw[Number(token)] : undefined;
  }
  return isJsonObject(raw) && Object.hasOwn(raw, token) ? raw[token] : undefined;
}

function pointerTokens(pointer: string): string[] | undefined {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) return undefined;
  return pointer.slice(1).split('/').map(readPointerToken);
}

function referenceNotFound(reference: string): SchemaProblem {
  return {
    code: 'reference_not_found',
    keyword: '$ref',
    message: `Nothing stands at ${reference}. Correct the $ref or add its target.`,
    written: reference,
  };
}

function unclear(reference: string, why: string): SchemaProblem {
  return {
    code: 'unclear',
    keyword: '$ref',
    message: `What ${reference} leads to ${why}. Keep it under $defs, with a name of its own.`,
  };
}

const metaschemas = new Map<string, SchemaDocument>();

/**
 * A document may refer to several metaschemas, so their nodes have ids that no other node has. All
 * are below those of nodes that the diff makes (`firstMadeId`).
 */
const firstMetaschemaId = 500_000_000;
const idsPerMetaschema = 100_000_000;

/**
 * A part of a metaschema, which is a separate document; there are five of them. Not used if the
 * document has dynamic anchors, because it may extend the metaschema with them.
 */
function resolveInMetaschema(from: SchemaNode, reference: string): SchemaNode | undefined {
  const [uri, fragment] = splitFragment(reference);
  const found = findMetaschema(resolveUri(from.resource.uri, uri));
  if (found === undefined) return undefined;
  // The later ones are published in several documents, so that nothing but the root is there.
  if (fragment !== '' && hasDynamicNames(found.dialect)) return undefined;
  const firstId = firstMetaschemaId + metaschemas.size * idsPerMetaschema;
  const document =
    metaschemas.get(found.dialect) ?? new Document(found.schema, found.dialect, firstId);
  metaschemas.set(found.dialect, document);
  return document.nodeAt(percentDecoded(fragment));
}

function externalReference(from: SchemaNode, reference: string): SchemaProblem {
  const [uri, fragment] = splitFragment(reference);
  const target = `${resolveUri(from.resource.uri, uri)}#${fragment}`;
  return {
    code: 'external_reference',
    keyword: '$ref',
    message: `${reference} is outside the document, and is never fetched. Bundle it under $defs.`,
    ...(isAbsoluteUri(target) ? { uri: target } : { written: target }),
    // A document without a $schema is read in the dialect of the one that refers to it.
    readIn: from.dialect,
  };
}
