// Words of names: what a search compares.

/** A lexeme of Postgres holds 2,046 bytes; nobody searches for such long words. */
const wordLimit = 200;

/**
 * The words of a text in lower case. Any character except letters and digits separates them.
 *
 * @example wordsOf('shop.order_Items') // ['shop', 'order', 'items']
 */
export function wordsOf(text: string): readonly string[] {
  return (text.toLowerCase().match(/[\p{Letter}\p{Number}]+/gu) ?? []).map((word) =>
    word.slice(0, wordLimit).toWellFormed(),
  );
}

/**
 * Like `wordsOf`, and a capital letter begins a word.
 *
 * @example partsOf('customerId') // ['customer', 'id']
 */
export function partsOf(text: string): readonly string[] {
  return wordsOf(text.replace(/([\p{Ll}\p{N}])(?=\p{Lu})/gu, '$1 '));
}

/**
 * How a name is compared as a whole: its words, with and without those that capital letters begin.
 *
 * @example spellingsOf('customerId') // ['customer id', 'customerid']
 */
export function spellingsOf(text: string): readonly string[] {
  const spellings = [partsOf(text), wordsOf(text)].map((words) => words.join(' '));
  return [...new Set(spellings)].filter((spelling) => spelling !== '');
}
