// The content of a small schema as a text. Nodes with equal texts are one term, in any position and
// any document. Large nodes have no text; they are compared part by part.

import { asksForWrittenIntegers, isOpenApi } from '../schema/keywords.ts';
import type { Keywords, SchemaNode, SchemaResource } from '../schema/schema.ts';
import type { Json } from '../value/json.ts';
import { valueKey } from '../value/value-key.ts';

/**
 * A node with more subschemas than this has no text, because making it would cost more than it
 * saves.
 */
const maxNodes = 16;
const maxTextLength = 2_000;
/** The text of a lone type is as short as a name. */
const maxUnnamed = 24;

/** The texts of a store's nodes. The texts of the parts are made before the text of the whole. */
export interface ContentKeys {
  readonly known: Map<SchemaNode, Text>;
  /**
   * Short names of long texts. The text of a node contains the names of its subschemas, not their
   * texts.
   */
  readonly names: Map<string, string>;
  /** Identifies the schema that a reference leads to. */
  readonly targetId: (node: SchemaNode) => number;
  /** Identifies the resource of a schema: the meaning of `$dynamicRef` depends on it. */
  readonly resourceId: (resource: SchemaResource) => number;
}

/** Undefined for a node that is large, or whose meaning depends on its position. */
type Text = { readonly text: string; readonly nodes: number } | undefined;

interface Writing {
  left: number;
  readonly keys: ContentKeys;
}

/** Returns undefined for a node that is large, or whose meaning depends on its position. */
export function contentKey(node: SchemaNode, keys: ContentKeys): string | undefined {
  return textOf(node, { left: maxNodes, keys });
}

type Part = string | undefined;

function textOf(node: SchemaNode, writing: Writing): Part {
  const { raw } = node;
  if (raw === true) return '1';
  if (raw === false) return '0';
  const { known } = writing.keys;
  const before = writing.left;
  if (known.has(node)) {
    const own = known.get(node);
    writing.left -= own?.nodes ?? 0;
    return writing.left < 0 ? undefined : own?.text;
  }
  writing.left--;
  const spelt = writing.left < 0 ? undefined : spell(node, writing);
  const text = spelt === undefined ? undefined : nameOf(spelt, writing.keys.names);
  // A failure is remembered only if the node itself was too large. If the rest of the budget was
  // too small, the node may still fit the whole budget.
  if (text !== undefined || before === maxNodes || writing.left >= 0) {
    known.set(node, text === undefined ? undefined : { text, nodes: before - writing.left });
  }
  return text;
}

function nameOf(text: string, names: Map<string, string>): string {
  if (text.length <= maxUnnamed) return text;
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = `~${names.size}`;
  names.set(text, name);
  return name;
}

function spell(node: SchemaNode, writing: Writing): Part {
  const { keywords } = node;
  // The meaning of a few keywords depends on the dialect, and the target of a reference may depend
  // on the resource.
  let text = keywords.format !== undefined && isOpenApi(node.dialect) ? 'openapi;' : '';
  if (keywords.types?.includes('integer') && asksForWrittenIntegers(node.dialect))
    text += 'written;';
  if (node.resource.hasDynamicAnchors) text += `in ${writing.keys.resourceId(node.resource)};`;
  for (const name in keywords) {
    const part = partOf(keywords, name as keyof Keywords, writing);
    if (part === undefined) return undefined;
    text += `${name} ${part};`;
    if (text.length > maxTextLength) return undefined;
  }
  return `{${text}}`;
}

function partOf(keywords: Keywords, name: keyof Keywords, writing: Writing): Part {
  const value = keywords[name];
  switch (name) {
    case 'ref':
      return keywords.ref && `#${writing.keys.targetId(keywords.ref)}`;
    case 'dynamicRef':
    case 'problems':
      return undefined;
    case 'contains': {
      const { contains } = keywords;
      const schema = contains && textOf(contains.schema, writing);
      return schema && `${contains.min}-${contains.max} ${contains.evaluates} ${schema}`;
    }
    case 'const':
      return keywords.const && valueKey(keywords.const.value);
    case 'types':
      return keywords.types && sortedText(keywords.types);
    case 'required':
      return keywords.required && sortedText(keywords.required);
    case 'enum':
      return keywords.enum?.map(valueKey).sort().join();
    case 'dependentRequired':
      return keywords.dependentRequired && requirementsText(keywords.dependentRequired);
    case 'properties':
    case 'patternProperties':
    case 'dependentSchemas':
      return keywords[name] && mapText(keywords[name], writing);
    case 'prefixItems':
    case 'allOf':
    case 'anyOf':
    case 'oneOf':
      return keywords[name] && listText(keywords[name], writing);
    case 'items':
    case 'unevaluatedItems':
    case 'additionalProperties':
    case 'unevaluatedProperties':
    case 'propertyNames':
    case 'not':
    case 'if':
    case 'then':
    case 'else':
      return keywords[name] && textOf(keywords[name], writing);
    default:
      return valueKey(value as Json);
  }
}

function spent(writing: Writing): undefined {
  writing.left = -1;
}

function mapText(map: ReadonlyMap<string, SchemaNode>, writing: Writing): Part {
  if (map.size > writing.left) return spent(writing);
  let text = '';
  for (const [key, node] of map) {
    const part = textOf(node, writing);
    if (part === undefined) return undefined;
    text += `${quoted(key)}:${part},`;
  }
  return text;
}

function listText(nodes: readonly SchemaNode[], writing: Writing): Part {
  if (nodes.length > writing.left) return spent(writing);
  let text = '';
  for (const node of nodes) {
    const part = textOf(node, writing);
    if (part === undefined) return undefined;
    text += `${part},`;
  }
  return text;
}

function requirementsText(map: ReadonlyMap<string, readonly string[]>): string {
  return [...map].map(([key, needed]) => `${quoted(key)}:${needed.map(quoted).join()}`).join(' ');
}

function sortedText(texts: readonly string[]): string {
  const [only] = texts;
  if (only !== undefined && texts.length === 1) return quoted(only);
  return [...texts].sort().map(quoted).join();
}

/** The length shows where the text ends. */
function quoted(text: string): string {
  return `${text.length}"${text}`;
}
