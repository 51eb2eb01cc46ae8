// `concordat diff --registry` and `concordat impact`: compare files with a registry's contracts.

import type { CommandLineIo } from '../command-line.ts';
import { concludeReport } from '../diff/conclude-report.ts';
import type { DiffOptions } from '../diff/diff-options.ts';
import type { ExitCode } from '../exit-code.ts';
import { findFiles } from '../input/find-files.ts';
import { readFiles } from '../input/read-files.ts';
import type { SourceFile } from '../input/subject.ts';
import { startProgress } from '../progress.ts';
import { assessFiles } from './assess.ts';
import { connect } from './connection/connect.ts';
import type { AssessOptions } from './preview.ts';

export async function diffWithRegistry(
  inputs: readonly string[],
  options: DiffOptions,
  io: CommandLineIo,
  question: AssessOptions['question'] = 'diff',
): Promise<ExitCode> {
  const registry = connect(options, io);
  const found = await findFiles(inputs, io.stdin);
  const placed =
    options.state === undefined ? found.files : await inState(options.state, found.files);
  const files = await readFiles(placed, options);
  const progress = startProgress(io.stderr);
  const report = await assessFiles(registry, files, { ...options, question }, progress);
  return concludeReport(report, { readBeside: found.readBeside, isWhole: false }, options, io);
}

async function inState(
  state: string,
  files: readonly SourceFile[],
): Promise<readonly SourceFile[]> {
  const { readState } = await import('../input/dbt-state.ts');
  const { standIn } = await readState(state);
  return files.map(standIn);
}
