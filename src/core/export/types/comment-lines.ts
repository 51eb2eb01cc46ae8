/** A description as the lines of a comment, which nothing in it can end. */
export function commentLines(description: string): readonly string[] {
  if (description === '') return [];
  const lines = description.split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/);
  return lines.map((line) => line.replace(/\p{Cc}/gu, ' ').trim());
}
