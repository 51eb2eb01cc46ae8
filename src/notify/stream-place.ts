// The position of a follower of the event stream, as text that it sends back. It consists of
// database snapshots, so every replica understands it and late commits are never skipped.

/** Everything that `before` sees, and what `through` sees beyond it up to the event `after`. */
export interface StreamPlace {
  readonly before: string;
  /** Null: nothing beyond `before`. */
  readonly through: string | null;
  readonly after: number;
}

/** A snapshot names every running transaction: 400 of ten digits each are 4,400 characters. */
const lengthLimit = 10_000;

/** @example formatPlace({ before: '7:9:8', through: '12:12:', after: 41 }) // '7:9:8/12:12:/41' */
export function formatPlace({ before, through, after }: StreamPlace): string {
  return through === null ? before : `${before}/${through}/${after}`;
}

export function parsePlace(text: string): StreamPlace | 'malformed' {
  if (text.length > lengthLimit) return 'malformed';
  const [before = '', through, after, ...more] = text.split('/');
  if (!isSnapshot(before) || more.length > 0) return 'malformed';
  if (through === undefined) return { before, through: null, after: 0 };
  if (!isSnapshot(through) || after === undefined || !/^\d{1,15}$/.test(after)) return 'malformed';
  return { before, through, after: Number(after) };
}

const highestId = 2n ** 63n;

/** The syntax that Postgres accepts; other text would cause an error. */
function isSnapshot(text: string): boolean {
  const match = /^(\d{1,19}):(\d{1,19}):((?:\d{1,19}(?:,\d{1,19})*)?)$/.exec(text);
  if (match === null) return false;
  const [, low = '', high = '', list = ''] = match;
  const xmin = BigInt(low);
  const xmax = BigInt(high);
  if (xmin < 1n || xmax < xmin || xmax >= highestId) return false;
  const underWay = list === '' ? [] : list.split(',').map(BigInt);
  return underWay.every((id, i) => {
    const last = underWay[i - 1] ?? xmin;
    return id >= last && id < xmax;
  });
}
