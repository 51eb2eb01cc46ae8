// An order by chance that SEED repeats.

/** Tests show it in their names. */
export const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));

/** Every order has the same chance. The numbers are those of a linear congruential generator. */
export function shuffled<Item>(items: readonly Item[], from: number): readonly Item[] {
  let state = from;
  const next = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7f_ff_ff_ff;
    return state / 2 ** 31;
  };
  const drawn = items.map((item) => ({ item, place: next() }));
  return drawn.sort((a, b) => a.place - b.place).map(({ item }) => item);
}
