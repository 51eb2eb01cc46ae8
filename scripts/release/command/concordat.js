#!/usr/bin/env node
// The installed command. Whatever keeps it from starting never ends with 1, which says that something
// breaks.

const oldestNode = 20;

const [major] = process.versions.node.split('.');
if (Number(major) < oldestNode) {
  process.stderr.write(
    `concordat needs Node ${oldestNode} or newer, and this is Node ${process.versions.node}.\n`,
  );
  process.exit(2);
}
// Node 20 does not have it, and compiles everything again at each start.
const { enableCompileCache } = await import('node:module');
enableCompileCache?.();
process.on('uncaughtException', end);
await import('./older-node.js').catch(end);
await import('./lib/main.js').catch(end);

function end(error) {
  process.stderr.write(`${error?.stack ?? error}\n`);
  process.exit(3);
}
