// test/promises.md: the sentence of every test, file by file, so that a test that goes is seen in the diff.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'vite';

interface Node {
  readonly type: string;
  readonly [member: string]: unknown;
}

const preamble = `# What the tests promise

One line for each test, under its group. \`make golden\` writes this file from \`test\`, so that a test that goes is
seen. \`%s\` and \`$name\` stand for the rows of a table.
`;

/** @example listPromises('/path/to/the/project') */
export function listPromises(root: string): string {
  const files = globSync('test/**/*.test.ts', { cwd: root }).sort();
  const sections = files.map((file) => {
    const { program } = parseSync(file, readFileSync(join(root, file), 'utf8'));
    return `\n## ${file}\n\n${promisesOf(program as unknown as Node, 0).join('\n')}\n`;
  });
  return `${preamble}${sections.join('')}`;
}

function promisesOf(node: Node, depth: number): readonly string[] {
  const named = node.type === 'CallExpression' ? nameOf(node) : null;
  const inner = Object.values(node)
    .flat()
    .filter(isNode)
    .flatMap((child) => promisesOf(child, named === null ? depth : depth + 1));
  return named === null ? inner : [`${'  '.repeat(depth)}- ${named}`, ...inner];
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}

/** What a call names, a test or a group, with the number of rows of its table; null for other calls. */
function nameOf({ callee, arguments: given }: Node): string | null {
  const [name, ...others] = given as readonly Node[];
  if (name === undefined || !isTestFunction(callee as Node)) return null;
  const text = textOf(name);
  const rows = rowsOf((callee as Node).arguments) ?? rowsOf(others);
  return text === null || rows === null ? text : `${text} (${rows} rows)`;
}

function textOf(name: Node): string | null {
  if (name.type === 'Literal' && typeof name.value === 'string') return name.value;
  if (name.type !== 'TemplateLiteral') return null;
  const quasis = name.quasis as readonly { readonly value: { readonly cooked: string } }[];
  return quasis.map(({ value }) => value.cooked).join('…');
}

/** The length of a table that is written out as the first of the arguments. */
function rowsOf(given: unknown): number | null {
  const [table] = Array.isArray(given) ? (given as readonly Node[]) : [];
  return table?.type === 'ArrayExpression' ? (table.elements as readonly unknown[]).length : null;
}

const testFunctions = new Set(['test', 'it', 'describe', 'checkPairs']);

/** `test`, `test.skipIf(...)`, `test.each(...)`. */
function isTestFunction(node: Node): boolean {
  if (node.type === 'Identifier') return testFunctions.has(String(node.name));
  if (node.type === 'MemberExpression') return isTestFunction(node.object as Node);
  if (node.type === 'CallExpression') return isTestFunction(node.callee as Node);
  if (node.type === 'TaggedTemplateExpression') return isTestFunction(node.tag as Node);
  return false;
}
