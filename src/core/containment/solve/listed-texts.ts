// Lists the texts of a form, by the automaton of one of its patterns or formats.

import type { Language } from '../../schema/patterns/language.ts';
import { countMembers, listMembers } from '../../schema/patterns/members.ts';
import type { Steps } from '../../schema/patterns/steps.ts';
import type { Engine } from '../terms/engine.types.ts';
import type { Form } from '../terms/forms.types.ts';
import type { AtomLanguage, TextAtom } from '../terms/texts.ts';

/**
 * The shortest texts of a pattern or format that the form demands. Some may not satisfy the form.
 */
export function likelyTexts(engine: Engine, form: Form, limit: number): readonly string[] {
  const language = demandedLanguages(engine, form)[0]?.language;
  if (language === undefined) return [];
  return engine.texts.spend((own) => listMembers(language, limit, own));
}

/** All texts of the form, and perhaps others; undefined if they are more than the limit. */
export function allTexts(engine: Engine, form: Form, limit: number): readonly string[] | undefined {
  const languages = demandedLanguages(engine, form);
  return engine.texts.spend((own) => {
    const finite = languages.find(({ language }) => isListable(language, limit, own));
    const texts = finite && listMembers(finite.language, limit, own);
    return own.left < 0 ? undefined : texts;
  });
}

function isListable(language: Language, limit: number, steps: Steps): boolean {
  const count = countMembers(language, limit, steps);
  return count !== 'too_large' && count <= limit;
}

function demandedLanguages(engine: Engine, form: Form): readonly AtomLanguage[] {
  const parts = form.tag === 'and' ? form.parts : [form];
  return parts.flatMap((part) => (isTextAtom(part) ? (engine.texts.languageOf(part) ?? []) : []));
}

function isTextAtom(form: Form): form is TextAtom & Form {
  return form.tag === 'pattern' || form.tag === 'format';
}
