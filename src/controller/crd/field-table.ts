// docs/crds.md: every field of every kind, from the same schemas.

import { type Kind, kinds } from './kinds.ts';
import type { Schema } from './schema.ts';

const opening = `# The kinds of concordat.dev/v1

Made from src/controller/crd by \`make golden\`: change it there. \`kubectl explain datacontract.spec\`
shows the same. Required fields are in bold.

Use \`kubectl apply --server-side\` for objects larger than 256 KiB: plain \`kubectl apply\` keeps a copy of
the object in an annotation, which is limited to that size. Use it also for schemas with a \`null\` value,
such as \`"const": null\`: plain \`kubectl apply\` would remove the key.
`;

export function fieldTables(): string {
  return opening + kinds.map(kindSection).join('');
}

function kindSection(kind: Kind): string {
  const names = [kind.plural, ...kind.shortNames].map((name) => `\`${name}\``).join(', ');
  return [
    `\n## ${kind.kind}\n`,
    `${kind.description} (${names})\n`,
    table(rowsOf('spec', kind.spec, true)),
    ...ruleLines(kind.spec),
    table(rowsOf('status', kind.status, false)),
  ].join('\n');
}

function table(rows: readonly string[]): string {
  return `| field | type | description |\n|---|---|---|\n${rows.join('\n')}\n`;
}

function rowsOf(path: string, schema: Schema, required: boolean): string[] {
  const name = required ? `**${path}**` : path;
  const row = `| ${name} | ${typeText(schema)} | ${cell(schema.description)} |`;
  const inner = schema.items ?? schema.additionalProperties ?? schema;
  const innerPath =
    schema.items !== undefined
      ? `${path}[]`
      : schema.additionalProperties !== undefined
        ? `${path}.*`
        : path;
  const members = Object.entries(inner.properties ?? {}).flatMap(([key, member]) =>
    rowsOf(`${innerPath}.${key}`, member, inner.required?.includes(key) ?? false),
  );
  return [row, ...members];
}

function typeText(schema: Schema): string {
  const { enum: values, older = () => [] } = schema;
  if (values !== undefined) {
    const shown = values.filter((value) => !older().includes(value));
    return shown.map((value) => `\`${value}\``).join(', ');
  }
  if (schema.items !== undefined) {
    return `list of ${schema.items.properties === undefined ? typeText(schema.items) : 'objects'}`;
  }
  if (schema.type === undefined) return 'any';
  if (schema.format?.startsWith('date')) return schema.format;
  const limit = schema.maxLength === undefined ? '' : `, at most ${schema.maxLength}`;
  return `${schema.type}${limit}`;
}

function ruleLines(schema: Schema): string[] {
  const messages = rulesOf(schema).map((message) => `- ${message}`);
  return messages.length === 0 ? [] : [`Validation errors:\n`, ...messages, ''];
}

function rulesOf(schema: Schema): string[] {
  const own = (schema['x-kubernetes-validations'] ?? []).map((rule) => rule.message);
  const inner = [
    ...Object.values(schema.properties ?? {}),
    ...(schema.items === undefined ? [] : [schema.items]),
  ];
  return [...own, ...inner.flatMap(rulesOf)];
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
