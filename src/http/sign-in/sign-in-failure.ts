import type { SignInProblem } from '../../core/decide/people/sign-in.ts';

/** Nobody signs in with this answer, and `problem` says why. */
export class SignInFailure extends Error {
  override name = 'SignInFailure';
  readonly problem: SignInProblem;

  constructor(problem: SignInProblem, message: string, cause?: unknown) {
    super(message, { cause });
    this.problem = problem;
  }
}
