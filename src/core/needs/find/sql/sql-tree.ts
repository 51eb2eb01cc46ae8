// The parser's tree of a statement, which is read as foreign data. An expression is an object with one
// key, its kind: `{"column": {...}}`.

export type SqlNode = Readonly<Record<string, unknown>>;

export function isNode(value: unknown): value is SqlNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function nodeAt(node: unknown, key: string): SqlNode | null {
  const value = isNode(node) ? node[key] : undefined;
  return isNode(value) ? value : null;
}

export function listAt(node: unknown, key: string): readonly unknown[] {
  const value = isNode(node) ? node[key] : undefined;
  return Array.isArray(value) ? value : [];
}

/** The text of an identifier: `{"name": "id"}`, or a plain string. */
export function nameAt(node: unknown, key: string): string | null {
  const value = isNode(node) ? node[key] : undefined;
  if (typeof value === 'string') return value === '' ? null : value;
  const name = isNode(value) ? value.name : undefined;
  return typeof name === 'string' && name !== '' ? name : null;
}

export function namesAt(node: unknown, key: string): readonly string[] {
  return listAt(node, key).flatMap((each) => nameAt({ each }, 'each') ?? []);
}

interface Expression {
  readonly kind: string;
  readonly body: SqlNode;
}

/** Comments around an expression are a kind of their own, and are left out. */
export function expressionOf(value: unknown): Expression | null {
  for (let at = value; isNode(at); ) {
    const [entry, ...others] = Object.entries(at);
    if (entry === undefined || others.length > 0) return null;
    const [kind, body] = entry;
    if (!isNode(body)) return null;
    if (kind !== 'annotated') return { kind, body };
    at = body.this;
  }
  return null;
}

/** A reference to a table, in a node that has it by this key; other nodes have names there. */
export function isTable(key: string, value: SqlNode): boolean {
  return key === 'table' && isNode(value.name);
}

export function isColumn(key: string, value: SqlNode): boolean {
  return key === 'column' && isNode(value.name) && !('data_type' in value);
}

export function isStar(key: string, value: SqlNode): boolean {
  return key === 'star' && 'except' in value;
}

/** Every node below, with the key that it has in its parent. Trees may be too deep to recurse. */
export function* nodesBelow(root: unknown): Iterable<readonly [key: string, node: SqlNode]> {
  const waiting: (readonly [string, unknown])[] = [['', root]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [key, value] = next;
    if (Array.isArray(value)) {
      for (const each of value) waiting.push([key, each]);
    } else if (isNode(value)) {
      yield [key, value];
      for (const [name, each] of Object.entries(value)) waiting.push([name, each]);
    }
  }
}
