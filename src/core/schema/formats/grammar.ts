// The grammars of the formats, as regular expressions composed from the rules of their RFCs. Each
// matches whole texts.

/** RFC 3339, full-date: the days of each month, and 29 February in leap years only. */
const day28 = '(?:0[1-9]|1[0-9]|2[0-8])';
const date = [
  `[0-9]{4}-(?:0[1-9]|1[0-2])-${day28}`,
  '[0-9]{4}-(?:0[13-9]|1[0-2])-(?:29|30)',
  '[0-9]{4}-(?:0[13578]|1[02])-31',
  '[0-9]{2}(?:0[48]|[2468][048]|[13579][26])-02-29',
  '(?:[02468][048]|[13579][26])00-02-29',
].join('|');

const minutes = '(?:[01][0-9]|2[0-3]):[0-5][0-9]';
const fraction = '(?:\\.[0-9]+)?';
const offset = `(?:[Zz]|[+-]${minutes})`;
const ordinaryTime = `${minutes}:[0-5][0-9]${fraction}${offset}`;
/** A leap second is the last second of a day in UTC; here only for times written in UTC. */
const plainLeapSecond = `23:59:60${fraction}(?:[Zz]|[+-]00:00)`;
const anyLeapSecond = `${minutes}:60${fraction}${offset}`;

/** RFC 3339, appendix A: a smaller unit may only follow the next larger one. */
const durationTime = 'T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S)';
const durationDate = '(?:[0-9]+D|[0-9]+M(?:[0-9]+D)?|[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?)';
const duration = `P(?:${durationDate}(?:${durationTime})?|${durationTime}|[0-9]+W)`;

/** RFC 2673, section 3.2: no leading zeros. */
const octet = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const ipv4 = `${octet}(?:\\.${octet}){3}`;

/** RFC 4291, section 2.2, in the notation of RFC 3986. */
const hex4 = '[0-9A-Fa-f]{1,4}';
const last32 = `(?:${hex4}:${hex4}|${ipv4})`;
const ipv6 = [
  `(?:${hex4}:){6}${last32}`,
  `::(?:${hex4}:){5}${last32}`,
  `(?:${hex4})?::(?:${hex4}:){4}${last32}`,
  ...[1, 2, 3].map((n) => `(?:(?:${hex4}:){0,${n}}${hex4})?::(?:${hex4}:){${4 - n}}${last32}`),
  `(?:(?:${hex4}:){0,4}${hex4})?::${last32}`,
  `(?:(?:${hex4}:){0,5}${hex4})?::${hex4}`,
  `(?:(?:${hex4}:){0,6}${hex4})?::`,
].join('|');

/** RFC 1123: letters, digits and inner hyphens, at most 63 characters a label. */
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
/** Four of these fit in 253 characters, and none looks like an A-label. */
const plainLabel = '(?!..--)[A-Za-z0-9](?:[A-Za-z0-9-]{0,60}[A-Za-z0-9])?';

/**
 * RFC 5321, section 4.1.2. RFC 6531 adds all characters beyond ASCII. Bracketed addresses are those
 * of registered kinds; `others` are kinds that may be registered in future.
 */
function mailbox(inLocalPart: string, inDomain: string, others = ''): string {
  const atom = `[A-Za-z0-9!#$%&'*+/=?^_\`{|}~${inLocalPart}-]+`;
  const quoted = `"(?:[ !#-\\[\\]-~${inLocalPart}]|\\\\[ -~])*"`;
  const subDomain = `[A-Za-z0-9${inDomain}](?:[A-Za-z0-9${inDomain}-]*[A-Za-z0-9${inDomain}])?`;
  const domain = `${subDomain}(?:\\.${subDomain})*`;
  const literal = `\\[(?:${ipv4}|[Ii][Pp][Vv]6:(?:${ipv6})${others})\\]`;
  return `(?:${atom}(?:\\.${atom})*|${quoted})@(?:${domain}|${literal})`;
}

const unregistered = '|[A-Za-z0-9-]*[A-Za-z0-9]:[!-Z^-~]+';

const beyondAscii = '\\u{80}-\\u{d7ff}\\u{e000}-\\u{10ffff}';

/** No validator maps the separators of lines and paragraphs to something else. */
const inIdnName = '\\u{80}-\\u{2027}\\u{202a}-\\u{d7ff}\\u{e000}-\\u{10ffff}';

/** RFC 3987: the characters of an IRI beyond those of a URI. */
const ucschar = [
  '\\u{a0}-\\u{d7ff}\\u{f900}-\\u{fdcf}\\u{fdf0}-\\u{ffef}',
  ...Array.from({ length: 13 }, (_, i) => {
    const plane = (i + 1).toString(16);
    return `\\u{${plane}0000}-\\u{${plane}fffd}`;
  }),
  '\\u{e1000}-\\u{efffd}',
].join('');
const iprivate = '\\u{e000}-\\u{f8ff}\\u{f0000}-\\u{ffffd}\\u{100000}-\\u{10fffd}';

const percent = '%[0-9A-Fa-f]{2}';
const subDelimiters = "!$&'()*+,;=";

/**
 * RFC 3986, appendix A, with `more` unreserved characters, and `inQuery` for additional ones in
 * queries.
 */
function resourceIdentifier(more: string, inQuery: string): { full: string; relative: string } {
  const unreserved = `A-Za-z0-9._~${more}`;
  const char = (extra: string): string => `(?:[${unreserved}${subDelimiters}${extra}-]|${percent})`;
  const segment = `${char(':@')}*`;
  const laterFuture = `[vV][0-9A-Fa-f]+\\.[A-Za-z0-9._~${subDelimiters}:-]+`;
  const host = `(?:\\[(?:${ipv6}|${laterFuture})\\]|${char('')}*)`;
  const authority = `(?:${char(':')}*@)?${host}(?::[0-9]*)?`;
  const absolute = `/(?:${char(':@')}+(?:/${segment})*)?`;
  const rest = (first: string): string =>
    `(?://${authority}(?:/${segment})*|${absolute}|${first}(?:/${segment})*|)`;
  const tail = `(?:\\?${char(`:@/?${inQuery}`)}*)?(?:#${char(':@/?')}*)?`;
  return {
    full: `[A-Za-z][A-Za-z0-9+.-]*:${rest(`${char(':@')}+`)}${tail}`,
    relative: `${rest(`${char('@')}+`)}${tail}`,
  };
}

const uri = resourceIdentifier('', '');
const iri = resourceIdentifier(ucschar, iprivate);

/** RFC 6570, section 2. */
const templateLiteral = (more: string): string =>
  `(?:[!#$&${more}(-;=?-\\[\\]_a-z~${ucschar}${iprivate}]|${percent})`;
const variableChar = `(?:[A-Za-z0-9_]|${percent})`;
const variable = `${variableChar}(?:\\.?${variableChar})*(?::[1-9][0-9]{0,3}|\\*)?`;
const templateExpression = `\\{[+#./;?&=,!@|]?${variable}(?:,${variable})*\\}`;

/** RFC 6901. */
const jsonPointer = '(?:/(?:[^~/]|~[01])*)*';

const index = '(?:0|[1-9][0-9]*)';

function whole(rule: string): string {
  return `^(?:${rule})$`;
}

export const grammar = {
  date: whole(date),
  timeOver: whole(`${ordinaryTime}|${anyLeapSecond}`),
  timeUnder: whole(`${ordinaryTime}|${plainLeapSecond}`),
  dateTimeOver: whole(`(?:${date})[Tt](?:${ordinaryTime}|${anyLeapSecond})`),
  dateTimeUnder: whole(`(?:${date})[Tt](?:${ordinaryTime}|${plainLeapSecond})`),
  duration: whole(duration),
  emailOver: whole(mailbox('', '', unregistered)),
  emailUnder: whole(mailbox('', '')),
  idnEmailOver: whole(mailbox(beyondAscii, beyondAscii, unregistered)),
  idnEmailUnder: whole(mailbox(beyondAscii, '')),
  hostnameOver: whole(`${label}(?:\\.${label})*`),
  hostnameUnder: whole(`${plainLabel}(?:\\.${plainLabel}){0,3}`),
  idnHostnameOver: whole(
    `[A-Za-z0-9-.${inIdnName}]*[A-Za-z0-9${inIdnName}][A-Za-z0-9-.${inIdnName}]*`,
  ),
  ipv4: whole(ipv4),
  ipv6: whole(ipv6),
  uri: whole(uri.full),
  uriReference: whole(`${uri.full}|${uri.relative}`),
  iri: whole(iri.full),
  iriReference: whole(`${iri.full}|${iri.relative}`),
  uuid: whole('[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}'),
  /** The apostrophe is not a literal in the RFC, but is one by erratum 6937. */
  uriTemplateOver: whole(`(?:${templateLiteral("'")}|${templateExpression})*`),
  uriTemplateUnder: whole(`(?:${templateLiteral('')}|${templateExpression})*`),
  jsonPointer: whole(jsonPointer),
  /** Later drafts allow an adjusted index, as in `0+1/a`. */
  relativeJsonPointerOver: whole(`${index}(?:[+-]${index})?(?:#|${jsonPointer})`),
  relativeJsonPointerUnder: whole(`${index}(?:#|${jsonPointer})`),
  /** Certainly regular expressions; the set of all of them is not a regular language. */
  base64: whole('(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?'),
  regexUnder: whole('\\^?[A-Za-z0-9 ,:;@_-]*\\$?'),
} as const;
