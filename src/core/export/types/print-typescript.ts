// Types as TypeScript declarations.

import { commentLines } from './comment-lines.ts';
import type { Declaration, Field, Shape } from './read-types.ts';

/** @example printTypeScript(readTypes(schema, '2020-12', 'Order'), []) // 'export interface Order {…' */
export function printTypeScript(
  declarations: readonly Declaration[],
  head: readonly string[],
): string {
  const top = head.map((line) => `// ${line}`.trimEnd()).join('\n');
  return `${[top, ...declarations.map(printDeclaration)].join('\n\n')}\n`;
}

function printDeclaration(declaration: Declaration): string {
  const { name, shape } = declaration;
  const comment = printComment(declaration, '');
  if (shape.kind !== 'record') return `${comment}export type ${name} = ${print(shape)};`;
  const fields = shape.fields.map(printField).join('');
  return `${comment}export interface ${name} {\n${fields}}`;
}

function printField(field: Field): string {
  const { name, shape, isRequired } = field;
  const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
  return `${printComment(field, '  ')}  ${key}${isRequired ? '' : '?'}: ${print(shape)};\n`;
}

function printComment(
  { description, isDeprecated }: Pick<Field, 'description' | 'isDeprecated'>,
  indent: string,
): string {
  const said = commentLines(description).map((line) => line.replaceAll('*/', '*\\/'));
  const lines = isDeprecated ? [...said, '@deprecated'] : said;
  if (lines.length === 0) return '';
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  const inner = lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n');
  return `${indent}/**\n${inner}\n${indent} */\n`;
}

function print(shape: Shape): string {
  switch (shape.kind) {
    case 'any':
      return 'unknown';
    case 'integer':
      return 'number';
    case 'literal':
      return JSON.stringify(shape.value);
    case 'list':
      return shape.of.kind === 'union' ? `(${print(shape.of)})[]` : `${print(shape.of)}[]`;
    case 'map':
      return `{ [key: string]: ${print(shape.of)} }`;
    case 'union':
      return [...new Set(shape.members.map(print))].join(' | ');
    case 'named':
      return shape.name;
    case 'record':
      return 'object';
    default:
      return shape.kind;
  }
}
