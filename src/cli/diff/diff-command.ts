// `concordat diff`: the comparison, the acceptances, the output, and the exit code.

import type { CommandLineIo } from '../command-line.ts';
import { wrongUsage } from '../exit-code.ts';
import { findSides } from '../input/find-sides.ts';
import type { ChangedSubmodule } from '../input/git.ts';
import { noContract } from '../input/read-files.ts';
import { unreadable } from '../input/read-text.ts';
import { toNames } from '../options.ts';
import { printable } from '../output.ts';
import { startProgress } from '../progress.ts';
import { compareSides } from './compare-sides.ts';
import { concludeReport } from './conclude-report.ts';
import type { DiffOptions } from './diff-options.ts';
import type { DiffReport } from './report.ts';

export async function runDiff(inputs: readonly string[], options: DiffOptions, io: CommandLineIo) {
  if (comparesWithRegistry(inputs, options, io)) {
    refuseJudging(options);
    const { diffWithRegistry } = await import('../registry/diff-registry.ts');
    return diffWithRegistry(inputs, options, io);
  }
  const sides = await findSides({ ...options, inputs }, io.stdin);
  for (const submodule of sides.submodules ?? [])
    io.stderr.write(`${submoduleWarning(submodule)}\n`);
  const progress = startProgress(io.stderr);
  const metaAliases = options.metaAliases ?? toNames(io.env.META_ALIASES ?? '');
  const report = await compareSides(sides, { ...options, metaAliases }, progress);
  if (report.items.length + report.problems.length === 0 && inputs.length > 0) {
    // A misspelt folder must not pass as a comparison without breaks.
    throw unreadable({ path: inputs.join(', ') }, '$', noContract);
  }
  const acceptance = { readBeside: sides.next.readBeside, isWhole: !sides.arePaired };
  const asked = options.agreements === true ? await askForAgreements(report, options, io) : report;
  return concludeReport(asked, acceptance, options, io);
}

async function askForAgreements(report: DiffReport, options: DiffOptions, io: CommandLineIo) {
  const { withAgreements } = await import('../registry/agreements.ts');
  const { connect } = await import('../registry/connection/connect.ts');
  const warn = (sentence: string) => io.stderr.write(`${printable(sentence)}\n`);
  return withAgreements(report, () => connect(options, io), options.environment, warn);
}

/**
 * A submodule's content belongs to another repository, so the user is told that it was not
 * compared.
 */
function submoduleWarning({ path, before, after }: ChangedSubmodule): string {
  const told = `${path} is a changed git submodule, so its content was not compared`;
  if (before === null || after === null) return `${told}.`;
  const sides = after === 'work tree' ? `--against ${before}` : `${before} ${after}`;
  return `${told}. To compare it, run this in the submodule: concordat diff ${sides}`;
}

/** With `--registry`, or with a single file and a configured registry. */
function comparesWithRegistry(
  inputs: readonly string[],
  options: DiffOptions,
  io: CommandLineIo,
): boolean {
  const isLocal = options.against !== undefined || options.staged === true;
  if (options.agreements === true && isLocal) return false;
  if (options.registry === undefined) {
    const isOne = inputs.length === 1 && options.state === undefined;
    return !isLocal && isOne && !isRange(inputs[0]) && Boolean(io.env.CONCORDAT_URL);
  }
  if (isLocal) {
    throw wrongUsage('Use either --registry or --against, not both.');
  }
  if (inputs.length > 0) return true;
  throw wrongUsage('Give the files to compare with the registry.');
}

/** The registry compares with its own active terms, so options that are not sent to it would mislead. */
function refuseJudging({ mode, direction, metaAliases }: DiffOptions): void {
  const given = mode !== undefined ? '--mode' : direction !== undefined ? '--direction' : null;
  if (given !== null) {
    throw wrongUsage(
      `${given} works only when comparing files. A registry uses the settings of the current contract.`,
    );
  }
  if (metaAliases === undefined) return;
  throw wrongUsage(
    '--meta-aliases works only when comparing files. In a registry, set META_ALIASES.',
  );
}

function isRange(input: string | undefined): boolean {
  return input !== undefined && /^[^/.].*\.\./.test(input);
}
