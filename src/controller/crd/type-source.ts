// The client's TypeScript types, generated from the same schemas that the API server checks.

import type { Kind } from './kinds.ts';
import { kinds } from './kinds.ts';
import type { Schema } from './schema.ts';

const header = '// Made from src/controller/crd by `make golden`: change it there.\n';

const metadata = `
/** What the controller reads of an object's metadata. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly generation: number;
  readonly resourceVersion: string;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}
`;

/** The whole text of resources.ts, before the formatter. */
export function resourceTypesSource(): string {
  const body = metadata + kinds.map(kindSource).join('');
  const used = ['Json', 'JsonObject'].filter((name) => new RegExp(`\\b${name}\\b`).test(body));
  return `${header}\nimport type { ${used.join(', ')} } from '../../core/value/json.ts';\n${body}`;
}

function kindSource(kind: Kind): string {
  const root = `
${comment(kind.description, '')}export interface ${kind.kind} {
  readonly apiVersion: string;
  readonly kind: '${kind.kind}';
  readonly metadata: ObjectMeta;
  readonly spec: ${kind.kind}Spec;
  readonly status?: ${kind.kind}Status;
}
`;
  const declared: string[] = [];
  declare(`${kind.kind}Spec`, kind.spec, declared);
  declare(`${kind.kind}Status`, kind.status, declared);
  return root + declared.join('');
}

/** Writes an interface, preceded by those of its members. */
function declare(name: string, schema: Schema, declared: string[]): string {
  const members = Object.entries(schema.properties ?? {}).map(([key, member]) => {
    const mark = schema.required?.includes(key) ? '' : '?';
    const type = typeOf(`${name}${capitalized(key)}`, member, declared);
    return `${comment(member.description, '  ')}  readonly ${key}${mark}: ${type};\n`;
  });
  const text = `\n${comment(schema.description, '')}export interface ${name} {\n${members.join('')}}\n`;
  declared.push(text);
  return name;
}

function typeOf(name: string, schema: Schema, declared: string[]): string {
  if (schema.type === undefined) return 'Json';
  if (schema['x-kubernetes-preserve-unknown-fields']) return 'JsonObject';
  switch (schema.type) {
    case 'string':
      return (
        (schema.typed?.() ?? schema.enum)?.map((value) => `'${value}'`).join(' | ') ?? 'string'
      );
    case 'integer':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'array': {
      if (schema.items === undefined) return 'readonly Json[]';
      const item = typeOf(name.replace(/s$/, ''), schema.items, declared);
      return item.includes('|') ? `readonly (${item})[]` : `readonly ${item}[]`;
    }
    case 'object':
      if (schema.additionalProperties !== undefined) {
        return `Readonly<Record<string, ${typeOf(name, schema.additionalProperties, declared)}>>`;
      }
      return declare(name, schema, declared);
    default:
      return schema.type satisfies never;
  }
}

function comment(text: string, indent: string): string {
  return `${indent}/** ${text.replaceAll('*/', '*\\/')} */\n`;
}

function capitalized(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
