#!/usr/bin/env node
// The installed command. It is JavaScript so that compiled code is kept for everything behind it:
// a program that begins in TypeScript loads the stripper of types at every start, which takes as
// long as Node itself.

import { enableCompileCache } from 'node:module';

enableCompileCache();
const { runMain } = await import('../src/main.ts');
await runMain();
