// What one contract means for one need: whether it gives, or takes, everything that the need says, and
// which fields of the need it does not have.

import type { ContractTerms } from '../comparison.ts';
import { type OpenComparison, openComparisonOf } from '../containment/contains.ts';
import { findLost, findShutOut } from '../diff/kept/lost-paths.ts';
import { findUncovered, type PathFindings } from '../diff/places/declared-paths.ts';
import { openEmptiness } from '../diff/places/emptiness.ts';
import { undecidedPattern } from '../diff/places/key-pattern.ts';
import { type Path, pathBelow, rootPath, stepsBetween } from '../diff/places/path.ts';
import { openPlaces } from '../diff/places/place.ts';
import type { PlaceBook } from '../diff/places/place.types.ts';
import { projectParts, type SchemaPart, saysNothingOf } from '../diff/project.ts';
import type { Need } from '../need.ts';
import { compareSources, type SameSource } from '../same/same-source.ts';
import type { Dialect } from '../schema/dialects.ts';
import { defaultDialect } from '../schema/keywords.ts';
import { parseSchema } from '../schema/parse-schema.ts';
import type { SchemaDocument, SchemaNode } from '../schema/schema.ts';
import { readPlace } from '../schema/value-place.ts';
import { type Json, someObject } from '../value/json.ts';
import { stepText } from '../value/json-path.ts';
import { openDeclared } from './open-declared.ts';

export type ContractSide = Pick<ContractTerms, 'schema' | 'direction' | 'dialect'>;

/** What is wrong with one part of a contract, as far as is known. */
export interface PartReading {
  readonly direction: SchemaPart['direction'];
  /** The member of an operation that it is a part of; absent if it is the whole. */
  readonly member?: string;
  /** A value that the one side writes and the other refuses, by this schema. */
  readonly refused: { readonly value: Json; readonly by: SchemaNode } | null;
  /** Fields of the need that the contract does not have. */
  readonly lost: PathFindings['paths'];
  /** Why there is no proof; null if the answer is known. */
  readonly undecided: string | null;
}

interface NeedReading {
  readonly parts: readonly PartReading[];
  /** Whether the need says what it sends in a part of an operation. */
  readonly saysSent: (part: Pick<SchemaPart, 'path'>) => boolean;
}

interface ReadOptions {
  readonly stepBudget?: number;
  /** Whether it is known that the contract forbids no field that it names. */
  readonly forbidsNothing?: boolean;
}

interface Asking {
  readonly forbidsNothing: boolean;
  readonly session: OpenComparison;
  readonly needBook: PlaceBook;
  readonly contractBook: PlaceBook;
  readonly isSame: SameSource;
}

/**
 * Whether two parts say the same. The session takes marks of OpenAPI for annotations, but they decide what is sent.
 */
export function samenessOf(
  session: OpenComparison,
  oldBook: PlaceBook,
  nextBook: PlaceBook,
): SameSource {
  const documents = [oldBook.document, nextBook.document] as const;
  const hasMarks = documents.some(({ json }) =>
    someObject(json, ({ readOnly, writeOnly }) => readOnly === true || writeOnly === true),
  );
  return hasMarks ? compareSources(...documents) : session.isSame;
}

/** @example readContract(need, contract, {}).parts.every(({ refused }) => refused === null) */
export function readContract(
  need: Need,
  contract: ContractSide,
  { forbidsNothing = false, ...options }: ReadOptions,
  parse: ParseContract = parseContract(contract),
): NeedReading {
  const session = openComparisonOf(
    parseSchema(need.schema, need.dialect),
    parse(need.dialect),
    options,
  );
  const needBook = openPlaces(session.old, 'old');
  // The session reads both documents in the dialect of the need.
  const contractBook = openPlaces(parse(contract.dialect ?? defaultDialect), 'new');
  const isSame = samenessOf(session, needBook, contractBook);
  const asking: Asking = { forbidsNothing, session, needBook, contractBook, isSame };
  const isOperation = contract.direction === 'operation';
  const isDeclared = openDeclared(session.old.root);
  const declares = (names: readonly string[]) =>
    isDeclared(names.reduce((path, name) => pathBelow(path, ['properties', name]), rootPath));
  const saysSent: NeedReading['saysSent'] = ({ path = ['request'] }) =>
    !isOperation || (declares(['request']) && declares(path));
  const isSaid = (part: SchemaPart) => {
    const { direction, member = 'response' } = part;
    if (direction === 'request') return saysSent(part);
    if (direction === 'data' || !isOperation) return true;
    return ['response', member].some((name) => !saysNothingOf(needBook, name));
  };
  const parts = projectParts(needBook, contractBook, contract.direction, isSame).filter(isSaid);
  const readings = parts.flatMap((part) => (part.open === undefined ? part : [part, part.open]));
  return {
    parts: readings.map((part) => readPart(asking, part, isOperation)),
    saysSent,
  };
}

export type ParseContract = (dialect: Dialect) => SchemaDocument;

/** Parses a contract once for each dialect, for all needs that are asked about it. */
export function parseContract({ schema }: ContractSide): ParseContract {
  const parsed = new Map<Dialect, SchemaDocument>();
  return (dialect) => {
    const document = parsed.get(dialect) ?? parseSchema(schema, dialect);
    parsed.set(dialect, document);
    return document;
  };
}

/** The need is `old` in a part, and the contract is `next`. */
function readPart(asking: Asking, part: SchemaPart, isOperation: boolean): PartReading {
  const { session, needBook, contractBook, isSame } = asking;
  const { direction } = part;
  const isSent = direction === 'request';
  const [left, right] = isSent ? [part.old, part.next] : [part.next, part.old];
  const answer = session.contains(left, right, { closed: true });
  const toEmptiness = openEmptiness(session, contractBook);
  const sides = {
    from: { root: part.old, isNever: openEmptiness(session, needBook).ofNode },
    to: { root: part.next, isNever: toEmptiness.ofNode },
    isSameSource: isSame,
  };
  const found = isSent
    ? findLost({
        ...{ ...sides, session, toEmptiness, fromBook: needBook, toBook: contractBook },
        ...{ keepsValues: true, mayLoseNames: true, isRefused: answer.verdict === 'no' },
      })
    : asking.forbidsNothing
      ? findUncovered(sides)
      : findMissing({ ...sides, session, toEmptiness, toBook: contractBook });
  const isIdle = isSent && !hasValue(asking, part.old, isOperation);
  return {
    direction,
    ...(part.member !== undefined && { member: part.member }),
    refused: answer.verdict === 'no' ? { value: answer.witness, by: right } : null,
    lost: found.paths,
    undecided:
      (answer.verdict === 'undecided' ? reasonAt(answer) : null) ??
      (found.undecided === null ? null : reasonAt(found.undecided)) ??
      (isIdle ? 'No value of the need is known, so nothing is known about what is sent.' : null) ??
      patternLeftOpen([needBook.document, contractBook.document]),
  };
}

/** A field that the contract does not name, or that something around its name forbids. */
function findMissing(sides: Parameters<typeof findShutOut>[0]): PathFindings {
  const [unnamed, shutOut] = [findUncovered(sides), findShutOut(sides)];
  return {
    ...unnamed,
    paths: [...unnamed.paths, ...shutOut.paths],
    undecided: unnamed.undecided ?? shutOut.undecided,
  };
}

/** Whether the consumer is shown to send something: of no values, everything is true. */
function hasValue({ session, needBook }: Asking, root: SchemaNode, isOperation: boolean): boolean {
  const nothing = needBook.madeNode(root, { isFalse: true });
  const present = isOperation
    ? needBook.madeNode(root, { allOf: [root], required: ['request'] })
    : root;
  return session.contains(present, nothing, { closed: true }).verdict === 'no';
}

function reasonAt({ place, reason }: { readonly place: string; readonly reason: string }): string {
  return `\`${place}\`: ${reason}`;
}

export function patternLeftOpen(documents: readonly SchemaDocument[]): string | null {
  const pattern = documents.map(undecidedPattern).find((each) => each !== undefined);
  if (pattern === undefined) return null;
  return `It takes too long to match the pattern ${JSON.stringify(pattern)} with a name.`;
}

/**
 * The place in values of a place in a schema.
 *
 * @example fieldOf(path) // '$.lines[*].sku' for '$.properties.lines.items.properties.sku'
 */
export function fieldOf(path: Path): string {
  const { steps } = readPlace(stepsBetween(rootPath, path) ?? []);
  const texts = steps.map(({ keyword, kind, argument }) => {
    if (kind === 'named') return argument === undefined ? '' : stepText(argument);
    if (!kind.startsWith('any')) return '';
    return keyword === 'items' ? '[*]' : '.*';
  });
  return `$${texts.join('')}`;
}
