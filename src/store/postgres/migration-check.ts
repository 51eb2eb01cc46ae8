import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import { loadMigrations, problemOfServing } from './migrate.ts';

const appliedRow = z.object({
  number: z.number(),
  name: z.string(),
  checksum: z.string(),
  isBreaking: z.boolean(),
});

/**
 * Checks whether this version can still serve the database: a newer release may have migrated it,
 * and an older backup may have been restored under a running replica.
 */
export async function openMigrationCheck(pool: DatabasePool): Promise<() => Promise<boolean>> {
  const migrations = await loadMigrations();
  return async () => {
    const rows = await pool.any(sql.type(appliedRow)`
      select number, name, checksum, is_breaking as "isBreaking" from schema_migration`);
    const applied = new Map(rows.map((row) => [row.number, row]));
    return problemOfServing(migrations, applied) === null;
  };
}
