// The words of a part of SQL that may be columns. What dbt has not compiled is no statement, so it cannot be
// parsed: a word is left out only where no column can stand.

export interface SqlToken {
  /** As the parser names it. */
  readonly kind: string;
  readonly text: string;
}

interface BranchWords {
  /** Those with a qualifier that is no relation of the SQL may be fields of a column, and stand for themselves. */
  readonly columns: readonly { readonly name: string; readonly of: string | null }[];
  /** Those that it names itself. */
  readonly relations: readonly Path[];
  /** Whether it takes all columns of something. */
  readonly takesAll: boolean;
  /** The relations that a qualifier may stand for; null is a query. In lower case. */
  readonly meanings: ReadonlyMap<string, readonly (Path | null)[]>;
}

type Path = readonly string[];

/** These stand where a template names a relation. */
export const standIns = { relation: '__relation', itself: '__this' };
const isStandIn = (text: string) => Object.values(standIns).includes(text);

/** No columns, unless they are quoted, or stand where only a column can. */
const reserved = new Set(
  [
    'all and any array as asc between both by case cast collate cross current_date current_time',
    'current_timestamp desc distinct div else end escape except exists false for from full group having ilike',
    'in inner intersect interval into is join lateral leading left like limit localtime localtimestamp natural',
    'not null offset on or order outer over partition qualify regexp right rlike select similar some table then',
    'trailing true try_cast union unnest using values when where window with within',
  ].flatMap((line) => line.split(' ')),
);

/** Of these, some dialects have columns. No clause that they begin goes on with such a sign. */
const nameable = new Set(
  'collate div end escape interval leading limit offset over partition similar some table trailing values window within'.split(
    ' ',
  ),
);
const afterNames = new Set(
  [
    'EQ NEQ LT LTE GT GTE PLUS DASH STAR SLASH PERCENT D_PIPE D_COLON COMMA R_PAREN SEMICOLON',
    'IS IN NOT BETWEEN LIKE I_LIKE R_LIKE AND OR ASC DESC',
  ].flatMap((line) => line.split(' ')),
);

function isKeyword(tokens: readonly SqlToken[], at: number): boolean {
  const word = lowerAt(tokens, at);
  if (!reserved.has(word)) return false;
  const mayBeName =
    nameable.has(word) && (word !== 'end' || tokens.every(({ kind }) => kind !== 'CASE'));
  return !mayBeName || !afterNames.has(kindAt(tokens, at + 1));
}

/** What stands between words that may be relations and their other names. */
export function readBranchWords(
  branch: readonly SqlToken[],
  compiled: readonly SqlToken[],
): BranchWords {
  const [own, around] = [relationsOf(branch), relationsOf(compiled)];
  const meanings = new Map<string, (Path | null)[]>();
  const named = [...around.relations, ...own.relations];
  const queries = new Set(named.flatMap((each) => (each.path === null ? lowerOf(each.name) : [])));
  const meaningOf = (path: Path | null) => {
    return path?.length === 1 && queries.has(lowerOf(path[0])) ? null : path;
  };
  for (const { name, path } of named) {
    const known = lowerOf(name);
    meanings.set(known, [...(meanings.get(known) ?? []), meaningOf(path)]);
  }
  const isItself = (name: string) => {
    const paths = meanings.get(lowerOf(name)) ?? [];
    return paths.length > 0 && paths.every((path) => path?.at(-1) === standIns.itself);
  };
  const columns: { name: string; of: string | null }[] = [];
  // A natural join compares columns that nobody names.
  let takesAll = branch.some(
    ({ kind, text }) => kind === 'PARAMETER' || lowerOf(text) === 'natural',
  );
  for (let at = 0; at < branch.length; at += 1) {
    const [first = '', ...rest] = own.taken.has(at) ? [] : pathAt(branch, at);
    if (kindAt(branch, at) === 'STAR' && isAllColumns(branch, at, own.froms)) {
      const qualifier = kindAt(branch, at - 1) === 'DOT' ? textAt(branch, at - 2) : '';
      takesAll ||= !isItself(qualifier);
    }
    if (first === '') continue;
    const end = at + 2 * rest.length;
    const isCalled = kindAt(branch, end + 1) === 'L_PAREN';
    takesAll ||= isCalled && lowerAt(branch, at) === 'columns';
    const isColumn = rest.length > 0 || mayBeColumn(branch, at);
    // A method of a column.
    const names = isCalled ? [first, ...rest].slice(0, -1) : [first, ...rest];
    const isQualified = meanings.has(lowerOf(first));
    if (isColumn && isQualified) {
      // The relation as a row. A column may have the name that the model's own table has there.
      const isAlone = names.length === 1 && kindAt(branch, end + 1) !== 'DOT';
      if (isAlone && isItself(first)) columns.push({ name: first, of: null });
      else if (isAlone) takesAll = true;
      if (names.length > 1) columns.push({ name: names[1] ?? '', of: lowerOf(first) });
    } else if (isColumn) columns.push(...names.map((name) => ({ name, of: null })));
    at = end;
  }
  const relations = own.relations.flatMap((each) => {
    const path = meaningOf(each.path);
    return path === null || isStandIn(path.at(-1) ?? '') ? [] : [path];
  });
  return { columns, relations, takesAll, meanings };
}

/** Whether a word alone may be a column where it stands. */
function mayBeColumn(tokens: readonly SqlToken[], at: number): boolean {
  if (kindAt(tokens, at) === 'QUOTED_IDENTIFIER') return kindAt(tokens, at - 1) !== 'AS';
  const [before, after] = [kindAt(tokens, at - 1), kindAt(tokens, at + 1)];
  // Another name, a type, a unit; and what is written before a literal.
  if (['AS', 'D_COLON', 'STRING', 'NUMBER'].includes(before)) return false;
  if (['STRING', 'NUMBER'].includes(after) || isKeyword(tokens, at)) return false;
  const words = [-2, -1, 0, 1, 2].map((by) => lowerAt(tokens, at + by));
  const [beforeLast, last, word, next] = words;
  const isZone = [0, 1, 2].some((from) => {
    return /^(?:at|with|without) time zone$/.test(words.slice(from, from + 3).join(' '));
  });
  if (isZone || /^(?:double precision|character varying)$/.test(`${last} ${word}`)) return false;
  if (/^nulls (?:first|last)$/.test(`${last} ${word}`)) return false;
  if (/^nulls (?:first|last)$/.test(`${word} ${next}`)) return false;
  if (beforeLast === 'extract' && before === 'L_PAREN' && after === 'FROM') return false;
  return !(beforeLast === 'array' && before === 'LT' && after === 'GT');
}

/** `*` that is no product, counts no rows and does not take the model's own table alone. */
function isAllColumns(
  tokens: readonly SqlToken[],
  at: number,
  froms: ReadonlySet<number>,
): boolean {
  const [before, after] = [kindAt(tokens, at - 1), kindAt(tokens, at + 1)];
  if (before === 'L_PAREN' && lowerAt(tokens, at - 2) === 'count') return false;
  const isBegun = ['SELECT', 'DISTINCT', 'ALL', 'COMMA', 'DOT', 'L_PAREN', ''].includes(before);
  const isEnded = ['FROM', 'COMMA', 'R_PAREN', 'SEMICOLON', 'UNION', ''].includes(after);
  const isChanged = /^(?:except|exclude|replace|rename)$/.test(lowerAt(tokens, at + 1));
  if (!isBegun && !isEnded && !isChanged) return false;
  const sources: string[] = [];
  for (let next = at + 1, depth = 0; next < tokens.length && depth >= 0; next += 1) {
    const kind = kindAt(tokens, next);
    if (kind === 'L_PAREN') depth += 1;
    if (kind === 'R_PAREN') depth -= 1;
    if (depth !== 0) continue;
    if (kind === 'SELECT') break;
    if (froms.has(next)) sources.push(textAt(tokens, next + 1));
    else if (kind === 'COMMA' && sources.length > 0) sources.push('');
  }
  return sources.length === 0 || sources.some((each) => each !== standIns.itself);
}

/** These end the list of what a query reads from. */
const afterSources = new Set(
  'where by having qualify limit offset select union intersect except window prewhere set'.split(
    ' ',
  ),
);

/** The relations of SQL by the names that columns may have before them, and where those stand. */
function relationsOf(tokens: readonly SqlToken[]) {
  const relations: { readonly name: string; readonly path: Path | null }[] = [];
  const [taken, froms] = [new Set<number>(), new Set<number>()];
  const addAlias = (after: number, path: Path | null, isTaken = true) => {
    const at = kindAt(tokens, after) === 'AS' ? after + 1 : after;
    if (!isName(tokens, at) || reserved.has(lowerAt(tokens, at))) return;
    relations.push({ name: textAt(tokens, at), path });
    if (isTaken) taken.add(at);
  };
  // Where a part begins, `from` is that of a query; in parentheses, it may be that of `extract`.
  const bottom = { start: 0, isSource: false, isSelect: true, isFrom: false };
  // What stands after a comma may be a column, too, so it is not taken.
  const commas = new Set<number>();
  const levels = [bottom];
  let lastClosed = 0;
  tokens.forEach(({ kind, text }, at) => {
    const [level = bottom] = levels.slice(-1);
    if (kind === 'L_PAREN') {
      const isSource =
        [froms, commas].some((each) => each.has(at - 1)) || lowerAt(tokens, at - 1) === 'lateral';
      levels.push({ start: at, isSource, isSelect: false, isFrom: false });
    }
    if (kind === 'R_PAREN' && levels.length > 1) {
      levels.pop();
      if (level.isSource) addAlias(at + 1, null);
    }
    // `with q as (`, `with q(a) as materialized (`.
    if (kind === 'AS' && isQueryFrom(tokens, at + 1)) {
      const name = kindAt(tokens, at - 1) === 'R_PAREN' ? lastClosed - 1 : at - 1;
      if (isName(tokens, name)) relations.push({ name: textAt(tokens, name), path: null });
      for (let each = name; each < at; each += 1) taken.add(each);
    }
    if (kind === 'R_PAREN') lastClosed = level.start;
    if (kind === 'SELECT') level.isSelect = true;
    const isFrom = kind === 'FROM' && level.isSelect && kindAt(tokens, at - 1) !== 'DISTINCT';
    if (isFrom) level.isSelect = levels.length === 1;
    if (isFrom || kind === 'JOIN') {
      froms.add(at);
      level.isFrom = true;
    } else if (afterSources.has(lowerOf(text))) level.isFrom = false;
    if (kind === 'COMMA' && level.isFrom) commas.add(at);
    if (!froms.has(at - 1) && !commas.has(at - 1) && !isStandIn(text)) return;
    const path = pathAt(tokens, at);
    const end = at + 2 * (path.length - 1);
    if (path.length === 0 || kindAt(tokens, end + 1) === 'L_PAREN') return;
    const isSource = froms.has(at - 1);
    if (isSource) for (let each = at; each <= end; each += 1) taken.add(each);
    const parts = isSource || !isStandIn(text) ? path.flatMap((part) => part.split('.')) : [text];
    relations.push({ name: parts.at(-1) ?? '', path: parts });
    if (commas.has(at - 1)) addAlias(end + 1, parts, false);
    else if (isSource || path.length === 1) addAlias(end + 1, parts);
  });
  return { relations, taken, froms };
}

function isQueryFrom(tokens: readonly SqlToken[], from: number): boolean {
  const words = [0, 1, 2].map((by) => lowerAt(tokens, from + by)).join(' ');
  return /^(?:not )?(?:materialized )?\( ?/.test(words);
}

/** The names from there on that points join. */
function pathAt(tokens: readonly SqlToken[], from: number): Path {
  const path: string[] = [];
  for (let at = from; isWord(tokens, at); at += 2) {
    path.push(textAt(tokens, at));
    if (kindAt(tokens, at + 1) !== 'DOT') break;
  }
  return path;
}

/** A keyword of the parser may be the name of a column: `date`. */
function isWord(tokens: readonly SqlToken[], at: number): boolean {
  const kind = kindAt(tokens, at);
  return isName(tokens, at) || (/^[A-Za-z_]\w*$/.test(textAt(tokens, at)) && !/STRING/.test(kind));
}

function isName(tokens: readonly SqlToken[], at: number): boolean {
  return ['VAR', 'QUOTED_IDENTIFIER'].includes(kindAt(tokens, at));
}

const kindAt = (tokens: readonly SqlToken[], at: number) => tokens[at]?.kind ?? '';
const textAt = (tokens: readonly SqlToken[], at: number) => tokens[at]?.text ?? '';
const lowerAt = (tokens: readonly SqlToken[], at: number) => lowerOf(textAt(tokens, at));
const lowerOf = (text = '') => text.toLowerCase();
