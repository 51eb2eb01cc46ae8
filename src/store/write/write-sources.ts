import { type CommonQueryMethods, sql } from 'slonik';
import type { WriteOf } from '../../core/decide/write.ts';
import { writtenRow } from '../postgres/rows.ts';

export async function confirmSources(
  connection: CommonQueryMethods,
  writes: readonly WriteOf<'confirm_source'>[],
): Promise<void> {
  await connection.query(sql.type(writtenRow)`
    update controller_lease set is_confirmed = true
    where id = any(${sql.array(
      writes.map((write) => write.id),
      'uuid',
    )})`);
}

export async function fenceSources(
  connection: CommonQueryMethods,
  writes: readonly WriteOf<'take_over_source'>[],
): Promise<void> {
  await connection.query(sql.type(writtenRow)`
    update controller_lease set fence = fence + 1
    where id = any(${sql.array(
      writes.map((write) => write.id),
      'uuid',
    )})`);
}
