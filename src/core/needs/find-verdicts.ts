// The verdict of one change for each of its consumers. docs/decisions/needs.md says what is asked.

import type { Comparison, ContractTerms } from '../comparison.ts';
import { openComparisonOf } from '../containment/contains.ts';
import { compare } from '../diff/compare.ts';
import { findLost, noLoss } from '../diff/kept/lost-paths.ts';
import { findForbidden } from '../diff/kept/variants.ts';
import { type OpenSides, openSides } from '../diff/open-sides.ts';
import { cutShort, type DeclaredPath, type PathFindings } from '../diff/places/declared-paths.ts';
import { pathBelow, rootPath, stepsBetween } from '../diff/places/path.ts';
import { projectParts, type SchemaPart } from '../diff/project.ts';
import { asRead, otherReadings } from '../diff/rewrite/readings.ts';
import { openTools } from '../diff/sharing.ts';
import { walkPlaces } from '../diff/walk/walk.ts';
import {
  type ConsumerVerdict,
  type FoundFields,
  type Need,
  readsNothing,
  verdictWithoutNeed,
} from '../need.ts';
import { defaultDialect } from '../schema/keywords.ts';
import { parseSchema } from '../schema/parse-schema.ts';
import type { SchemaDocument } from '../schema/schema.ts';
import { isJsonObject, type Json, type JsonObject, someObject } from '../value/json.ts';
import { stepText } from '../value/json-path.ts';
import { withStorableWitness } from '../value/storable.ts';
import { listFields } from './list-fields.ts';
import { digestText, findUnmet, makeNeed, needOfFound, needOfLater } from './make-need.ts';
import { openMayOpen } from './may-open.ts';
import { openDeclared } from './open-declared.ts';
import {
  findOtherStatus,
  listOtherAnswers,
  type OtherAnswer,
  type Placed,
} from './other-statuses.ts';
import {
  fieldOf,
  type PartReading,
  parseContract,
  patternLeftOpen,
  readContract,
  samenessOf,
} from './read-contract.ts';
import { refusedPlace } from './refused-place.ts';
import { sayOfFields } from './say-of-fields.ts';

interface ChangeToAsk {
  readonly old: ContractTerms;
  readonly next: ContractTerms;
  readonly comparison: Pick<Comparison, 'changes' | 'isBreaking' | 'breaksBackward'>;
  /** The comparison was of other terms: both sides were first brought into one form. */
  readonly isAligned?: boolean;
}

interface VerdictOptions {
  readonly stepBudget?: number;
}

/**
 * One verdict for each need, in their order; null is a consumer without a need. Equal needs are asked
 * once, and each has a step budget of its own.
 *
 * @example findVerdicts({ old, next, comparison }, [need, null]) // [{ verdict: 'unaffected' }, ...]
 */
export function findVerdicts(
  change: ChangeToAsk,
  needs: readonly (Need | FoundFields | null)[],
  options: VerdictOptions = {},
): readonly ConsumerVerdict[] {
  const known = new Map<string, ConsumerVerdict>();
  const asking = openAsking(change, options);
  const findOne = (need: Need): ConsumerVerdict => {
    const later = needOfLater(need, change.old);
    const asked = later === null ? [need] : [need, later];
    const worst = worstOf(
      asked.map((each) => once(known, digestText(each), () => verdictOfReadings(asking, each))),
    );
    return withStorableWitness(worst);
  };
  const find = (stated: Need | FoundFields | null): ConsumerVerdict => {
    if (stated === null) return verdictWithoutNeed(change.comparison);
    if ('stated' in stated) return findOne(stated);
    const need = needOfFound(stated, change.old);
    if (need !== null && stated.fields !== null) return findOne(need);
    return worstOf([verdictWithoutNeed(change.comparison), verdictOfAll(need && findOne(need))]);
  };
  // Most equal needs have the same text, and comparing texts is faster than making a key for each need.
  const ofText = new Map<string, ConsumerVerdict>();
  return needs.map((stated) => once(ofText, JSON.stringify(stated), () => find(stated)));
}

/** Of a consumer that was found to read everything, or of which it is not known what it reads. */
function verdictOfAll(found: ConsumerVerdict | null): ConsumerVerdict {
  if (found?.verdict === 'unaffected') return found;
  return mayBreak('The consumer may read everything, and not all of it stays as it was.');
}

function once<T>(known: Map<string, T>, key: string, find: () => T): T {
  const value = known.get(key) ?? find();
  known.set(key, value);
  return value;
}

interface Asking extends ChangeToAsk {
  readonly options: VerdictOptions;
  readonly parse: ReturnType<typeof parseContract>;
  readonly parseOld: ReturnType<typeof parseContract>;
  /**
   * The names in the old version; empty if it has schemas for any other name. What it named, and the new one
   * forbids, is among the losses.
   */
  readonly namedBefore: ReadonlySet<string>;
  /** Found once, for all needs that ask for it. */
  losses: Losses | null;
  /** Likewise. */
  otherAnswers: readonly OtherAnswer[] | null | undefined;
  /** The changes of other answers, by what they were. */
  readonly placed: Map<Placed, Asking>;
}

function openAsking(change: ChangeToAsk, options: VerdictOptions): Asking {
  const parse = parseContract(change.next);
  const parseOld = parseContract(change.old);
  const { schema } = change.old;
  const namedBefore: ReadonlySet<string> = isOpen(schema) ? new Set() : namesIn(schema);
  return {
    ...change,
    options,
    parse,
    parseOld,
    namedBefore,
    losses: null,
    otherAnswers: undefined,
    placed: new Map(),
  };
}

function isOpen(schema: Json): boolean {
  return someObject(schema, (each) =>
    openKeywords.some((name) => isJsonObject(each[name] ?? null)),
  );
}

const unaffected: ConsumerVerdict = { verdict: 'unaffected' };

function mayBreak(reason: string): ConsumerVerdict {
  return { verdict: 'may_break', reason };
}

/** Validators read some schemas otherwise. */
function verdictOfReadings(asking: Asking, need: Need): ConsumerVerdict {
  const found = verdictOf(asking, need);
  if (found.verdict !== 'unaffected') return found;
  const { old, next } = asking;
  const doubted = otherReadings.find((reading) => {
    const read = { old: asRead(reading, old), next: asRead(reading, next) };
    const needed = asRead(reading, need);
    if (read.old === old && read.next === next && needed === need) return false;
    const other = openAsking({ ...asking, ...read }, asking.options);
    // The schema of fields has no keywords that are read otherwise.
    const made = 'fields' in need.stated ? makeNeed(need.stated, read.old) : null;
    const ofFields = made?.ok ? [made.need] : [];
    // A need that refuses some of the old values refuses them after any change, so its fields are asked in its place.
    const isRefusing = reading.isWider && findUnmet(needed, read.old, asking.options) !== null;
    const asked = !isRefusing
      ? [needed, ...ofFields]
      : made === null
        ? [needOfFields(needed, read.old)]
        : ofFields;
    return asked.some((each) => verdictOf(other, each).verdict !== 'unaffected');
  });
  return doubted === undefined
    ? found
    : mayBreak(`It is not known which values there are: ${doubted.doubt}.`);
}

/** All that the contract says of the fields that the need describes. */
function needOfFields(need: Need, contract: ContractTerms): Need {
  const { fields, isCut } = listFields(
    { ...contract, schema: need.schema, dialect: need.dialect },
    [],
  );
  const paths = fields.map(({ path }) => path);
  // If parts of a field are described, only they are read.
  const parts = paths.filter(
    (path) => !paths.some((each) => each.startsWith(`${path}.`) || each.startsWith(`${path}[`)),
  );
  const { guarantees } = need.stated;
  const whole = isCut || parts.length === 0 || isOpen(need.schema) ? ['$'] : parts;
  const stated = { fields: whole, ...(guarantees !== undefined && { guarantees }) };
  const made = makeNeed(stated, contract);
  return made.ok ? made.need : need;
}

/** The first that is no doubt; a break before a doubt. */
function verdictOf(asking: Asking, need: Need): ConsumerVerdict {
  const found = [
    guaranteeVerdict(asking, need),
    ...schemaVerdicts(asking, need),
    sayingVerdict(asking, need),
    formVerdict(asking, need),
    wordsVerdict(asking, need),
    openedVerdict(asking, need),
  ];
  return worstOf(found);
}

function worstOf(found: readonly ConsumerVerdict[]): ConsumerVerdict {
  return (
    found.find(({ verdict }) => verdict === 'breaks') ??
    found.find(({ verdict }) => verdict === 'may_break') ??
    unaffected
  );
}

const guaranteesRoot = '$.guarantees.';

function guaranteeVerdict({ comparison }: Asking, need: Need): ConsumerVerdict {
  const { guarantees = readsNothing(need) ? [] : null } = need.stated;
  const broken = comparison.changes.find(
    ({ path, breaking }) =>
      breaking &&
      path.startsWith(guaranteesRoot) &&
      (guarantees === null || guarantees.some((name) => isOfGuarantee(path, name))),
  );
  return broken === undefined ? unaffected : { verdict: 'breaks', path: broken.path };
}

/**
 * Whether a change is that of a guarantee, of a part of it, or of all that it is a part of. The parts of
 * `freshness` are one promise: the minutes mean nothing without the column that they are measured by.
 */
function isOfGuarantee(path: string, name: string): boolean {
  const changed = `${path.slice(guaranteesRoot.length)}.`;
  const relied = name.startsWith('freshness.') ? 'freshness.' : `${name}.`;
  return changed.startsWith(relied) || relied.startsWith(changed);
}

/** What the need was stated of has another form now, so its values say little. */
function formVerdict({ old, next, comparison, isAligned }: Asking, need: Need): ConsumerVerdict {
  const isOtherForm =
    old.direction !== next.direction || (isAligned === true && comparison.breaksBackward);
  if (readsNothing(need) || !isOtherForm) return unaffected;
  return mayBreak('The contract breaks, and it also has another form than before.');
}

/** A break that no value shows, such as another discriminator: readers of any part may rely on it. */
function wordsVerdict({ comparison }: Asking, need: Need): ConsumerVerdict {
  const broken = comparison.changes.find(
    ({ type, breaking, witness }) => breaking && type === 'schema_changed' && witness === undefined,
  );
  if (broken === undefined || readsNothing(need)) return unaffected;
  return mayBreak(broken.description);
}

/**
 * A break that lets a later version write what the need refuses, without asking again: no value that the new version
 * names shows it.
 */
function openedVerdict(
  { old, next, comparison, options, ...asking }: Asking,
  need: Need,
): ConsumerVerdict {
  if (!someObject(need.schema, mayForbid) || old.direction === 'request') return unaffected;
  const takes = (document: SchemaDocument, value: Json) => {
    const session = openComparisonOf(
      parseSchema({ enum: [value] }, need.dialect),
      document,
      options,
    );
    return session.contains(session.old.root, session.next.root).verdict === 'yes';
  };
  const wasOf = asking.parseOld(old.dialect ?? defaultDialect);
  const needed = parseSchema(need.schema, need.dialect);
  const mayOpen = openMayOpen(asking.parse(next.dialect ?? defaultDialect));
  const opened = comparison.changes.find(
    (change) =>
      change.breaking &&
      (mayOpen(change) ||
        (change.witness !== undefined &&
          !takes(wasOf, change.witness) &&
          !takes(needed, change.witness))),
  );
  if (opened === undefined) return unaffected;
  return mayBreak(
    `The consumer reads no field that it does not name, and a later version may write one: ${opened.description}`,
  );
}

/** Whether it may refuse a field that it does not name. */
function mayForbid(schema: JsonObject): boolean {
  return Object.entries(schema).some(
    ([name, value]) =>
      value === false ||
      forbiddingKeywords.has(name) ||
      ((name === 'const' || name === 'enum') && /[{]|^\[\]$/.test(JSON.stringify(value))),
  );
}

const forbiddingKeywords = new Set([
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'patternProperties'],
  ...['maxProperties', 'not', 'oneOf', 'if'],
  ...['dependentRequired', 'dependentSchemas', 'dependencies'],
]);

function schemaVerdicts(asking: Asking, need: Need): readonly ConsumerVerdict[] {
  const { old, next, options, parse } = asking;
  if (readsNothing(need) || old.direction !== next.direction) return [];
  const forbidsNothing = namesIn(need.schema).isSubsetOf(asking.namedBefore);
  const reading = readContract(need, next, { ...options, forbidsNothing }, parse);
  const was = reading.parts.some(({ lost }) => lost.length > 0)
    ? readContract(need, old, options).parts
    : [];
  return [
    ...reading.parts.map((part) =>
      partVerdict(
        part,
        was.find(({ direction }) => direction === part.direction),
      ),
    ),
    keptVerdict(asking, need),
    statusVerdict(asking, need),
    sentVerdict(asking, reading.saysSent),
  ];
}

/** What the contract says of the stated fields, where their schema does not have all of it. */
function sayingVerdict({ old, next, parse, parseOld }: Asking, need: Need): ConsumerVerdict {
  const { stated } = need;
  if (!('fields' in stated) || readsNothing(need)) return unaffected;
  const say = (terms: ContractTerms, parseTerms: typeof parse) =>
    sayOfFields(parseTerms(terms.dialect ?? defaultDialect), terms.direction, stated.fields);
  const said = say(old, parseOld);
  if (said?.isExact === true) return unaffected;
  if (said !== null && said.text === say(next, parse)?.text) return unaffected;
  return mayBreak('What the contract says of the fields in some of its values has changed.');
}

function partVerdict(part: PartReading, was: PartReading | undefined): ConsumerVerdict {
  if (part.refused !== null) {
    const { value: witness, by } = part.refused;
    const path = refusedPlace(by, witness);
    return { verdict: 'breaks', ...(path !== null && { path }), witness };
  }
  // Whether all values have it is asked only where names leave a doubt, so it shows no break here.
  const broken = part.lost.find((lost) => isNamedLoss(lost) && !isDoubtful(was, lost));
  if (broken !== undefined) return brokenAt(broken);
  const [doubtful] = part.lost;
  if (doubtful !== undefined) {
    return mayBreak(
      `\`${fieldOf(doubtful.path)}\` may be missing, or was not there before either.`,
    );
  }
  return part.undecided === null ? unaffected : mayBreak(part.undecided);
}

function brokenAt({ path, undescribedIn }: DeclaredPath): ConsumerVerdict {
  return {
    verdict: 'breaks',
    path: fieldOf(path),
    ...(undescribedIn !== undefined && { witness: undescribedIn }),
  };
}

/**
 * Whether the old version did not have it either, in some values or in all, or this is not known. A
 * need that the old version met has no such field.
 */
function isDoubtful(was: PartReading | undefined, lost: DeclaredPath): boolean {
  if (was === undefined) return false;
  return was.undecided !== null || was.lost.some((each) => isBelow(each, lost));
}

function isNamedLoss({ undescribedIn, isShutOut }: DeclaredPath): boolean {
  return undescribedIn === undefined && isShutOut === undefined;
}

function isBelow(above: DeclaredPath, lost: DeclaredPath): boolean {
  return stepsBetween(above.path, lost.path) !== null;
}

/** A part of what consumers send that the new version may refuse or ignore, and why. */
interface SentPart extends Pick<SchemaPart, 'path'> {
  readonly reason: string;
}

/** What consumers may have lost between the two versions. */
interface Losses {
  /** Fields that the schema still names, and that some values no longer have. */
  readonly paths: readonly DeclaredPath[];
  /** Fields of the response that one status of success loses, and another one may keep. */
  readonly ofStatuses: readonly DeclaredPath[];
  readonly undecided: string | null;
  readonly sent: readonly SentPart[];
}

function lossesOf(asking: Asking): Losses {
  // The comparison asked for them already where nothing breaks under backward.
  asking.losses ??= asking.comparison.breaksBackward ? findLosses(asking) : noLosses;
  return asking.losses;
}

const noLosses: Losses = { paths: [], ofStatuses: [], undecided: null, sent: [] };

function findLosses({ old, next, options }: Asking): Losses {
  const sides = openSides(old, next, options);
  const { session, oldBook, nextBook, emptiness } = sides;
  const isSame = samenessOf(session, oldBook, nextBook);
  const forbiddenIn = openForbidden(sides);
  const paths: DeclaredPath[] = [];
  const ofStatuses: DeclaredPath[] = [];
  let undecided: string | null = null;
  const sent: SentPart[] = [];
  const lossOf = (part: SchemaPart, keepsValues: boolean) =>
    findLost({
      ...{ session, fromBook: oldBook, toBook: nextBook, toEmptiness: emptiness.next },
      ...{ keepsValues, mayLoseNames: true, isRefused: false, isSameSource: isSame },
      isEachAsked: true,
      from: { root: part.old, isNever: emptiness.old.ofNode },
      to: { root: part.next, isNever: emptiness.next.ofNode },
    });
  for (const part of projectParts(oldBook, nextBook, old.direction, isSame)) {
    const isRequest = part.direction === 'request';
    const lost = lossOf(part, isRequest);
    if (isRequest) {
      const answer = session.contains(part.old, part.next, { closed: true });
      const isWhole = lost.paths.length === 0 && lost.undecided === null;
      if (answer.verdict === 'yes' && (part.mayLosePaths === true || isWhole)) continue;
      const { path = ['request'] } = part;
      const place = `$${path.map(stepText).join('')}`;
      const reason = `\`${place}\` changed, and the consumer has not said what it sends.`;
      sent.push({ path, reason });
      continue;
    }
    const forbidden = forbiddenIn(part);
    paths.push(...lost.paths.filter((each) => !isNamedLoss(each)), ...forbidden.paths);
    ofStatuses.push(...[...lost.paths, ...forbidden.paths].flatMap(inResponse));
    undecided ??= lost.undecided?.reason ?? forbidden.undecided?.reason ?? null;
  }
  undecided ??= patternLeftOpen([oldBook.document, nextBook.document]);
  if (undecided !== null) sent.push({ reason: undecided });
  return { paths, ofStatuses, undecided, sent };
}

/** The property of an operation. */
const response = pathBelow(rootPath, ['properties', 'response']);

function statusVerdict(asking: Asking, need: Need): ConsumerVerdict {
  const { old, comparison } = asking;
  if (old.direction !== 'operation' || !comparison.breaksBackward) return unaffected;
  const names = namesIn(need.schema);
  const { root } = parseSchema(need.schema, need.dialect);
  const mayRead = openKeywords.some((name) => names.has(name)) || openDeclared(root)(response);
  if (!mayRead) return unaffected;
  if (asking.otherAnswers === undefined) asking.otherAnswers = listOtherAnswers(asking);
  if (asking.otherAnswers === null) {
    return mayBreak('It is not known which answers the contract describes for other statuses.');
  }
  const isUnaffected = (read: Need, was: Placed, is: Placed) => {
    const placed = asking.placed.get(was) ?? openPlaced(was, is, asking.options);
    asking.placed.set(was, placed);
    return verdictOf(placed, read).verdict === 'unaffected';
  };
  const status = findOtherStatus(need, asking.otherAnswers, asking.options, isUnaffected);
  if (status === null) return unaffected;
  return mayBreak(`The answers with status ${status} may no longer be what the consumer reads.`);
}

/** The same change with another answer in place of the response, of which no other statuses are asked. */
function openPlaced(was: Placed, is: Placed, options: VerdictOptions): Asking {
  const [old, next] = [was.terms, is.terms];
  const asking = openAsking({ old, next, comparison: compare(old, next, options) }, options);
  return { ...asking, otherAnswers: [] };
}

/** The response of an operation is that of any status of success, whichever of them has the field. */
function inResponse({ path, key }: DeclaredPath): readonly DeclaredPath[] {
  const [, member, , status, , _type, ...rest] = stepsBetween(rootPath, path) ?? [];
  const isOfSuccess = member === 'responses' && String(status).startsWith('2');
  if (!isOfSuccess || rest.length === 0) return [];
  return [{ path: pathBelow(rootPath, ['properties', 'response', ...rest]), key }];
}

/**
 * What a variant of a union forbids that it had, such as a strict variant that loses a field. Another
 * variant may describe the field, so names do not show it; and the new version refuses the values that had
 * it, so they do not show it either. Variants are matched by likeness, so the loss is not certain.
 */
function openForbidden(sides: OpenSides): (part: SchemaPart) => PathFindings {
  const { session, oldBook, nextBook, emptiness } = sides;
  const hasUnion = [oldBook, nextBook].every(({ document }) =>
    /"(?:anyOf|oneOf)"/.test(JSON.stringify(document.json)),
  );
  if (!hasUnion) return () => noLoss;
  const tools = openTools(sides);
  return (part) => {
    const roots = [oldBook.placeOf([part.old]), nextBook.placeOf([part.next])] as const;
    const { candidates, isCutShort } = walkPlaces(...roots, { ...tools, emptiness });
    const found = findForbidden({
      ...{ session, isSameSource: tools.isSameSource, candidates, isOldLosing: true },
      ...{ fromBook: oldBook, toBook: nextBook, toEmptiness: emptiness.next },
      from: { root: part.old, isNever: emptiness.old.ofNode },
      to: { root: part.next, isNever: emptiness.next.ofNode },
    });
    return {
      ...found,
      paths: found.paths.map((each) => ({ ...each, isUnsure: true })),
      undecided: found.undecided ?? (isCutShort ? cutShort : null),
    };
  };
}

/** What a need does not say of what it sends is taken to be what the old version took. */
function sentVerdict(
  asking: Asking,
  saysSent: (part: Pick<SchemaPart, 'path'>) => boolean,
): ConsumerVerdict {
  const unsaid = lossesOf(asking).sent.find((part) => !saysSent(part));
  return unsaid === undefined ? unaffected : mayBreak(unsaid.reason);
}

/** Names say nothing about values: a field may be named, and kept out. */
function keptVerdict(asking: Asking, need: Need): ConsumerVerdict {
  if (asking.old.direction === 'request') return unaffected;
  const { paths, ofStatuses, undecided } = lossesOf(asking);
  if (paths.length + ofStatuses.length === 0 && undecided === null) return unaffected;
  const names = namesIn(need.schema);
  const { root } = parseSchema(need.schema, need.dialect);
  const declares = openDeclared(root);
  const exact = paths.find(({ path, isUnsure }) => isUnsure !== true && declares(path));
  if (exact !== undefined) return brokenAt(exact);
  const readsOthers = openKeywords.some((name) => names.has(name));
  const other =
    ofStatuses.find(({ path, key }) => key === null || readsOthers || declares(path)) ??
    paths.find(({ key }) => key === null || readsOthers || names.has(key));
  if (other !== undefined) {
    return mayBreak(`\`${fieldOf(other.path)}\` may no longer be in all values that had it.`);
  }
  return undecided === null || names.size === 0 ? unaffected : mayBreak(undecided);
}

const openKeywords = ['patternProperties', 'additionalProperties', 'unevaluatedProperties'];

/** Every key of every object: some of them are names of properties, and the others do no harm. */
function namesIn(schema: Json): ReadonlySet<string> {
  const names = new Set<string>();
  const waiting: Json[] = [schema];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (Array.isArray(value)) waiting.push(...value);
    if (!isJsonObject(value)) continue;
    for (const key of Object.keys(value)) {
      names.add(key);
      waiting.push(value[key] ?? null);
    }
  }
  return names;
}
