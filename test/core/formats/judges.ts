// Another reading of each format's specification, and texts at its edges.

import * as hyperjump from '@hyperjump/json-schema-formats';
import type { FormatName } from '../../../src/core/schema/formats/formats.ts';
import type { Random } from '../laws/values.ts';

export const judges: Readonly<Partial<Record<FormatName, (text: string) => boolean>>> = {
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
export function editedText(samples: readonly string[], random: Random): string {
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
export const misjudged: Readonly<Partial<Record<FormatName, RegExp>>> = {
  // The published suite has leap seconds at an offset.
  time: /:60/,
  'date-time': /:60/,
  // RFC 6531 only adds to the domains of RFC 5321, where xn-- is like any other beginning.
  'idn-email': /@.*--/,
  // V8 reads one of these letters by its lower byte.
  regex: /\\p\{[^}]*[^\0-\x7f]/,
};
