// Schemas of strings alone: patterns with flags, lookarounds and back references, formats and lengths,
// judged by the matcher of JavaScript and by another validator's formats.

import { findFormat } from '../../../src/core/schema/formats/formats.ts';
import type { Json } from '../../../src/core/value/json.ts';
import { editedText, judges, misjudged } from '../formats/judges.ts';
import { type Breach, type Contains, lawSteps, type Tally } from './laws.ts';
import { type Random, randomFrom } from './values.ts';

/** What each part of a schema asks of a text. */
interface TextSchema {
  readonly patterns: readonly string[];
  readonly formats: readonly (keyof typeof judges)[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly not?: TextSchema;
  /** The only texts. */
  readonly values?: readonly string[];
}

interface TextPair {
  readonly a: TextSchema;
  readonly b: TextSchema;
}

/** Names of IDNA are put beside the judge by themselves: most of their texts are left open. */
const formatNames = Object.keys(judges).filter(
  (name) => !name.startsWith('idn') && name !== 'regex',
) as (keyof typeof judges)[];

/** Texts that are edited, too: what no sample is like. */
const edgeTexts: Readonly<Record<string, readonly string[]>> = {
  hostname: ['ab--cd', 'xn--a'],
  ipv4: ['256.0.0.1', '1.2.3.299'],
  email: ['a@[x:y]'],
  'relative-json-pointer': ['0+1/a'],
  'uri-template': ["it's"],
  regex: ['('.repeat(300), `${'('.repeat(201)}${')'.repeat(201)}`],
};

const atoms = [
  ...['a', 'b', 'A', '[ab]', '[^a]', '.', '\\d', '\\w', '\\W', '\\s', '\\p{Lu}', '[^]', 'k'],
  ...['(?i:a)', '(?i:[^a])', '(?i:k)', '(?s:.)', '(?i:a(?-i:b))', '(?m:^a$)', '(?:a|ab)'],
];
const assertions = [
  ...['(?=b)', '(?!a)', '(?<=a)', '(?<!b)', '\\b', '\\B', '(?=.*b)', '(?!.*b$)', '^', '$'],
];
const references = [
  ...['(?<n>a|b|)\\k<n>', '(?<n>a|b)(?:\\k<n>){2}', '(?<n>a|b)\\k<n>*', '(?:(?<n>a)|b\\k<n>)+'],
];
const quantifiers = ['', '', '', '*', '+', '?', '{1,2}', '{2}'];

const alphabet = ['a', 'b', 'A', '1', 'k', '\n', '\u212a'];
const shortTexts = ['', ...alphabet].flatMap((first) =>
  ['', ...alphabet].flatMap((second) => ['', ...alphabet].map((third) => first + second + third)),
);

/** One class from end to end, counted further than a small automaton counts. */
const countedClasses = [
  'a',
  '(?:ab)',
  'a?b',
  '(?!b)[ab]',
  '(?=.*b$)[^a]',
  '[ab]',
  '[^a]',
  '.',
  '(?s:.)',
  '\\d',
].flatMap((one) =>
  ['{41,}', '{0,41}', '{1,60}', '{60}', '{2,}', '*', '+'].map((count) => `^${one}${count}$`),
);
const longTexts = [`a${'b'.repeat(60)}`, 'a', 'b', 'ab', 'a\n', '1', '\u{1f600}'].flatMap((text) =>
  [40, 41, 42, 60, 61, 82, 120].map((length) => [...text.repeat(length)].slice(0, length).join('')),
);

function countedSchema(random: Random): TextSchema {
  const bound = (): number => oneOf(random, [0, 1, 40, 41, 60]);
  return {
    patterns: random() < 0.7 ? [oneOf(random, countedClasses)] : [],
    formats: [],
    ...(random() < 0.3 ? { minLength: bound() } : {}),
    ...(random() < 0.3 ? { maxLength: bound() } : {}),
  };
}

export function textPair(seed: number): TextPair {
  const random = randomFrom(seed);
  if (seed % 16 === 15) return { a: countedSchema(random), b: countedSchema(random) };
  const a = schemaOf(random, 0);
  if (random() < 0.2) {
    const name = random() < 0.05 ? 'regex' : oneOf(random, formatNames);
    const one = { patterns: [], formats: [name] };
    const samples = findFormat(name)?.samples ?? [];
    const values = [editedText([...samples, ...(edgeTexts[name] ?? [])], random)];
    const b = random() < 0.5 ? one : { patterns: [], formats: [], not: one };
    return { a: { patterns: [], formats: [], values }, b };
  }
  if (random() < 0.3) return { a, b: schemaOf(random, 0) };
  // Mostly the other asks for one thing more or less.
  const more = schemaOf(random, 0);
  const wide = {
    patterns: a.patterns.slice(1),
    formats: random() < 0.5 ? a.formats : more.formats,
  };
  return random() < 0.5 ? { a, b: wide } : { a: { ...a, patterns: more.patterns }, b: a };
}

function schemaOf(random: Random, depth: number): TextSchema {
  const chance = (share: number): boolean => random() < share;
  const size = (): number => Math.floor(random() * 4);
  return {
    patterns: Array.from({ length: chance(0.7) ? 1 : 0 }, () => patternOf(random)),
    formats: chance(0.35) ? [oneOf(random, formatNames)] : [],
    ...(chance(0.15) ? { minLength: size() } : {}),
    ...(chance(0.15) ? { maxLength: size() } : {}),
    ...(depth === 0 && chance(0.15) ? { not: schemaOf(random, 1) } : {}),
  };
}

function patternOf(random: Random): string {
  const parts = Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
    if (random() < 0.25) return oneOf(random, assertions);
    return oneOf(random, atoms) + oneOf(random, quantifiers);
  });
  if (random() < 0.1) parts.push(oneOf(random, references));
  const [first = '', ...rest] = parts;
  const body = random() < 0.2 ? `(?:${first}|${rest.join('')})` : parts.join('');
  return random() < 0.6 ? `^${body}$` : body;
}

function oneOf<T>(random: Random, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T;
}

function toSchema({ patterns, formats, not, values, ...lengths }: TextSchema): Json {
  const parts = [
    ...patterns.map((pattern) => ({ pattern })),
    ...formats.map((format) => ({ format })),
  ];
  return {
    type: 'string',
    ...lengths,
    ...(parts.length === 0 ? {} : { allOf: parts }),
    ...(not === undefined ? {} : { not: toSchema(not) }),
    ...(values === undefined ? {} : { enum: values }),
  };
}

/** Undefined where the judge of a format is not to be asked. */
function isIn(schema: TextSchema, text: string): boolean | undefined {
  if (schema.values?.includes(text) === false) return false;
  const length = [...text].length;
  if (length < (schema.minLength ?? 0) || length > (schema.maxLength ?? length)) return false;
  if (!schema.patterns.every((pattern) => new RegExp(pattern, 'u').test(text))) return false;
  const inFormats = schema.formats.map((name) => {
    const isUnjudged = isLeftOpen(name, text) || misjudged[name]?.test(text);
    return isUnjudged ? undefined : judges[name]?.(text);
  });
  if (inFormats.includes(false)) return false;
  const isOut = schema.not === undefined ? false : isIn(schema.not, text);
  if (isOut === true) return false;
  return inFormats.includes(undefined) || isOut === undefined ? undefined : true;
}

function isLeftOpen(name: string, text: string): boolean {
  return findFormat(name)?.isMember(text) === undefined;
}

/** Whether one of its formats is left open for a text. */
function hasLeftOpen({ formats, not }: TextSchema, text: string): boolean {
  return (
    formats.some((name) => isLeftOpen(name, text)) || (not !== undefined && hasLeftOpen(not, text))
  );
}

export function breachOfTexts(contains: Contains, seed: number, tally?: Tally): Breach | null {
  const { a, b } = textPair(seed);
  const answer = contains({ a: toSchema(a), b: toSchema(b), stepBudget: lawSteps });
  if (tally !== undefined) tally[answer.verdict]++;
  if (answer.verdict === 'undecided') return null;
  if (answer.verdict === 'no') {
    const text = String(answer.witness);
    const isWitness = isIn(a, text) !== false && isIn(b, text) !== true;
    return isWitness ? null : { law: 'a witness is in a and not in b', answer, value: text };
  }
  const random = randomFrom(seed);
  const names = new Set([...a.formats, ...b.formats, ...(a.not?.formats ?? [])]);
  const edges = [...names].flatMap((name) => {
    const samples = findFormat(name)?.samples ?? [];
    return Array.from({ length: 40 }, () => editedText(samples, random));
  });
  for (const text of a.values ?? [...shortTexts, ...longTexts, ...edges]) {
    if (tally !== undefined) tally.tried++;
    if (isIn(a, text) !== true) continue;
    if (tally !== undefined) tally.accepted++;
    const isInB = isIn(b, text);
    if (isInB === false) return { law: 'what is yes has no exception', answer, value: text };
    if (isInB === undefined && hasLeftOpen(b, text)) {
      return { law: 'what validators read differently is no yes', answer, value: text };
    }
  }
  return null;
}
