// Types as Python declarations: a TypedDict for each record, for Python 3.11 and newer.

import { commentLines } from './comment-lines.ts';
import type { Declaration, Field, RecordShape, Shape } from './read-types.ts';

/** @example printPython(readTypes(schema, '2020-12', 'Order'), []) // '…class Order(TypedDict):…' */
export function printPython(declarations: readonly Declaration[], head: readonly string[]): string {
  const top = head.map((line) => `# ${line}`.trimEnd()).join('\n');
  const parts = declarations.map(printDeclaration);
  const used = typingNames.filter((name) =>
    parts.some((part) => new RegExp(`\\b${name}\\b`).test(part.replace(/^ *#.*$/gm, ''))),
  );
  const imports = used.length === 0 ? [] : [`from typing import ${used.join(', ')}`];
  return `${[...(top === '' ? [] : [top]), ...imports].join('\n\n')}\n\n\n${parts.join('\n\n\n')}\n`;
}

const typingNames = ['Any', 'Literal', 'Never', 'NotRequired', 'TypeAlias', 'TypedDict'];

function printDeclaration(declaration: Declaration): string {
  const { name, shape } = declaration;
  const comment = printComment(declaration, '');
  if (shape.kind !== 'record') return `${comment}${name}: TypeAlias = ${quoted(shape)}`;
  return shape.fields.every((field) => isWord(field.name))
    ? `${comment}class ${name}(TypedDict):\n${printFields(shape)}`
    : `${comment}${name} = TypedDict("${name}", {\n${printEntries(shape)}})`;
}

function printFields({ fields }: RecordShape): string {
  if (fields.length === 0) return '    pass';
  return fields
    .map((field) => `${printComment(field, '    ')}    ${field.name}: ${typeOf(field)}`)
    .join('\n');
}

function printEntries({ fields }: RecordShape): string {
  return fields
    .map(
      (field) =>
        `${printComment(field, '    ')}    ${JSON.stringify(field.name)}: ${typeOf(field)},\n`,
    )
    .join('');
}

/** Quoted, because a type may be declared below its first use. */
function typeOf({ shape, isRequired }: Field): string {
  return isRequired ? quoted(shape) : `NotRequired[${quoted(shape)}]`;
}

function quoted(shape: Shape): string {
  const text = print(shape);
  return shape.kind === 'named' || text.includes('[') || text.includes('|')
    ? `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
    : text;
}

function printComment(
  { description, isDeprecated }: Pick<Field, 'description' | 'isDeprecated'>,
  indent: string,
): string {
  const said = commentLines(description);
  const lines = isDeprecated ? [...said, 'Deprecated.'] : said;
  return lines.map((line) => `${`${indent}# ${line}`.trimEnd()}\n`).join('');
}

function print(shape: Shape): string {
  switch (shape.kind) {
    case 'any':
      return 'Any';
    case 'never':
      return 'Never';
    case 'null':
      return 'None';
    case 'boolean':
      return 'bool';
    case 'integer':
      return 'int';
    case 'number':
      return 'float';
    case 'string':
      return 'str';
    case 'literal':
      return `Literal[${printLiteral(shape.value)}]`;
    case 'list':
      return `list[${print(shape.of)}]`;
    case 'map':
      return `dict[str, ${print(shape.of)}]`;
    case 'union':
      return printUnion(shape.members);
    case 'named':
      return shape.name;
    case 'record':
      return 'dict[str, Any]';
    default:
      return shape satisfies never;
  }
}

/** Literals are one type with several values. */
function printUnion(members: readonly Shape[]): string {
  const values = members.flatMap((one) =>
    one.kind === 'literal' ? [printLiteral(one.value)] : [],
  );
  const others = members.filter(({ kind }) => kind !== 'literal').map(print);
  const literals = values.length === 0 ? [] : [`Literal[${values.join(', ')}]`];
  return [...new Set([...literals, ...others])].join(' | ');
}

function printLiteral(value: string | boolean | number): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return JSON.stringify(value);
}

function isWord(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name) && !keyword.test(name) && !name.startsWith('__');
}

/** Words that Python keeps for itself, by their first letters. */
const keyword =
  /^(False|None|True|a(nd|s|ssert|sync|wait)|break|c(lass|ontinue)|de[fl]|e(lif|lse|xcept)|f(inally|or|rom)|global|i([fns]|mport)|lambda|no(nlocal|t)|or|pass|r(aise|eturn)|try|w(hile|ith)|yield)$/;
