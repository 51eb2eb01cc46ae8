// The texts of a form one by one, by the automaton of one of its patterns or formats.

import { countMembers, listMembers } from '../schema/patterns/members.ts';
import type { Engine } from './engine.types.ts';
import type { Form } from './forms.types.ts';
import type { AtomLanguage, TextAtom } from './texts.ts';

/** Writing a text down takes a tenth of a step. */
const textsPerStep = 10;

/** The shortest texts of a pattern that the form demands: some of them may not be of the form. */
export function likelyTexts(engine: Engine, form: Form, limit: number): readonly string[] {
  const language = demandedLanguages(engine, form)[0]?.language;
  if (language === undefined) return [];
  const texts = listMembers(language, limit);
  engine.steps.left -= texts.length / textsPerStep;
  return texts;
}

/** All texts of the form and perhaps some others, if they are no more than the limit. */
export function allTexts(engine: Engine, form: Form, limit: number): readonly string[] | undefined {
  const finite = demandedLanguages(engine, form).find(
    ({ language }) => countMembers(language, limit) <= limit,
  );
  return finite && listMembers(finite.language, limit);
}

function demandedLanguages(engine: Engine, form: Form): readonly AtomLanguage[] {
  const parts = form.tag === 'and' ? form.parts : [form];
  return parts.flatMap((part) => (isTextAtom(part) ? (engine.texts.languageOf(part) ?? []) : []));
}

function isTextAtom(form: Form): form is TextAtom & Form {
  return form.tag === 'pattern' || form.tag === 'format';
}
