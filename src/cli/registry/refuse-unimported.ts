import { wordsOf } from '../../core/import/document-kinds.ts';
import { wrongUsage } from '../exit-code.ts';
import type { ReadFile } from '../input/subject.ts';

/** Ends the command for a document that is compared, but that no registry imports. */
export function refuseUnimported({ kind, path }: Pick<ReadFile, 'kind' | 'path'>): void {
  if (kind !== 'crd' && kind !== 'asyncapi') return;
  throw wrongUsage(
    `${path} is ${wordsOf(kind)}, which a registry does not hold. Compare two versions of it: concordat diff --against main ${path}.`,
  );
}
