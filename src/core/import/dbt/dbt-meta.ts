// Concordat's block in the meta of a node: `meta.svc`, its alias `meta.concordat`, and configured
// ones.

import { parseGuarantees } from '../../guarantees.ts';
import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { type DeclaredConsumer, type ImportProblem, itemProblem } from '../candidate.ts';
import { readMode, type StatedMode } from '../compatibility-mode.ts';
import { arrayAt, kindOf, memberOf, objectAt, placeOf, textAt } from '../read-json.ts';

/** The keys of meta that may hold the block; the first one present is used. */
export const metaKeys: readonly string[] = ['svc', 'concordat'];

interface NodeMeta extends StatedMode {
  readonly block: JsonObject;
  readonly ownerTeamName?: string;
  readonly ownerUserEmail?: string;
  readonly consumers: readonly DeclaredConsumer[];
  readonly freshness?: Json;
  readonly volume?: Json;
}

/**
 * Prefers `config.meta`: newer manifests have only that, older ones both.
 *
 * @example readNodeMeta({ meta: { svc: { owner_team: 'orders' } } }, '$', keys, []).ownerTeamName
 */
export function readNodeMeta(
  node: JsonObject,
  place: string,
  keys: readonly string[],
  problems: ImportProblem[],
): NodeMeta {
  const found = findBlock(node, place, keys, problems);
  if (found === null) return { block: {}, consumers: [], hasUnknownMode: false };
  const { block, at, isOurs } = found;
  const complain = (key: string, message: string) => {
    problems.push(itemProblem('INVALID_META', message, `${at}.${key}`));
  };
  const ownerTeamName = readName(block, 'owner_team', complain);
  const ownerUserEmail = readName(block, 'owner_user', complain);
  if (isOurs) reportUnknownKeys(block, complain);
  const stated = memberOf(block, 'compatibility_mode');
  const mode = readMode(stated, `${at}.compatibility_mode`, problems, place);
  const promises = parseGuarantees(pick(block, ['freshness', 'volume']), at);
  for (const { path, message } of promises.problems) {
    problems.push(itemProblem('INVALID_META', message, path));
  }
  return {
    block,
    consumers: readConsumers(block, complain),
    ...mode,
    ...(ownerTeamName === undefined ? {} : { ownerTeamName }),
    ...(ownerUserEmail === undefined ? {} : { ownerUserEmail }),
    ...pick(promises.value ?? {}, ['freshness', 'volume']),
  };
}

function findBlock(
  node: JsonObject,
  place: string,
  keys: readonly string[],
  problems: ImportProblem[],
): { readonly block: JsonObject; readonly at: string; readonly isOurs: boolean } | null {
  const homes = [
    [objectAt(objectAt(node, 'config'), 'meta'), `${place}.config.meta`],
    [objectAt(node, 'meta'), `${place}.meta`],
  ] as const;
  for (const [meta, metaPlace] of homes) {
    for (const key of keys) {
      const block = memberOf(meta, key);
      if (block === undefined || block === null) continue;
      const at = placeOf(metaPlace, key);
      if (isJsonObject(block)) return { block, at, isOurs: metaKeys.includes(key) };
      problems.push(
        itemProblem('INVALID_META', `meta.${key} must be a mapping, not ${kindOf(block)}.`, at),
      );
    }
  }
  return null;
}

type Complain = (key: string, message: string) => void;

function readName(block: JsonObject, key: string, complain: Complain): string | undefined {
  const value = memberOf(block, key);
  if (value === undefined || value === null) return undefined;
  const name = typeof value === 'string' ? value.trim() : '';
  if (name !== '') return name;
  complain(key, `${key} is ${kindOf(value)}${value === '' ? ' and empty' : ''}. Give a name.`);
  return undefined;
}

const knownKeys: readonly string[] = [
  'owner_team',
  'owner_user',
  'consumers',
  'freshness',
  'volume',
  'compatibility_mode',
];

/**
 * Reports unknown keys, because a mistyped one would have no effect. Not in a block of another
 * name, where they may belong to another tool.
 */
function reportUnknownKeys(block: JsonObject, complain: Complain): void {
  for (const key of Object.keys(block)) {
    if (knownKeys.includes(key)) continue;
    complain(key, `Unknown key ${key} was ignored. Use ${knownKeys.join(', ')}.`);
  }
}

function readConsumers(block: JsonObject, complain: Complain): readonly DeclaredConsumer[] {
  const value = memberOf(block, 'consumers');
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    complain('consumers', `consumers must be a list of {team, purpose}, not ${kindOf(value)}.`);
    return [];
  }
  const byTeam = new Map<string, DeclaredConsumer>();
  (arrayAt(block, 'consumers') ?? []).forEach((entry, index) => {
    const team = (typeof entry === 'string' ? entry : (textAt(entry, 'team') ?? '')).trim();
    const purpose = textAt(entry, 'purpose');
    if (team === '') complain(`consumers[${index}]`, `consumers[${index}] has no team.`);
    else if (!byTeam.has(team.toLowerCase())) {
      byTeam.set(team.toLowerCase(), { team, ...(purpose === undefined ? {} : { purpose }) });
    }
  });
  return [...byTeam.values()];
}

function pick(source: JsonObject, keys: readonly string[]): JsonObject {
  const entries = keys.flatMap((key): (readonly [string, Json])[] => {
    const value = memberOf(source, key);
    return value === undefined || value === null ? [] : [[key, value]];
  });
  return Object.fromEntries(entries);
}
