// Broken engines, one for each family of keywords. Each is the engine with one small change to its
// text, such as a hurried hand might make; each gives a yes too many.

export interface Mutant {
  readonly family: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

export const mutants: readonly Mutant[] = [
  {
    family: 'type: a number is forgotten',
    file: 'containment/terms/unfold.ts',
    from: "if (types.includes('number')) return store.everything;",
    to: '',
  },
  {
    family: 'const: is not read',
    file: 'containment/terms/unfold.ts',
    from: 'if (keywords.const !== undefined) forms.push(',
    to: 'if (keywords.const === null) forms.push(',
  },
  {
    family: 'exclusiveMinimum: lets its bound in',
    file: 'containment/terms/unfold.ts',
    from: "add(exclusiveMinimum, (bound) => atomForm(store, { tag: 'low', bound, isOpen: true }));",
    to: "add(exclusiveMinimum, (bound) => atomForm(store, { tag: 'low', bound, isOpen: false }));",
  },
  {
    family: 'multipleOf: divisor and multiple exchanged',
    file: 'containment/solve/solve-number.ts',
    from: 'line.apart.some((divisor) => isMultipleOf(step, divisor))',
    to: 'line.apart.some((divisor) => isMultipleOf(divisor, step))',
  },
  {
    family: 'lengths: the empty string is forgotten',
    file: 'containment/solve/solve-string.ts',
    from: "if (max === 0) return excluded.has('') ? empty : found('');",
    to: 'if (max === 0) return empty;',
  },
  {
    family: 'pattern: what no automaton knows matches everything',
    file: 'containment/terms/texts.ts',
    from: "return pattern.kind === 'opaque' && isPositive\n    ? { language: pattern.over, isExact: false }",
    to: "return pattern.kind === 'opaque'\n    ? { language: isPositive ? pattern.over : complement(pattern.over, steps), isExact: false }",
  },
  {
    family: 'format: a wider format is taken for a narrower one',
    file: 'containment/terms/texts.ts',
    from: "relation === 'equal' || relation === 'subset'",
    to: "relation === 'equal' || relation === 'subset' || relation === 'superset'",
  },
  {
    family: 'items: begin one too late',
    file: 'containment/terms/unfold.ts',
    from: 'const from = prefixItems?.length ?? 0;\n    const rest',
    to: 'const from = 1 + (prefixItems?.length ?? 0);\n    const rest',
  },
  {
    family: 'contains: asks for nothing',
    file: 'containment/terms/unfold.ts',
    from: 'forms.push(countForm(store, contains.min, matching));',
    to: '',
  },
  {
    family: 'required and maxProperties: off by one',
    file: 'containment/solve/solve-object.ts',
    from: 'index.has.size > index.max',
    to: 'index.has.size >= index.max',
  },
  {
    family: 'additionalProperties: patternProperties are forgotten',
    file: 'containment/terms/unfold.ts',
    from: 'const region = notForm(store, namedRegion(engine, term));',
    to: 'const region = engine.store.nothing;',
  },
  {
    family: 'oneOf: read as anyOf',
    file: 'containment/terms/unfold.ts',
    from: 'forms.push(orForm(store, branches), onlyOneForm(engine, kind, keywords.oneOf, branches));',
    to: 'forms.push(orForm(store, branches));',
  },
  {
    family: 'oneOf: told apart by a key that nobody demands',
    file: 'containment/terms/apart.ts',
    from: 'if (other !== key || !(a.required.includes(key) || b.required.includes(key))) continue;',
    to: 'if (other !== key) continue;',
  },
  {
    family: 'if: then and else exchanged',
    file: 'containment/terms/unfold.ts',
    from: 'forms.push(orForm(store, [notForm(store, condition), formOf(keywords.then)]));',
    to: 'forms.push(orForm(store, [condition, formOf(keywords.then)]));',
  },
  {
    family: 'unevaluatedProperties: are not read',
    file: 'containment/terms/evaluated.ts',
    from: "if (kind === 'object') return keywords.unevaluatedProperties !== undefined;",
    to: '',
  },
  {
    family: '$ref: leads nowhere',
    file: 'containment/terms/term-scope.ts',
    from: 'return ref && childTerms(engine, term, (plain) => plain)(ref);',
    to: 'return ref && undefined;',
  },
  {
    family: 'plain records: what is demanded is forgotten',
    file: 'containment/plain/plain-pair.ts',
    from: 'if (!demanded.has(key)) return objectWith(engine, pair);',
    to: '',
  },
  {
    family: 'plain records: a producer sends nothing by a schema for the rest',
    file: 'containment/plain/plain-pair.ts',
    from: 'const isShut = pair.isClosed && properties !== undefined && !saysSomething(rest);',
    to: 'const isShut = pair.isClosed && properties !== undefined;',
  },
  {
    family: 'plain shapes: null is forgotten',
    file: 'containment/plain/plain-pair.ts',
    from: "return !isIn && left.node.keywords.types?.includes('null') ? found(null) : undefined;",
    to: 'return undefined;',
  },
  {
    family: 'plain lists: their items are not looked at',
    file: 'containment/plain/plain-pair.ts',
    from: 'if (others !== undefined && most > 0 && !isSame) {',
    to: 'if (others === null) {',
  },
  {
    family: 'plain unions: a producer keeps to one branch, though two may hold',
    file: 'containment/plain/plain-pair.ts',
    from: 'const mustBeApart = pair.isClosed || node.keywords.oneOf !== undefined;',
    to: 'const mustBeApart = node.keywords.oneOf !== undefined;',
  },
  {
    family: 'plain unions: what is in one branch of a oneOf is in it',
    file: 'containment/plain/plain-pair.ts',
    from: 'if (others.length > 0) return isWhole ? byTrying(engine, pair, [first, ...others]) : undefined;',
    to: 'if (others.length > 0) return byTrying(engine, pair, [first, ...others]);',
  },
  {
    family: 'plain types: a number is taken for an integer',
    file: 'containment/plain/plain-value.ts',
    from: "others.includes(type) || (type === 'integer' && others.includes('number'))",
    to: "others.includes(type) || (type === 'number' && others.includes('integer'))",
  },
  {
    family: 'texts that are alike: where their references lead is not asked',
    file: 'same/written-alike.ts',
    from: 'if (key.charCodeAt(0) === dollar || ',
    to: 'if (',
  },
  {
    family: 'closed: a schema for the rest closes nothing',
    file: 'containment/terms/evaluated.ts',
    from: '!one.declares || one.closesAllKeys',
    to: '!one.declares',
  },
  {
    family: 'references: the second of two is dropped',
    file: 'schema/read-keywords.ts',
    from: 'else draft.secondRef = target;',
    to: '',
  },
  {
    family: 'references: the second of two takes the place of the first',
    file: 'schema/read-keywords.ts',
    from: 'if (draft.ref === undefined) draft.ref = target;\n  else draft.secondRef = target;',
    to: 'draft.ref = target;',
  },
  {
    family: 'names: those of other dialects count',
    file: 'schema/reference-index.ts',
    from: "table.get(keyword)?.use === 'names' ? raw[keyword] : undefined",
    to: 'raw[keyword]',
  },
  {
    family: 'names: data is looked into',
    file: 'schema/places.ts',
    from: "return holding === undefined || (holding === 'components' && !isRoot) ? 'data' : holding;",
    to: "return holding ?? 'schema';",
  },
  {
    family: 'references: a pointer begins at the document, not at the resource',
    file: 'schema/parse-schema.ts',
    from: 'const target = tokens && this.walk(this.rootOf(resource), tokens);',
    to: 'const target = tokens && this.walk(this.root, tokens);',
  },
  {
    family: 'references: ids on the way of a pointer do not count',
    file: 'schema/parse-schema.ts',
    from: 'resource = this.resourceOf(raw, resource.dialect, resource);\n',
    to: '\n',
  },
  {
    family: 'numbers: sizes past 2^53 are rounded',
    file: 'schema/read-keywords.ts',
    from: "return typeof exact === 'number' && exact >= 0 ? exact : undefined;",
    to: "return exact === null ? undefined : Number('rawJSON' in Object(value) ? value.rawJSON : value);",
  },
  {
    family: 'numbers: those that are wide are compared as they are written',
    file: 'value/value-key.ts',
    from: 'return decimalKey(isExactNumber(value) ? value.rawJSON : String(value));',
    to: 'return isExactNumber(value) ? value.rawJSON : String(value);',
  },
  {
    family: 'numbers: what no double holds is rounded to one',
    file: 'value/rational.ts',
    from: 'return isExactNumber(value) ? parseRational(value.rawJSON) : null;',
    to: 'return isExactNumber(value) ? parseRational(String(Number(value.rawJSON))) : null;',
  },
  {
    family: 'readings: 1.0 is an integer of draft-04',
    file: 'containment/terms/unfold.ts',
    from: 'if (!asksForWrittenIntegers(node.dialect)) return whole;',
    to: 'if (node.dialect !== undefined) return whole;',
  },
  {
    family: 'readings: contains of 2019-09 evaluates nothing',
    file: 'schema/keywords.ts',
    from: "if (dialect === '2019-09') return 'disputed';",
    to: "if (dialect === '2019-09') return false;",
  },
  {
    family: 'readings: dependencies are forgotten where they are disputed',
    file: 'schema/read-keywords.ts',
    from: 'addProblem(draft, disputedDependencies(value, reading.dialect));',
    to: '',
  },
  {
    family: 'patterns: a lookaround that refuses is taken for one that asks',
    file: 'schema/patterns/expression.ts',
    from: '        isNegated: assertion.negate,\n        item:',
    to: '        isNegated: false,\n        item:',
  },
  {
    family: 'patterns: case never counts',
    file: 'schema/patterns/expression.ts',
    from: "return flags.ignoreCase ? uniteCases(set, isUnicode ? 'unicode' : 'older') : set;",
    to: "return uniteCases(set, isUnicode ? 'unicode' : 'older');",
  },
  {
    family: 'patterns: a dot is any character',
    file: 'schema/patterns/expression.ts',
    from: 'return reading.flags.dotAll ? everyChar : negateChars(lineTerminators);',
    to: 'return everyChar;',
  },
  {
    family: 'formats: a uuid of any length',
    file: 'schema/formats/grammar.ts',
    from: '{3}-[0-9A-Fa-f]{12}',
    to: '{3}-[0-9A-Fa-f]+',
  },
  {
    family: 'formats: an octet of any three digits',
    file: 'schema/formats/grammar.ts',
    from: "const octet = '(?:25[0-5]|",
    to: "const octet = '(?:[0-9]{3}|",
  },
  {
    family: 'formats: what validators read differently is of the format',
    file: 'containment/terms/texts.ts',
    from: "return isMember === undefined ? undefined : isMember === (atom.tag === 'format');",
    to: "return (isMember ?? true) === (atom.tag === 'format');",
  },
  {
    family: 'formats: what is not read is a regular expression',
    file: 'schema/patterns/expression.ts',
    from: 'if (reasonNotToRead(source) !== null) return undefined;',
    to: 'if (reasonNotToRead(source) !== null) return true;',
  },
  {
    family: 'patterns: a repetition forgets the groups that it refers to',
    file: 'schema/patterns/backtrack.ts',
    from: '      return capturesIn(expression.item);\n    default:',
    to: "      return capturesIn(expression.item);\n    case 'backreference':\n      return [expression.index];\n    default:",
  },
  {
    family: 'patterns: a repetition remembers the groups of the round before',
    file: 'schema/patterns/backtrack.ts',
    from: 'if (captures.length === 0) return body;',
    to: 'if (captures.length >= 0) return body;',
  },
  {
    family: 'many branches: those that evaluate every key are forgotten',
    file: 'containment/terms/evaluated-branches.ts',
    from: '    ...made(closing, { hasAllKeys: true, closesAllKeys: true }),\n',
    to: '',
  },
  {
    family: 'many branches: of those that name a key only the last counts',
    file: 'containment/terms/evaluated-branches.ts',
    from: 'keysIf.set(key, orForm(store, [holds, keysIf.get(key) ?? store.nothing]));',
    to: 'keysIf.set(key, holds);',
  },
  {
    family: 'many branches: a key that two describe is written as either describes it',
    file: 'containment/terms/evaluated-branches.ts',
    from: 'isIn(each, at) ? notForm(store, each.holds) : each.holds',
    to: 'isIn(each, at) ? each.holds : notForm(store, each.holds)',
  },
  {
    family: 'many branches: whether another takes every key does not matter',
    file: 'containment/terms/evaluated-branches.ts',
    from: '{ keysIf, alone: taking.map(({ holds }) => notForm(engine.store, holds)) }',
    to: '{ keysIf }',
  },
  {
    family: 'many branches: one that takes every key is said to describe it',
    file: 'containment/terms/evaluated-branches.ts',
    from: '...made(taking, { hasAllKeys: true, keysIf }),',
    to: '...made(taking, { hasAllKeys: true, closesAllKeys: true, keysIf }),',
  },
];
