// Host names: RFC 1123 for ASCII, IDNA 2008 (RFC 5890 to 5893) for the rest and for A-labels. Which
// characters a label may hold is derived from Unicode's properties as RFC 5892 says, not listed.

export function isHostname(text: string): boolean {
  return text.length <= longestHostname && text.split('.').every(isAsciiLabel);
}

/** @example isIdnHostname('실례.테스트') // true */
export function isIdnHostname(text: string): boolean {
  let length = -1;
  for (const label of text.split(/[.\u3002\uff0e\uff61]/u)) {
    if (asciiLabelPattern.test(label)) {
      if (!isAsciiLabel(label)) return false;
      length += label.length + 1;
    } else {
      if (!isUnicodeLabel(label)) return false;
      const encoded = encodePunycode(label);
      if (encoded === null || encoded.length + 4 > 63) return false;
      length += encoded.length + 5;
    }
  }
  return length <= longestHostname;
}

/** 255 octets on the wire: a length before each label, and the empty one of the root. */
export const longestHostname = 253;

const asciiLabelPattern = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

function isAsciiLabel(label: string): boolean {
  if (!asciiLabelPattern.test(label)) return false;
  if (label.slice(2, 4) !== '--') return true;
  if (!label.toLowerCase().startsWith('xn--')) return false;
  const decoded = decodePunycode(label.slice(4).toLowerCase());
  return decoded !== null && /[^\0-\x7f]/.test(decoded) && isUnicodeLabel(decoded);
}

/** RFC 5891, section 4.2: the rules of a label that is not ASCII. */
function isUnicodeLabel(label: string): boolean {
  if (label === '' || label !== label.normalize('NFC')) return false;
  if (label.startsWith('-') || label.endsWith('-') || /^..--/u.test(label)) return false;
  if (/^\p{M}/u.test(label)) return false;
  const chars = Array.from(label);
  return chars.every((char, index) => isAllowed(chars, char, index));
}

function isAllowed(chars: readonly string[], char: string, index: number): boolean {
  const rule = contextRules.find(([set]) => set.test(char));
  if (rule !== undefined) return rule[1](chars, index);
  return isProtocolValid(char);
}

/** RFC 5892, appendix A: what may stand only beside certain others. */
const contextRules: readonly (readonly [
  RegExp,
  (chars: readonly string[], index: number) => boolean,
])[] = [
  // Middle dot, between two l.
  [/^\u00b7$/, (chars, index) => chars[index - 1] === 'l' && chars[index + 1] === 'l'],
  // Greek keraia, before Greek.
  [/^\u0375$/, (chars, index) => /^\p{Script=Greek}$/u.test(chars[index + 1] ?? '')],
  // Hebrew geresh and gershayim, after Hebrew.
  [/^[\u05f3\u05f4]$/, (chars, index) => /^\p{Script=Hebrew}$/u.test(chars[index - 1] ?? '')],
  // Katakana middle dot, in a label that has Japanese in it.
  [
    /^\u30fb$/,
    (chars) => chars.some((one) => /^[\p{Script=Hira}\p{Script=Kana}\p{Script=Han}]$/u.test(one)),
  ],
  // Arabic-Indic digits and extended ones do not mix.
  [/^[\u0660-\u0669]$/, (chars) => !chars.some((one) => /^[\u06f0-\u06f9]$/.test(one))],
  [/^[\u06f0-\u06f9]$/, (chars) => !chars.some((one) => /^[\u0660-\u0669]$/.test(one))],
  // Joiners, after a virama; or the non-joiner between letters that join.
  [/^\u200d$/u, (chars, index) => isVirama(chars[index - 1])],
  [
    /^\u200c$/u,
    (chars, index) =>
      isVirama(chars[index - 1]) || (isJoining(chars[index - 1]) && isJoining(chars[index + 1])),
  ],
];

/** The characters of combining class 9, which no property of JavaScript names. */
const viramas =
  /^[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca\u0e3a\u0eba\u0f84\u1039\u103a\u1714\u1715\u1734\u17d2\u1a60\u1b44\u1baa\u1bab\u1bf2\u1bf3\u2d7f\ua806\ua82c\ua8c4\ua953\ua9c0\uaaf6\uabed]$|^[\u{10a3f}\u{11046}\u{11070}\u{1107f}\u{110b9}\u{11133}\u{11134}\u{111c0}\u{11235}\u{112ea}\u{1134d}\u{11442}\u{114c2}\u{115bf}\u{1163f}\u{116b6}\u{1172b}\u{11839}\u{1193d}\u{1193e}\u{119e0}\u{11a34}\u{11a47}\u{11a99}\u{11c3f}\u{11d44}\u{11d45}\u{11d97}]$/u;

function isVirama(char: string | undefined): boolean {
  return char !== undefined && viramas.test(char);
}

/** Scripts whose letters join: close enough to Joining_Type, which JavaScript does not know. */
function isJoining(char: string | undefined): boolean {
  return /^[\p{Script=Arab}\p{Script=Syrc}\p{Script=Mand}\p{Script=Nko}\p{Script=Mong}]$/u.test(
    char ?? '',
  );
}

const exceptionsAllowed = /^[\u00df\u03c2\u06fd\u06fe\u0f0b\u3007]$/;
const exceptionsRefused = /^[\u0640\u07fa\u302e\u302f\u3031-\u3035\u303b]$/;

/** RFC 5892, section 3: letters, digits and marks that no normalisation or case folding changes. */
function isProtocolValid(char: string): boolean {
  if (exceptionsAllowed.test(char)) return true;
  if (exceptionsRefused.test(char)) return false;
  if (/^[a-z0-9-]$/.test(char)) return true;
  if (!/^[\p{Ll}\p{Lu}\p{Lo}\p{Nd}\p{Lm}\p{Mn}\p{Mc}]$/u.test(char)) return false;
  if (
    /^[\p{Default_Ignorable_Code_Point}\p{White_Space}\p{Noncharacter_Code_Point}]$/u.test(char)
  ) {
    return false;
  }
  if (/^[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]$/.test(char)) return false;
  return char === char.normalize('NFKC').toLowerCase().normalize('NFKC');
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

/** `null` where the text is no Punycode. */
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

/** `null` where the label is longer than any that fits: the work grows with its square. */
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
