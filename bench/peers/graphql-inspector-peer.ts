// Runs @graphql-inspector/core on two SDLs, including parsing, several times: prints the
// milliseconds of processor time of each run. It is installed outside of the project: the folder is
// the first argument.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [folder = '', oldFile = '', nextFile = '', rounds = '1'] = process.argv.slice(2);
const load = createRequire(join(folder, 'package.json'));
const { diff } = load('@graphql-inspector/core');
const { buildSchema } = load('graphql');
const [old, next] = [readFileSync(oldFile, 'utf8'), readFileSync(nextFile, 'utf8')];

// One of the published versions defines two fields twice, which the peer's own check would refuse.
const build = (sdl: string) => buildSchema(sdl, { assumeValidSDL: true });

const milliseconds: number[] = [];
let changeCount = 0;
for (let round = 0; round < Number(rounds); round++) {
  const before = process.cpuUsage();
  const changes = await diff(build(old), build(next));
  const { user, system } = process.cpuUsage(before);
  milliseconds.push((user + system) / 1000);
  changeCount = changes.length;
}
process.stdout.write(JSON.stringify({ milliseconds, changeCount }));
