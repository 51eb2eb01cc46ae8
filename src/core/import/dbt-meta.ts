// The block of a node's meta that is ours: `meta.svc`, its alias `meta.concordat`, and others.

import type { CompatibilityMode } from '../diff/diff.types.ts';
import { parseGuarantees } from '../guarantees.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { type DeclaredConsumer, type ImportProblem, itemProblem } from './candidate.ts';
import { arrayAt, kindOf, memberOf, objectAt, placeOf, textAt } from './read-json.ts';

/** The keys of meta that hold the block, the first one present wins. */
export const metaKeys: readonly string[] = ['svc', 'concordat'];

export interface NodeMeta {
  readonly block: JsonObject;
  readonly ownerTeamName?: string;
  readonly ownerUserEmail?: string;
  readonly consumers: readonly DeclaredConsumer[];
  readonly compatibilityMode?: CompatibilityMode;
  readonly freshness?: Json;
  readonly volume?: Json;
}

/**
 * `config.meta` is looked at first: newer manifests keep it there alone, older ones beside it.
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
  if (found === null) return { block: {}, consumers: [] };
  const { block, at } = found;
  const complain = (key: string, message: string) => {
    problems.push(itemProblem('INVALID_META', message, `${at}.${key}`));
  };
  const ownerTeamName = readName(block, 'owner_team', complain);
  const ownerUserEmail = readName(block, 'owner_user', complain);
  const compatibilityMode = readMode(block, complain);
  const promises = parseGuarantees(pick(block, ['freshness', 'volume']), at);
  for (const { path, message } of promises.problems) {
    problems.push(itemProblem('INVALID_META', message, path));
  }
  return {
    block,
    consumers: readConsumers(block, complain),
    ...(ownerTeamName === undefined ? {} : { ownerTeamName }),
    ...(ownerUserEmail === undefined ? {} : { ownerUserEmail }),
    ...(compatibilityMode === undefined ? {} : { compatibilityMode }),
    ...pick(promises.value ?? {}, ['freshness', 'volume']),
  };
}

function findBlock(
  node: JsonObject,
  place: string,
  keys: readonly string[],
  problems: ImportProblem[],
): { readonly block: JsonObject; readonly at: string } | null {
  const homes = [
    [objectAt(objectAt(node, 'config'), 'meta'), `${place}.config.meta`],
    [objectAt(node, 'meta'), `${place}.meta`],
  ] as const;
  for (const [meta, metaPlace] of homes) {
    for (const key of keys) {
      const block = memberOf(meta, key);
      if (block === undefined || block === null) continue;
      const at = placeOf(metaPlace, key);
      if (isJsonObject(block)) return { block, at };
      problems.push(
        itemProblem('INVALID_META', `meta.${key} is ${kindOf(block)}: make it a mapping.`, at),
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
  complain(key, `${key} is ${kindOf(value)}${value === '' ? ' and empty' : ''}: give a name.`);
  return undefined;
}

const modes: ReadonlyMap<string, CompatibilityMode> = new Map(
  (['backward', 'forward', 'full', 'none'] as const).map((mode) => [mode, mode]),
);

function readMode(block: JsonObject, complain: Complain): CompatibilityMode | undefined {
  const value = memberOf(block, 'compatibility_mode');
  if (value === undefined || value === null) return undefined;
  const mode = modes.get(String(value).trim().toLowerCase());
  if (mode === undefined) {
    const known = [...modes.keys()].join(', ');
    complain('compatibility_mode', `${JSON.stringify(value)} is no compatibility mode: ${known}.`);
  }
  return mode;
}

function readConsumers(block: JsonObject, complain: Complain): readonly DeclaredConsumer[] {
  const value = memberOf(block, 'consumers');
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    complain('consumers', `consumers is ${kindOf(value)}: make it a list of {team, purpose}.`);
    return [];
  }
  const byTeam = new Map<string, DeclaredConsumer>();
  (arrayAt(block, 'consumers') ?? []).forEach((entry, index) => {
    const team = (typeof entry === 'string' ? entry : (textAt(entry, 'team') ?? '')).trim();
    const purpose = textAt(entry, 'purpose');
    if (team === '') complain(`consumers[${index}]`, `consumers[${index}] names no team.`);
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
