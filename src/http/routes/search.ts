// The search.

import { hasDuty } from '../../core/actor.ts';
import { accept, refuse } from '../../core/failure.ts';
import { type SearchType, searchTypes } from '../../core/search/search.types.ts';
import { representSearch } from '../../wire/represent/represent-search.ts';
import type { Handler } from '../handler.ts';

export const search: Handler<'search'> = async ({ ports }, { query, actor }) => {
  const seesUsers = hasDuty(actor, 'manage_people');
  const named = query.types?.split(',');
  if (named?.includes('user') && !seesUsers) {
    return refuse(
      'FORBIDDEN',
      `Only those who manage people can search for users, and ${actor.name} has scope ${actor.scope}. Leave user out of types.`,
      { field: 'types' },
    );
  }
  const isWanted = (type: SearchType) => named?.includes(type) ?? (type !== 'user' || seesUsers);
  const types = searchTypes.filter(isWanted);
  const found = await ports.reads.search({ q: query.q, types, limit: query.limit });
  return accept({ status: 200, body: representSearch(found) });
};
