// A check as text, for a warehouse that is asked by somebody else: one query that reads the table once, and
// what it cannot say.

import { planCheck } from './plan-check.ts';
import { planTable } from './plan-table.ts';
import type { SourceColumn } from './source-column.ts';
import type { Warehouse } from './warehouse-dialects.ts';

interface PrintedCheck {
  /** The query. Comments name its rules, and the column `rule_1` counts the rows that break the first rule. */
  readonly sql: string;
  readonly rules: readonly PrintedRule[];
  /** What the query does not say, and why. */
  readonly left: readonly LeftRule[];
  /** The value of the column `check_id`, by which the answer of another query is refused. */
  readonly id: string;
}

interface LeftRule {
  readonly name: string;
  /** Follows the name after a comma. */
  readonly message: string;
}

export interface PrintedRule {
  readonly name: string;
  readonly message: string;
  /** Of the value that the query answers for the rule: whether the rule fails. */
  readonly failsAbove: number;
  readonly countsRows: boolean;
  readonly isOfOtherType?: true;
}

type Contract = Parameters<typeof planCheck>[0];

/** Custom rules in SQL are written for another dialect, or for this one: nobody knows. */
const runsCustomSql = false;

interface Printing {
  readonly dialect: Warehouse['dialect'];
  readonly table: string;
  readonly sha256: (text: string) => string;
}

export function printCheck(
  contract: Contract,
  columns: readonly SourceColumn[],
  { dialect, table, sha256 }: Printing,
): PrintedCheck {
  const plan = planCheck(contract, { columns, dialect });
  const from = table.split('.').map(dialect.quoteName).join('.');
  const counted = plan.rules.map(({ name, message, failing, isOfOtherType }) => ({
    ...{ name, message, failsAbove: 0, countsRows: true },
    ...(isOfOtherType && { isOfOtherType }),
    value: failing === true ? 'COUNT(*)' : dialect.countIf(failing),
  }));
  const ofTable = planTable(contract.guarantees, { columns, dialect, from, runsCustomSql });
  const asked = ofTable.flatMap(({ name, message, aggregate, question, atLeast, ...rule }) => {
    const told = { name, message, countsRows: rule.countsRows === true };
    if (atLeast !== undefined) {
      return [{ ...told, failsAbove: 0, value: `GREATEST(${atLeast} - COUNT(*), 0)` }];
    }
    const found = aggregate ?? (question === undefined ? null : `(${question})`);
    if (found === null) return [];
    const failsAbove = rule.atMost ?? 0;
    // Without a time, data is as old as can be.
    const value = rule.failsOnNull ? `COALESCE(${found}, ${failsAbove + 1})` : found;
    return [{ ...told, failsAbove, value }];
  });
  const rules = [...counted, ...asked];
  const left = [
    ...(plan.needsRows ? [{ name: 'the schema', message: 'because it speaks of whole rows' }] : []),
    ...plan.streamed.map(({ column: { name } }) => {
      return { name, message: 'whose rules this SQL cannot say exactly' };
    }),
    ...plan.absent.map((name) => ({ name, message: 'which is no column of the table' })),
    ...ofTable
      .filter((rule) => (rule.aggregate ?? rule.question ?? rule.atLeast) === undefined)
      .map(({ name, message }) => ({ name, message: `which ${message}` })),
  ];
  const values = rules.map(({ value }, index) => `  ${value} AS rule_${index + 1}`);
  const told = [
    ...rules.map(({ name, message }, index) => comment(`rule_${index + 1}: ${name}: ${message}`)),
    ...left.map(({ name, message }) => comment(`not checked: ${name}, ${message}`)),
  ];
  const counts = ['  COUNT(*) AS checked_rows', ...values];
  const id = sha256([...told, ...counts, from].join('\n')).slice(0, 16);
  const selected = [...counts, `  '${id}' AS check_id`].join(',\n');
  return { sql: `${[...told, 'SELECT', selected, `FROM ${from}`].join('\n')};\n`, rules, left, id };
}

function comment(text: string): string {
  return `-- ${text.replace(/\s+/g, ' ')}`;
}
