// What dbt compiles only if a model's table exists already. A fresh target, as continuous integration has it,
// compiles the model without it, so it is read from the template.

import { standIns } from './branch-words.ts';

interface IncrementalBranch {
  /** The SQL of all such branches, without its templates. */
  readonly sql: string;
  /** False if only dbt knows what stands there. */
  readonly isWhole: boolean;
}

interface CompiledModel {
  readonly sql: string;
  /** The model's own table, if the SQL names it. */
  readonly itself: string | null;
}

const tags = /\{%[-+]?\s*(\w+)(.*?)[-+]?%\}/gs;
const expressions = /\{\{(.*?)\}\}/gs;
const conditions = ['if', 'elif'];
const asksForTable = /\bis_incremental\b/g;

/**
 * Null if there is none, or if the code has been compiled with all of them.
 *
 * @example incrementalBranch('… {% if is_incremental() %} where a > 1 {% endif %}', compiled)?.sql // ' where a > 1 '
 */
export function incrementalBranch(
  template: string,
  compiled: CompiledModel,
): IncrementalBranch | null {
  const text = template.replace(/\{#.*?#\}/gs, ' ');
  const asked = [...text.matchAll(tags), ...text.matchAll(expressions)].reduce((all, [part]) => {
    return all + [...part.matchAll(asksForTable)].length;
  }, 0);
  if (asked === 0) return null;
  const open: { readonly start: number; isAsked: boolean }[] = [];
  const branches: string[] = [];
  const outside: string[] = [];
  let answered = 0;
  let end = 0;
  for (const { 0: tag, 1: word = '', 2: rest = '', index } of text.matchAll(tags)) {
    const asks = conditions.includes(word) ? [...rest.matchAll(/\bis_incremental\s*\(/g)] : [];
    if (word === 'if') open.push({ start: index + tag.length, isAsked: asks.length > 0 });
    const [last] = open.slice(-1);
    if (word === 'elif' && last !== undefined) last.isAsked ||= asks.length > 0;
    if (word !== 'endif') {
      answered += asks.length;
      continue;
    }
    const ended = open.pop();
    if (ended?.isAsked !== true) continue;
    branches.push(text.slice(ended.start, index));
    outside.push(text.slice(end, ended.start));
    end = index;
  }
  outside.push(text.slice(end));
  const isOnlyThere = !/\{[{%](?:(?![%}]\}).)*\bthis\b/s.test(outside.join(' '));
  const isSure = answered === asked && open.every(({ isAsked }) => !isAsked);
  if (isSure && isOnlyThere && branches.every((branch) => isCompiled(branch, compiled)))
    return null;
  const read = branches.map(withoutTemplates);
  return {
    sql: read.map(({ sql }) => sql).join('\n'),
    // Else it is kept in a variable, given to a macro, or stands in an expression.
    isWhole: isSure && read.every((each) => each.isWhole),
  };
}

/** Whether the SQL has what a branch writes itself, and names the model's own table where the branch does. */
function isCompiled(branch: string, { sql, itself }: CompiledModel): boolean {
  if (itself === null || /\{%/.test(branch)) return false;
  const plain = (text: string) => text.replace(/\s+/g, ' ').trim().toLowerCase();
  const parts = branch.split(/\{\{(.*?)\}\}/s).map(plain);
  const code = plain(sql);
  let [at, named] = [0, 0];
  for (const [index, part] of parts.entries()) {
    if (index % 2 === 1) continue;
    at = code.indexOf(part, at);
    if (at < 0) return false;
    at += part.length;
    if (parts[index + 1] !== 'this') continue;
    const [name = ''] = /^\s*[^\s();,]+/.exec(code.slice(at)) ?? [];
    if (
      name
        .replace(/["`[\]]/g, '')
        .trim()
        .split('.')
        .at(-1) !== itself.toLowerCase()
    )
      return false;
    named += 1;
  }
  return named > 0;
}

const texts = /'([^'\\]*)'|"([^"\\]*)"/g;
const relation = /^(?:ref|source)\([\w\s=,."]*\)$/;
/** In a text of SQL, these are no columns. */
const valueInText =
  /^(?:(?:env_)?var\([^()]*\)|(?:target|this)(?:\.\w+)?|invocation_id|run_started_at(?:[.\w]|\([^()]*\))*|0)$/;
/** A number, unless the project says otherwise. */
const numberOfProject = /\bvar\(\s*(?:'[^']*'|"[^"]*")\s*,\s*\d+\s*\)/g;

/** The part of a date that these take first is no column. */
const partOfDate = /(\b(?:dateadd|date_trunc)\(\s*(?:datepart\s*=\s*)?)(?:'\w+'|"\w+")/g;

/** Macros of dbt that write only what they are given. */
const macros = [
  ...['any_value', 'bool_or', 'cast', 'cast_bool_to_text', 'concat', 'current_timestamp', 'date'],
  ...['date_part', 'date_trunc', 'dateadd', 'datediff', 'generate_surrogate_key', 'hash'],
  ...['last_day', 'length', 'listagg', 'n_days_ago', 'n_days_away', 'now', 'position', 'replace'],
  ...['right', 'safe_add', 'safe_cast', 'safe_divide', 'safe_subtract', 'split_part'],
  ...['string_literal', 'surrogate_key', 'today', 'tomorrow', 'type_bigint', 'type_boolean'],
  ...['type_float', 'type_int', 'type_numeric', 'type_string', 'type_timestamp', 'yesterday'],
];
const given = String.raw`(?:""|-?\d+(?:\.\d+)?|true|false|none)`;
const argument = String.raw`\s*(?:\w+\s*=\s*)?(?:${given}|\[\s*(?:""\s*,?\s*)*\])\s*`;
const callOfMacro = new RegExp(
  String.raw`\bdbt(?:_utils|_date)?\.(?:${macros.join('|')})\((?:${argument}(?:,${argument})*|\s*)\)`,
  'gi',
);

/** A tag that writes nothing, and of which nothing is read that is not doubted. */
const plainTag =
  /^\{%[-+]?\s*(?:(?:if|elif|else|endif)\b.*|set\s+\w+\s*=\s*(?:'[^'\\]*'|"[^"\\]*")\s*)[-+]?%\}$/s;

/** Comments, texts and names of SQL, and expressions. */
const pieces = /--[^\n]*|\/\*.*?\*\/|'(?:\{\{.*?\}\}|[^'{]|\{(?!\{))*'|"[^"{]*"|\{\{(.*?)\}\}/gs;

function withoutTemplates(branch: string): IncrementalBranch {
  // Only the dialect tells whether a text ends there.
  let isWhole = !/\\'|#[^\n]*'/.test(branch);
  const untagged = branch.replace(tags, (tag) => {
    isWhole &&= plainTag.test(tag);
    return ' ';
  });
  const sql = untagged.replace(pieces, (piece, inside: string | undefined, at: number) => {
    if (inside === undefined && !piece.startsWith("'")) return piece;
    if (inside !== undefined) {
      const written = writtenBy(inside);
      const around = [untagged[at - 1] ?? '', untagged[at + piece.length] ?? ''];
      // It is a part of a name.
      isWhole &&= written !== null && !around.some((each) => /[\w"`$]/.test(each));
      return written ?? ' ';
    }
    for (const [, value = ''] of piece.matchAll(expressions)) {
      isWhole &&= valueInText.test(formOf(value).form);
    }
    return "''";
  });
  return { sql, isWhole };
}

/** What an expression writes; null if only dbt knows it. */
function writtenBy(expression: string): string | null {
  const { form, named } = formOf(expression);
  if (form === 'this') return standIns.itself;
  if (form === 'adapter.quote("")') return `"${named[0]}"`;
  if (relation.test(form)) return standIns.relation;
  return form === '0' || form === '""' ? `(${named.join(', ')})` : null;
}

/** An expression without its texts, and with what it writes of them as a number. */
function formOf(expression: string): { readonly form: string; readonly named: readonly string[] } {
  const named: string[] = [];
  let form = expression
    .replace(/^[-+]|[-+]$/g, '')
    .replace(numberOfProject, '0')
    .replace(partOfDate, (_, call: string) => `${call}0`)
    .replace(texts, (_, single?: string, double?: string) => {
      named.push(single ?? double ?? '');
      return '""';
    })
    .trim();
  for (let last = ''; last !== form; ) {
    last = form;
    form = form.replace(callOfMacro, '0');
  }
  return { form, named };
}
