// Puts one question to the engine or a peer: the verdict, and the best time of a few rounds.

import { contains } from '../../src/core/containment/contains.ts';
import { validate } from '../../src/core/containment/validate/validator.ts';
import type { Dialect } from '../../src/core/schema/dialects.ts';
import { parseSchema } from '../../src/core/schema/parse-schema.ts';
import type { Json } from '../../src/core/value/json.ts';
import type { Peer } from '../peers/peer-process.ts';
import { quantile } from '../support/load.ts';

export interface Question {
  readonly a: Json;
  readonly b: Json;
  readonly dialect: Dialect;
  readonly formats: boolean;
  readonly closed?: boolean;
}

export interface Asked {
  readonly verdict: 'yes' | 'no' | 'undecided';
  readonly micros: number;
}

/** The first round only lets the code compile: no answer is cached. */
export function askEngine(question: Question, { rounds }: { readonly rounds: number }): Asked {
  let micros = Number.POSITIVE_INFINITY;
  let verdict: Asked['verdict'] = 'undecided';
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    const answer = contains(question);
    micros = Math.min(micros, (performance.now() - start) * 1000);
    verdict = answer.verdict;
    if (round === 0 && answer.verdict === 'no') confirm(question, answer.witness);
  }
  return { verdict, micros };
}

/** A "no" without a value that shows it would be a bug, and ends the run. */
function confirm({ a, b, dialect, formats, closed = false }: Question, witness: Json): void {
  const inA = validate(parseSchema(a, dialect).root, witness, { formats, closed });
  const inB = validate(parseSchema(b, dialect).root, witness, { formats });
  if (inA === 'accepted' && inB === 'rejected') return;
  throw new Error(
    `The witness shows nothing: ${inA} by a, ${inB} by b: ${JSON.stringify(witness)}`,
  );
}

export async function askPeer(
  peer: Peer,
  question: Question,
  { rounds }: { readonly rounds: number },
): Promise<Asked> {
  let best = await peer.ask(question);
  for (let round = 1; round < rounds && best.verdict !== 'undecided'; round++) {
    const again = await peer.ask(question);
    if (again.micros < best.micros) best = again;
  }
  return best;
}

export function medianOf(asked: readonly Asked[]): number {
  return quantileOf(asked, 0.5);
}

export function quantileOf(asked: readonly Asked[], share: number): number {
  return quantile(
    asked.map(({ micros }) => micros).sort((a, b) => a - b),
    share,
  );
}
