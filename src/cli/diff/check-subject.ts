// Whether a schema is one that a registry would take: what it would refuse is told here already.

import type { CandidateTerms } from '../../core/import/candidate.ts';
import { findLine } from '../input/find-line.ts';
import { unreadable } from '../input/read-text.ts';
import type { Subject } from '../input/subject.ts';

/**
 * Ends the command where a person's own schema is not valid. What an import makes of a file is
 * valid or was left out already.
 */
export async function checkSubject(subject: Subject, terms: CandidateTerms): Promise<void> {
  if (terms.format !== 'jsonschema') return;
  const { checkSchema } = await import('../../core/schema/check-schema.ts');
  const options = terms.dialect === undefined ? {} : { dialect: terms.dialect };
  const [fault] = checkSchema(terms.schema, options);
  if (fault === undefined) return;
  const line = await findLine(subject.origin, fault.path);
  const place = `line ${line}, ${fault.path}`;
  throw unreadable({ path: subject.origin.file }, place, fault.message);
}
