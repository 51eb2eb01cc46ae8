// Finds a string within length bounds, in some languages, outside of others, and not among some
// values.

import {
  accepts,
  everyText,
  intersect,
  type Language,
  noText,
  subtract,
  textsOf,
} from '../../schema/patterns/language.ts';
import { findMember, listMembers } from '../../schema/patterns/members.ts';
import type { Steps, TooLarge } from '../../schema/patterns/steps.ts';
import type { Engine, Found } from '../terms/engine.types.ts';
import { empty, found, unknown } from '../terms/engine.types.ts';
import type { Atom } from '../terms/forms.types.ts';
import type { AtomLanguage, TextAtom } from '../terms/texts.ts';
import { lengthOf } from './holds.ts';

/** Two megabytes. A longer witness would help nobody. */
const maxWitnessLength = 2_000_000;
/** The most members tried if only a larger set than the language is known. */
const maxTries = 200;

interface Demand {
  min: number;
  max: number;
  readonly languages: TextAtom[];
  readonly excluded: Set<string>;
}

export function solveString(engine: Engine, atoms: readonly Atom[]): Found {
  const demand = demandOf(engine, atoms);
  if (demand === undefined) return unknown('The strings of the schema are not known.');
  if (demand.min > demand.max) return empty;
  return demand.languages.length === 0 ? solveFree(demand) : solveLanguages(engine, demand);
}

function demandOf(engine: Engine, atoms: readonly Atom[]): Demand | undefined {
  const demand: Demand = {
    ...{ min: 0, max: Number.POSITIVE_INFINITY, languages: [], excluded: new Set<string>() },
  };
  for (const atom of atoms) {
    switch (atom.tag) {
      case 'min_length':
        demand.min = Math.max(demand.min, atom.count);
        break;
      case 'max_length':
        demand.max = Math.min(demand.max, atom.count);
        break;
      case 'other_values':
        for (const value of atom.values.values()) {
          if (typeof value === 'string') demand.excluded.add(value);
        }
        break;
      case 'pattern':
      case 'no_pattern':
      case 'format':
      case 'no_format':
        demand.languages.push(atom);
        demand.max = Math.min(demand.max, engine.texts.longestOf(atom));
        break;
      default:
        return undefined;
    }
  }
  return demand;
}

/**
 * Solves length bounds alone: of each length above zero there are more strings than are excluded.
 */
function solveFree({ min, max, excluded }: Demand): Found {
  if (max === 0) return excluded.has('') ? empty : found('');
  if (min > maxWitnessLength) {
    const most = `at most ${maxWitnessLength} are shown`;
    return unknown(`Only a string of ${min} characters or more would do; ${most}.`);
  }
  if (min === 0 && !excluded.has('')) return found('');
  const start = Math.max(min, 1);
  for (let count = 0; count <= excluded.size; count++) {
    const text = nthText(count, start);
    if (!excluded.has(text)) return found(text);
  }
  return unknown('No string was found.');
}

/** Different texts of one length: they end in "a", "b", ..., and then in other letters. */
function nthText(index: number, length: number): string {
  const last = index < 26 ? 0x61 + index : 0x4e00 + index;
  return 'a'.repeat(length - 1) + String.fromCodePoint(last);
}

function solveLanguages(engine: Engine, demand: Demand): Found {
  const { min, max, languages, excluded } = demand;
  if (languages.some((a) => languages.some((b) => engine.texts.areDisjoint(a, b)))) return empty;
  const quick = quickMember(engine, demand);
  if (quick !== undefined) return found(quick);
  const joint = jointLanguage(engine, languages);
  if (joint === 'too_large') return unknown('The patterns are too large to be compared.');
  const rest = engine.texts.spend((own) => without(joint.language, excluded, own));
  if (rest === 'too_large') return unknown('The patterns are too large to be compared.');
  const member = engine.texts.spend((own) => findMember(rest, own, { min, max }));
  if (member === null) return empty;
  if (member === 'too_large') return unknown('The patterns are too large to be compared.');
  if (joint.under === joint.language || fits(engine, demand, member)) return found(member);
  const certain = certainMember(engine, joint.under, demand);
  if (certain !== undefined) return found(certain);
  const members = engine.texts.spend((own) => listMembers(rest, maxTries, own));
  const tried = [...members, ...longMembers(engine, rest, demand)];
  const fitting = tried.find((text) => fits(engine, demand, text));
  if (fitting !== undefined) return found(fitting);
  return unknown('A pattern or format is only known in part.');
}

/** A text that is certainly in all of the sets, also in those that are only known in part. */
function certainMember(engine: Engine, under: Language, demand: Demand): string | undefined {
  const member = engine.texts.spend((own) => {
    const rest = without(under, demand.excluded, own);
    return rest === 'too_large' ? rest : findMember(rest, own, demand);
  });
  if (member === null || member === 'too_large') return undefined;
  return fits(engine, demand, member) ? member : undefined;
}

/**
 * Some formats have limits that no automaton counts: 63 for a label, 253 for a name of labels.
 * These are the first lengths above them.
 */
const longLengths = [64, 254];

function longMembers(engine: Engine, language: Language, { min, max }: Demand): readonly string[] {
  return longLengths.flatMap((length) => {
    if (length > max) return [];
    const within = { min: Math.max(min, length), max };
    const member = engine.texts.spend((own) => findMember(language, own, within));
    return member === null || member === 'too_large' ? [] : [member];
  });
}

function without(
  language: Language,
  excluded: ReadonlySet<string>,
  steps: Steps,
): Language | TooLarge {
  const members: string[] = [];
  for (const text of excluded) {
    steps.left -= 1 + text.length;
    if (steps.left < 0) return 'too_large';
    if (accepts(language, text)) members.push(text);
  }
  if (members.length === 0) return language;
  const texts = textsOf(members, steps);
  return texts === 'too_large' ? texts : subtract(language, texts, steps);
}

/** Texts are padded up to this length. Longer ones are left to the automata. */
const maxPadding = 1_000;

/** Texts that often fit, found without an automaton. */
function quickMember(engine: Engine, demand: Demand): string | undefined {
  for (const atom of demand.languages) {
    for (const text of engine.texts.samplesOf(atom)) {
      if (fits(engine, demand, text)) return text;
    }
  }
  if (demand.languages.some((atom) => atom.tag === 'pattern')) return undefined;
  const least = Math.min(demand.min, maxPadding);
  const texts = ['', 'a', 'x y', '-', '('];
  return texts.map((text) => text.padEnd(least, text)).find((text) => fits(engine, demand, text));
}

function fits(engine: Engine, { min, max, languages, excluded }: Demand, text: string): boolean {
  const length = lengthOf(text);
  if (length < min || length > max || excluded.has(text)) return false;
  return languages.every((atom) => engine.texts.matches(atom, text) === true);
}

const remembered = new WeakMap<Engine, Map<string, AtomLanguage | 'too_large'>>();

function jointLanguage(engine: Engine, atoms: readonly TextAtom[]): AtomLanguage | 'too_large' {
  const known = remembered.get(engine) ?? new Map<string, AtomLanguage | 'too_large'>();
  remembered.set(engine, known);
  const key = atoms
    .map((atom) => atom.id)
    .sort((a, b) => a - b)
    .join();
  const joint = known.get(key) ?? intersectAll(engine, atoms);
  known.set(key, joint);
  return joint;
}

function intersectAll(engine: Engine, atoms: readonly TextAtom[]): AtomLanguage | 'too_large' {
  const own = atoms.map((atom) => engine.texts.languageOf(atom));
  const sized = own
    .filter((each) => each !== undefined)
    .toSorted((a, b) => a.language.moves.length - b.language.moves.length);
  const language = intersectEach(
    engine,
    sized.map((each) => each.language),
  );
  if (language === 'too_large') return language;
  if (sized.length < own.length) return { language, under: noText };
  if (sized.every((each) => each.under === each.language)) return { language, under: language };
  const under = intersectEach(
    engine,
    sized.map((each) => each.under),
  );
  return { language, under: under === 'too_large' ? noText : under };
}

function intersectEach(engine: Engine, languages: readonly Language[]): Language | TooLarge {
  return engine.texts.spend((steps) => {
    let joint: Language | TooLarge = everyText;
    for (const each of languages) {
      if (joint !== 'too_large') joint = intersect(joint, each, steps);
    }
    return joint;
  });
}
