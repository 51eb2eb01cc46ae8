// Runs one parser in a thread that can be ended from outside: input after input until the time is
// up, each announced before it is tried.

import { parentPort, workerData } from 'node:worker_threads';
import { mutate, openChance } from './mutate.ts';
import { type Parser, type ParserName, parsers } from './parsers.ts';

export interface FuzzTask {
  readonly parser: ParserName;
  readonly seed: number;
  readonly inputs: number;
  /** No further input begins after this much processor time of the thread. */
  readonly cpuMs: number;
  /** The limit for one input. */
  readonly budgetCpuMs: number;
  /** The number of the current input. */
  readonly progress: SharedArrayBuffer;
}

export interface Finding {
  readonly parser: ParserName;
  readonly number: number;
  readonly problem: string;
  readonly input: string;
}

const task = workerData as FuzzTask;
const parser: Parser = parsers[task.parser];
const at = new Int32Array(task.progress);
const findings: Finding[] = [];
let tried = 0;

for (let number = 0; number < task.inputs && cpuMs() < task.cpuMs; number++) {
  Atomics.store(at, 0, number);
  const input = inputOf(task, number);
  const before = cpuMs();
  const problem = problemOf(input);
  const took = cpuMs() - before;
  tried++;
  if (problem !== null) findings.push({ parser: task.parser, number, problem, input });
  else if (took > task.budgetCpuMs) {
    findings.push({ parser: task.parser, number, problem: `took ${Math.round(took)} ms`, input });
  }
  if (findings.length >= 5) break;
}
parentPort?.postMessage({ findings, tried });

function problemOf(input: string): string | null {
  try {
    return parser.problemOf(input);
  } catch (error) {
    return `threw ${error instanceof Error ? error.stack : String(error)}`;
  }
}

function inputOf({ seed }: FuzzTask, number: number): string {
  return mutate(parser.samples, openChance(seed * 1_000_003 + number));
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
