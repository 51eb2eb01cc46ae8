// Finds an object whose properties are in given terms, by key or by region of keys.
//
// The keys that atoms name are examined one by one. All other keys are divided into cells by the
// patterns that match them; the keys of a cell are alike.

import type { Json } from '../../value/json.ts';
import type { Engine, Found, Unknown } from '../terms/engine.types.ts';
import { empty, found, unknown } from '../terms/engine.types.ts';
import { andForm, atomForm, orForm } from '../terms/forms.ts';
import type { Atom, Form, Term } from '../terms/forms.types.ts';
import { notForm } from '../terms/not-form.ts';
import { likelyTexts } from './listed-texts.ts';
import { maxWitnessParts, maxWitnessSize, sizeOf } from './many-parts.ts';

/** If more properties than this are missing, those of a cell are made in bulk. */
const maxSteppedKeys = 50;
/** The most cells into which patterns may divide the keys that no atom names. */
const maxCells = 48;

interface Rule {
  readonly region: Form;
  readonly term: Term;
}

export interface ObjectIndex {
  readonly properties: ReadonlyMap<string, readonly Term[]>;
  readonly has: ReadonlyMap<string, readonly Term[]>;
  readonly each: readonly Rule[];
  readonly some: readonly Rule[];
  readonly min: number;
  readonly max: number;
  /** The results of `termsOfKey`, which is called for each part that names a key. */
  readonly knownTerms: Map<string, readonly Term[] | undefined>;
}

export function indexObject(atoms: readonly Atom[]): ObjectIndex | undefined {
  const properties = new Map<string, Term[]>();
  const has = new Map<string, Term[]>();
  const each: Rule[] = [];
  const some: Rule[] = [];
  let min = 0;
  let max = Number.POSITIVE_INFINITY;
  for (const atom of atoms) {
    switch (atom.tag) {
      case 'property':
        pushTo(properties, atom.key, atom.term);
        break;
      case 'has':
        pushTo(has, atom.key, atom.term);
        break;
      case 'each_key':
        each.push(atom);
        break;
      case 'some_key':
        some.push(atom);
        break;
      case 'min_keys':
        min = Math.max(min, atom.count);
        break;
      case 'max_keys':
        max = Math.min(max, atom.count);
        break;
      default:
        return undefined;
    }
  }
  return { properties, has, each, some, min, max, knownTerms: new Map() };
}

function pushTo(map: Map<string, Term[]>, key: string, term: Term): void {
  const terms = map.get(key);
  if (terms === undefined) map.set(key, [term]);
  else terms.push(term);
}

/** The terms that the value of a key must be in; undefined if a pattern cannot be decided. */
export function termsOfKey(
  engine: Engine,
  index: ObjectIndex,
  key: string,
): readonly Term[] | undefined {
  const known = index.knownTerms.get(key);
  if (known !== undefined || index.knownTerms.has(key)) return known;
  const terms = gatherTerms(engine, index, key);
  index.knownTerms.set(key, terms);
  return terms;
}

function gatherTerms(engine: Engine, index: ObjectIndex, key: string): Term[] | undefined {
  const terms = [...(index.properties.get(key) ?? []), ...(index.has.get(key) ?? [])];
  for (const { region, term } of index.each) {
    const isIn = engine.holdsForm(region, key);
    if (isIn === undefined) return undefined;
    if (isIn) terms.push(term);
  }
  return terms;
}

const undecidedKey = unknown('It is not known which keys a pattern matches.');

export function solveObject(engine: Engine, atoms: readonly Atom[]): Found {
  const index = indexObject(atoms);
  if (index === undefined) return unknown('The objects of the schema are not known.');
  if (index.min > index.max || index.has.size > index.max) return empty;
  const search = new Search(engine, index);
  for (const key of index.has.keys()) {
    const outcome = search.place(key, []);
    if (outcome.tag !== 'value') return outcome;
  }
  const placed = search.placeSome(0);
  if (placed.tag === 'empty' && search.doubt !== undefined) return search.doubt;
  return placed;
}

/** The object under construction. */
class Search {
  /** What could not be decided on the way. A failure then proves nothing. */
  doubt: Unknown | undefined;
  private readonly engine: Engine;
  private readonly index: ObjectIndex;
  private readonly members = new Map<string, Json>();
  /** The terms of a key in addition to its own, from the rules placed on it. */
  private readonly extra = new Map<string, readonly Term[]>();
  private knownCells: readonly Cell[] | undefined;

  constructor(engine: Engine, index: ObjectIndex) {
    this.engine = engine;
    this.index = index;
  }

  place(key: string, extra: readonly Term[]): Found {
    const terms = termsOfKey(this.engine, this.index, key);
    if (terms === undefined) return undecidedKey;
    const member = this.engine.inhabit([...terms, ...extra]);
    if (member.tag === 'value') {
      this.members.set(key, member.value);
      this.extra.set(key, extra);
    }
    return member;
  }

  /**
   * Finds a key for each of the rules from `at` on, and then adds as many keys as are still needed.
   */
  placeSome(at: number): Found {
    const rule = this.index.some[at];
    if (rule === undefined) return this.fill();
    for (const key of this.candidatesFor(rule)) {
      this.engine.steps.left--;
      if (this.engine.steps.left < 0)
        return unknown('The question took more steps than its budget has.');
      const before = this.members.get(key);
      const extra = this.extra.get(key) ?? [];
      const outcome = this.place(key, [...extra, rule.term]);
      if (outcome.tag === 'unknown') this.doubt = outcome;
      if (outcome.tag === 'value') {
        const rest = this.placeSome(at + 1);
        if (rest.tag === 'value') return rest;
        if (rest.tag === 'unknown') this.doubt = rest;
      }
      this.restore(key, before, extra);
    }
    return empty;
  }

  private restore(key: string, before: Json | undefined, extra: readonly Term[]): void {
    if (before === undefined) {
      this.members.delete(key);
      this.extra.delete(key);
    } else {
      this.members.set(key, before);
      this.extra.set(key, extra);
    }
  }

  /**
   * The keys that may satisfy a rule: named keys of its region, and one new key of each cell within
   * it.
   */
  private *candidatesFor(rule: Rule): Generator<string> {
    const { engine } = this;
    const isTight = this.members.size >= this.index.max;
    for (const key of this.namedKeys()) {
      if (isTight && !this.members.has(key)) continue;
      const isIn = engine.holdsForm(rule.region, key);
      if (isIn === undefined) this.doubt = undecidedKey;
      if (isIn) yield key;
    }
    if (isTight) {
      // The object has no room for more keys, so only existing ones can satisfy the rule.
      for (const key of [...this.members.keys()]) {
        if (!this.namedKeys().has(key) && engine.holdsForm(rule.region, key)) yield key;
      }
      return;
    }
    for (const cell of this.cells()) {
      if (!cell.inside.has(rule.region)) continue;
      const fresh = this.freshKey(cell);
      if (fresh !== undefined) yield fresh;
      // A cell may have few keys, all of them in use: they can be shared.
      for (const key of [...this.members.keys()]) {
        if (!this.namedKeys().has(key) && engine.holdsForm(cell.form, key)) yield key;
      }
    }
  }

  private namedKeys(): ReadonlySet<string> {
    this.knownNames ??= namesOf(this.index);
    return this.knownNames;
  }
  private knownNames: ReadonlySet<string> | undefined;

  private cells(): readonly Cell[] {
    if (this.knownCells === undefined) {
      const made = cellsOf(this.engine, this.index, this.namedKeys());
      if (made === undefined)
        this.doubt = unknown('The patterns of keys overlap in too many ways.');
      this.knownCells = made ?? [];
    }
    return this.knownCells;
  }

  /** A key of the cell that is not in use. */
  private freshKey(cell: Cell): string | undefined {
    const { engine } = this;
    const isFree = (key: string): boolean => !this.members.has(key) && !this.namedKeys().has(key);
    const nice = niceKeys.find((key) => isFree(key) && engine.holdsForm(cell.form, key) === true);
    if (nice !== undefined) return nice;
    const taken = new Map(
      [...this.namedKeys(), ...this.members.keys()].map((key) => [JSON.stringify(key), key]),
    );
    const outside = atomForm(engine.store, { tag: 'other_values', values: taken });
    const key = engine.inhabitForms('string', [cell.form, outside]);
    if (key.tag === 'unknown') this.doubt = key;
    return key.tag === 'value' && typeof key.value === 'string' ? key.value : undefined;
  }

  /** Adds keys until there are enough. The object is then complete, unless it has too many. */
  private fill(): Found {
    const { index, members } = this;
    if (members.size > index.max) return empty;
    if (index.min > maxWitnessParts) return this.judgeMany();
    const before = new Set(members.keys());
    if (members.size < index.min) this.addNamed();
    if (index.min - members.size > maxSteppedKeys) this.addMany();
    if (members.size < index.min) {
      for (const cell of this.cells()) {
        while (members.size < index.min) {
          const key = this.freshKey(cell);
          if (key === undefined) break;
          const outcome = this.place(key, []);
          if (outcome.tag === 'unknown') this.doubt = outcome;
          if (outcome.tag !== 'value') break;
        }
      }
    }
    if (members.size >= index.min) return found(Object.fromEntries(members));
    for (const key of [...members.keys()]) if (!before.has(key)) this.restore(key, undefined, []);
    return empty;
  }

  private addNamed(): void {
    for (const key of this.namedKeys()) {
      if (this.members.size >= this.index.min) return;
      if (this.members.has(key)) continue;
      const outcome = this.place(key, []);
      if (outcome.tag === 'unknown') this.doubt = outcome;
    }
  }

  /** Adds as many keys of a cell as are needed, by numbering, with one value for all of them. */
  private addMany(): void {
    const { engine, index, members } = this;
    for (const cell of this.cells()) {
      const member = engine.inhabit(cell.terms);
      const base = member.tag === 'value' ? this.freshKey(cell) : undefined;
      if (member.tag !== 'value' || base === undefined) continue;
      if (sizeOf(member.value) * index.min > maxWitnessSize) continue;
      const spellings = [(at: number) => `key${at}`, (at: number) => `${base}${at}`];
      for (const spell of [...spellings, (at: number) => `${at}${base}`]) {
        for (let at = 1, misses = 0; members.size < index.min && misses < maxMisses; at++) {
          const key = spell(at);
          const isFree = !members.has(key) && !this.namedKeys().has(key);
          engine.steps.left -= 1 / keysPerStep;
          if (isFree && engine.holdsForm(cell.form, key) === true) members.set(key, member.value);
          else misses++;
        }
      }
      for (const key of likelyTexts(engine, cell.form, 2 * index.min)) {
        if (members.size >= index.min) return;
        const isFree = !members.has(key) && !this.namedKeys().has(key);
        if (isFree && engine.holdsForm(cell.form, key) === true) members.set(key, member.value);
      }
    }
  }

  /**
   * Answers for objects with more keys than are written out: there are none if only named keys are
   * allowed and these are too few.
   */
  private judgeMany(): Found {
    const open = this.cells().some((cell) => this.engine.inhabit(cell.terms).tag !== 'empty');
    if (!open && this.doubt === undefined && this.namedKeys().size < this.index.min) return empty;
    const most = `at most ${maxWitnessParts} are shown`;
    return unknown(`Only an object of ${this.index.min} properties or more would do; ${most}.`);
  }
}

const maxMisses = 100;
const keysPerStep = 10;

/** Keys that read well in a witness. */
const niceKeys = ['extra', 'other', 'another', 'x', 'y', 'z', 'a', 'b', 'c'];

/** All keys that atoms name, directly or in a region. */
function namesOf(index: ObjectIndex): ReadonlySet<string> {
  const names = new Set([...index.has.keys(), ...index.properties.keys()]);
  for (const { region } of [...index.some, ...index.each]) addNames(region, names);
  return names;
}

function addNames(form: Form, names: Set<string>): void {
  if (form.tag === 'and' || form.tag === 'or') for (const part of form.parts) addNames(part, names);
  if (form.tag === 'approximation') addNames(form.over, names);
  if (form.tag !== 'values' && form.tag !== 'other_values') return;
  for (const value of form.values.values()) if (typeof value === 'string') names.add(value);
}

interface Cell {
  /** The keys of the cell; it is meaningful only for keys that no atom names. */
  readonly form: Form;
  /** The regions that contain all of its keys. The others contain none. */
  readonly inside: ReadonlySet<Form>;
  /** The terms that every value in the cell must be in. */
  readonly terms: readonly Term[];
}

function cellsOf(
  engine: Engine,
  index: ObjectIndex,
  names: ReadonlySet<string>,
): Cell[] | undefined {
  const { store } = engine;
  let cells: { form: Form; inside: Set<Form> }[] = [{ form: store.everything, inside: new Set() }];
  const regions = new Set([...index.some, ...index.each].map(({ region }) => region));
  for (const region of regions) {
    const unnamed = withoutNames(engine, region, names);
    if (unnamed === store.nothing) continue;
    if (unnamed === store.everything) {
      for (const cell of cells) cell.inside.add(region);
      continue;
    }
    cells = cells.flatMap(({ form, inside }) => [
      { form: andForm(store, [form, unnamed]), inside: new Set([...inside, region]) },
      { form: andForm(store, [form, notForm(store, unnamed)]), inside: new Set(inside) },
    ]);
    cells = cells.filter(({ form }) => engine.inhabitForms('string', [form]).tag !== 'empty');
    if (cells.length > maxCells) return undefined;
  }
  return cells.map(({ form, inside }) => ({
    ...{ form, inside },
    terms: index.each.filter(({ region }) => inside.has(region)).map(({ term }) => term),
  }));
}

/** A region, simplified for the keys that no atom names. */
function withoutNames(engine: Engine, form: Form, names: ReadonlySet<string>): Form {
  const { store } = engine;
  const isNamed = (value: Json): boolean => typeof value === 'string' && names.has(value);
  switch (form.tag) {
    case 'and':
      return andForm(
        store,
        form.parts.map((part) => withoutNames(engine, part, names)),
      );
    case 'or':
      return orForm(
        store,
        form.parts.map((part) => withoutNames(engine, part, names)),
      );
    case 'values':
      return [...form.values.values()].every(isNamed) ? store.nothing : form;
    case 'other_values':
      return [...form.values.values()].every(isNamed) ? store.everything : form;
    default:
      return form;
  }
}
