// From a contract and the columns of a table to the questions that a source is asked: one pass that
// counts, and the values that the validator has to see itself.

import type { ContractTerms } from '../../comparison.ts';
import { parseSchema } from '../../schema/parse-schema.ts';
import type { SchemaNode } from '../../schema/schema.ts';
import { isJsonObject, type Json } from '../../value/json.ts';
import { stepText } from '../../value/json-path.ts';
import { mayHoldPersonal } from '../personal.ts';
import { certainCells } from './certain-cells.ts';
import { type CompiledColumn, compileColumn } from './compile-column.ts';
import { type Condition, not, textOf } from './condition.ts';
import type { SqlDialect } from './dialect.ts';
import type { SourceColumn } from './source-column.ts';

export interface PlannedRule {
  /** Stable, so that runs can be compared: `$.total minimum`, or the name of a guarantee. */
  readonly name: string;
  readonly message: string;
  /** The column that it is about; null if the table has none, or if it is about the whole table. */
  readonly column: string | null;
  /** Which rows fail, in SQL; `true`: all of them. */
  readonly failing: string | true;
  /** Whether the column has a type of which the contract accepts no value. */
  readonly isOfOtherType?: true;
}

export interface CheckPlan {
  readonly rules: readonly PlannedRule[];
  /** What the contract describes and does not require, and the table has not. */
  readonly absent: readonly string[];
  /** Whether the table has any column that the contract describes. */
  readonly isRelated: boolean;
  /** Columns whose values the validator has to see. */
  readonly streamed: readonly StreamedColumn[];
  /** Whether the validator has to see whole rows, because the schema relates columns to each other. */
  readonly needsRows: boolean;
  /** Columns that are personal data or contain some. Their whole values are never shown. */
  readonly partlyPersonal: ReadonlySet<string>;
  /** Columns that the contract names. */
  readonly described: ReadonlySet<string>;
  /** The schema of a row. */
  readonly root: SchemaNode;
}

interface StreamedColumn {
  readonly column: SourceColumn;
  readonly demands: readonly ColumnDemand[];
  /** Which values need not be seen, in SQL, because they are certainly valid; null if all have to be. */
  readonly certain: string | null;
}

interface Planning {
  readonly columns: readonly SourceColumn[];
  readonly dialect: SqlDialect;
}

interface CheckedContract extends Pick<ContractTerms, 'schema' | 'dialect' | 'guarantees'> {
  /** Of an operation, what the rows are. */
  readonly part?: string;
}

/** @example planCheck({ schema: { properties: { a: { minimum: 0 } } }, ... }, columns, dialect).rules */
export function planCheck(contract: CheckedContract, planning: Planning): CheckPlan {
  const root = rowSchemaOf(contract);
  const tables = tablesOf(root, 0);
  const guaranteed = planGuarantees(contract.guarantees, planning);
  const names = planning.columns.map(({ name }) => name);
  const partlyPersonal = new Set(names.filter((name) => mayHoldPersonal({ root, steps: [name] })));
  const described = describedBy(tables ?? [root], planning);
  if (tables === null) {
    return {
      rules: [],
      ...described,
      streamed: [],
      needsRows: true,
      partlyPersonal,
      root,
    };
  }
  const ofTable = tables.flatMap((table) => tableRules(table, planning));
  const planned = planning.columns.map((column) =>
    planColumn(column, demandsOn(column.name, tables, contract.guarantees), planning),
  );
  return {
    rules: [...ofTable, ...planned.flatMap(({ rules }) => rules), ...guaranteed],
    ...described,
    streamed: planned.flatMap(({ streamed }) => (streamed === null ? [] : [streamed])),
    needsRows: false,
    partlyPersonal,
    root,
  };
}

function describedBy(tables: readonly SchemaNode[], { columns }: Planning) {
  const names = new Set(columns.map(({ name }) => name));
  const required = new Set(tables.flatMap(({ keywords }) => keywords.required ?? []));
  const described = new Set(
    tables.flatMap(({ keywords }) => [...(keywords.properties?.keys() ?? [])]),
  );
  return {
    described,
    absent: [...described].filter((name) => !names.has(name) && !required.has(name)),
    isRelated: described.size === 0 || [...described].some((name) => names.has(name)),
  };
}

const maxDepth = 60;

/**
 * The schemas that describe rows column by column; null if one relates columns to each other, or to
 * their number.
 */
function tablesOf(node: SchemaNode, depth: number): readonly SchemaNode[] | null {
  const { keywords } = node;
  const isPlain = Object.entries(keywords).every(
    ([name, value]) => tableKeywords.has(name) || value === undefined,
  );
  if (!isPlain || depth > maxDepth) return null;
  const inner = [keywords.ref, ...(keywords.allOf ?? [])].map((each) =>
    each === undefined ? [] : tablesOf(each, depth + 1),
  );
  return inner.includes(null) ? null : [node, ...inner.flatMap((each) => each ?? [])];
}

const tableKeywords: ReadonlySet<string> = new Set([
  ...['types', 'properties', 'required', 'additionalProperties', 'ref', 'allOf', 'isIdle'],
]);

/** What is known of every row at once. */
function tableRules({ keywords }: SchemaNode, { columns }: Planning): readonly PlannedRule[] {
  const { types, required = [], properties, additionalProperties } = keywords;
  const names = new Set(columns.map(({ name }) => name));
  const all = (path: string, rule: string, message: string): PlannedRule => ({
    ...{ name: `${path} ${rule}`, message, column: null, failing: true },
  });
  return [
    ...(types === undefined || types.includes('object')
      ? []
      : [all('$', 'type', 'describes something other than rows')]),
    ...required
      .filter((name) => !names.has(name))
      .map((name) =>
        all(pathOf(name), 'required', 'is required, but the table has no such column'),
      ),
    ...columns
      .filter(({ name }) => required.includes(name))
      .flatMap(({ name, missing }): readonly PlannedRule[] => {
        if (missing === undefined) return [];
        const message = `is required, but the file ${missing.in} has no such column`;
        const rule = `${pathOf(name)} required`;
        return [{ name: rule, message, column: null, failing: missing.rows }];
      }),
    ...(additionalProperties?.keywords.isFalse === true
      ? columns
          .filter(({ name }) => properties?.has(name) !== true)
          .map(({ name }) =>
            all(
              pathOf(name),
              'additionalProperties',
              'is a column that the contract does not know',
            ),
          )
      : []),
  ];
}

function pathOf(name: string): string {
  return `$${stepText(name)}`;
}

interface PlannedColumn {
  readonly rules: readonly PlannedRule[];
  readonly streamed: StreamedColumn | null;
}

/** What a column is held against: a schema, or the values that a guarantee accepts. */
interface ColumnDemand {
  readonly node: SchemaNode;
  /** The name of the guarantee; null for a part of the schema. */
  readonly guarantee: string | null;
}

function planColumn(
  column: SourceColumn,
  demands: readonly ColumnDemand[],
  { dialect }: Planning,
): PlannedColumn {
  const compiled = demands.map((demand) => ({
    ...demand,
    compiled: compileColumn(demand.node, { column, dialect }),
  }));
  const streamed = compiled.filter((each) => each.compiled === null);
  const rules = compiled.flatMap((each) => rulesOfColumn(column, each, dialect));
  return {
    rules: withoutRepeated(rules),
    streamed:
      streamed.length === 0
        ? null
        : {
            ...{ column, demands: streamed },
            certain: certainCells(
              column,
              streamed.map(({ node }) => node),
              dialect,
            ),
          },
  };
}

function demandsOn(
  name: string,
  tables: readonly SchemaNode[],
  guarantees: CheckedContract['guarantees'],
): readonly ColumnDemand[] {
  const nodes = tables.flatMap(({ keywords: { properties, additionalProperties } }) => {
    const node = properties?.has(name) === true ? properties.get(name) : additionalProperties;
    const isTold = node === additionalProperties && node?.keywords.isFalse === true;
    return node === undefined || isTold ? [] : [node];
  });
  const values = memberOf(guarantees?.accepted_values, name);
  return [
    ...nodes.map((node) => ({ node, guarantee: null })),
    ...(Array.isArray(values)
      ? // As in dbt, null is no value.
        [
          {
            node: parseSchema({ enum: [...values, null] }).root,
            guarantee: `accepted_values.${name}`,
          },
        ]
      : []),
  ];
}

function memberOf(columns: Json | undefined, name: string): Json | undefined {
  const isKnown = columns !== undefined && isJsonObject(columns) && Object.hasOwn(columns, name);
  return isKnown ? columns[name] : undefined;
}

function rulesOfColumn(
  column: SourceColumn,
  { guarantee, compiled }: ColumnDemand & { readonly compiled: CompiledColumn | null },
  dialect: SqlDialect,
): readonly PlannedRule[] {
  if (compiled === null) return [];
  const x = dialect.quoteName(column.name);
  const planned = (rule: string, message: string, failing: string): PlannedRule => ({
    ...{
      name: guarantee ?? `${pathOf(column.name)} ${rule}`,
      message,
      column: column.name,
      failing,
    },
  });
  return [
    ...(compiled.acceptsNull ? [] : [planned('null', 'must not be null', nullOf(column, x))]),
    ...compiled.rules.map(({ rule, message, condition }) => {
      const isOfOtherType = rule === 'type' && condition === false;
      const told = isOfOtherType
        ? `${message}, and the column has the type ${column.sqlType}`
        : message;
      const failing = planned(rule, told, failingOf(x, condition));
      return isOfOtherType ? { ...failing, isOfOtherType } : failing;
    }),
  ];
}

/** The condition for null. A missing member does not count as null. */
function nullOf({ missing }: SourceColumn, x: string): string {
  return missing === undefined ? `${x} IS NULL` : `${x} IS NULL AND NOT (${missing.rows})`;
}

function failingOf(x: string, condition: Condition): string {
  const isStated = `${x} IS NOT NULL`;
  return condition === false ? isStated : `${isStated} AND ${textOf(not(condition))}`;
}

/** Several schemas may demand the same; two demands of one keyword are told apart. */
function withoutRepeated(rules: readonly PlannedRule[]): readonly PlannedRule[] {
  const seen = new Map<string, PlannedRule>();
  for (const rule of rules) {
    let name = rule.name;
    for (let count = 2; seen.has(name) && seen.get(name)?.failing !== rule.failing; count++) {
      name = `${rule.name} (${count})`;
    }
    seen.set(name, { ...rule, name });
  }
  return [...seen.values()];
}

/** `nullability`, and what speaks of columns that the table has not. */
function planGuarantees(
  guarantees: CheckedContract['guarantees'],
  { columns, dialect }: Planning,
): readonly PlannedRule[] {
  const found = new Map(columns.map((column) => [column.name, column]));
  const rulesOf = (kind: 'nullability' | 'accepted_values') => {
    const stated = guarantees?.[kind];
    return (stated !== undefined && isJsonObject(stated) ? Object.keys(stated) : []).flatMap(
      (column): readonly PlannedRule[] => {
        const name = `${kind}.${column}`;
        const known = found.get(column);
        if (known === undefined) {
          const message = 'is guaranteed, but the table has no such column';
          return [{ name, message, column: null, failing: true }];
        }
        const failing = dialect.isNull(known);
        return kind === 'nullability'
          ? [{ name, message: 'is guaranteed never to be null', column, failing }]
          : [];
      },
    );
  };
  return [...rulesOf('nullability'), ...rulesOf('accepted_values')];
}

/**
 * Whether a contract takes text in a column, so that a file without types is not read as numbers.
 *
 * @example columnTakesText({ schema: { properties: { a: { type: 'integer' } } }, ... }, 'a') // false
 */
export function columnTakesText(contract: CheckedContract, column: string): boolean {
  const nodes = nodesOfColumn(contract, column);
  const accepted = memberOf(contract.guarantees?.accepted_values, column);
  const isListed = !Array.isArray(accepted) || accepted.some((value) => typeof value === 'string');
  return isListed && nodes.every((node) => takesText(node, 0));
}

/** @example describesColumn({ schema: { properties: { a: true } }, ... }, 'a') // true */
export function describesColumn(contract: CheckedContract, column: string): boolean {
  return nodesOfColumn(contract, column).length > 0;
}

function rowSchemaOf({ schema, dialect, part }: CheckedContract): SchemaNode {
  const { root } = parseSchema(schema, dialect);
  return (part === undefined ? undefined : root.keywords.properties?.get(part)) ?? root;
}

function nodesOfColumn(contract: CheckedContract, column: string): readonly SchemaNode[] {
  const node = rowSchemaOf(contract);
  return (tablesOf(node, 0) ?? [node]).flatMap(
    ({ keywords }) => keywords.properties?.get(column) ?? [],
  );
}

function takesText({ keywords }: SchemaNode, depth: number): boolean {
  const { types, ref, allOf = [], anyOf, oneOf } = keywords;
  if (types !== undefined && !types.includes('string')) return false;
  const listed =
    keywords.enum ?? (keywords.const === undefined ? undefined : [keywords.const.value]);
  if (listed !== undefined && !listed.some((value) => typeof value === 'string')) return false;
  if (depth > maxDepth) return true;
  const all = [...(ref === undefined ? [] : [ref]), ...allOf];
  if (!all.every((each) => takesText(each, depth + 1))) return false;
  return [anyOf, oneOf].every((each) => each?.some((one) => takesText(one, depth + 1)) ?? true);
}
