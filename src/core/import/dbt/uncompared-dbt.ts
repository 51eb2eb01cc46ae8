// The parts of a dbt manifest that no contract contains: details of column types that schemas do not express, the
// version that a model's name stands for, and who may refer to a model without a schema.

import type { Json, JsonObject } from '../../value/json.ts';
import { type ImportProblem, itemProblem } from '../candidate.ts';
import { memberOf, placeOf } from '../read-json.ts';
import { namesWithin, type UncomparedType } from '../uncompared-types.ts';
import { accessOf } from './dbt-governance.ts';
import { nameNodes } from './dbt-names.ts';
import { type DbtNode, isReference, readNodes } from './dbt-node.ts';

/** @example uncomparedOfDbt(manifest)[0].message // 'model.shop.a b: the type in the database changed, ...' */
export function uncomparedOfDbt(manifest: Json): readonly ImportProblem[] {
  const all = readNodes(manifest, []);
  const names = nameNodes(all, []);
  const nodes = all.filter((node) => !isReference(node));
  const isOwner = ({ id }: DbtNode) => names.get(id)?.isOwner === true;
  return [
    ...typesOf(nodes, isOwner),
    ...nodes.map(untypedOf),
    ...latestVersionsOf(nodes),
    ...accessesOf(nodes),
  ];
}

/** Also what another node says of the same table. */
function typesOf(
  nodes: readonly DbtNode[],
  isOwner: (node: DbtNode) => boolean,
): readonly ImportProblem[] {
  const types = new Map<string, UncomparedType>();
  return nodes.flatMap((node) => {
    const columns = new Set(node.columns.map(({ name }) => name));
    const isNested = node.columns.some(({ name }) => name.includes('.'));
    return node.columns.map(({ name, dataType, place, key }) => {
      const type = types.get(dataType) ?? namesWithin(dataType);
      types.set(dataType, type);
      const at = placeOf(placeOf(`${place}.columns`, key), 'data_type');
      const told = unread(`${node.id} ${name}`, 'the type in the database', at, type.unread);
      if (!isOwner(node) || columns.size < node.columns.length) return told;
      return { ...told, compared: isNested ? ownFields(type, name, columns) : type.compared };
    });
  });
}

/** A column of a dotted name takes the place of the field in its struct, which is then not compared. */
function ownFields(
  { compared }: UncomparedType,
  column: string,
  columns: ReadonlySet<string>,
): JsonObject {
  const own = Object.entries(compared).filter(
    ([path]) => path === '' || !columns.has(`${column}${path.replaceAll('[]', '')}`),
  );
  return Object.fromEntries(own);
}

/** A column without a type is in no schema. One that has a type on the other side is compared there. */
function untypedOf({ id, place, columns }: DbtNode): ImportProblem {
  const [untyped, typed] = [true, false].map((isUntyped) => {
    const named = columns.filter(({ dataType }) => (dataType === '') === isUntyped);
    return Object.fromEntries(named.map(({ name }) => [name, isUntyped]));
  });
  const told = unread(id, 'the list of columns without a type', placeOf(place, 'columns'), {
    ...untyped,
  });
  return { ...told, compared: { ...typed } };
}

/** Every version of a model states the latest one, which is what a `ref` without a version means. */
function latestVersionsOf(nodes: readonly DbtNode[]): readonly ImportProblem[] {
  const versions = nodes.filter(({ version }) => version !== null);
  const models = Map.groupBy(versions, ({ id }) => id.slice(0, id.lastIndexOf('.')));
  return [...models].flatMap(([model, [first]]) => {
    const latest = memberOf(first?.source, 'latest_version');
    if (first === undefined || latest === undefined || latest === null) return [];
    const place = placeOf(first.place, 'latest_version');
    return [unread(model, 'the version that a ref without a version means', place, latest)];
  });
}

/** The schema of another model says it. */
function accessesOf(nodes: readonly DbtNode[]): readonly ImportProblem[] {
  return nodes.flatMap((node) => {
    const access = accessOf(node);
    if (access === null || node.columns.some(({ dataType }) => dataType !== '')) return [];
    const place = placeOf(node.place, 'access');
    return [unread(node.id, 'who may refer to the model', place, access)];
  });
}

function unread(name: string, what: string, place: string, value: Json): ImportProblem {
  const message = `${name}: ${what} changed, which is not compared.`;
  return { ...itemProblem('UNCOMPARED_PART', message, place), unread: value };
}
