// Broken answers about needs: each excuses a consumer that is affected, or makes a wrong need of fields.

import type { Mutant } from './mutants.ts';

export const needsMutants: readonly Mutant[] = [
  {
    family: 'needs: values are not asked for',
    file: 'needs/find-verdicts.ts',
    from: 'if (part.refused !== null) {',
    to: 'if (part.refused === undefined) {',
  },
  {
    family: 'needs: paths are not looked at',
    file: 'needs/read-contract.ts',
    from: 'lost: found.paths,',
    to: 'lost: [],',
  },
  {
    family: 'needs: what neither version has leaves the need unaffected',
    file: 'needs/find-verdicts.ts',
    from: 'if (doubtful !== undefined) {',
    to: 'if (doubtful !== undefined && !isDoubtful(was, doubtful)) {',
  },
  {
    family: 'needs: a field that is read whole has no new parts',
    file: 'needs/find-verdicts.ts',
    from: 'const asked = later === null ? [need] : [need, later];',
    to: 'const asked = [need];',
  },
  {
    family: 'needs: a mark changes nothing',
    file: 'needs/read-contract.ts',
    from: 'return hasMarks ? compareSources(...documents) : session.isSame;',
    to: 'return session.isSame;',
  },
  {
    family: 'needs: a loss hides the others',
    file: 'needs/find-verdicts.ts',
    from: 'isEachAsked: true,',
    to: '',
  },
  {
    family: 'needs: what a strict variant loses is not looked for',
    file: 'needs/find-verdicts.ts',
    from: 'if (!hasUnion) return () => noLoss;',
    to: 'return () => noLoss;',
  },
  {
    family: 'needs: what is not decided is fine',
    file: 'needs/find-verdicts.ts',
    from: 'return part.undecided === null ? unaffected : mayBreak(part.undecided);',
    to: 'return unaffected;',
  },
  {
    family: 'needs: a field that is named is one that values have',
    file: 'needs/find-verdicts.ts',
    from: '    keptVerdict(asking, need),\n',
    to: '',
  },
  {
    family: 'needs: what the schema of fields leaves out is not compared',
    file: 'needs/find-verdicts.ts',
    from: '    sayingVerdict(asking, need),\n',
    to: '',
  },
  {
    family: 'needs: what decides for a field is not compared with it',
    file: 'needs/say-of-fields.ts',
    from: 'for (const name of names) if (isTag(name)) kept.add(name);',
    to: '',
  },
  {
    family: 'needs: the sides of a request are those of a response',
    file: 'needs/read-contract.ts',
    from: "const isSent = direction === 'request';",
    to: 'const isSent = false;',
  },
  {
    family: 'needs: a consumer that sends nothing has nothing to fear',
    file: 'needs/read-contract.ts',
    from: 'const isIdle = isSent && !hasValue(asking, part.old, isOperation);',
    to: 'const isIdle = false;',
  },
  {
    family: 'needs: a request that is not stated is not sent',
    file: 'needs/find-verdicts.ts',
    from: 'sentVerdict(asking, reading.saysSent),',
    to: 'unaffected,',
  },
  {
    family: 'needs: no need is no reading',
    file: 'needs/find-verdicts.ts',
    from: 'if (stated === null) return verdictWithoutNeed(change.comparison);',
    to: 'if (stated === null) return unaffected;',
  },
  {
    family: 'needs: a doubt of one part hides the break of another',
    file: 'needs/find-verdicts.ts',
    from: "    found.find(({ verdict }) => verdict === 'breaks') ??\n",
    to: '',
  },
  {
    family: 'needs: all that reads something reads nothing',
    file: 'need.ts',
    from: "'fields' in stated && stated.fields.length === 0",
    to: "'fields' in stated",
  },
  {
    family: 'fields: what was required is not',
    file: 'needs/project-fields.ts',
    from: 'if (required.length > 0) out.required = required;',
    to: '',
  },
  {
    family: 'fields: of what another part may have evaluated, more is demanded',
    file: 'needs/project-fields.ts',
    from: 'return { anyOf: [{}, schema] };',
    to: 'return schema;',
  },
  {
    family: 'fields: what is required is not sent',
    file: 'needs/project-fields.ts',
    from: 'const added = projecting.add(wanted, key);',
    to: 'continue; const added = projecting.add(wanted, key);',
  },
  {
    family: 'fields: what is not sent may be',
    file: 'needs/project-fields.ts',
    from: "return wanted.keys.get(key) ?? wanted.anyKey ?? 'nothing';",
    to: "return wanted.keys.get(key) ?? wanted.anyKey ?? 'whole';",
  },
  {
    family: 'fields: a field that the contract does not have is not missed',
    file: 'needs/project-fields.ts',
    from: 'const root = withMissing(projected, wanted.root);',
    to: 'const root = projected;',
  },
  {
    family: 'fields: nothing is sent in the place of an object',
    file: 'needs/project-fields.ts',
    from: "not: { type: 'object', anyOf:",
    to: 'not: { anyOf:',
  },
  {
    family: 'fields: values that are listed are of any type',
    file: 'needs/project-fields.ts',
    from: 'Object.assign(out, typesLeft(projecting, node, written.type) ?? written);',
    to: 'Object.assign(out, written);',
  },
];
