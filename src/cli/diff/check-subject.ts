// Checks whether a registry would accept a schema, so that it is refused here already.

import type { CandidateTerms } from '../../core/import/candidate.ts';
import { openLines } from '../input/find-line.ts';
import { unreadable } from '../input/read-text.ts';
import type { Subject } from '../input/subject.ts';

/**
 * Ends the command if a schema written by a person is invalid. Schemas that an import derived from
 * a file are valid, or were left out.
 */
export async function checkSubject(subject: Subject, terms: CandidateTerms): Promise<void> {
  if (terms.format !== 'jsonschema') return;
  const { checkSchema } = await import('../../core/schema/check-schema.ts');
  const options = terms.dialect === undefined ? {} : { dialect: terms.dialect };
  const [fault] = checkSchema(terms.schema, options);
  if (fault === undefined) return;
  const line = await openLines()(subject.origin, fault.path);
  const place = `line ${line}, ${fault.path}`;
  throw unreadable({ path: subject.origin.file }, place, fault.message);
}
