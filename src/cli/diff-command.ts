import type { Dialect } from '../core/containment/containment.types.ts';
import { compare } from '../core/diff/compare.ts';
import type {
  Comparison,
  CompatibilityMode,
  ContractTerms,
  Direction,
} from '../core/diff/diff.types.ts';
import type { CommandLineIo } from './command-line.ts';
import { type ExitCode, exitCode } from './exit-code.ts';
import { paintFor, writeText } from './output.ts';
import { comparisonText } from './print-comparison.ts';
import { type ContractInput, readContractFile, UnreadableInput } from './read-input.ts';

interface DiffOptions {
  readonly mode?: CompatibilityMode;
  readonly direction?: Direction;
  readonly format?: 'text' | 'json';
  readonly failOn?: 'breaking' | 'any' | 'never';
  readonly dialect?: Dialect;
}

/** `concordat diff OLD NEW`: two files, no server. */
export async function runDiff(
  oldPath: string,
  newPath: string,
  options: DiffOptions,
  io: CommandLineIo,
): Promise<ExitCode> {
  let inputs: readonly [ContractInput, ContractInput];
  try {
    inputs = [await readContractFile(oldPath), await readContractFile(newPath)];
  } catch (error) {
    if (!(error instanceof UnreadableInput)) throw error;
    await writeText(io.stderr, `${error.message}\n`);
    return exitCode.unreadableInput;
  }
  const [old, next] = inputs;
  const oldMode = options.mode ?? old.compatibilityMode ?? 'backward';
  // What a manifest leaves out is that of the contract in force.
  const nextMode = options.mode ?? next.compatibilityMode ?? oldMode;
  const comparison = compare(termsOf(old, oldMode, options), termsOf(next, nextMode, options), {
    guaranteeMode: next.guaranteeMode ?? old.guaranteeMode ?? 'notify',
  });
  const text =
    options.format === 'json'
      ? `${JSON.stringify(toReport(comparison, oldMode), null, 2)}\n`
      : comparisonText(comparison, oldMode, paintFor(io.stdout, io.env));
  await writeText(io.stdout, text);
  return isFailure(comparison, options.failOn ?? 'breaking') ? exitCode.breaking : exitCode.fine;
}

function termsOf(
  input: ContractInput,
  compatibilityMode: CompatibilityMode,
  options: DiffOptions,
): ContractTerms {
  return {
    schema: input.schema,
    compatibilityMode,
    guarantees: input.guarantees,
    direction: options.direction ?? 'data',
    ...(options.dialect === undefined ? {} : { dialect: options.dialect }),
  };
}

function isFailure(comparison: Comparison, failOn: 'breaking' | 'any' | 'never'): boolean {
  if (failOn === 'never') return false;
  return failOn === 'any' ? comparison.changes.length > 0 : comparison.isBreaking;
}

/** Outside, names are in snake_case. */
function toReport(comparison: Comparison, mode: CompatibilityMode): object {
  return {
    compatibility_mode: mode,
    is_breaking: comparison.isBreaking,
    breaks_backward: comparison.breaksBackward,
    change_type: comparison.bump,
    change_type_reason: comparison.bumpReason,
    undecided_count: comparison.undecidedCount,
    steps: comparison.steps,
    changes: comparison.changes,
  };
}
