// Each format beside another reading of its specification: what is said to be of it is of it there too,
// and what is said not to be is not. What validators differ in is left open.

import * as hyperjump from '@hyperjump/json-schema-formats';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { FormatName } from '../../../src/core/schema/formats/formats.ts';
import { findFormat } from '../../../src/core/schema/formats/formats.ts';
import { type Random, randomFrom } from '../laws/values.ts';

const judges: Readonly<Partial<Record<FormatName, (text: string) => boolean>>> = {
  'date-time': hyperjump.isDateTime,
  date: hyperjump.isDate,
  time: hyperjump.isTime,
  duration: hyperjump.isDuration,
  email: hyperjump.isEmail,
  'idn-email': hyperjump.isIdnEmail,
  hostname: hyperjump.isHostname,
  'idn-hostname': hyperjump.isIdn,
  ipv4: hyperjump.isIPv4,
  ipv6: hyperjump.isIPv6,
  uri: hyperjump.isUri,
  'uri-reference': hyperjump.isUriReference,
  iri: hyperjump.isIri,
  'iri-reference': hyperjump.isIriReference,
  uuid: hyperjump.isUuid,
  'uri-template': hyperjump.isUriTemplate,
  'json-pointer': hyperjump.isJsonPointer,
  'relative-json-pointer': hyperjump.isRelativeJsonPointer,
  regex: hyperjump.isRegex,
};

const pieces = [
  ...['0', '1', '5', '9', 'a', 'Z', 'T', 't', ':', '-', '.', '/', '@', '"', '\\', '[', ']', '%'],
  ...['~', '#', '?', '{', '}', ' ', '\n', '+', 'z', 'P', 'D', 'M', 'W', "'", '_', '(', ')', '*'],
  ...['xn--', '60', '23:59', '::', '%20', '%zz', 'AB', 'é', 'ß', 'א', 'ب', '٠', '۰', '۱', 'ـ', 'ߊ'],
  ...['\u200c', '\u200d', '\u094d', 'ᾳ', '\u20d0', '。', '．', '😀', 'ı', 'ꭰ', '・', '·'],
];

/** A text of the format with up to three edits. */
function editedText(samples: readonly string[], random: Random): string {
  const oneOf = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  let text = oneOf(samples);
  for (let edits = Math.floor(random() * 4); edits > 0; edits--) {
    const at = Math.floor(random() * (text.length + 1));
    const how = random();
    const piece = how < 0.7 ? oneOf(pieces) : '';
    text = text.slice(0, at) + piece + text.slice(how < 0.4 ? at : at + 1);
  }
  return text.toWellFormed();
}

/** What the judge is wrong in, or stricter than the grammar. */
const misjudged: Readonly<Partial<Record<FormatName, RegExp>>> = {
  // The published suite has leap seconds at an offset.
  time: /:60/,
  'date-time': /:60/,
  // RFC 6531 only adds to the domains of RFC 5321, where xn-- is like any other beginning.
  'idn-email': /@.*--/,
  // V8 reads one of these letters by its lower byte.
  regex: /\\p\{[^}]*[^\0-\x7f]/,
};

const runs = Number(process.env.FORMAT_RUNS ?? 2_000);
const seed = Number(process.env.LAW_SEED ?? 1);

// One of the judges prints why it refuses a name.
beforeAll(() => {
  vi.spyOn(console, 'error').mockReturnValue();
  vi.spyOn(console, 'log').mockReturnValue();
  vi.spyOn(console, 'warn').mockReturnValue();
});
afterAll(() => {
  vi.restoreAllMocks();
});

test.each(Object.entries(judges))('%s', (name, judge) => {
  const format = findFormat(name);
  if (format === null) throw new Error(`${name} is no format`);
  const random = randomFrom(seed);
  let decided = 0;
  for (let run = 0; run < runs; run++) {
    const text = editedText(format.samples, random);
    const own = format.isMember(text);
    if (own === undefined || misjudged[format.name]?.test(text)) continue;
    decided++;
    expect({ text, own }).toEqual({ text, own: judge(text) });
  }
  expect(decided / runs).toBeGreaterThan(0.5);
});
