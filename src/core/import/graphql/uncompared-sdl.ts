// What a GraphQL schema says beside its types: which of them are the roots, and what directives say. No contract
// holds it, so a change of it leaves the verdict open.

import {
  type DefinitionNode,
  type DirectiveNode,
  Kind,
  type NameNode,
  parse,
  print,
} from 'graphql/language';
import { parseJson } from '../../value/json.ts';
import { type ImportProblem, itemProblem } from '../candidate.ts';
import { isJsonText } from '../document-kinds.ts';
import { arrayAt, objectAt, textAt } from '../read-json.ts';
import { type Roots, rootKinds, statedRoots } from './sdl-roots.ts';
import { isExecutableLocation } from './sdl-schema.ts';

/** Lists every type, field and argument, also without directives, so that the two sides can be matched by name. */
export function uncomparedOfSdl(text: string): readonly ImportProblem[] {
  if (isJsonText(text)) return uncomparedOfIntrospection(text);
  const definitions = definitionsOf(text);
  const sayings = [said('the schema', []), ...definitions.flatMap(directivesIn)];
  return [...rootsOf(statedRoots(definitions)), ...saidBy(sayings)];
}

/** Whether a schema may name its roots or have directives other than those that are compared. */
export function saysMoreThanTypes(text: string): boolean {
  return (
    isJsonText(text) ||
    /\bschema[\s,\uFEFF]*[{@#]/.test(text) ||
    /@(?!deprecated\b|oneOf\b)/.test(text)
  );
}

function definitionsOf(text: string): readonly DefinitionNode[] {
  try {
    return parse(text, { noLocation: true }).definitions;
  } catch {
    // Whoever reads the types has told it.
    return [];
  }
}

function uncomparedOfIntrospection(text: string): readonly ImportProblem[] {
  const parsed = parseJson(text);
  const value = parsed.ok ? parsed.value : null;
  const schema = objectAt(value, '__schema') ?? objectAt(objectAt(value, 'data'), '__schema');
  const roots = rootKinds.flatMap((kind) => {
    const name = textAt(objectAt(schema, `${kind}Type`), 'name');
    return name === undefined ? [] : [[kind, name] as const];
  });
  // Of directives, an introspection has these alone.
  const scalars = (arrayAt(schema, 'types') ?? []).flatMap((type): readonly Saying[] => {
    const [name, url] = [textAt(type, 'name'), textAt(type, 'specifiedByURL')];
    if (name === undefined || textAt(type, 'kind') !== 'SCALAR') return [];
    return [[name, url === undefined ? [] : [`@specifiedBy(url: ${JSON.stringify(url)})`]]];
  });
  return [...rootsOf(new Map(roots)), ...saidBy(scalars)];
}

function rootsOf(roots: Roots): readonly ImportProblem[] {
  return rootKinds.map((kind) =>
    unread(`schema ${kind}`, 'the type that it begins with', roots.get(kind) ?? null),
  );
}

/** What is said of something, by its name. */
type Saying = readonly [name: string, words: readonly string[]];

/** A type and what extends it are one. */
function saidBy(sayings: readonly Saying[]): readonly ImportProblem[] {
  return [...Map.groupBy(sayings, ([name]) => name)].map(([name, each]) => {
    const what = name.startsWith('@') ? 'what the directive means' : 'what its directives say';
    return unread(name, what, each.flatMap(([, words]) => words).sort());
  });
}

function directivesIn(node: DefinitionNode): readonly Saying[] {
  if (node.kind === Kind.DIRECTIVE_DEFINITION) {
    const { description: _words, ...meaning } = node;
    const locations = node.locations.filter((each) => !isExecutableLocation(each));
    if (locations.length === 0) return [];
    // What callers may write is compared, and with it the arguments.
    const isCompared = locations.length < node.locations.length;
    const rest = { ...meaning, locations, ...(isCompared && { arguments: [], repeatable: false }) };
    return [[`@${node.name.value}`, [print(rest)]]];
  }
  if (node.kind === Kind.SCHEMA_DEFINITION || node.kind === Kind.SCHEMA_EXTENSION) {
    return [said('the schema', node.directives)];
  }
  if (!('name' in node) || node.name === undefined) return [];
  const type = node.name.value;
  const own = 'directives' in node ? [said(type, node.directives)] : [];
  const fields = 'fields' in node ? (node.fields ?? []) : [];
  const values = 'values' in node ? (node.values ?? []) : [];
  return [...own, ...[...fields, ...values].flatMap((member) => saidOfMember(type, member))];
}

interface Member {
  readonly name: NameNode;
  readonly directives?: readonly DirectiveNode[] | undefined;
  readonly arguments?: readonly Member[] | undefined;
}

function saidOfMember(type: string, member: Member): readonly Saying[] {
  const name = `${type}.${member.name.value}`;
  const ofArguments = (member.arguments ?? []).map((each) =>
    said(`${name}(${each.name.value})`, each.directives),
  );
  return [said(name, member.directives), ...ofArguments];
}

/** These are compared. */
const compared = new Set(['deprecated', 'oneOf']);

function said(name: string, directives: readonly DirectiveNode[] | undefined): Saying {
  const others = (directives ?? []).filter((each) => !compared.has(each.name.value));
  return [name, others.map(print)];
}

function unread(name: string, what: string, value: ImportProblem['unread']): ImportProblem {
  const message = `${name}: ${what} changed, which is not compared.`;
  return {
    ...itemProblem('UNCOMPARED_PART', message, '$'),
    ...(value !== undefined && { unread: value }),
  };
}
