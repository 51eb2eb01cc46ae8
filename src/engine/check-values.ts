// What is wrong with values, in any thread.

import { openCheck } from '../core/checks/open-check.ts';
import { accept, type Outcome, refuse } from '../core/failure.ts';
import type { HeldValue, ValuesQuestion } from '../registry/ports.ts';

export function checkValues(question: ValuesQuestion): Outcome<readonly HeldValue[]> {
  const { terms, others, values } = question;
  const check = openCheck(terms);
  if (check === null) {
    const message = `The contract describes no ${terms.part}. Leave out part, or give the other one.`;
    return refuse('VALIDATION_ERROR', message, { field: 'part' });
  }
  // What says nothing about this part refuses nothing.
  const checks = others.map((each) => openCheck(each));
  return accept(
    values.map((value) => ({
      ...check(value),
      refusedBy: checks.flatMap((other, index) =>
        other === null || other(value).verdict === 'valid' ? [] : [index],
      ),
    })),
  );
}
