// Which columns the models of a dbt project read, from the SQL that dbt has compiled. dbt knows what a
// model depends on, so what is not understood reads everything of that.

import { parseDbtManifest } from '../../../import/dbt/dbt.ts';
import { isEphemeral, nameNodes, segmentsOf } from '../../../import/dbt/dbt-names.ts';
import { type DbtNode, isDisabled, packageOf, readNodes } from '../../../import/dbt/dbt-node.ts';
import { toFqn } from '../../../import/import-fqn.ts';
import { memberOf, objectAt, textAt, textsAt } from '../../../import/read-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../value/json.ts';
import { stepText } from '../../../value/json-path.ts';
import type { FoundReads } from '../found-reads.ts';
import type { ReadPlace } from '../gather-reads.ts';
import { findSqlReads, type ParseSql } from '../sql/find-sql-reads.ts';
import type { KnownColumns } from '../sql/sources.ts';
import { readBranchWords, type SqlToken, standIns } from './branch-words.ts';
import { incrementalBranch } from './incremental-branch.ts';

interface DbtFiles {
  readonly manifest: Json;
  /** What the warehouse says of the columns, if `dbt docs generate` has asked it. */
  readonly catalog: Json | null;
}

interface DbtParser {
  readonly parse: ParseSql;
  /** The words and signs of a part of SQL; null if it cannot be split. */
  readonly tokens: (sql: string) => readonly SqlToken[] | null;
  /** As the parser names it. */
  readonly dialect: string;
}

/** Each read is named by the FQN of its asset. */
type DbtReads =
  | { readonly ok: true; readonly places: readonly ReadPlace[] }
  | { readonly ok: false; readonly message: string };

/** @example findDbtReads({ manifest, catalog: null }, parser).places[0].place // 'models/orders.sql' */
export function findDbtReads({ manifest, catalog }: DbtFiles, parser: DbtParser): DbtReads {
  const fatal = parseDbtManifest(manifest).problems.find((problem) => problem.fatal);
  if (fatal !== undefined) return { ok: false, message: fatal.message };
  const nodes = readNodes(manifest, []);
  const names = nameNodes(nodes, []);
  const project: Project = {
    nodes: new Map(nodes.map((node) => [node.id, node])),
    fqns: new Map([...names].map(([id, { fqn }]) => [id, fqn])),
    byTable: tablesOf(nodes),
    columns: new Map(nodes.map((node) => [node.id, columnsOf(node, catalog)])),
  };
  const projectName = textAt(objectAt(manifest, 'metadata'), 'project_name');
  const placeOf = (reader: Reader) => {
    const { id, source } = reader;
    const path = textAt(source, 'original_file_path') ?? textAt(source, 'path') ?? id;
    const packageName = packageOf(reader);
    const isOwn = projectName === undefined || packageName === projectName;
    return (isOwn ? path : `${packageName}:${path}`).replaceAll('\\', '/');
  };
  const places = readersIn(manifest).map((reader): ReadPlace => {
    return { place: placeOf(reader), found: readModel(reader, project, parser) };
  });
  const freshness = nodes.flatMap((node): readonly ReadPlace[] => {
    const found = readFreshness(node, project, parser);
    return found === null ? [] : [{ place: placeOf(node), found }];
  });
  return { ok: true, places: [...places, ...freshness] };
}

/** `dbt source freshness` asks for the latest row of a source, if an age is stated. */
function readFreshness({ id, source }: DbtNode, { fqns }: Project, parser: DbtParser) {
  // Since dbt 1.10, both are configuration.
  const config = objectAt(source, 'config');
  const field = textAt(source, 'loaded_at_field') ?? textAt(config, 'loaded_at_field');
  const freshness = objectAt(source, 'freshness') ?? objectAt(config, 'freshness');
  const isAsked = ['warn_after', 'error_after'].some((key) => {
    return typeof memberOf(objectAt(freshness, key), 'count') === 'number';
  });
  if (field === undefined || !isAsked) return null;
  const filter = textAt(freshness, 'filter');
  const where = filter === undefined ? '' : ` where ${filter}`;
  const parsed = parser.parse(`select max(${field}) from the_source${where}`);
  const found = parsed.ok ? findSqlReads(parsed.sql, { dialect: parser.dialect }) : null;
  const isFound = found !== null && found.unread.length === 0;
  const all = { fields: null, reason: 'loaded_at_field is not understood' };
  const name = [fqns.get(id) ?? id];
  const reads = isFound ? found.reads.map((read) => ({ ...read, name })) : [{ ...all, name }];
  return { reads, doubts: [], unread: [] };
}

interface Project {
  readonly nodes: ReadonlyMap<string, DbtNode>;
  readonly fqns: ReadonlyMap<string, string>;
  /** The nodes of a table, by its last segment. */
  readonly byTable: ReadonlyMap<string, readonly DbtNode[]>;
  readonly columns: ReadonlyMap<string, KnownColumns>;
}

function tablesOf(nodes: readonly DbtNode[]): Project['byTable'] {
  const tables = nodes.filter(({ source }) => !isEphemeral(source));
  return Map.groupBy(tables, (node) => segmentsOf(node).at(-1) ?? '');
}

/** The manifest has the columns that people have described, the catalog all of them. */
function columnsOf({ id, columns }: DbtNode, catalog: Json | null): KnownColumns {
  const lower = (names: readonly string[]) => new Set(names.map((name) => name.toLowerCase()));
  for (const section of ['nodes', 'sources']) {
    const found = objectAt(objectAt(objectAt(catalog ?? {}, section), id), 'columns');
    if (found !== undefined) return { names: lower(Object.keys(found)), isComplete: true };
  }
  return { names: lower(columns.map(({ name }) => name)), isComplete: false };
}

/** A node with SQL that reads others. */
interface Reader {
  readonly id: string;
  readonly source: JsonObject;
}

/** Tests and analyses are compiled or not; without SQL of theirs, they are no reason to be asked. */
function readersIn(manifest: Json): readonly Reader[] {
  return Object.entries(objectAt(manifest, 'nodes') ?? {}).flatMap(([id, source]) => {
    if (!isJsonObject(source) || isDisabled(source)) return [];
    const type = textAt(source, 'resource_type') ?? id.slice(0, Math.max(0, id.indexOf('.')));
    const isBuilt = type === 'model' || type === 'snapshot';
    const isAsked = (type === 'test' || type === 'analysis') && sqlOf(source) !== undefined;
    return isBuilt || isAsked ? [{ id, source }] : [];
  });
}

/** Under the name that it had before dbt 1.3, too. */
function sqlOf(source: JsonObject): string | undefined {
  return textAt(source, 'compiled_code') ?? textAt(source, 'compiled_sql');
}

function readModel(reader: Reader, project: Project, parser: DbtParser): FoundReads {
  const { id, source } = reader;
  const depends = dependenciesOf(id, source, project);
  if (textAt(source, 'language') === 'python') {
    return everythingOf(depends, project, 'it is a Python model');
  }
  const sql = sqlOf(source);
  if (sql === undefined) return everythingOf(depends, project, 'it has no compiled code');
  const parsed = parser.parse(sql);
  if (!parsed.ok) return everythingOf(depends, project, parsed.message);
  const found = findSqlReads(parsed.sql, {
    dialect: parser.dialect,
    columnsOf: (name) => {
      const [node, ...others] = nodesNamed(name, project);
      return node === undefined || others.length > 0
        ? null
        : (project.columns.get(node.id) ?? null);
    },
  });
  const [unread] = found.unread;
  if (unread !== undefined) return everythingOf(depends, project, unread);
  const read = new Set<string>();
  const reads = found.reads.flatMap(({ name, fields, reason }) => {
    const nodes = nodesNamed(name, project);
    for (const node of nodes) read.add(node.id);
    // An incremental model reads its own table.
    const others = nodes.filter((node) => node.id !== id);
    const fqns = others.map((node) => project.fqns.get(node.id) ?? node.id);
    if (nodes.length === 0) fqns.push(fqnOf(name, source));
    return fqns.map((fqn) => ({ name: [fqn], fields, reason }));
  });
  const branch = readBranch(
    reader,
    { sql, depends, reads, hasItself: read.has(id) },
    project,
    parser,
  );
  const unseen = depends.filter((node) => !read.has(node.id));
  const why = 'the model refers to it, but not in its SQL';
  return {
    ...found,
    reads: [...branch.reads, ...everythingOf(unseen, project, why).reads],
    doubts: [...found.doubts, ...branch.doubts],
  };
}

interface Compiled {
  readonly sql: string;
  readonly depends: readonly DbtNode[];
  readonly reads: FoundReads['reads'];
  /** Whether it names the model's own table. */
  readonly hasItself: boolean;
}

/** What a model reads once its table exists, too: the compiled code may be without it. */
function readBranch(
  { id, source }: Reader,
  { sql, depends, reads: compiled, hasItself }: Compiled,
  project: Project,
  { tokens }: DbtParser,
): Pick<FoundReads, 'reads' | 'doubts'> {
  const { columns, fqns } = project;
  const nameOf = (node: DbtNode) => fqns.get(node.id) ?? node.id;
  const reads = [...compiled];
  const doubts: string[] = [];
  const add = (node: DbtNode, column: string) => {
    const field = `$${stepText(column)}`;
    const isRead = reads.some(({ name: [fqn], fields }) => {
      if (fqn !== nameOf(node)) return false;
      return fields === null || fields.some((each) => each.toLowerCase() === field.toLowerCase());
    });
    if (!isRead) reads.push({ name: [nameOf(node)], fields: [field], reason: null });
    return !isRead;
  };
  const all = (reason: string) => {
    const others = reads.filter(({ name: [fqn] }) => !depends.some((each) => nameOf(each) === fqn));
    return { reads: [...others, ...everythingOf(depends, project, reason).reads], doubts: [] };
  };
  const isMicrobatch = textAt(objectAt(source, 'config'), 'incremental_strategy') === 'microbatch';
  for (const node of isMicrobatch ? depends : []) {
    const time = textAt(objectAt(node.source, 'config'), 'event_time');
    if (time !== undefined) add(node, time);
  }
  const template = textAt(source, 'raw_code') ?? textAt(source, 'raw_sql') ?? '';
  const itself = hasItself ? (textAt(source, 'alias') ?? textAt(source, 'name') ?? null) : null;
  const branch = incrementalBranch(template, { sql, itself });
  if (branch === null) return { reads, doubts };
  const [own, around] = branch.isWhole ? [tokens(branch.sql), tokens(sql)] : [null, null];
  if (own === null || around === null) return all('is_incremental() has not its SQL');
  const words = readBranchWords(own, around);
  if (words.takesAll) return all('the branch of is_incremental() takes all columns');
  for (const path of words.relations) {
    const nodes = nodesNamed(path, project);
    const others = nodes.filter((node) => node.id !== id);
    const reason = 'the branch of is_incremental() names it';
    reads.push(...everythingOf(others, project, reason).reads);
    if (nodes.length === 0) reads.push({ name: [fqnOf(path, source)], fields: null, reason });
  }
  for (const { name, of } of words.columns) {
    const meant = nodesMeant(words.meanings.get(of ?? '') ?? [null], project);
    // The branch may stand in a query that reads one of them alone, so what is described has no precedence.
    const may = depends.filter(({ id }) => {
      const known = columns.get(id);
      return known?.isComplete !== true || known.names.has(name.toLowerCase());
    });
    const owners = meant?.filter((node) => node.id !== id) ?? may;
    const isNew = owners.map((node) => add(node, name)).includes(true);
    const names = owners.map(nameOf).sort();
    if (isNew && names.length > 1) {
      doubts.push(`${name} may be a column of ${names.join(' or ')}, so it counts for each`);
    }
  }
  return { reads, doubts };
}

/** The nodes that a qualifier stands for; null if it may be a query, or a relation that is not known. */
function nodesMeant(
  paths: readonly (readonly string[] | null)[],
  project: Project,
): readonly DbtNode[] | null {
  const found = paths.map((path) => {
    if (path?.at(-1) === standIns.itself) return [];
    const nodes = path === null ? [] : nodesNamed(path, project);
    return nodes.length === 0 ? null : nodes;
  });
  return found.includes(null) ? null : [...new Set(found.flatMap((nodes) => nodes ?? []))];
}

/** A table that is no node of the project. */
function fqnOf(name: readonly string[], source: JsonObject): string {
  const around = [textAt(source, 'database') ?? '', textAt(source, 'schema') ?? ''];
  const missing = around.slice(0, Math.max(0, 3 - name.length));
  return toFqn([...missing, ...name].map((part) => part.toLowerCase()));
}

/** A table may be named without its database or schema, and may then be one of several. */
function nodesNamed(name: readonly string[], { byTable }: Project): readonly DbtNode[] {
  const parts = name.map((part) => part.toLowerCase());
  return (byTable.get(parts.at(-1) ?? '') ?? []).filter((node) => {
    const segments = segmentsOf(node);
    const length = Math.min(parts.length, segments.length);
    return parts.slice(-length).every((part, i) => part === segments.slice(-length)[i]);
  });
}

/** What a model depends on. An ephemeral model is part of it, so what that depends on counts. */
function dependenciesOf(id: string, source: JsonObject, project: Project): readonly DbtNode[] {
  const [seen, found] = [new Set([id]), [] as DbtNode[]];
  const waiting = [source];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const upstream of textsAt(objectAt(next, 'depends_on'), 'nodes')) {
      const node = project.nodes.get(upstream);
      if (node === undefined || seen.has(upstream)) continue;
      seen.add(upstream);
      if (isEphemeral(node.source)) waiting.push(node.source);
      else found.push(node);
    }
  }
  return found;
}

function everythingOf(nodes: readonly DbtNode[], { fqns }: Project, reason: string): FoundReads {
  const reads = nodes.map(({ id }) => ({ name: [fqns.get(id) ?? id], fields: null, reason }));
  return { reads, doubts: [], unread: [] };
}
