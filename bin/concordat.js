#!/usr/bin/env node
// The installed command. It is JavaScript so that compiled code is kept for everything behind it:
// a program that begins in TypeScript loads the stripper of types at every start, which takes as
// long as Node itself. Whatever keeps it from starting never ends with 1, which says that
// something breaks.

import { dirname } from 'node:path';

const oldestNode = 24;

const [major] = process.versions.node.split('.');
if (Number(major) < oldestNode) {
  process.stderr.write(
    `concordat needs Node ${oldestNode} or newer, and this is Node ${process.versions.node}. ` +
      `Install Node ${oldestNode}, or run bin/concordat of a checkout: it uses the Node that make installed.\n`,
  );
  process.exit(2);
}
// Not before: an older Node does not have it.
const { enableCompileCache, getCompileCacheDir } = await import('node:module');
enableCompileCache();
// Threads look for it in the environment alone: without it each compiles all that it loads, which
// takes three times as long.
const cache = getCompileCacheDir();
if (cache !== undefined) process.env.NODE_COMPILE_CACHE ??= dirname(cache);
// What is thrown where nobody waits for it ends like any other failure.
process.on('uncaughtException', end);
const { runMain } = await import('../src/main.ts').catch(end);
await runMain();

function end(error) {
  process.stderr.write(`${error?.stack ?? error}\n`);
  process.exit(3);
}
