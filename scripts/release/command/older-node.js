// What the program uses of JavaScript that Node 20 does not have. test/older-node.test.ts holds this
// list against what the code uses.

import files from 'node:fs/promises';

if (JSON.rawJSON === undefined) {
  const { setFlagsFromString } = await import('node:v8');
  const { runInNewContext } = await import('node:vm');
  // V8 has it behind a flag: parse and stringify heed it at once, and a new context has the functions.
  setFlagsFromString('--harmony-json-parse-with-source');
  const { rawJSON, isRawJSON } = runInNewContext('JSON');
  Object.assign(JSON, { rawJSON, isRawJSON });
}

Map.groupBy ??= (items, keyOf) => {
  const groups = new Map();
  let index = 0;
  for (const item of items) {
    const key = keyOf(item, index++);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
};

const ofSets = {
  union(other) {
    return new Set([...this, ...other.keys()]);
  },
  intersection(other) {
    return new Set([...this].filter((each) => other.has(each)));
  },
  isDisjointFrom(other) {
    for (const each of this) if (other.has(each)) return false;
    return true;
  },
  isSubsetOf(other) {
    for (const each of this) if (!other.has(each)) return false;
    return true;
  },
};

for (const [name, value] of Object.entries(ofSets)) {
  if (name in Set.prototype) continue;
  Object.defineProperty(Set.prototype, name, { value, writable: true, configurable: true });
}

files.glob ??= () => {
  const message = 'A pattern of files needs Node 22 or newer. Name the folder, or one file.';
  throw Object.assign(new Error(message), { stack: message });
};
