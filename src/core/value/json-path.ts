// Parses paths such as `$.properties["a b"].items[0]` into their steps.

const step = /\.([^.[\]]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g;

/** @example stepsOf('$.paths["/users"].get') // ['paths', '/users', 'get'] */
export function stepsOf(path: string): readonly (string | number)[] {
  return [...path.matchAll(step)].map(([, plain, index, quoted]) => {
    if (plain !== undefined) return plain;
    if (index !== undefined) return Number(index);
    return unquoted(quoted ?? '""');
  });
}

function unquoted(text: string): string {
  const value: unknown = JSON.parse(text);
  return typeof value === 'string' ? value : text;
}
