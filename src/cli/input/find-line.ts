// Finds the line of a location in a JSON or YAML text. For a missing location (a removed property),
// the line of the nearest existing parent.

import { stepsOf } from '../../core/value/json-path.ts';
import type { Origin } from './subject.ts';

type FindLine = (origin: Origin, path: string) => Promise<number>;

/**
 * Finds lines of several places: a text of YAML is parsed once for all of them.
 *
 * @example await openLines()(origin, '$.properties.id') // 7
 */
export function openLines(): FindLine {
  const parsed = new Map<string, Promise<unknown>>();
  const parse = (text: string) => {
    const known = parsed.get(text) ?? parseYaml(text);
    parsed.set(text, known);
    return known;
  };
  return (origin, path) => findLine(origin, path, parse);
}

async function findLine(
  origin: Origin,
  path: string,
  parse: (yaml: string) => Promise<unknown>,
): Promise<number> {
  const { at, text } = origin;
  if (at.kind === 'line') return at.line;
  if (text === null) return 1;
  // Guarantees are next to the schema in the spec.
  const isBeside = path.startsWith('$.guarantees') && at.steps.at(-1) === 'schema';
  const base = isBeside ? at.steps.slice(0, -1) : at.steps;
  const steps = [...base, ...stepsOf(path)];
  const offset = /^\s*[{[]/.test(text)
    ? findInJson(text, steps)
    : await findInYaml(await parse(text), steps);
  return lineAt(text, offset);
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let i = text.indexOf('\n'); i >= 0 && i < offset; i = text.indexOf('\n', i + 1)) line++;
  return line;
}

type Steps = readonly (string | number)[];

async function parseYaml(text: string): Promise<unknown> {
  const { parseYamlDocuments } = await import('../../core/value/yaml-documents.ts');
  return parseYamlDocuments(text)[0]?.contents;
}

async function findInYaml(root: unknown, steps: Steps): Promise<number> {
  const { isMap, isPair, isScalar, isSeq } = await import('yaml');
  let node = root;
  let offset = rangeStart(node);
  for (const wanted of steps) {
    if (isMap(node)) {
      const pair = node.items.find(
        (item) => isPair(item) && isScalar(item.key) && String(item.key.value) === String(wanted),
      );
      if (pair === undefined) return offset;
      offset = rangeStart(pair.key);
      node = pair.value;
    } else if (isSeq(node) && typeof wanted === 'number') {
      node = node.items[wanted];
      if (node === undefined) return offset;
      offset = rangeStart(node);
    } else {
      return offset;
    }
  }
  return offset;
}

function rangeStart(node: unknown): number {
  if (typeof node !== 'object' || node === null || !('range' in node)) return 0;
  return Array.isArray(node.range) && typeof node.range[0] === 'number' ? node.range[0] : 0;
}

/** The text was parsed before, so it is valid, and only the parts on the path matter. */
function findInJson(text: string, steps: Steps): number {
  let at = skipSpace(text, 0);
  for (const wanted of steps) {
    const found = memberAt(text, at, wanted);
    if (found === null) return at;
    if (found.isLast) return found.offset;
    at = found.offset;
  }
  return at;
}

interface Member {
  readonly offset: number;
  /** A scalar value: no location is nearer. */
  readonly isLast: boolean;
}

function memberAt(text: string, start: number, wanted: string | number): Member | null {
  const isObject = text[start] === '{';
  if (!isObject && text[start] !== '[') return null;
  let at = skipSpace(text, start + 1);
  for (let index = 0; at < text.length && text[at] !== '}' && text[at] !== ']'; index++) {
    let key: string | number = index;
    if (isObject) {
      const end = endOfString(text, at);
      key = String(JSON.parse(text.slice(at, end)));
      at = skipSpace(text, skipSpace(text, end) + 1);
    }
    if (key === wanted || String(key) === String(wanted)) {
      return { offset: at, isLast: text[at] !== '{' && text[at] !== '[' };
    }
    at = skipSpace(text, skipValue(text, at));
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return null;
}

function skipValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      at = endOfString(text, at) - 1;
      if (depth === 0) return at + 1;
    } else if (code === 0x7b || code === 0x5b) depth++;
    else if (code === 0x7d || code === 0x5d) {
      if (depth === 0) return at;
      if (--depth === 0) return at + 1;
    } else if (depth === 0 && (code === 0x2c || code <= 0x20)) return at;
  }
  return text.length;
}

/** Just past the closing quote. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) at++;
    else if (code === 0x22) return at + 1;
  }
  return text.length;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++;
  return at;
}
