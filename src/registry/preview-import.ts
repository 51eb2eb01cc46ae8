// What importing a file would do to the contracts that are there. Changes nothing.

import { accept } from '../core/failure.ts';
import { assessCandidates, listRemoved } from '../core/import/assess.ts';
import type { Assessed } from '../core/import/diff-report.ts';
import { refuseFatal } from '../core/import/plan.ts';
import type { PreviewImport, Verb } from './commands.ts';
import { compareImport } from './compare-import.ts';
import { questionOf, toImportFacts } from './import-facts.ts';

export const previewImport: Verb<PreviewImport, Assessed> = async (ports, _context, command) => {
  const { kind, read, environment } = command;
  const { candidates, problems } = read.parsed;
  const fatal = problems.find((problem) => problem.fatal);
  if (fatal !== undefined) return refuseFatal(fatal);
  const question = questionOf(read, environment, []);
  const facts = toImportFacts(await ports.reads.getImportFacts(question), read, question);
  const comparisons = await compareImport(ports.engine, read, facts, environment);
  return accept({
    kind,
    assessments: assessCandidates(candidates, facts, comparisons, environment),
    removed: listRemoved(candidates, facts, environment),
    problems,
    ...(read.title === null ? {} : { title: read.title }),
  });
};
