// The meaning of each `format` in the specifications.
//
// A format of JSON Schema means the same in every dialect, also in older ones: an author who writes
// `format: uuid` in draft-07 means UUIDs, and most validators agree. OpenAPI's own formats assert
// only in OpenAPI; those of numbers are in number-formats.ts. Names that no specification defines
// are annotations. See docs/decisions/formats.md.

import type { Dialect } from '../dialects.ts';
import { isOpenApi } from '../keywords.ts';
import { isStrictExpression } from '../patterns/expression.ts';
import { areDisjoint, everyText, isSubset, type Language } from '../patterns/language.ts';
import { compilePattern, matchPattern } from '../patterns/pattern.ts';
import { grammar } from './grammar.ts';
import { isHostname, isIdnHostname, longestHostname } from './hostname.ts';
import { isNumberFormat } from './number-formats.ts';

export type FormatName = keyof typeof rows;

export interface Format {
  readonly name: FormatName;
  /**
   * Undefined if validators disagree, or if the specification goes beyond what is implemented here.
   */
  isMember(text: string): boolean | undefined;
  /** A language that contains every text of the format. */
  over(): Language;
  /** A language that contains only texts of the format. */
  under(): Language;
  /** Whether `over` and `under` are exactly the format. */
  readonly isExact: boolean;
  /** The length limit in code points, which no automaton can count. */
  readonly longest: number;
  /** Texts of the format, the most ordinary first, then edge cases. */
  readonly samples: readonly string[];
}

/** The relation of two formats' texts, as far as it is proven. */
type FormatRelation = 'equal' | 'subset' | 'superset' | 'disjoint' | 'unknown';

/**
 * Finds a format of any dialect; `assertsText` says whether it asserts in one.
 *
 * @example findFormat('date')?.isMember('2023-02-29') // false
 * @example findFormat('password') // null: an annotation
 */
export function findFormat(name: string): Format | null {
  return Object.hasOwn(rows, name) ? formatOf(name as FormatName) : null;
}

/** Whether a format restricts the strings of a dialect. */
export function assertsText(name: string, dialect: Dialect): boolean {
  if (!Object.hasOwn(rows, name)) return false;
  return isOpenApi(dialect) || !openApiOnly.has(name);
}

const openApiOnly: ReadonlySet<string> = new Set(['byte']);

/** Whether a format asserts in OpenAPI and is an annotation in JSON Schema. */
export function isOpenApiFormat(name: string): boolean {
  return openApiOnly.has(name) || isNumberFormat(name);
}

export function formatNames(): readonly FormatName[] {
  return Object.keys(rows) as FormatName[];
}

/** @example relateFormats(uri, uriReference) // 'subset' */
export function relateFormats(a: Format, b: Format): FormatRelation {
  if (a.name === b.name) return 'equal';
  const key = `${a.name} ${b.name}`;
  const known = relations.get(key);
  if (known !== undefined) return known;
  const found = findRelation(a, b);
  relations.set(key, found);
  return found;
}

interface Row {
  /** A superset of the format; without `under` it is the format. */
  readonly over: string | null;
  readonly under?: string;
  /** Decides for texts within `over`; without it, texts outside of `under` are left open. */
  readonly check?: (text: string) => boolean | undefined;
  /** The length limit in code points, if `over` has longer texts. */
  readonly longest?: number;
  readonly samples: readonly string[];
}

const rows = {
  'date-time': {
    over: grammar.dateTimeOver,
    under: grammar.dateTimeUnder,
    check: (text) => isLeapSecondRight(text.slice(11)),
    samples: ['2024-02-29T12:30:45Z', '1985-04-12t23:20:50.52-08:00', '1998-12-31T23:59:60z'],
  },
  date: { over: grammar.date, samples: ['2024-02-29', '0000-01-01', '9999-12-31'] },
  time: {
    over: grammar.timeOver,
    under: grammar.timeUnder,
    check: isLeapSecondRight,
    samples: ['12:30:45Z', '00:00:00.000001+23:59', '23:59:60Z', '15:59:60-08:00'],
  },
  duration: { over: grammar.duration, samples: ['P1D', 'P2W', 'PT0S', 'P1Y2M3DT4H5M6S'] },
  email: {
    over: grammar.emailOver,
    under: grammar.emailUnder,
    samples: ['jo@example.com', 'a@b', '"a b"@example.com', 'a@[127.0.0.1]', 'a@[IPv6:::1]'],
  },
  'idn-email': {
    over: grammar.idnEmailOver,
    under: grammar.idnEmailUnder,
    check: isIdnEmail,
    samples: ['jo@example.com', '실례@실례.테스트'],
  },
  hostname: {
    over: grammar.hostnameOver,
    under: grammar.hostnameUnder,
    check: isHostname,
    longest: longestHostname,
    samples: ['example.com', 'a', '1.2', 'xn--nxasmq6b'],
  },
  'idn-hostname': {
    over: grammar.idnHostnameOver,
    under: grammar.hostnameUnder,
    check: isIdnHostname,
    samples: ['example.com', '실례.테스트'],
  },
  ipv4: { over: grammar.ipv4, samples: ['127.0.0.1', '0.0.0.0', '255.255.255.255'] },
  ipv6: {
    over: grammar.ipv6,
    samples: ['::1', '::', '2001:DB8::8:800:200C:417A', '::ffff:1.2.3.4'],
  },
  uri: {
    over: grammar.uri,
    samples: ['https://example.com/a', 'urn:x:y', 'a:', 'http://[::1]:80/?#'],
  },
  'uri-reference': {
    over: grammar.uriReference,
    samples: ['/a', '', '#b', '../c', 'https://a.b/'],
  },
  iri: { over: grammar.iri, samples: ['https://example.com/a', 'http://ƒøø.ßår/?∂éœ=πîx#πîüx'] },
  'iri-reference': { over: grammar.iriReference, samples: ['/a', '', 'âππ', '#ƒrägmênt'] },
  uuid: {
    over: grammar.uuid,
    samples: [
      '123e4567-e89b-12d3-a456-426614174000',
      '00000000-0000-0000-0000-000000000000',
      'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
    ],
  },
  'uri-template': {
    over: grammar.uriTemplateOver,
    under: grammar.uriTemplateUnder,
    samples: ['/a/{b}', '', '{?c*,d:3}'],
  },
  'json-pointer': { over: grammar.jsonPointer, samples: ['/a/0', '', '/~0~1', '//'] },
  'relative-json-pointer': {
    over: grammar.relativeJsonPointerOver,
    under: grammar.relativeJsonPointerUnder,
    samples: ['1/a', '0', '0#', '12'],
  },
  regex: {
    over: null,
    under: grammar.regexUnder,
    check: isStrictExpression,
    samples: ['^a+$', '', '(?<=b)\\p{L}'],
  },
  byte: { over: grammar.base64, samples: ['YQ==', '', 'YWI=', 'YWJj+/09'] },
} as const satisfies Record<string, Row>;

/**
 * Relations that are known without automata, which would be too large or not exact. A host name need not be
 * one by IDNA: some validators take `ab--cd` and `xn--a`.
 */
const knownSubsets: readonly (readonly [FormatName, FormatName])[] = [['email', 'idn-email']];

/** The step limit for a format's automaton; the largest one, for IRIs, takes a tenth of it. */
const formatSteps = 5_000_000;

const formats = new Map<FormatName, Format>();
const relations = new Map<string, FormatRelation>();

function formatOf(name: FormatName): Format {
  const known = formats.get(name);
  if (known !== undefined) return known;
  const row: Row = rows[name];
  const over = languageOf(row.over);
  const under = row.under === undefined ? over : languageOf(row.under);
  const format: Format = {
    name,
    over,
    under,
    isExact: row.under === undefined,
    longest: row.longest ?? Number.POSITIVE_INFINITY,
    samples: row.samples,
    isMember(text) {
      if (row.over !== null && !isMatch(row.over, text)) return false;
      if (row.check !== undefined) return row.check(text);
      return row.under === undefined || isMatch(row.under, text) || undefined;
    },
  };
  formats.set(name, format);
  return format;
}

function languageOf(source: string | null): () => Language {
  let made: Language | null = source === null ? everyText : null;
  return () => {
    if (made === null && source !== null) {
      const pattern = compilePattern(source, { left: formatSteps });
      if (pattern.kind === 'language') made = pattern.language;
    }
    return made ?? everyText;
  };
}

/** The grammars are regular, so matching takes one step per character and always finishes. */
function isMatch(source: string, text: string): boolean {
  return matchPattern(source, text, { left: Number.POSITIVE_INFINITY }) === true;
}

/** RFC 6531: the domain may be internationalized. */
function isIdnEmail(text: string): boolean | undefined {
  if (isMatch(grammar.idnEmailUnder, text)) return true;
  const domain = text.slice(text.lastIndexOf('@') + 1);
  return isIdnHostname(domain) || undefined;
}

/** A leap second exists only in the last minute of a day in UTC. */
function isLeapSecondRight(time: string): boolean {
  if (time.slice(6, 8) !== '60') return true;
  const [, sign, hours = '0', minutes = '0'] = /([+-])(\d\d):(\d\d)$/.exec(time) ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  const local = Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
  return (local - offset + 2 * 1440) % 1440 === 1439;
}

function findRelation(a: Format, b: Format): FormatRelation {
  const isListed = (inner: Format, outer: Format): boolean =>
    knownSubsets.some(([first, second]) => first === inner.name && second === outer.name);
  const steps = { left: formatSteps };
  if (isListed(a, b) || isSubset(a.over(), b.under(), steps) === true) return 'subset';
  if (isListed(b, a) || isSubset(b.over(), a.under(), steps) === true) return 'superset';
  return areDisjoint(a.over(), b.over(), steps) === true ? 'disjoint' : 'unknown';
}
