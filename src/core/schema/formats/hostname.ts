// Host names: RFC 1123 for ASCII, IDNA 2008 (RFC 5890 to 5893) for other characters and for
// A-labels. The allowed characters of a label are derived from Unicode properties, as RFC 5892
// defines them, not listed.

/** Undefined for invalid labels that look like A-labels, because not all validators decode them. */
export function isHostname(text: string): boolean | undefined {
  if (text.length > longestHostname) return false;
  const labels = text.split('.');
  if (!labels.every((label) => asciiLabelPattern.test(label))) return false;
  const decoded = labels.map(decodedLabel);
  if (decoded.some((label) => label === null)) return undefined;
  return areLabels(decoded.flatMap((label) => label ?? [])) || undefined;
}

/**
 * Undefined if the result depends on a mapping that some validators apply first, or on Unicode data
 * that JavaScript does not have.
 *
 * @example isIdnHostname('실례.테스트') // true
 */
export function isIdnHostname(text: string): boolean | undefined {
  const isRight = judgeIdnHostname(text);
  if (isRight !== false) return isRight;
  const plain = text.normalize('NFKC').replaceAll('\u3002', '.').replaceAll(ignored, '');
  const mapped = [plain.toLowerCase(), plain.toUpperCase().toLowerCase()];
  return mapped.some((each) => judgeIdnHostname(each.normalize('NFKC')) !== false)
    ? undefined
    : false;
}

/** What a mapping drops (UTS #46). The joiners are judged where they stand. */
const ignored = /(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}/gu;

function judgeIdnHostname(text: string): boolean | undefined {
  let length = -1;
  const labels: string[] = [];
  for (const label of text.split('.')) {
    const isAscii = asciiLabelPattern.test(label);
    const encoded = isAscii ? label : encodePunycode(label);
    const octets = (encoded?.length ?? 64) + (isAscii ? 0 : 4);
    length += octets + 1;
    if (label === '' || octets > 63 || length > longestHostname) return false;
    const decoded = isAscii ? decodedLabel(label) : label;
    if (decoded === null) return false;
    labels.push(decoded);
  }
  return areLabels(labels);
}

/** 255 octets on the wire: a length before each label, and the empty label of the root. */
export const longestHostname = 253;

const asciiLabelPattern = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/** An A-label decoded to Unicode, any other ASCII label unchanged; null for reserved ones. */
function decodedLabel(label: string): string | null {
  if (label.slice(2, 4) !== '--') return label;
  if (!label.toLowerCase().startsWith('xn--')) return null;
  const decoded = decodePunycode(label.slice(4).toLowerCase());
  return decoded !== null && /[^\0-\x7f]/.test(decoded) ? decoded : null;
}

/** Checks labels in Unicode: each on its own, and all together if one is right-to-left. */
function areLabels(labels: readonly string[]): boolean | undefined {
  const others = labels.filter((label) => !asciiLabelPattern.test(label));
  const isRight = allOf(others.map(isUnicodeLabel));
  if (isRight === false || !labels.some((label) => rightToLeft.test(label))) return isRight;
  return allOf([isRight, ...labels.map((label) => isBidiLabel(label))]);
}

function allOf(truths: readonly (boolean | undefined)[]): boolean | undefined {
  if (truths.includes(false)) return false;
  return truths.includes(undefined) ? undefined : true;
}

/** The blocks of right-to-left characters, and Arabic digits. Marks have no direction of their own. */
const rightToLeft =
  /(?!\p{Mn})[\u0590-\u06ef\u06fa-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * RFC 5893, section 2, for each label of a name with a right-to-left label. JavaScript does not
 * know the direction of every character: labels with characters other than plain letters, digits
 * and marks are left open.
 */
function isBidiLabel(label: string): boolean | undefined {
  if (/^[0-9-]/.test(label)) return false;
  if (!rightToLeft.test(label)) {
    return /^[\p{Ll}\p{Lo}](?:[\p{Ll}\p{Lo}0-9-]*[\p{Ll}\p{Lo}0-9])?$/iu.test(label) || undefined;
  }
  if (/[A-Za-z]/.test(label)) return false;
  const isPlain =
    /^[\u05d0-\u05ea\u0620-\u063f\u0641-\u064a]/.test(label) && plainLetters.test(label);
  return (isPlain && !label.endsWith('-')) || undefined;
}

/** Letters of Hebrew and Arabic, and digits of one kind. */
const plainLetters =
  /^(?:[\u05d0-\u05ea\u05f3\u05f4\u0620-\u063f\u0641-\u064a0-9-]*|[\u05d0-\u05ea\u05f3\u05f4\u0620-\u063f\u0641-\u064a\u0660-\u0669-]*)$/;

/** RFC 5891, section 4.2: the rules for labels beyond ASCII. */
function isUnicodeLabel(label: string): boolean | undefined {
  if (label === '' || label !== label.normalize('NFC')) return false;
  if (label.startsWith('-') || label.endsWith('-') || /^..--/u.test(label)) return false;
  if (/^\p{M}/u.test(label)) return false;
  const chars = Array.from(label);
  return allOf(chars.map((char, index) => isAllowed(chars, char, index)));
}

function isAllowed(chars: readonly string[], char: string, index: number): boolean | undefined {
  const rule = contextRules.find(([set]) => set.test(char));
  if (rule !== undefined) return rule[1](chars, index);
  return isProtocolValid(char);
}

/** RFC 5892, appendix A: characters that are allowed only in certain contexts. */
const contextRules: readonly (readonly [
  RegExp,
  (chars: readonly string[], index: number) => boolean | undefined,
])[] = [
  // Middle dot, between two l.
  [/^\u00b7$/, (chars, index) => chars[index - 1] === 'l' && chars[index + 1] === 'l'],
  // Greek keraia, before Greek.
  [/^\u0375$/, (chars, index) => /^\p{Script=Greek}$/u.test(chars[index + 1] ?? '')],
  // Hebrew geresh and gershayim, after Hebrew.
  [/^[\u05f3\u05f4]$/, (chars, index) => /^\p{Script=Hebrew}$/u.test(chars[index - 1] ?? '')],
  // Katakana middle dot, in a label with Japanese characters.
  [
    /^\u30fb$/,
    (chars) => chars.some((one) => /^[\p{Script=Hira}\p{Script=Kana}\p{Script=Han}]$/u.test(one)),
  ],
  // Arabic-Indic digits and extended ones do not mix.
  [/^[\u0660-\u0669]$/, (chars) => !chars.some((one) => /^[\u06f0-\u06f9]$/.test(one))],
  [/^[\u06f0-\u06f9]$/, (chars) => !chars.some((one) => /^[\u0660-\u0669]$/.test(one))],
  // Joiners after a virama; or the non-joiner between joining letters, a property that JavaScript
  // does not have.
  [/^\u200d$/u, (chars, index) => isAfterVirama(chars, index)],
  [
    /^\u200c$/u,
    (chars, index) => isAfterVirama(chars, index) || (chars.some(mayJoin) ? undefined : false),
  ],
];

/** The characters of combining class 9, for which JavaScript has no property. */
const viramas =
  /^[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca\u0e3a\u0eba\u0f84\u1039\u103a\u1714\u1715\u1734\u17d2\u1a60\u1b44\u1baa\u1bab\u1bf2\u1bf3\u2d7f\ua806\ua82c\ua8c4\ua953\ua9c0\uaaf6\uabed]$|^[\u{10a3f}\u{11046}\u{11070}\u{1107f}\u{110b9}\u{11133}\u{11134}\u{111c0}\u{11235}\u{112ea}\u{1134d}\u{11442}\u{114c2}\u{115bf}\u{1163f}\u{116b6}\u{1172b}\u{11839}\u{1193d}\u{1193e}\u{119e0}\u{11a34}\u{11a47}\u{11a99}\u{11c3f}\u{11d44}\u{11d45}\u{11d97}]$/u;

function isAfterVirama(chars: readonly string[], index: number): boolean | undefined {
  const before = chars[index - 1] ?? '';
  if (viramas.test(before)) return true;
  // Later versions of Unicode have more of them.
  return /^\p{M}$/u.test(before) ? undefined : false;
}

function mayJoin(char: string): boolean {
  return /^[\u0600-\u08ff\u1800-\u18af\ua840-\ua87f\u{10ac0}-\u{10fff}\u{1e900}-\u{1e95f}]$/u.test(
    char,
  );
}

const exceptionsAllowed = /^[\u00df\u03c2\u06fd\u06fe\u0f0b\u3007]$/;
const exceptionsRefused = /^[\u0640\u07fa\u302e\u302f\u3031-\u3035\u303b]$/;

/** Marks for symbols and music, which RFC 5892 excludes. */
const ignoredBlocks = /^[\u20d0-\u20ff\u{1d100}-\u{1d24f}]$/u;

/**
 * RFC 5892, section 3: letters, digits and marks that normalization and case folding leave
 * unchanged.
 */
function isProtocolValid(char: string): boolean | undefined {
  if (exceptionsAllowed.test(char)) return true;
  if (exceptionsRefused.test(char) || ignoredBlocks.test(char)) return false;
  if (/^[a-z0-9-]$/.test(char)) return true;
  if (/^\p{Cn}$/u.test(char) && !/^\p{Noncharacter_Code_Point}$/u.test(char)) return undefined;
  if (!/^[\p{Ll}\p{Lu}\p{Lo}\p{Nd}\p{Lm}\p{Mn}\p{Mc}]$/u.test(char)) return false;
  if (
    /^[\p{Default_Ignorable_Code_Point}\p{White_Space}\p{Noncharacter_Code_Point}]$/u.test(char)
  ) {
    return false;
  }
  if (/^[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]$/.test(char)) return false;
  const normal = char.normalize('NFKC');
  // JavaScript has no case folding. It lies between these two where they differ.
  const isLower = char === normal.toLowerCase().normalize('NFKC');
  const isFolded = char === normal.toUpperCase().toLowerCase().normalize('NFKC');
  if (/^\p{Script=Cherokee}$/u.test(char)) return undefined;
  return isLower === isFolded ? isLower : undefined;
}

// RFC 3492.
const base = 36;
const tMin = 1;
const tMax = 26;
const skew = 38;
const damp = 700;

function adaptBias(delta: number, count: number, isFirst: boolean): number {
  let rest = isFirst ? Math.floor(delta / damp) : delta >> 1;
  rest += Math.floor(rest / count);
  let k = 0;
  for (; rest > ((base - tMin) * tMax) >> 1; k += base) rest = Math.floor(rest / (base - tMin));
  return k + Math.floor(((base - tMin + 1) * rest) / (rest + skew));
}

function thresholdAt(k: number, bias: number): number {
  return Math.min(tMax, Math.max(tMin, k - bias));
}

/** `null` if the text is not Punycode. */
export function decodePunycode(text: string): string | null {
  const split = text.lastIndexOf('-');
  const output = split > 0 ? Array.from(text.slice(0, split)) : [];
  const rest = text.slice(split > 0 ? split + 1 : 0);
  let code = 128;
  let bias = 72;
  let at = 0;
  for (let i = 0; i < rest.length; ) {
    const before = at;
    for (let weight = 1, k = base; ; k += base) {
      const digit = '0123456789'.includes(rest[i] ?? 'x')
        ? Number(rest[i]) + 26
        : (rest.charCodeAt(i) || 0) - 97;
      i++;
      if (digit < 0 || digit >= base || i > rest.length) return null;
      at += digit * weight;
      if (at > 0x7fffffff) return null;
      const threshold = thresholdAt(k, bias);
      if (digit < threshold) break;
      weight *= base - threshold;
    }
    const count = output.length + 1;
    bias = adaptBias(at - before, count, before === 0);
    code += Math.floor(at / count);
    at %= count;
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return null;
    output.splice(at, 0, String.fromCodePoint(code));
    at++;
  }
  return output.join('');
}

/** `null` if the label is longer than any valid one, because the cost is quadratic. */
function encodePunycode(label: string): string | null {
  const chars = Array.from(label, (char) => char.codePointAt(0) ?? 0);
  if (chars.length > 63) return null;
  const basic = chars.filter((char) => char < 128);
  let output = String.fromCodePoint(...basic) + (basic.length > 0 ? '-' : '');
  let code = 128;
  let delta = 0;
  let bias = 72;
  let handled = basic.length;
  while (handled < chars.length) {
    const next = Math.min(...chars.filter((char) => char >= code));
    delta += (next - code) * (handled + 1);
    code = next;
    for (const char of chars) {
      if (char < code) delta++;
      if (char !== code) continue;
      let rest = delta;
      for (let k = base; ; k += base) {
        const threshold = thresholdAt(k, bias);
        if (rest < threshold) break;
        output += digitOf(threshold + ((rest - threshold) % (base - threshold)));
        rest = Math.floor((rest - threshold) / (base - threshold));
      }
      output += digitOf(rest);
      bias = adaptBias(delta, handled + 1, handled === basic.length);
      delta = 0;
      handled++;
    }
    delta++;
    code++;
  }
  return output;
}

function digitOf(value: number): string {
  return 'abcdefghijklmnopqrstuvwxyz0123456789'[value] ?? '';
}
