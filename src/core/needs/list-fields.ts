// The fields of a contract, and which needs declare each: what a producer asks before it removes one.

import { type Path, pathBelow, rootPath } from '../diff/places/path.ts';
import { openReach } from '../diff/places/reach.ts';
import type { FoundFields, Need } from '../need.ts';
import { parseSchema } from '../schema/parse-schema.ts';
import type { SchemaNode } from '../schema/schema.ts';
import { isJsonObject } from '../value/json.ts';
import { needOfFound, needOfLater } from './make-need.ts';
import { openDeclared } from './open-declared.ts';
import { type ContractSide, fieldOf } from './read-contract.ts';

export interface ContractField {
  readonly path: string;
  readonly isDeprecated: boolean;
  /** The date in `x-sunset`, as it is written. */
  readonly sunset: string | null;
  /** The places of the needs that declare it. */
  readonly needs: readonly number[];
}

export interface ContractFields {
  readonly fields: readonly ContractField[];
  /** There are more fields than are listed. */
  readonly isCut: boolean;
}

/** A page of fields that somebody reads; wider contracts are rare. */
const maxFields = 2_000;
const maxDepth = 32;

/** @example listFields({ schema: { properties: { a: {} } }, ... }, []).fields // [{ path: '$.a', ... }] */
export function listFields(
  contract: ContractSide,
  needs: readonly (Need | FoundFields)[],
): ContractFields {
  const { root } = parseSchema(contract.schema, contract.dialect);
  const declares = needs.map((each) => {
    const need =
      'stated' in each ? (needOfLater(each, contract) ?? each) : needOfFound(each, contract);
    return need === null ? null : openDeclared(parseSchema(need.schema, need.dialect).root);
  });
  const fields: ContractField[] = [];
  const reach = openReach(() => false, 'most');
  const waiting: Waiting[] = [{ nodes: [root], path: rootPath, around: new Set() }];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { nodes, path, around } = next;
    const spot = reach.spotOf(nodes);
    const key = spot.nodes.map(({ id }) => id).join(' ');
    // A definition that contains itself is listed once on each way to it.
    if (around.has(key) || around.size >= maxDepth) continue;
    const inside = new Set(around).add(key);
    for (const name of reach.declaredKeys(spot)) {
      if (fields.length >= maxFields) return { fields, isCut: true };
      const below = reach.nodesAtKey(spot, name);
      const at = pathBelow(path, ['properties', name]);
      fields.push({ ...fieldAt(at, below), needs: declaring(declares, at) });
      waiting.push({ nodes: below, path: at, around: inside });
    }
    const items = reach.nodesAtItem(spot, null);
    if (items.length > 0) {
      waiting.push({ nodes: items, path: pathBelow(path, ['items']), around: inside });
    }
  }
  return { fields, isCut: false };
}

interface Waiting {
  readonly nodes: readonly SchemaNode[];
  readonly path: Path;
  /** The nodes that the way from the root has passed. */
  readonly around: ReadonlySet<string>;
}

function fieldAt(path: Path, nodes: readonly SchemaNode[]): Omit<ContractField, 'needs'> {
  const written = nodes.flatMap(({ raw }) => (isJsonObject(raw) ? [raw] : []));
  const sunset = written.map((raw) => raw['x-sunset']).find((each) => typeof each === 'string');
  return {
    path: fieldOf(path),
    isDeprecated: written.some(({ deprecated }) => deprecated === true),
    sunset: typeof sunset === 'string' ? sunset : null,
  };
}

type Declares = ReturnType<typeof openDeclared>;

function declaring(declares: readonly (Declares | null)[], path: Path): readonly number[] {
  return declares.flatMap((isDeclared, index) => (isDeclared?.(path) === true ? [index] : []));
}
