// Combines lookups by digest: one statement runs at a time, and lookups that arrive meanwhile share
// the next.

/** Returns the entries that exist, each under its digest in hex. */
export type FindByDigest<Found> = (
  digests: readonly Buffer[],
) => Promise<ReadonlyMap<string, Found>>;

/** With 32 bytes each, 16 KiB per statement, which takes a few milliseconds. */
const batchLimit = 500;

/** @example const find = askInBatches(findKeysByDigest); */
export function askInBatches<Found>(
  find: FindByDigest<Found>,
): (digest: Buffer) => Promise<Found | null> {
  let waiting: Asked<Found>[] = [];
  let isAsking = false;
  const askAll = async (): Promise<void> => {
    isAsking = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchLimit);
      waiting = waiting.slice(batchLimit);
      await answer(find, batch);
    }
    isAsking = false;
  };
  return (digest) =>
    new Promise((resolve, reject) => {
      waiting.push({ digest, resolve, reject });
      if (!isAsking) void askAll();
    });
}

interface Asked<Found> {
  readonly digest: Buffer;
  readonly resolve: (found: Found | null) => void;
  readonly reject: (error: unknown) => void;
}

async function answer<Found>(
  find: FindByDigest<Found>,
  batch: readonly Asked<Found>[],
): Promise<void> {
  try {
    const found = await find(batch.map(({ digest }) => digest));
    for (const { digest, resolve } of batch) resolve(found.get(digest.toString('hex')) ?? null);
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}
