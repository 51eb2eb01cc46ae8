// What it costs to ask by needs: the same publishes with and without them, and the verdicts beside the
// comparison that they follow.

import type { ContractTerms } from '../src/core/comparison.ts';
import { compare } from '../src/core/diff/compare.ts';
import { findVerdicts } from '../src/core/needs/find-verdicts.ts';
import { makeNeed } from '../src/core/needs/make-need.ts';
import type { Json } from '../src/core/value/json.ts';
import type { Benchmark, Figure } from './support/figure.ts';
import { openConnection, post, type Request, runLoad } from './support/load.ts';
import {
  bootstrapKey,
  type ServerProcess,
  startBenchDatabase,
  startProduct,
} from './support/processes.ts';

const consumerCount = 200;
const needCount = 20;
const fieldCount = 40;
const publishCount = 20;
const rounds = 9;

export const benchmark: Benchmark = {
  name: 'Asking by needs',
  run: async () => [measureVerdicts(), ...(await measurePublish())],
};

const properties = (count: number): Record<string, Json> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`field_${i}`, { type: 'string' }]));
const schemaOf = (count: number): Json => ({ type: 'object', properties: properties(count) });
/** Each need reads two fields that stay. */
const fieldsOf = (index: number) => [`$.field_${index}`, `$.field_${index + 1}`];

function measureVerdicts(): Figure {
  const termsOf = (schema: Json): ContractTerms => ({
    ...{ schema, compatibilityMode: 'backward', guarantees: null, direction: 'data' },
  });
  const [old, next] = [termsOf(schemaOf(fieldCount)), termsOf(schemaOf(fieldCount - 1))];
  const needs = Array.from({ length: consumerCount }, (_, index) => {
    const made = makeNeed({ fields: fieldsOf(index % needCount) }, old);
    if (!made.ok) throw new Error(made.problem.message);
    return made.need;
  });
  const comparison = compare(old, next);
  const times = { comparing: Infinity, asking: Infinity };
  for (let round = 0; round < 40; round++) {
    times.comparing = Math.min(
      times.comparing,
      took(() => compare(old, next)),
    );
    times.asking = Math.min(
      times.asking,
      took(() => findVerdicts({ old, next, comparison }, needs)),
    );
  }
  return {
    name: `verdicts for ${consumerCount} consumers with ${needCount} needs`,
    unit: 'us',
    value: times.asking,
    against: { name: 'the comparison itself', value: times.comparing },
    targetRatio: 3,
    note: `${fieldCount} fields, one of them removed; the best of 40`,
  };
}

function took(run: () => unknown): number {
  const startedAt = performance.now();
  run();
  return (performance.now() - startedAt) * 1_000;
}

async function measurePublish(): Promise<readonly Figure[]> {
  const database = await startBenchDatabase();
  try {
    // V8's helpers collect and compile for every thread, and nobody could tell the engine's share.
    const product = await startProduct(database.url, {}, ['--single-threaded']);
    const [withNeeds, without] = [await consumed(product, true), await consumed(product, false)];
    await database.query('vacuum analyze');
    const ratios: { readonly needs: number; readonly plain: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      const needs = await publishes(product, withNeeds, round);
      const plain = await publishes(product, without, round);
      if (round > 1) ratios.push({ needs, plain });
    }
    await product.stop();
    ratios.sort((a, b) => a.needs / a.plain - b.needs / b.plain);
    const median = ratios[Math.floor(ratios.length / 2)] ?? { needs: 0, plain: 1 };
    return [
      {
        name: `a publish with ${consumerCount} consumers and ${needCount} needs: processor time, the engine's threads apart`,
        unit: 'us',
        value: median.needs,
        against: { name: 'the same without needs', value: median.plain },
        targetRatio: 1.3,
        note: 'each thread does the work of V8 by itself',
      },
    ];
  } finally {
    await database.stop();
  }
}

/** The processor time of a publish that adds a field, without that of the engine's threads. */
async function publishes(
  { port, pid }: ServerProcess,
  assetId: string,
  round: number,
): Promise<number> {
  const request = (index: number): Request =>
    post(`/api/v1/assets/${assetId}/contracts`, {
      schema: schemaOf(fieldCount + 1 + round * publishCount + index),
    });
  const { cpuMicrosPerRequest, workerCpuMicrosPerRequest } = await runLoad({
    ...{ port, pid, connections: 1, count: publishCount, request },
  });
  return cpuMicrosPerRequest - workerCpuMicrosPerRequest;
}

/** An asset with consumers, each with one of the needs. */
async function consumed({ port }: ServerProcess, hasNeeds: boolean): Promise<string> {
  const connection = await openConnection(port);
  const send = async (path: string, body: unknown) => {
    const { body: text } = await connection.send(post(path, body, bootstrapKey));
    return JSON.parse(text);
  };
  const name = hasNeeds ? 'needs' : 'plain';
  const owner = await send('/api/v1/teams', { name: `owner ${name}` });
  const asset = await send('/api/v1/assets', { fqn: `bench.${name}`, owner_team_id: owner.id });
  const { contract } = await send(`/api/v1/assets/${asset.id}/contracts`, {
    schema: schemaOf(fieldCount),
  });
  for (let index = 0; index < consumerCount; index++) {
    const { id } = await send('/api/v1/teams', { name: `${name} ${index}` });
    await send('/api/v1/registrations', {
      ...{ contract_id: contract.id, consumer_team_id: id },
      ...(hasNeeds && { needs: { fields: fieldsOf(index % needCount) } }),
    });
  }
  connection.close();
  return asset.id;
}
