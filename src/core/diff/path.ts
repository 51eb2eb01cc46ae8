/** One step of a JSON path, spelt as jsonPathOf spells it. */
export function pathStep(step: string | number): string {
  if (typeof step === 'number') return `[${step}]`;
  return /^[A-Za-z_$][\w$-]*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
}

/** @example pathBelow('$', ['properties', 'a b']) // '$.properties["a b"]' */
export function pathBelow(path: string, steps: readonly (string | number)[]): string {
  return path + steps.map(pathStep).join('');
}
