// Shows what importing a file would do to the existing contracts. Changes nothing.

import { accept } from '../../core/failure.ts';
import { fatalOf } from '../../core/import/candidate.ts';
import { assessCandidates, listRemoved, withMoved } from '../../core/import/plan/assess.ts';
import type { Assessed } from '../../core/import/plan/diff-report.ts';
import { refuseFatal } from '../../core/import/plan/plan.ts';
import type { PreviewImport, Verb } from '../commands.ts';
import { checkImport } from './check-import.ts';
import { compareImport } from './compare-import.ts';
import { askRegistry, toImportFacts } from './import-facts.ts';

export const previewImport: Verb<PreviewImport, Assessed> = async (ports, _context, command) => {
  const { kind, environment, ownerTeamId } = command;
  const fatal = fatalOf(command.read.parsed.problems);
  if (fatal !== null) return refuseFatal(fatal);
  const { read, question, found } = await askRegistry(ports.reads, command.read, environment, []);
  const checked = checkImport(read, question, found);
  const { candidates, problems } = checked.parsed;
  const registered = toImportFacts(found, checked, question, ownerTeamId);
  const removed = listRemoved(candidates, registered, environment);
  const facts = withMoved(registered, removed);
  const comparisons = await compareImport(ports.engine, checked.parsed, facts, environment);
  return accept({
    kind,
    assessments: assessCandidates(
      candidates.filter(({ isReference }) => isReference !== true),
      facts,
      comparisons,
      environment,
    ),
    removed,
    problems,
    ...(read.title === null ? {} : { title: read.title }),
  });
};
