// Mutates a text, or its JSON. The same random numbers give the same mutation.

/** A number below 1; the same sequence for the same seed. */
type Chance = () => number;

export function openChance(seed: number): Chance {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Inputs do not grow further, because the limits of bodies have their own tests. */
const maxLength = 200_000;

export function mutate(samples: readonly string[], chance: Chance): string {
  let text = pick(samples, chance);
  const times = 1 + Math.floor(chance() * 4);
  for (let i = 0; i < times; i++) {
    text = (chance() < 0.6 ? mutateJson(text, chance) : mutateText(text, samples, chance)).slice(
      0,
      maxLength,
    );
  }
  return text;
}

function pick<T>(list: readonly T[], chance: Chance): T {
  const picked = list[Math.floor(chance() * list.length)];
  if (picked === undefined) throw new Error('There is nothing to pick from.');
  return picked;
}

const tokens: readonly string[] = [
  ...[
    '{',
    '}',
    '[',
    ']',
    '"',
    "'",
    ':',
    ',',
    '\\',
    '\n',
    '\t',
    '\r\n',
    '---\n',
    '- ',
    '#',
    '&a ',
    '*a',
    '!!js/function ',
  ],
  ...[
    'null',
    'true',
    '-0',
    '1e999',
    '1e-999',
    '9007199254740993',
    '.inf',
    'NaN',
    '0x1F',
    '0o7',
    '2026-02-31',
  ],
  ...[
    '\u0000',
    '\ud800',
    '\u202e',
    '\ufeff',
    '\u2028',
    '"\\ud800"',
    '"\\u0000"',
    '"""',
    '\\u{110000}',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    '$ref',
    '#/',
    '#/$defs/node',
    '../',
    'file:///etc/passwd',
    '%00',
    '%zz',
  ],
  ...[
    'type ',
    'input ',
    'extend ',
    'union X = ',
    '@a(b: ',
    '(a+)+$',
    '(?<=',
    '[^',
    '{1,99999}',
    '<<: *a',
    '? ',
    '| \n',
  ],
];

const textMutations: readonly ((
  text: string,
  samples: readonly string[],
  chance: Chance,
) => string)[] = [
  (text, _, chance) => {
    const [from, to] = rangeOf(text, chance);
    return text.slice(0, from) + text.slice(to);
  },
  (text, _, chance) => {
    const [from, to] = rangeOf(text, chance);
    return (
      text.slice(0, to) + text.slice(from, to).repeat(1 + Math.floor(chance() * 3)) + text.slice(to)
    );
  },
  (text, _, chance) => {
    const at = Math.floor(chance() * text.length);
    return text.slice(0, at) + pick(tokens, chance) + text.slice(at);
  },
  (text, _, chance) => {
    const at = Math.floor(chance() * text.length);
    const code = chance() < 0.9 ? 128 : 65_536;
    return (
      text.slice(0, at) + String.fromCharCode(Math.floor(chance() * code)) + text.slice(at + 1)
    );
  },
  (text, _, chance) => {
    const at = Math.floor(chance() * text.length);
    return (
      text.slice(0, at) +
      pick(['[', '{"a":', '(', '- ', '"', ' ', '[*a,', '{a: {'], chance).repeat(5_000) +
      text.slice(at)
    );
  },
  (text, samples, chance) => {
    const other = pick(samples, chance);
    const [from, to] = rangeOf(other, chance);
    const at = Math.floor(chance() * text.length);
    return text.slice(0, at) + other.slice(from, to) + text.slice(at);
  },
  (text, _, chance) => text.slice(0, Math.floor(chance() * text.length)),
];

function mutateText(text: string, samples: readonly string[], chance: Chance): string {
  return pick(textMutations, chance)(text, samples, chance);
}

function rangeOf(text: string, chance: Chance): readonly [number, number] {
  const from = Math.floor(chance() * text.length);
  return [from, from + Math.floor(chance() ** 3 * (text.length - from))];
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const deep = (levels: number, key: string): Json => {
  let value: Json = 1;
  for (let i = 0; i < levels; i++) value = key === '' ? [value] : { [key]: value };
  return value;
};

/** Values of unexpected types. */
const odd: readonly (() => Json)[] = [
  ...[null, true, false, 0, -1, 1.5, 1e308, '', ' ', 'null', '*', '$', '#', '#/', 'a.b', '[]'].map(
    (value) => () => value,
  ),
  () => [],
  () => ({}),
  () => [null],
  () => ({ $ref: '#' }),
  () => ({ $ref: '#/components/schemas/Order' }),
  () => ({ $ref: 'https://example.com/a.json#/b' }),
  () => ({ allOf: [{ $ref: '#' }, { not: { $ref: '#' } }] }),
  () => ({ $id: '#', $anchor: '', $dynamicRef: '#x' }),
  () => deep(200, ''),
  () => deep(200, 'properties'),
  () => deep(60, 'items'),
  () => 'x'.repeat(10_000),
  () => Array.from({ length: 2_000 }, (_, i) => i),
  () => Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`k${i}`, {}])),
  () => JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": {}}}'),
  () => ({ pattern: '(a|a)*b', format: 'regex', const: { a: [1] }, enum: [] }),
  () => 'varchar(99999999999999999999)',
  () => 'struct<a:array<map<string,struct<b:int>>>>',
];

/** Text that is not JSON is mutated as text. */
function mutateJson(text: string, chance: Chance): string {
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    return mutateText(text, [text], chance);
  }
  const holders: { holder: Json[] | { [key: string]: Json }; key: string }[] = [];
  const stack: Json[] = [value];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    for (const key of Object.keys(next)) {
      holders.push({ holder: next, key });
      stack.push((next as { [key: string]: Json })[key] ?? null);
    }
  }
  if (holders.length === 0) return JSON.stringify(pick(odd, chance)());
  const { holder, key } = pick(holders, chance);
  const place = holder as { [key: string]: Json };
  const dice = chance();
  if (dice < 0.5) place[key] = pick(odd, chance)();
  else if (dice < 0.65 && Array.isArray(holder)) holder.splice(Number(key), 1);
  else if (dice < 0.65) delete place[key];
  else if (dice < 0.8) {
    const other = pick(holders, chance);
    // A copy, because a value that contains itself is not JSON.
    place[key] = JSON.parse(JSON.stringify((other.holder as typeof place)[other.key] ?? null));
  } else if (dice < 0.9 && !Array.isArray(holder)) {
    const name = pick(
      ['__proto__', '', 'a.b', '$ref', 'constructor', 'ä\u0000', 'x'.repeat(300)],
      chance,
    );
    Object.defineProperty(place, name, {
      value: place[key] ?? null,
      enumerable: true,
      configurable: true,
      writable: true,
    });
    delete place[key];
  } else {
    const inner = place[key];
    place[key] =
      typeof inner === 'string'
        ? `${inner}${pick(tokens, chance)}`
        : [inner ?? null, inner ?? null];
  }
  return JSON.stringify(value);
}
