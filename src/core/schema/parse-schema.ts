// JSON and its dialect -> a graph of dialect-free nodes (schema.ts). Never throws: what cannot be
// read is a problem on its node. Never recurses: a node makes its children's nodes, and they read
// themselves when asked.

import type { Dialect } from '../containment/containment.types.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { dialectOfUri, idKeyword, ignoresRefSiblings } from './dialects.ts';
import { findMetaschema } from './metaschemas.ts';
import { listAnnotations, type Reading, readKeywords } from './read-keywords.ts';
import {
  indexReferences,
  mentionsDynamicAnchors,
  type Place,
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
 * Reads a schema document. `dialect` is what an absent `$schema` means.
 *
 * @example parseSchema({ type: 'string' }).root.keywords.types // ['string']
 */
export function parseSchema(json: Json, dialect: Dialect = '2020-12'): SchemaDocument {
  return new Document(json, dialect);
}

/** What the node says beside its keywords: title, description, default, unknown keywords. */
export function annotationsOf(node: SchemaNode): Annotations {
  return isJsonObject(node.raw) ? listAnnotations(node.raw, node.dialect) : {};
}

class Document implements SchemaDocument {
  readonly json: Json;
  readonly dialect: Dialect;
  readonly root: SchemaNode;
  private readonly resources = new Map<object, Resource>();
  private index: ReferenceIndex | undefined;
  private nodeCount = 0;
  private mayHaveAnchors: boolean | undefined;

  constructor(json: Json, dialect: Dialect) {
    this.json = json;
    this.dialect = dialectWithin(json, dialect);
    const resource = this.resourceOf(json, this.dialect, undefined);
    this.root = this.makeNode(json, resource, undefined, []);
  }

  nodeAt(pointer: string): SchemaNode | undefined {
    const tokens = pointerTokens(pointer);
    return tokens === undefined ? undefined : this.walk(this.root, tokens);
  }

  nodeBelow(steps: readonly (string | number)[]): SchemaNode | undefined {
    return this.walk(this.root, steps);
  }

  /** The node of a subschema that stands `steps` below `parent`. */
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
    if (resource === undefined) {
      return resolveInMetaschema(from, reference) ?? externalReference(from, reference);
    }
    if (fragment === '') return this.rootOf(resource);
    const decoded = decodeFragment(fragment);
    if (!decoded.startsWith('/')) {
      const target = this.referenceIndex().anchors.get(resource.key)?.get(decoded);
      return target === undefined ? referenceNotFound(reference) : this.nodeOfPlace(target);
    }
    const tokens = pointerTokens(decoded);
    const target = tokens && this.walk(this.rootOf(resource), tokens);
    return target ?? referenceNotFound(reference);
  }

  dynamicAnchorOf(resource: Resource, name: string): SchemaNode | undefined {
    const place = this.referenceIndex().dynamicAnchors.get(resource.key)?.get(name);
    return place && this.nodeOfPlace(place);
  }

  hasDynamicAnchors(resource: Resource): boolean {
    this.mayHaveAnchors ??= mentionsDynamicAnchors(this.json);
    if (!this.mayHaveAnchors) return false;
    return this.referenceIndex().dynamicAnchors.has(resource.key);
  }

  private referenceIndex(): ReferenceIndex {
    this.index ??= indexReferences(this.json, this.dialect);
    return this.index;
  }

  private resourceAt(from: SchemaNode, uri: string): Resource | undefined {
    const own = from.resource as Resource;
    if (uri === '') return own;
    const target = resolveUri(own.uri, uri);
    if (target === own.uri) return own;
    if (target === this.root.resource.uri) return this.root.resource as Resource;
    const place = this.referenceIndex().resources.get(target);
    return place && (this.nodeOfPlace(place).resource as Resource);
  }

  private rootOf(resource: Resource): SchemaNode {
    return resource.root ?? this.root;
  }

  /** Goes down from the document's root, so that the ids and dialects on the way count. */
  private nodeOfPlace(place: Place): SchemaNode {
    return this.walk(this.root, place.steps) ?? this.root;
  }

  private walk(start: SchemaNode, tokens: readonly (string | number)[]): SchemaNode | undefined {
    if (tokens.length === 0) return start;
    let raw = start.raw;
    let resource = start.resource as Resource;
    let dialect = start.dialect;
    const steps: (string | number)[] = [];
    for (const token of tokens) {
      const next = memberOf(raw, token);
      if (next === undefined) return undefined;
      steps.push(Array.isArray(raw) ? Number(token) : String(token));
      raw = next;
      const own = this.resourceOf(raw, dialect, resource);
      if (own !== resource) dialect = own.dialect;
      resource = own;
    }
    return this.makeNode(raw, resource, start, steps);
  }

  /** The resource that `raw` starts by its id, else the one around it. */
  private resourceOf(raw: Json, dialect: Dialect, around: Resource | undefined): Resource {
    const own = isJsonObject(raw) ? dialectWithin(raw, dialect) : dialect;
    const id = isJsonObject(raw) ? resourceIdOf(raw, own) : undefined;
    if (around !== undefined && id === undefined) return around;
    const key = isJsonObject(raw) ? raw : rootKey;
    const known = this.resources.get(key);
    if (known !== undefined) return known;
    const uri = id === undefined ? '' : resolveUri(around?.uri ?? '', id);
    const made = new Resource(this, uri, key, own);
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
    const node = new Node(this, this.nodeCount++, raw, resource, parent, steps);
    if (isJsonObject(raw)) resource.nodes.set(raw, node);
    if (raw === resource.key) resource.root = node;
    return node;
  }
}

/** Stands in for the root of a document that is a boolean. */
const rootKey: JsonObject = {};

class Resource implements SchemaResource {
  readonly uri: string;
  readonly key: JsonObject;
  readonly dialect: Dialect;
  readonly nodes = new Map<object, SchemaNode>();
  /** Where its references lead: a large document has a thousand to one place. */
  readonly resolved = new Map<string, SchemaNode | SchemaProblem>();
  root: SchemaNode | undefined;
  private readonly document: Document;

  constructor(document: Document, uri: string, key: JsonObject, dialect: Dialect) {
    this.document = document;
    this.uri = uri;
    this.key = key;
    this.dialect = dialect;
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

function dialectWithin(raw: Json, around: Dialect): Dialect {
  if (!isJsonObject(raw)) return around;
  const uri = raw.$schema;
  return (typeof uri === 'string' ? dialectOfUri(uri) : undefined) ?? around;
}

/** The id of a schema that starts a resource, without its fragment; `#name` is only an anchor. */
export function resourceIdOf(raw: JsonObject, dialect: Dialect): string | undefined {
  const keyword = idKeyword(dialect);
  const id = keyword && raw[keyword];
  if (typeof id !== 'string' || id.startsWith('#')) return undefined;
  if (ignoresRefSiblings(dialect) && typeof raw.$ref === 'string') return undefined;
  return splitFragment(id)[0];
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
  const tokens = pointer.slice(1).split('/');
  if (!pointer.includes('~')) return tokens;
  return tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function decodeFragment(fragment: string): string {
  if (!fragment.includes('%')) return fragment;
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

function referenceNotFound(reference: string): SchemaProblem {
  return {
    code: 'reference_not_found',
    keyword: '$ref',
    message: `Nothing stands at ${reference}. Correct the $ref or add its target.`,
  };
}

const metaschemas = new Map<string, SchemaDocument>();

/** Part of a metaschema, which is a document of its own; there are five of them. */
function resolveInMetaschema(from: SchemaNode, reference: string): SchemaNode | undefined {
  const [uri, fragment] = splitFragment(reference);
  const found = findMetaschema(resolveUri(from.resource.uri, uri));
  if (found === undefined) return undefined;
  const document = metaschemas.get(found.dialect) ?? parseSchema(found.schema, found.dialect);
  metaschemas.set(found.dialect, document);
  return document.nodeAt(decodeFragment(fragment));
}

function externalReference(from: SchemaNode, reference: string): SchemaProblem {
  const uri = resolveUri(from.resource.uri, splitFragment(reference)[0]);
  const absolute = isAbsoluteUri(uri) ? `${uri}#${splitFragment(reference)[1]}` : undefined;
  return {
    code: 'external_reference',
    keyword: '$ref',
    message: `${reference} is outside the document, and is never fetched. Bundle it under $defs.`,
    ...(absolute === undefined ? {} : { uri: absolute }),
  };
}
