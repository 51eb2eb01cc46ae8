// Trusts, and the exchange of tokens for keys.

import { accept, type Outcome } from '../../core/failure.ts';
import type { ApiKey } from '../../core/team.ts';
import { trustSortFields } from '../../registry/lists.ts';
import { representApiKey, representTrust } from '../../wire/represent/represent.ts';
import type { Api, Call, Handler } from '../handler.ts';
import { listQueryOf, pageOf, preconditionOf, write } from '../handler.ts';
import { newKey } from '../new-key.ts';
import { notFound } from '../not-found.ts';

export const createTrust: Handler<'createTrust'> = write({
  verb: (verbs) => verbs.createTrust,
  command: ({ body: { team_id: teamId, ...named } }) => ({ ...named, teamId }),
  reply: (trust) => ({ status: 201, body: representTrust(trust) }),
});

export const listTrusts: Handler<'listTrusts'> = async ({ ports }, { query }) => {
  const listed = await ports.reads.listTrusts({
    ...listQueryOf(query, trustSortFields),
    teamId: query.team_id,
  });
  return pageOf(listed, query, representTrust);
};

export const getTrust: Handler<'getTrust'> = async ({ ports }, { params }) => {
  const trust = await ports.reads.getTrust(params.trust_id);
  if (trust === null) return notFound('TRUST_NOT_FOUND', params.trust_id);
  return accept({ status: 200, body: representTrust(trust) });
};

export const deleteTrust: Handler<'deleteTrust'> = write({
  verb: (verbs) => verbs.deleteTrust,
  command: ({ params, ifMatch }) => ({
    trustId: params.trust_id,
    precondition: preconditionOf(ifMatch, representTrust),
  }),
  reply: () => ({ status: 204, body: undefined }),
});

/** Failures count against the address, together with those of people who sign in. */
export const exchangeToken: Handler<'exchangeToken'> = async (api, call) => {
  const secret = newKey();
  const limited = await call.visit.limitFailures(async () => {
    const outcome = await exchange(api, call, secret.stored);
    const hasFailed = !outcome.ok && outcome.failure.code === 'UNAUTHENTICATED';
    return accept({ hasFailed, outcome });
  });
  if (!limited.ok) return limited;
  const { outcome } = limited.value;
  if (!outcome.ok) return outcome;
  return accept({ status: 201, body: { ...representApiKey(outcome.value), key: secret.text } });
};

async function exchange(
  { ports, verbs, log, checkToken }: Api,
  { body, context, visit }: Call<'exchangeToken'>,
  secret: ReturnType<typeof newKey>['stored'],
): Promise<Outcome<ApiKey>> {
  const checked = await checkToken(body.token, async (issuer) => {
    const trusts = await ports.reads.findTrusts(issuer);
    return trusts.length > 0;
  });
  const exchanged = checked.ok
    ? await verbs.exchangeToken(ports, context, {
        token: checked.value,
        trustId: body.trust_id,
        secret,
      })
    : checked;
  if (exchanged.ok) return exchanged;
  const { code, message: reason } = exchanged.failure;
  const { address } = visit;
  if (code !== 'UNAUTHENTICATED') return exchanged;
  log.warn({ address, reason }, 'a token was not exchanged');
  const metadata = { exchange: true, address, reason };
  const entry = { type: 'auth.login_failed', user: null, metadata } as const;
  const recorded = await verbs.recordRefusedEntry(ports, context, entry);
  return recorded.ok ? exchanged : recorded;
}
