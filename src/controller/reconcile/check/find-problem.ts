// What the schema of a ContractCheck cannot say about its spec. Pure.

import { isTimeZone, nextTime, parseSchedule } from '../../../core/checks/schedule.ts';
import type { ContractCheckSpec } from '../../crd/resources.ts';

/** Returns what is wrong with a spec; null if nothing is. */
export function findProblem({ schedule, timeZone, source }: ContractCheckSpec): string | null {
  const parsed = schedule === undefined ? null : parseSchedule(schedule);
  if (schedule !== undefined && parsed === null) {
    return `spec.schedule: "${schedule}" is no schedule. Use five fields of cron, such as "30 5 * * *", or @hourly, @daily, @weekly, @monthly.`;
  }
  if (parsed !== null && nextTime(parsed, '2000-01-01T00:00:00Z') === null) {
    return `spec.schedule: "${schedule}" names no time that ever comes.`;
  }
  if (timeZone !== undefined && schedule === undefined) {
    return 'spec.timeZone: there is no schedule. Give spec.schedule, or leave timeZone out.';
  }
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    return `spec.timeZone: "${timeZone}" is no time zone. Use a name such as Europe/Berlin.`;
  }
  const { url, table, query, window, passwordFrom } = source;
  const isTopic = url?.startsWith('kafka:');
  if (isTopic === true && (table ?? query ?? passwordFrom) !== undefined) {
    return 'spec.source: table, query and passwordFrom are for a Postgres. The password of a topic is a part of the address in urlFrom.';
  }
  if (isTopic === false && window !== undefined) {
    return 'spec.source.window: only a topic has one. Check a part of a table with query.';
  }
  if (isTopic === false && (table ?? query) === undefined) {
    return 'spec.source: give a table or a query of the Postgres.';
  }
  return null;
}
