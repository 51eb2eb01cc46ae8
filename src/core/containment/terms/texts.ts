// What the engine asks about patterns and formats: whether a text matches, and which language it
// is.

import { findFormat, relateFormats } from '../../schema/formats/formats.ts';
import { complement, type Language, noText } from '../../schema/patterns/language.ts';
import { compilePattern, matchPattern, patternProblem } from '../../schema/patterns/pattern.ts';
import { samplesOfPattern } from '../../schema/patterns/sample-pattern.ts';
import type { Steps } from '../../schema/patterns/steps.ts';
import type { AtomOf } from './forms.types.ts';

export type TextAtom = AtomOf<'pattern' | 'no_pattern' | 'format' | 'no_format'>;

/** A set that contains the texts of an atom, and one that contains no others: the same if it is exact. */
export interface AtomLanguage {
  readonly language: Language;
  readonly under: Language;
}

export interface TextLanguages {
  /** Why a pattern cannot be used; `everything` if every text matches it. */
  patternProblem(source: string): string | undefined;
  /** Whether two atoms are known to have no text in common, without examining their automata. */
  areDisjoint(a: TextAtom, b: TextAtom): boolean;
  matches(atom: TextAtom, text: string): boolean | undefined;
  languageOf(atom: TextAtom): AtomLanguage | undefined;
  /** Runs work on automata, and charges its steps to the engine. */
  spend<T>(work: (own: Steps) => T): T;
  /** Texts worth trying before an automaton is used, and if there is none for the atom. */
  samplesOf(atom: TextAtom): readonly string[];
  /** The most code points in a text of the atom, for limits that its automaton does not count. */
  longestOf(atom: TextAtom): number;
}

/** How many steps of automata cost one step of the engine: they are that much smaller. */
const automatonStepsPerStep = 8;

export function createTextLanguages(steps: Steps): TextLanguages {
  const problems = new Map<string, string | undefined>();
  const languages = new Map<string, AtomLanguage | undefined>();
  const samples = new Map<string, readonly string[]>();
  const spend = <T>(work: (own: Steps) => T): T => {
    const before = Math.max(0, steps.left) * automatonStepsPerStep;
    const own = { left: before };
    const result = work(own);
    steps.left -= Math.ceil((before - own.left) / automatonStepsPerStep);
    return result;
  };
  return {
    spend,
    samplesOf: (atom) => {
      if (atom.tag === 'format') return findFormat(atom.name)?.samples ?? [];
      if (atom.tag !== 'pattern') return [];
      let texts = samples.get(atom.source);
      if (texts === undefined) {
        texts = spend((own) => samplesOfPattern(atom.source, own));
        samples.set(atom.source, texts);
      }
      return texts;
    },
    longestOf: (atom) =>
      (atom.tag === 'format' ? findFormat(atom.name)?.longest : undefined) ??
      Number.POSITIVE_INFINITY,
    areDisjoint: areDisjointAtoms,
    patternProblem: (source) => {
      if (alwaysMatching.has(source)) return 'everything';
      if (!problems.has(source)) problems.set(source, patternProblem(source) ?? undefined);
      return problems.get(source);
    },
    matches: (atom, text) => {
      if (atom.tag === 'format' || atom.tag === 'no_format') {
        steps.left -= 1;
        const format = findFormat(atom.name);
        const isMember = format === null || format.isMember(text);
        // If validators disagree about a text, it is neither certainly in the format nor certainly
        // outside.
        return isMember === undefined ? undefined : isMember === (atom.tag === 'format');
      }
      const found = spend((own) => matchPattern(atom.source, text, own));
      if (found === 'gave_up') return undefined;
      return atom.tag === 'pattern' ? found : !found;
    },
    languageOf: (atom) => {
      const key = `${atom.tag} ${atom.tag === 'format' || atom.tag === 'no_format' ? atom.name : atom.source}`;
      if (languages.has(key)) return languages.get(key);
      const made = spend((own) => languageOfAtom(atom, own));
      languages.set(key, made);
      return made;
    },
  };
}

function areDisjointAtoms(a: TextAtom, b: TextAtom): boolean {
  if (a.tag !== 'format' || (b.tag !== 'format' && b.tag !== 'no_format')) return false;
  const first = findFormat(a.name);
  const second = findFormat(b.name);
  if (first === null || second === null) return false;
  const relation = relateFormats(first, second);
  if (b.tag === 'format') return relation === 'disjoint';
  return relation === 'equal' || relation === 'subset';
}

const alwaysMatching = new Set(['', '.*', '^', '$', '^.*', '.*$', '(.*)', '^[\\s\\S]*$']);

function languageOfAtom(atom: TextAtom, steps: Steps): AtomLanguage | undefined {
  if (atom.tag === 'format' || atom.tag === 'no_format') {
    const format = findFormat(atom.name);
    if (format === null) return undefined;
    const [over, under] = [format.over(), format.under()];
    if (atom.tag === 'format') return { language: over, under };
    const outside = complement(under, steps);
    if (outside === 'too_large') return undefined;
    if (format.isExact) return { language: outside, under: outside };
    const certainlyOutside = complement(over, steps);
    return {
      language: outside,
      under: certainlyOutside === 'too_large' ? noText : certainlyOutside,
    };
  }
  const pattern = compilePattern(atom.source, steps);
  const isPositive = atom.tag === 'pattern';
  if (pattern.kind === 'language') {
    const language = isPositive ? pattern.language : complement(pattern.language, steps);
    return language === 'too_large' ? undefined : { language, under: language };
  }
  return pattern.kind === 'opaque' && isPositive
    ? { language: pattern.over, under: noText }
    : undefined;
}
