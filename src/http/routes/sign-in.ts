// Signing in with a provider. The browser comes and goes by navigation, so every answer is a
// redirect: to the provider, to the page, or to the page with the problem.

import { systemActor } from '../../core/actor.ts';
import type { SignInProblem } from '../../core/decide/people/sign-in.ts';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import type { User } from '../../core/user.ts';
import type { Api, Call, Handler } from '../handler.ts';
import { SignInFailure } from '../sign-in/sign-in-failure.ts';
import { beginSession } from './begin-session.ts';

export const getSignInOptions: Handler<'getSignInOptions'> = async ({ signIn }) => {
  const { passwords, providers } = signIn;
  return accept({ status: 200, body: { passwords, providers: [...providers] } });
};

export const startSignIn: Handler<'startSignIn'> = async (api, { params, query, visit }) => {
  try {
    const begun = await api.signIn.begin(params.provider, query.return_to);
    if (begun === null) return noProvider(params.provider);
    visit.setBegun(begun.sealed);
    return redirect(begun.location);
  } catch (error) {
    const { problem, message } = toFailure(error);
    api.log.warn({ provider: params.provider, problem, reason: message }, 'a sign-in failed');
    return redirect(problemPage(api, problem));
  }
};

export const finishSignIn: Handler<'finishSignIn'> = async (api, call) => {
  const { visit, params } = call;
  if (!api.signIn.providers.some(({ name }) => name === params.provider)) {
    return noProvider(params.provider);
  }
  const sealed = visit.findBegun();
  // One answer for each beginning, whatever comes of it.
  visit.setBegun(null);
  const ended = await visit.limitFailures(() => enter(api, call, sealed));
  if (ended.ok) return redirect(ended.value.location);
  return ended.failure.code === 'RATE_LIMITED'
    ? redirect(problemPage(api, 'too_many_failures'))
    : ended;
};

/** Where the page continues, and whether the sign-in counts as a failure of the address. */
interface Ended {
  readonly location: string;
  readonly hasFailed: boolean;
}

async function enter(
  api: Api,
  call: Call<'finishSignIn'>,
  sealed: string | null,
): Promise<Outcome<Ended>> {
  const { visit, context } = call;
  const { provider } = call.params;
  const finished = await api.signIn
    .finish({ provider, search: visit.search, sealed })
    .catch(toFailure);
  if (finished instanceof SignInFailure) {
    const { problem, message: reason } = finished;
    return refuseEntry(api, call, { problem, reason, user: null });
  }
  const { claims, place, linksVerifiedEmail, provisioning, returnTo } = finished;
  const { issuer, subject } = claims.identity;
  const admitted = await api.verbs.admitUser(
    api.ports,
    { ...context, actor: systemActor },
    { provider, claims, place, linksVerifiedEmail, provisioning },
  );
  if (!admitted.ok) return admitted;
  if (admitted.value.kind === 'refused') {
    const { problem, user } = admitted.value;
    const reason = `${subject} of ${issuer}, with the address ${claims.email ?? 'none'}`;
    return refuseEntry(api, call, { problem, reason, user });
  }
  const { groups } = admitted.value;
  const { session } = claims;
  const proof = { kind: 'provider', provider, subject, session, groups } as const;
  const begun = await beginSession(api, call, { user: admitted.value.user, proof });
  return begun.ok ? accept({ location: returnTo, hasFailed: false }) : begun;
}

/** The provider itself calls this, so a refusal says what is wrong with its token. */
export const endProviderSession: Handler<'endProviderSession'> = async (api, call) => {
  const { visit, params } = call;
  if (!api.signIn.providers.some(({ name }) => name === params.provider)) {
    return noProvider(params.provider);
  }
  const ended = await visit.limitFailures(() => endSessions(api, call));
  if (!ended.ok) return ended;
  const { failure, count } = ended.value;
  return failure ?? accept({ status: 200, body: { sessions_ended: count } });
};

async function endSessions(
  api: Api,
  { context, params: { provider }, body }: Call<'endProviderSession'>,
): Promise<Outcome<{ hasFailed: boolean; count: number; failure: Outcome<never> | null }>> {
  const logout = await api.signIn.readLogout(provider, body.logout_token).catch(toFailure);
  if (logout === null) return noProvider(provider);
  if (logout instanceof SignInFailure) {
    const { problem, message } = logout;
    api.log.warn({ provider, problem, reason: message }, 'a sign-out by a provider failed');
    const failure =
      problem === 'provider_unavailable'
        ? refuse('ISSUER_UNAVAILABLE', 'The keys of the provider cannot be read now. Try again.')
        : refuse('VALIDATION_ERROR', `The logout token is not accepted: ${message}`, {
            field: 'logout_token',
          });
    return accept({ hasFailed: problem !== 'provider_unavailable', count: 0, failure });
  }
  const { untilMs, ...named } = logout;
  const until = new Date(untilMs).toISOString();
  const command = { ...named, provider, until };
  const ended = await api.verbs.endProviderSession(
    api.ports,
    { ...context, actor: systemActor },
    command,
  );
  return ended.ok ? accept({ hasFailed: false, count: ended.value, failure: null }) : ended;
}

interface RefusedEntry {
  readonly problem: SignInProblem;
  readonly reason: string;
  /** Null if nobody here has the identity. */
  readonly user: User | null;
}

/** The page shows a sentence; the log and the trail say more. */
async function refuseEntry(
  api: Api,
  { context, visit, params: { provider } }: Call<'finishSignIn'>,
  { problem, reason, user }: RefusedEntry,
): Promise<Outcome<Ended>> {
  const location = problemPage(api, problem);
  // Anybody can make any browser come here. Nothing was asked, and nothing is recorded.
  if (problem === 'expired') return accept({ location, hasFailed: false });
  api.log.warn({ provider, problem, reason }, 'a sign-in failed');
  const type = user === null ? 'auth.login_failed' : 'auth.denied';
  const metadata = { provider, address: visit.address, reason: `${problem}: ${reason}` };
  const recorded = await api.verbs.recordRefusedEntry(api.ports, context, { type, user, metadata });
  if (!recorded.ok) return recorded;
  return accept({ location, hasFailed: problem !== 'provider_unavailable' });
}

function toFailure(error: unknown): SignInFailure {
  if (error instanceof SignInFailure) return error;
  throw error;
}

function noProvider(name: string): Outcome<never> {
  return refuse(
    'ROUTE_NOT_FOUND',
    `There is no provider ${name}. GET /api/v1/auth/options lists all.`,
  );
}

function redirect(location: string) {
  return accept({ status: 302 as const, body: undefined, location });
}

function problemPage({ signIn }: Api, problem: SignInProblem): string {
  return `${signIn.basePath}/?sign_in_problem=${problem}`;
}
