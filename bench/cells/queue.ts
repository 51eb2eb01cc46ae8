// How long requests wait for processors: Erlang's formula, and the same by simulation.

interface Servers {
  /** Requests a second. */
  readonly rate: number;
  /** Seconds of a processor for each. */
  readonly seconds: number;
  readonly processors: number;
}

/** The part of the processors that is used. */
export function loadOf({ rate, seconds, processors }: Servers): number {
  return (rate * seconds) / processors;
}

/** The probability that a request waits (Erlang C). */
export function waits({ rate, seconds, processors }: Servers): number {
  const offered = rate * seconds;
  const load = offered / processors;
  if (load >= 1) return 1;
  // By Erlang B, which needs no factorials.
  let blocked = 1;
  for (let n = 1; n <= processors; n++) blocked = (offered * blocked) / (n + offered * blocked);
  return blocked / (1 - load * (1 - blocked));
}

/** The wait in seconds that all but a part of the requests stay below. */
export function waitAt(servers: Servers, part: number): number {
  const load = loadOf(servers);
  if (load >= 1) return Number.POSITIVE_INFINITY;
  const waiting = waits(servers);
  if (waiting <= part) return 0;
  return (Math.log(waiting / part) * servers.seconds) / (servers.processors * (1 - load));
}

/** The same by serving requests one by one. */
export function simulateWaits(
  { rate, seconds, processors }: Servers,
  count: number,
  random: () => number,
): readonly number[] {
  const freeAt = Array.from({ length: processors }, () => 0);
  const waited: number[] = [];
  let now = 0;
  for (let i = 0; i < count; i++) {
    now += -Math.log(1 - random()) / rate;
    const first = freeAt.indexOf(Math.min(...freeAt));
    const begins = Math.max(now, freeAt[first] ?? 0);
    waited.push(begins - now);
    freeAt[first] = begins - Math.log(1 - random()) * seconds;
  }
  return waited;
}
