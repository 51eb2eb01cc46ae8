// The content of a small schema as a text: nodes with one text are one term, wherever they stand and
// in whichever document. Large nodes have none; they are compared part by part.

import type { Json } from '../json.ts';
import type { Keywords, SchemaNode } from '../schema/schema.ts';
import { valueKey } from './value-key.ts';

/** A node of more subschemas than this has no text: making it would cost more than it saves. */
const maxNodes = 16;
const maxTextLength = 2_000;

interface Writing {
  left: number;
  /** Says which schema a reference leads to. */
  readonly targetId: (node: SchemaNode) => number;
}

/** Undefined for what is large, or means something else in another place. */
export function contentKey(
  node: SchemaNode,
  targetId: (node: SchemaNode) => number,
): string | undefined {
  const text = textOf(node, { left: maxNodes, targetId });
  return text === undefined || text.length > maxTextLength ? undefined : text;
}

type Part = string | undefined;

function textOf(node: SchemaNode, writing: Writing): Part {
  const { raw, keywords } = node;
  if (raw === true) return '1';
  if (raw === false) return '0';
  if (--writing.left < 0) return undefined;
  let text = '';
  for (const name of Object.keys(keywords) as (keyof Keywords)[]) {
    const part = partOf(keywords, name, writing);
    if (part === undefined) return undefined;
    text += `${name} ${part};`;
  }
  return `{${text}}`;
}

function partOf(keywords: Keywords, name: keyof Keywords, writing: Writing): Part {
  const value = keywords[name];
  switch (name) {
    case 'ref':
      return keywords.ref && `#${writing.targetId(keywords.ref)}`;
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
    case 'required':
      return keywords[name] && [...keywords[name]].sort().map(quoted).join();
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

function mapText(map: ReadonlyMap<string, SchemaNode>, writing: Writing): Part {
  if (map.size > writing.left) return undefined;
  let text = '';
  for (const [key, node] of map) {
    const part = textOf(node, writing);
    if (part === undefined) return undefined;
    text += `${quoted(key)}:${part},`;
  }
  return text;
}

function listText(nodes: readonly SchemaNode[], writing: Writing): Part {
  if (nodes.length > writing.left) return undefined;
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

function quoted(text: string): string {
  return JSON.stringify(text);
}
