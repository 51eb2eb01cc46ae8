// A GraphQL schema in SDL: each object (root types too), input, enum, interface and union becomes
// a candidate.

import type { DirectiveDefinitionNode } from 'graphql/language';
import { identityOf } from '../../asset.ts';
import {
  type Candidate,
  fatal,
  type ImportProblem,
  itemProblem,
  type ParsedImport,
  refuseFile,
} from '../candidate.ts';
import { isJsonText } from '../document-kinds.ts';
import { toFqn, toFqnPrefix } from '../import-fqn.ts';
import { printIntrospection } from './introspection.ts';
import { readSdl, type SdlType } from './sdl-document.ts';
import {
  definitionsIn,
  type PossibleTypes,
  possibleTypesIn,
  type SdlSchema,
  toDirectiveSchema,
  toTypeSchema,
} from './sdl-schema.ts';

interface GraphqlOptions {
  /** The default is `graphql`. */
  readonly prefix?: string;
  /** Whether one of the types is taken alone, so that nothing else tells which types it may show. */
  readonly isOfOneType?: boolean;
  /** Whether directives of operations are read as well; no registry has them. */
  readonly withDirectives?: boolean;
}

/**
 * Reads SDL, or the JSON of an introspection.
 *
 * @example parseGraphql('{"__schema": {...}}').candidates[0].place // '$.__schema.types[0]'
 */
export function parseGraphql(text: string, options: GraphqlOptions = {}): ParsedImport {
  if (!isJsonText(text)) return parseSdl(text, options);
  const printed = printIntrospection(text);
  if (!printed.ok) return refuseFile(printed.problem);
  const read = parseSdl(printed.sdl, options);
  const placeIn = ({ label, place }: Candidate) =>
    label.kind === 'graphql' ? (printed.places.get(label.type_name) ?? '$') : place;
  return {
    ...read,
    candidates: read.candidates.map((each) => ({ ...each, place: placeIn(each) })),
    // The lines of the printed SDL are not in the file.
    problems: read.problems.map((problem) => ({ ...problem, place: '$' })),
  };
}

/**
 * Reads SDL. A repeated definition counts once and is reported; the rest continues.
 *
 * @example parseSdl('type User { id: ID! }').candidates.map(({ fqn }) => fqn) //
 * ['graphql.User']
 */
function parseSdl(sdl: string, options: GraphqlOptions): ParsedImport {
  const document = readSdl(sdl);
  const [first] = document.problems;
  if (first?.fatal === true) return refuseFile(first);
  const problems: ImportProblem[] = [...document.problems];
  const prefix = (options.prefix ?? 'graphql').split('.');
  const source = prefix.join('.');
  const candidates: Candidate[] = [];
  const { types } = document;
  const possibleTypes: PossibleTypes =
    options.isOfOneType === true ? possibleTypesIn(types) : () => [];
  const define = definitionsIn(types, possibleTypes);
  for (const type of types.values()) {
    const schema = toTypeSchema(type, define, possibleTypes);
    if (schema === null) continue;
    const missing = missingTypes(type, schema, types);
    problems.push(...missing);
    const role = document.roots.get(type.name);
    const fqn = toFqn([...prefix, type.name]);
    // A root is known by its role: operations do not name its type.
    const identity =
      role === undefined
        ? identityOf(source, `type ${type.name}`, fqn)
        : identityOf(source, `root ${role}`, toFqn([...prefix, '{root}', role]));
    const candidate = toCandidate(type, schema, { fqn, ownFqn: fqn, identity });
    candidates.push(missing.length === 0 ? candidate : { ...candidate, terms: null });
  }
  for (const node of options.withDirectives === true ? document.directives.values() : []) {
    const schema = toDirectiveSchema(node, define);
    if (schema === null) continue;
    const type: Described = {
      name: `@${node.name.value}`,
      kind: 'directive',
      description: node.description?.value ?? '',
      place: placeOfDirective(node, sdl),
    };
    const fqn = toFqn([...prefix, type.name]);
    const missing = missingTypes(type, schema, types);
    problems.push(...missing);
    const identity = identityOf(source, `directive ${type.name}`, fqn);
    const candidate = toCandidate(type, schema, { fqn, ownFqn: fqn, identity });
    candidates.push(missing.length === 0 ? candidate : { ...candidate, terms: null });
  }
  if (!document.isSchema) {
    const message = 'The SDL defines nothing. Send the schema, not a query.';
    return refuseFile(fatal('INVALID_SDL', message));
  }
  const origin = { kind: 'graphql', name: source, fqnPrefix: toFqnPrefix(prefix) } as const;
  return { candidates, problems, origin };
}

function placeOfDirective({ name }: DirectiveDefinitionNode, sdl: string): string {
  const offset = new RegExp(`\\bdirective\\s*@\\s*${name.value}\\b`).exec(sdl)?.index ?? 0;
  const lines = sdl.slice(0, offset).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

/** A type, or a directive. */
interface Described extends Pick<SdlType, 'name' | 'description' | 'place'> {
  readonly kind: SdlType['kind'] | 'directive';
}

function missingTypes(
  type: Described,
  schema: SdlSchema,
  types: ReadonlyMap<string, SdlType>,
): readonly ImportProblem[] {
  const missing = [...schema.typeNames].filter((name) => !types.has(name));
  if (missing.length === 0) return [];
  const message = `${type.name} is imported without a contract because it refers to ${missing.join(', ')}, which the SDL does not define.`;
  return [itemProblem('BROKEN_REFERENCE', message, type.place)];
}

function toCandidate(
  type: Described,
  { schema, direction }: SdlSchema,
  name: Pick<Candidate, 'fqn' | 'ownFqn' | 'identity'>,
): Candidate {
  return {
    ...name,
    resourceType: 'graphql_type',
    metadata: {
      resource_type: 'graphql_type',
      description: type.description,
      tags: [],
      type_name: type.name,
      kind: type.kind,
    },
    consumers: [],
    refs: [],
    terms: { schema, direction, format: 'graphql' },
    label: { kind: 'graphql', type_name: type.name, type_kind: type.kind },
    place: type.place,
  };
}
