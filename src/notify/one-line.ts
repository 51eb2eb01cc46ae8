/**
 * What people wrote must not look like a line of ours, or like a header of an e-mail, and must not
 * turn around what stands beside it.
 *
 * @example oneLine('a reason\r\nAnswer by: never') // 'a reason Answer by: never'
 */
export function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\p{Bidi_Control}+/gu, '')
    .trim();
}
