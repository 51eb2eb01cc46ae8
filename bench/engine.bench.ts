// The engine compared with its peers in the same run: how much each decides, how often each is
// wrong, and how long it takes. If a peer answers "yes" and the engine shows a value, that is a
// wrong yes of the peer.

import { isOpenApi } from '../src/core/schema/keywords.ts';
import type { Json } from '../src/core/value/json.ts';
import { ask, patterns, questionsOf } from '../test/core/containment/support/hostile-patterns.ts';
import { type Asked, askEngine, askPeer, medianOf, quantileOf } from './engine/questions.ts';
import { smallKinds } from './engine/small-questions.ts';
import { type HandPair, handPairs } from './peers/hand-pairs.ts';
import { openJsonSchemaDiff, openJsonschemaRs } from './peers/installed-peers.ts';
import type { Peer } from './peers/peer-process.ts';
import { type RealPair, realPairs } from './peers/real-pairs.ts';
import type { Benchmark, Figure } from './support/figure.ts';
import { quantile } from './support/load.ts';

export const benchmark: Benchmark = { name: 'engine', run: measureEngine };

async function measureEngine(): Promise<readonly Figure[]> {
  const peers = [openJsonSchemaDiff(), await openJsonschemaRs()];
  try {
    return [
      ...(await measureHand(await handPairs('hard'), 'hand-made hard pairs', 0.97, peers)),
      ...(await measureHand(await handPairs('structural'), 'structural pairs', 0.98, peers)),
      ...measureSmall(),
      await measurePatterns(),
      ...(await measureReal(await realPairs(), peers)),
    ];
  } finally {
    for (const peer of peers) peer.stop();
  }
}

/** By a process each, beside one that is asked an easy question. */
async function measurePatterns(): Promise<Figure> {
  const memoryOf = async (questions: readonly Json[]) => (await ask(questions)).kilobytes / 1024;
  const asked: number[] = [];
  for (const pattern of patterns) asked.push(await memoryOf(questionsOf(pattern)));
  return {
    ...{ name: 'patterns whose automata explode: most memory', unit: 'MiB' },
    ...{ value: Math.max(...asked), targetValue: 700 },
    against: { name: 'an easy pattern', value: await memoryOf(questionsOf('^a+$')) },
    note: `${patterns.length} patterns, the median at ${quantile(
      asked.sort((a, b) => a - b),
      0.5,
    ).toFixed(0)} MiB`,
  };
}

async function measureHand(
  pairs: readonly HandPair[],
  name: string,
  promised: number,
  peers: readonly Peer[],
): Promise<readonly Figure[]> {
  const own = pairs.map((pair) => ({ pair, ...askEngine(pair, { rounds: 3 }) }));
  const figures: Figure[] = [];
  const wrong = (asked: readonly (Asked & { pair: HandPair })[], verdict: 'yes' | 'no') =>
    asked.filter((each) => each.verdict === verdict && isWrong(each.verdict, each.pair)).length;
  const shareOf = (asked: readonly Asked[]) => (100 * decidedIn(asked)) / asked.length;
  for (const peer of peers) {
    const fair = own.filter(({ pair }) => isReadBy(peer, pair));
    const theirs = [];
    for (const { pair } of fair) {
      theirs.push({
        pair,
        ...(await askPeer(peer, pair, { rounds: 2 })),
      });
    }
    const against = (value: number) => ({ name: peer.name, value });
    const note = `${fair.length} of ${pairs.length} pairs are read by ${peer.name}`;
    figures.push(
      {
        ...{ name: `${name}: decided, beside ${peer.name}`, unit: '%', value: shareOf(own) },
        ...{ against: against(shareOf(theirs)), targetValue: promised * 100, note },
        higherIsBetter: true,
      },
      {
        ...{ name: `${name}: wrong yes, beside ${peer.name}`, unit: 'pairs' },
        ...{ value: wrong(own, 'yes'), against: against(wrong(theirs, 'yes')), targetValue: 0 },
      },
      {
        ...{ name: `${name}: wrong no, beside ${peer.name}`, unit: 'pairs' },
        ...{ value: wrong(own, 'no'), against: against(wrong(theirs, 'no')), targetValue: 0 },
      },
      {
        ...{ name: `${name}: median, beside ${peer.name}`, unit: 'us', value: medianOf(own) },
        ...{ against: against(medianOf(theirs)), targetValue: 50 },
      },
    );
  }
  return figures;
}

/** No peer reads OpenAPI, and json-schema-diff does not read formats either. */
function isReadBy(peer: Peer, { a, b, dialect }: HandPair): boolean {
  if (isOpenApi(dialect)) return false;
  return peer.name !== 'json-schema-diff' || !JSON.stringify([a, b]).includes('"format"');
}

function isWrong(verdict: 'yes' | 'no', pair: HandPair): boolean {
  return pair.expected !== null && pair.expected !== verdict;
}

function decidedIn(asked: readonly Asked[]): number {
  return asked.filter(({ verdict }) => verdict !== 'undecided').length;
}

/** In one mixed stream, like real questions: each round asks all of them, each parsed again. */
function measureSmall(): readonly Figure[] {
  const rounds = 40;
  const asked = smallKinds.flatMap(({ name, questions }) =>
    questions.map((question) => ({ name, text: JSON.stringify(question), times: [] as Asked[] })),
  );
  for (let round = 0; round < rounds; round++) {
    for (const { text, times } of asked) {
      const once = askEngine(JSON.parse(text), { rounds: 1 });
      // Ignores rounds before the code is compiled.
      if (round >= rounds / 2) times.push(once);
    }
  }
  const medians = asked.map(({ name, times }) => ({
    ...{ name, verdict: times[0]?.verdict ?? 'undecided', micros: medianOf(times) },
  }));
  return [
    { name: 'small questions: median', unit: 'us', value: medianOf(medians), targetValue: 50 },
    ...[...Map.groupBy(medians, ({ name }) => name)].map(([name, own]) => ({
      ...{ name: `small questions, ${name}: median`, unit: 'us', value: medianOf(own) },
      ...{ targetValue: 50, note: `${own.length} questions, half of them as their producer` },
    })),
  ];
}

async function measureReal(
  pairs: readonly RealPair[],
  peers: readonly Peer[],
): Promise<readonly Figure[]> {
  const own = pairs.map((pair) => ({ pair, ...askEngine(toQuestion(pair), { rounds: 3 }) }));
  const producer = pairs.map((pair) =>
    askEngine({ ...toQuestion(pair), closed: true }, { rounds: 1 }),
  );
  const share = (asked: readonly Asked[]) => (100 * decidedIn(asked)) / asked.length;
  const note = `${pairs.length} pairs of ${new Set(pairs.map(({ family }) => family)).size} families`;
  const figures: Figure[] = [
    {
      ...{ name: 'real version pairs: decided, as their producer', unit: '%' },
      ...{ value: share(producer), targetValue: 90, higherIsBetter: true, note },
    },
    ...perFamily(own),
  ];
  for (const peer of peers) {
    const theirs = [];
    for (const { pair } of own) {
      theirs.push({ pair, ...(await askPeer(peer, toQuestion(pair), { rounds: 1 })) });
    }
    const against = (value: number) => ({ name: peer.name, value });
    figures.push(
      {
        ...{ name: `real version pairs: decided, beside ${peer.name}`, unit: '%', note },
        ...{ value: share(own), against: against(share(theirs)) },
        ...{ targetValue: 90, higherIsBetter: true },
      },
      {
        ...{ name: `real version pairs: median, beside ${peer.name}`, unit: 'us' },
        ...{ value: medianOf(own), against: against(medianOf(theirs)), targetValue: 1_000 },
      },
      {
        ...{ name: `real version pairs: p95, beside ${peer.name}`, unit: 'us' },
        value: quantileOf(own, 0.95),
        ...{ against: against(quantileOf(theirs, 0.95)), targetValue: 50_000 },
      },
      {
        // If two answers contradict each other, one is wrong. A value that is shown was verified,
        // so then the peer's "yes" is wrong. If the engine says "yes" and the peer "no", it may be
        // the engine.
        ...{ name: `real version pairs: wrong yes, beside ${peer.name}`, unit: 'pairs' },
        value: contradicted(own, theirs, 'yes', 'no'),
        ...{ against: against(contradicted(own, theirs, 'no', 'yes')), targetValue: 0 },
      },
    );
  }
  return figures;
}

function toQuestion({ old, next, dialect }: RealPair) {
  return { a: old, b: next, dialect, formats: true };
}

function contradicted(
  own: readonly Asked[],
  theirs: readonly Asked[],
  mine: 'yes' | 'no',
  other: 'yes' | 'no',
): number {
  return own.filter(({ verdict }, index) => verdict === mine && theirs[index]?.verdict === other)
    .length;
}

function perFamily(own: readonly (Asked & { readonly pair: RealPair })[]): readonly Figure[] {
  const families = Map.groupBy(own, ({ pair }) => pair.family);
  return [...families].map(([family, asked]) => {
    const undecided = asked.length - decidedIn(asked);
    const slowest = quantileOf(asked, 1) / 1000;
    return {
      ...{ name: `${family}: median`, unit: 'us', value: medianOf(asked) },
      note: `${asked.length} pairs, ${undecided} undecided, slowest ${slowest.toFixed(0)} ms`,
    };
  });
}
