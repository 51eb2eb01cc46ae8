// Broken diffs: each is the diff with one small change to its text, and takes a break for none, tells a
// change in another place, or does not tell it.

import type { Mutant } from './mutants.ts';

export const diffMutants: readonly Mutant[] = [
  {
    family: 'paths: nobody looks for those that went away',
    file: 'diff/reading.ts',
    from: 'const isSafe = isSameText || keepsPaths || part.mayLosePaths === true;',
    to: 'const isSafe = true;',
  },
  {
    family: 'paths: a removal keeps them',
    file: 'diff/reading.ts',
    from: 'if (type === pathTypes[paths]) return true;',
    to: '',
  },
  {
    family: 'paths: what tells of one does not break',
    file: 'diff/match-paths.ts',
    from: '    onPath.add(each);\n    told.add(text);',
    to: '    told.add(text);',
  },
  {
    family: 'directions: data is judged by who writes it next',
    file: 'diff/reading.ts',
    from: '    data: backward,\n    request: backward,',
    to: '    data: forward,\n    request: backward,',
  },
  {
    family: 'directions: a response is emitted by the old schema',
    file: 'diff/reading.ts',
    from: "response: { emits: 'new', paths: 'uncovered_by_new' },",
    to: "response: { emits: 'old', paths: 'uncovered_by_new' },",
  },
  {
    family: 'directions: forward and backward are one for a response',
    file: 'diff/reading.ts',
    from: "response: { emits: 'old', paths: 'uncovered_by_old' },",
    to: "response: { emits: 'new', paths: 'uncovered_by_old' },",
  },
  {
    family: 'directions: what only one side has is marked the other way round',
    file: 'diff/project.ts',
    from: "request: 'readOnly', response: 'writeOnly'",
    to: "request: 'writeOnly', response: 'readOnly'",
  },
  {
    family: 'forward: a removal breaks beside something that does',
    file: 'diff/judge/judge.ts',
    from: "if (containment.forgivesRemoval && each.type === 'property_removed') return null;",
    to: '',
  },
  {
    family: 'forward: what is removed is still demanded',
    file: 'diff/reading.ts',
    from: 'if (!forgivesRemoval || isSameText) return plain;',
    to: 'return plain;',
  },
  {
    family: 'changes: what breaks is told where it stands',
    file: 'diff/compare.ts',
    from: 'change.breaking ? 0 : isSchemaChange(change) ? 1',
    to: 'isSchemaChange(change) ? 1',
  },
  {
    family: 'changes: one that is shown is not said to break',
    file: 'diff/compare-schemas.ts',
    from: 'const isShown = own.judgement.explained.has(each.origin ?? each) || isOnPath;',
    to: 'const isShown = isOnPath;',
  },
  {
    family: 'changes: a bound is told as it was met, not as it was judged',
    file: 'diff/compare-schemas.ts',
    from: 'own.judgement.explained.has(each.origin ?? each)',
    to: 'own.judgement.explained.has(each.origin as typeof each)',
  },
  {
    family: 'undecided: is told to nobody',
    file: 'diff/compare-schemas.ts',
    from: "if (open === null && (judgement.verdict === 'no' || !isUndecided(own))) return [];",
    to: 'if (isExplained || isUndecided(own)) return [];',
  },
  {
    family: 'undecided: counts as compatible for the version',
    file: 'diff/compare-schemas.ts',
    from: '  return isUndecided(reading);\n}',
    to: '  return false;\n}',
  },
  {
    family: 'annotations: those that the walk does not meet are not told',
    file: 'diff/compare-schemas.ts',
    from: 'changes: [...promises, ...told, ...firm, ',
    to: 'changes: [...promises, ...told, ',
  },
  {
    family: 'annotations: one place is told for all',
    file: 'diff/walk/unwalked-annotations.ts',
    from: 'toldNames.get(node)?.some((each) => each.name === name) === true',
    to: 'node !== undefined && told.some((each) => each.name === name)',
  },
  {
    family: 'annotations: a default is words',
    file: 'diff/walk/walk-annotations.ts',
    from: "const isDefault = name === 'default';",
    to: 'const isDefault = false;',
  },
  {
    family: 'modes: a default may change under full',
    file: 'diff/compare-schemas.ts',
    from: "mode === 'full' && each.kind !== 'annotation'",
    to: "mode === 'full' && each.kind === 'schema'",
  },
  {
    family: 'walk: items are not looked into',
    file: 'diff/walk/walk.ts',
    from: "walk.goOn(was, is, [restKeyword(is ?? was)], { kind: 'index', index: length });",
    to: '',
  },
  {
    family: 'walk: a required property is none',
    file: 'diff/walk/walk-objects.ts',
    from: 'if (old.required.has(key)) continue;',
    to: 'if (next.required.has(key)) continue;',
  },
  {
    family: 'walk: a definition is told where it stands, not where it is used',
    file: 'diff/walk/walk.ts',
    from: 'path: pathBelow(path, steps),',
    to: 'path: pathBelow(path, steps.slice(0, 1)),',
  },
  {
    family: 'unions: a branch that went is not missed',
    file: 'diff/walk/walk-logic.ts',
    from: 'const gone = withoutRepeated(walk.likeness, matched.gone, next.members);',
    to: 'const gone = matched.gone.slice(0, 0);',
  },
  {
    family: 'unions: a branch that came is not seen',
    file: 'diff/walk/walk-logic.ts',
    from: 'const come = withoutRepeated(walk.likeness, matched.come, old.members);',
    to: 'const come = matched.come.slice(0, 0);',
  },
  {
    family: 'modes: leaving one is no change',
    file: 'diff/compare.ts',
    from: "next !== old && next !== 'full' && old !== 'none'",
    to: "next === 'none' && old !== 'none'",
  },
  {
    family: 'modes: a stricter one is no version',
    file: 'diff/compare.ts',
    from: 'applies: ({ isModeMoved }) => isModeMoved,',
    to: 'applies: () => false,',
  },
  {
    family: 'versions: a break is no major where the mode allows it',
    file: 'diff/compare.ts',
    from: 'applies: ({ breaksBackward }) => breaksBackward,',
    to: 'applies: () => false,',
  },
  {
    family: 'versions: a path that went away is no major',
    file: 'diff/compare-schemas.ts',
    from: "if (judgement.verdict === 'no' || paths.paths.length > 0) return true;",
    to: "if (judgement.verdict === 'no') return true;",
  },
];
