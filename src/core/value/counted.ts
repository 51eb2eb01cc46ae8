/**
 * How many, with the noun's plural.
 *
 * @example counted(1, 'registration') // '1 registration'
 * @example counted(2, 'asset') // '2 assets'
 */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
