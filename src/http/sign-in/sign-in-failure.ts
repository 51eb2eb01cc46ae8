import type { SignInProblem } from '../../core/decide/people/sign-in.ts';

/** The text may come from a provider or a stranger, and is logged and put on record. */
const textLimit = 500;

/** Nobody signs in with this answer, and `problem` says why. */
export class SignInFailure extends Error {
  override name = 'SignInFailure';
  readonly problem: SignInProblem;

  constructor(problem: SignInProblem, message: string, cause?: unknown) {
    super(message.slice(0, textLimit).replaceAll('\0', '').toWellFormed(), { cause });
    this.problem = problem;
  }
}
