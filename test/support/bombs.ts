// Bodies of imports that are small when sent and large in memory.

const times = (count: number, one: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => one(index)).join(',');
const manifest = (members: string) => `{"manifest":{"metadata":{},"nodes":{${members}}}}`;

export const bombs: readonly { readonly name: string; readonly text: () => string }[] = [
  {
    name: 'three million empty nodes',
    text: () => manifest(times(3_000_000, (i) => `"n${i}":{}`)),
  },
  {
    name: 'ten million empty objects',
    text: () => manifest(`"a":[${times(10_000_000, () => '{}')}]`),
  },
  {
    name: 'lists of lists',
    text: () => manifest(`"a":[${times(100_000, () => `[${'[],'.repeat(100)}1]`)}]`),
  },
  {
    name: 'many objects of many members',
    text: () => manifest(times(30, (i) => `"n${i}":{${times(100_000, (j) => `"m${j}":1`)}}`)),
  },
  { name: 'numbers', text: () => manifest(`"a":[${'1,'.repeat(30_000_000)}1]`) },
];
