// Broken comparisons: each lets a field go, or a default change, in silence.

import type { Mutant } from './mutants.ts';

export const keptFieldMutants: readonly Mutant[] = [
  {
    family: 'kept fields: what no value can have is not looked for',
    file: 'diff/kept/lost-paths.ts',
    from: 'const shutOut = sides.keepsValues ? noLoss : findShutOut(sides);',
    to: 'const shutOut = noLoss;',
  },
  {
    family: 'kept fields: what some values describe is taken to be described in all',
    file: 'diff/kept/lost-paths.ts',
    from: 'const undescribed = findUndescribed(sides);',
    to: 'const undescribed = noLoss;',
  },
  {
    family: 'kept fields: a branch speaks of every value',
    file: 'diff/kept/described.ts',
    from: "toSure: openReach(to.isNever, 'sure'),",
    to: "toSure: openReach(to.isNever, 'most'),",
  },
  {
    family: 'kept fields: an open place counts as one that is described',
    file: 'diff/kept/described.ts',
    from: 'if (mayBeOpen(at.fromSure) && at.to.nodes.some(isDescribing)) {',
    to: 'if (mayBeOpen(at.fromSure) && at.to.nodes.length === 0) {',
  },
  {
    family: 'kept fields: propertyNames keeps nothing out',
    file: 'diff/kept/living.ts',
    from: 'view.propertyNames.length + view.unevaluatedProperties.length === 0',
    to: 'view.unevaluatedProperties.length === 0',
  },
  {
    family: 'kept fields: not keeps nothing out',
    file: 'diff/kept/living.ts',
    from: 'nots.length + ifs.length',
    to: 'ifs.length',
  },
  {
    family: 'kept fields: maxProperties keeps nothing out',
    file: 'diff/kept/living.ts',
    from: 'view.maxProperties === Number.POSITIVE_INFINITY &&',
    to: '',
  },
  {
    family: 'kept fields: what a producer does not write counts as written',
    file: 'containment/contains.ts',
    from: 'asked.isDescribed ? closedTerm(store, [other]) : other',
    to: 'other',
  },
  {
    family: 'kept fields: of two descriptions of one part, the first counts alone',
    file: 'containment/plain/plain-pair.ts',
    from: 'const isShut = isRightClosed && others !== undefined && !saysSomething(additionalProperties);',
    to: 'const isShut = false;',
  },
  {
    family: 'chains: what a response may write later is not asked',
    file: 'diff/reading.ts',
    from: "if (part.direction === 'response') {",
    to: "if (part.direction === 'response') return null;\n  if (part.direction === 'response') {",
  },
  {
    family: 'chains: of a response only what is written now counts',
    file: 'diff/reading.ts',
    from: '...{ ...written, isWritten: false },',
    to: '...written,',
  },
  {
    family: 'chains: under forward a strict object may be opened',
    file: 'diff/reading.ts',
    from: "if (rule.emits === 'old') return null;",
    to: 'return null;',
  },
  {
    family: 'demands: a name that nothing describes is written by nobody',
    file: 'diff/rewrite/with-demands-described.ts',
    from: 'if (!mayDemandOthers(book.document.json)) return root;',
    to: 'if (book !== undefined) return root;',
  },
  {
    family: 'kept fields: a condition of nothing describes nothing',
    file: 'diff/places/view.ts',
    from: 'return !isFlat(condition) || condition.keywords.problems !== undefined;',
    to: 'return condition.keywords.problems !== undefined;',
  },
  {
    family: 'kept fields: a variant of which nothing is known has lost nothing',
    file: 'diff/reading.ts',
    from: 'undecided: found.undecided ?? undecided }',
    to: 'undecided: found.undecided }',
  },
  {
    family: 'demands: what comes with another name is not demanded',
    file: 'diff/rewrite/with-demands-described.ts',
    from: "reach.demandedKeys({ key: '', nodes: [node] })",
    to: "reach.requiredKeys({ key: '', nodes: [node] })",
  },
  {
    family: 'demands: what the producer writes shows something where it writes nothing',
    file: 'diff/reading.ts',
    from: 'if (!isFilled(place) && !ofPlace(place)) return true;',
    to: '',
  },
  {
    family: 'marks: a branch that marks exempts no value from what is demanded',
    file: 'diff/rewrite/without-marked.ts',
    from: '...(chains.size > 0 && {',
    to: '...(chains.size < 0 && {',
  },
  {
    family: 'marks: a variant has what it marks',
    file: 'diff/rewrite/without-marked.ts',
    from: '...(inBranches.size > 0 && { marking: inBranches }),',
    to: '',
  },
  {
    family: 'marks: a pattern or a map that is marked describes properties',
    file: 'diff/rewrite/without-marked.ts',
    from: '...(openMaps.size > 0 && { openMaps }),',
    to: '',
  },
  {
    family: 'marks: only a listed property has a mark',
    file: 'diff/rewrite/marks.ts',
    from: 'if (marked.size === 0) return false;',
    to: 'if (marked.size >= 0) return false;',
  },
  {
    family: 'marks: a map that is marked adds nothing to a count',
    file: 'diff/rewrite/rewrite-loosely.ts',
    from: ' && !losesAnyName(context)) draft',
    to: ') draft',
  },
  {
    family: 'marks: variants that lost what they mark have fewer values in common',
    file: 'diff/project.ts',
    from: 'const isWider = before.isOpenWider && after.isOpenWider;',
    to: 'const isWider = true;',
  },
  {
    family: 'marks: what is marked is still demanded within its branch',
    file: 'diff/rewrite/without-marked.ts',
    from: 'const within: Context = { ...context, dropped: lifted };',
    to: 'const within: Context = context;',
  },
  {
    family: 'marks: everything that is left of a value is checked as it stands',
    file: 'diff/rewrite/without-marked.ts',
    from: 'const loose = loosely === null ?',
    to: 'const loose = loosely !== undefined ?',
  },
  {
    family: 'marks: what is marked counts',
    file: 'diff/rewrite/rewrite-loosely.ts',
    from: 'const left = minProperties - namesAt(context).length;',
    to: 'const left = minProperties;',
  },
  {
    family: 'demands of maps: what they say of a name is not looked at',
    file: 'diff/rewrite/without-demands.ts',
    from: '.some((node) => maps.has(node))',
    to: '.some((node) => !maps.has(node))',
  },
];

export const digestMutant: Mutant = {
  family: 'annotations: what is said twice counts once',
  file: 'diff/places/place-classes.ts',
  from: 'if (options.withAnnotations && component.some(holdsWords)) {',
  to: 'if (options.withAnnotations && component.length === 0) {',
};
