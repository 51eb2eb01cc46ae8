// Paths such as `$.properties["a b"].items[0]`: the steps to a place in a document, as text and back.

/** @example stepText('a b') // '["a b"]' */
export function stepText(step: string | number): string {
  if (typeof step === 'number') return `[${step}]`;
  return /^[A-Za-z_$][\w$-]*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
}

const written = /\.([^.[\]]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g;

/** @example stepsOf('$.paths["/users"].get') // ['paths', '/users', 'get'] */
export function stepsOf(path: string): readonly (string | number)[] {
  return [...path.matchAll(written)].map(([, plain, index, quoted]) => {
    if (plain !== undefined) return plain;
    return index === undefined ? unquoted(quoted ?? '""') : Number(index);
  });
}

function unquoted(text: string): string {
  const value: unknown = JSON.parse(text);
  return typeof value === 'string' ? value : text;
}
