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
import { objectAt, textAt } from '../read-json.ts';
import { type Roots, rootKinds, statedRoots } from './sdl-roots.ts';

/** Lists every type, field and argument, also without directives, so that the two sides can be matched by name. */
export function uncomparedOfSdl(text: string): readonly ImportProblem[] {
  if (isJsonText(text)) return rootsOf(introspectedRoots(text));
  const definitions = definitionsOf(text);
  return [...rootsOf(statedRoots(definitions)), ...definitions.flatMap(directivesIn)];
}

/** Whether a schema names its roots or has directives other than those that are compared. */
export function saysMoreThanTypes(text: string): boolean {
  return (
    isJsonText(text) ||
    /^\s*(?:extend\s+)?schema\b/m.test(text) ||
    /@(?!deprecated\b|oneOf\b)\w/.test(text)
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

function introspectedRoots(text: string): Roots {
  const parsed = parseJson(text);
  const value = parsed.ok ? parsed.value : null;
  const schema = objectAt(value, '__schema') ?? objectAt(objectAt(value, 'data'), '__schema');
  return new Map(
    rootKinds.flatMap((kind) => {
      const name = textAt(objectAt(schema, `${kind}Type`), 'name');
      return name === undefined ? [] : [[kind, name] as const];
    }),
  );
}

function rootsOf(roots: Roots): readonly ImportProblem[] {
  return rootKinds.map((kind) =>
    unread(`schema ${kind}`, 'the type that it begins with', roots.get(kind) ?? null),
  );
}

function directivesIn(node: DefinitionNode): readonly ImportProblem[] {
  if (node.kind === Kind.DIRECTIVE_DEFINITION) {
    const { description: _words, ...meaning } = node;
    return [unread(`@${node.name.value}`, 'what the directive means', print(meaning))];
  }
  if (!('name' in node) || node.name === undefined) return [];
  const type = node.name.value;
  const own = 'directives' in node ? said(type, node.directives) : [];
  const fields = 'fields' in node ? (node.fields ?? []) : [];
  const values = 'values' in node ? (node.values ?? []) : [];
  return [...own, ...[...fields, ...values].flatMap((member) => saidOfMember(type, member))];
}

interface Member {
  readonly name: NameNode;
  readonly directives?: readonly DirectiveNode[] | undefined;
  readonly arguments?: readonly Member[] | undefined;
}

function saidOfMember(type: string, member: Member): readonly ImportProblem[] {
  const name = `${type}.${member.name.value}`;
  const ofArguments = (member.arguments ?? []).flatMap((each) =>
    said(`${name}(${each.name.value})`, each.directives),
  );
  return [...said(name, member.directives), ...ofArguments];
}

/** These are compared. */
const compared = new Set(['deprecated', 'oneOf']);

function said(
  name: string,
  directives: readonly DirectiveNode[] | undefined,
): readonly ImportProblem[] {
  const others = (directives ?? []).filter((each) => !compared.has(each.name.value));
  return [unread(name, 'what its directives say', others.map(print).sort())];
}

function unread(name: string, what: string, value: ImportProblem['unread']): ImportProblem {
  const message = `${name}: ${what} changed, which is not compared.`;
  return {
    ...itemProblem('UNCOMPARED_PART', message, '$'),
    ...(value !== undefined && { unread: value }),
  };
}
