// Conditions on a value that is not null. They are never null themselves, so `NOT` means what it says.

/** `true` and `false` are known before any row is read. */
export type Condition = boolean | { readonly sql: string };

export function sql(text: string): Condition {
  return { sql: text };
}

export function allOf(conditions: readonly Condition[]): Condition {
  const open = conditions.filter((each) => each !== true);
  if (open.includes(false)) return false;
  return joined(open, ' AND ') ?? true;
}

export function anyOf(conditions: readonly Condition[]): Condition {
  const open = conditions.filter((each) => each !== false);
  if (open.includes(true)) return true;
  return joined(open, ' OR ') ?? false;
}

export function not(condition: Condition): Condition {
  return typeof condition === 'boolean' ? !condition : sql(`NOT ${textOf(condition)}`);
}

/** Exactly one of them. */
export function oneOf(conditions: readonly Condition[]): Condition {
  const certain = conditions.filter((each) => each === true).length;
  if (certain > 1) return false;
  const open = conditions.filter((each) => typeof each !== 'boolean');
  if (certain === 1) return not(anyOf(open));
  if (open.length === 0) return false;
  const counted = open.map((each) => `CASE WHEN ${textOf(each)} THEN 1 ELSE 0 END`);
  return sql(`(${counted.join(' + ')}) = 1`);
}

export function textOf(condition: Condition): string {
  return typeof condition === 'boolean' ? (condition ? 'TRUE' : 'FALSE') : `(${condition.sql})`;
}

function joined(conditions: readonly Condition[], word: string): Condition | undefined {
  const [only, another] = conditions;
  if (another === undefined) return only;
  return sql(conditions.map(textOf).join(word));
}
