// Where the parts of a document are written, in JSON and YAML alike, by the trees of their parsers.

import type { SyntaxNode, Tree } from '@lezer/common';

/** Part of the text: the key of a member, or an item of a list. */
export interface TextPlace {
  readonly from: number;
  readonly to: number;
}

interface Wanted {
  /** The paths that end here, by their index. */
  readonly ends: number[];
  readonly inside: Map<string, Wanted>;
}

/**
 * The place of each path, or of its nearest parent in the text. All paths are found in one walk,
 * because a wide schema has thousands of changes.
 *
 * @example findPlaces(tree, read, [['properties', 'id']]) // [{ from: 20, to: 24 }]
 */
export function findPlaces(
  tree: Tree,
  read: (from: number, to: number) => string,
  paths: readonly (readonly (string | number)[])[],
): readonly TextPlace[] {
  const root = rootOf(tree);
  const start = { from: root?.from ?? 0, to: (root?.from ?? 0) + 1 };
  const places: TextPlace[] = paths.map(() => start);
  const visit = (node: SyntaxNode | null, wanted: Wanted, at: TextPlace) => {
    for (const index of wanted.ends) places[index] = at;
    for (const inner of wanted.inside.values()) visit(null, inner, at);
    if (node === null || wanted.inside.size === 0) return;
    for (const { name, value, place } of membersOf(node, read)) {
      const inner = wanted.inside.get(name);
      if (inner !== undefined) visit(value, inner, place);
    }
  };
  visit(root, gather(paths), start);
  return places;
}

function gather(paths: readonly (readonly (string | number)[])[]): Wanted {
  const root: Wanted = { ends: [], inside: new Map() };
  for (const [index, path] of paths.entries()) {
    let at = root;
    for (const step of path) {
      const next = at.inside.get(String(step)) ?? { ends: [], inside: new Map() };
      at.inside.set(String(step), next);
      at = next;
    }
    at.ends.push(index);
  }
  return root;
}

interface Member {
  readonly name: string;
  readonly value: SyntaxNode | null;
  readonly place: TextPlace;
}

function* membersOf(
  node: SyntaxNode,
  read: (from: number, to: number) => string,
): Generator<Member> {
  let index = 0;
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    switch (node.name) {
      case 'Object':
      case 'BlockMapping':
      case 'FlowMapping': {
        const key = child.firstChild;
        if ((child.name !== 'Property' && child.name !== 'Pair') || key === null) break;
        yield {
          name: unquoted(read(key.from, key.to)),
          value: child.lastChild === key ? null : unwrap(child.lastChild),
          place: { from: key.from, to: key.to },
        };
        break;
      }
      case 'Array':
      case 'BlockSequence':
      case 'FlowSequence': {
        if (/^[[\],-]$/.test(child.name) || child.type.isError) break;
        const value = child.name === 'Item' ? unwrap(child.lastChild) : child;
        yield { name: String(index++), value, place: { from: child.from, to: child.to } };
        break;
      }
      default:
        return;
    }
  }
}

function rootOf(tree: Tree): SyntaxNode | null {
  const top = tree.topNode.firstChild;
  return top?.name === 'Document' ? unwrap(top.lastChild) : top;
}

/** In YAML, an anchor or a tag may stand before a value. */
function unwrap(node: SyntaxNode | null): SyntaxNode | null {
  let inner = node;
  while (inner?.name === 'Anchored' || inner?.name === 'Tagged') inner = inner.lastChild;
  return inner;
}

function unquoted(text: string): string {
  if (text.startsWith("'")) return text.slice(1, -1).replaceAll("''", "'");
  if (!text.startsWith('"')) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}

/** What is being written at a position of the text. */
export interface WrittenPlace {
  /** The object or list around it. */
  readonly steps: readonly (string | number)[];
  readonly isItem: boolean;
  /** The member whose value is written; null while its key is. */
  readonly key: string | null;
  /** What is typed of it so far, without its quote. */
  readonly typed: string;
}

/** The text is incomplete while it is typed, so the line says more than the tree does. */
export function jsonPlaceAt(
  tree: Tree,
  read: (from: number, to: number) => string,
  line: { readonly from: number; readonly text: string },
): WrittenPlace | null {
  const match = /(?:("(?:[^"\\]|\\.)*")\s*:\s*)?("?[^",:{}[\]\s]*)$/.exec(line.text);
  if (match === null) return null;
  const [, key, typed = ''] = match;
  const inner = tree.resolveInner(line.from + match.index, -1);
  const { steps, isItem } = jsonPathTo(inner, line.from + match.index, read);
  return {
    steps,
    isItem,
    key: key === undefined ? null : unquoted(key),
    typed: typed.replace(/^"/, ''),
  };
}

function jsonPathTo(
  inner: SyntaxNode,
  position: number,
  read: (from: number, to: number) => string,
): Pick<WrittenPlace, 'steps' | 'isItem'> {
  const steps: (string | number)[] = [];
  let isItem: boolean | null = null;
  let from = position;
  for (let at: SyntaxNode | null = inner; at !== null; at = at.parent) {
    const isOpen = at.from < position;
    if (isOpen && (at.name === 'Object' || at.name === 'Array')) {
      if (isItem === null) isItem = at.name === 'Array';
      else if (at.name === 'Array') steps.unshift(itemsBefore(at, from));
      from = at.from;
    }
    if (isItem !== null && at.name === 'Property' && at.firstChild !== null) {
      steps.unshift(unquoted(read(at.firstChild.from, at.firstChild.to)));
    }
  }
  return { steps, isItem: isItem === true };
}

function itemsBefore(list: SyntaxNode, position: number): number {
  let count = 0;
  for (let child = list.firstChild; child !== null && child.from < position; ) {
    if (child.name === ',') count++;
    child = child.nextSibling;
  }
  return count;
}

const yamlLine =
  /^(\s*)((?:-(?: +|$))*)(?:(?:"([^"]*)"|'([^']*)'|([^\s"'#:{}[\],-][^:#]*))\s*:(?=\s|$))?/;

/** The key of a member, or the dash of an item where the key is null, and the column where it stands. */
interface YamlMark {
  readonly key: string | null;
  readonly column: number;
}

/** The marks at the beginning of a line, the last one first. */
function marksOf(line: string): readonly YamlMark[] {
  const [, spaces = '', dashes = '', ...keys] = yamlLine.exec(line) ?? [];
  const marks: YamlMark[] = [...dashes.matchAll(/-/g)].map(({ index }) => ({
    key: null,
    column: spaces.length + index,
  }));
  const key = keys.find((one) => one !== undefined);
  if (key !== undefined) marks.push({ key, column: spaces.length + dashes.length });
  return marks.reverse();
}

/** YAML in block style: what holds a member or an item stands to the left of it, or above and to the left. */
export function yamlPlaceAt(
  lineAbove: (above: number) => string | null,
  text: string,
): WrittenPlace | null {
  const match = /^(\s*)((?:- +)*)(?:([^\s:"']+|"[^"]*"|'[^']*'):\s+)?(["']?[^\s:"']*)$/.exec(text);
  if (match === null) return null;
  const [, indent = '', dashes = '', key, typed = ''] = match;
  const steps: (string | number)[] = [];
  const isItem = dashes !== '' && key === undefined;
  let column = indent.length + dashes.length;
  /** The items before the one that is followed upwards; null while a member is. */
  let before: number | null = null;
  for (let above = 0; above <= maxLinesAbove && (column > 0 || before !== null); above++) {
    const line = above === 0 ? indent + dashes : lineAbove(above);
    if (line === null) break;
    for (const { key: holder, column: at } of marksOf(line)) {
      if (before !== null && holder === null && at === column) before++;
      // A list may begin in the column of its key.
      if (at > column || (at === column && (before === null || holder === null))) continue;
      if (before !== null) steps.unshift(before);
      if (holder !== null) steps.unshift(holder);
      before = holder === null ? 0 : null;
      column = at;
    }
  }
  if (before !== null) steps.unshift(before);
  // What is asked for is the list around an item.
  if (isItem) steps.pop();
  return {
    steps,
    isItem,
    key: key === undefined ? null : unquoted(key),
    typed: typed.replace(/^["']/, ''),
  };
}

/** Parents further above are not searched for. */
const maxLinesAbove = 20_000;
