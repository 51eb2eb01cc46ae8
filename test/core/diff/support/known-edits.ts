// Pairs of schemas that differ by one known edit, or by two, and what a diff has to say of it: read off
// docs/compatibility.md, without a look at the engine.

import type {
  Bump,
  Change,
  ChangeType,
  CompareOptions,
  Comparison,
  CompatibilityMode,
  ContractTerms,
  Direction,
} from '../../../../src/core/comparison.ts';
import type { Json, JsonObject } from '../../../../src/core/value/json.ts';
import { isJsonObject } from '../../../../src/core/value/json.ts';
import { type Random, randomFrom } from '../../laws/values.ts';
import { directions, modes } from './terms.ts';

export type Compare = (
  old: ContractTerms,
  next: ContractTerms,
  options?: CompareOptions,
) => Comparison;

/** A change that has to be in the list; `breaking` where the page says whether it breaks. */
interface Told {
  readonly type: ChangeType;
  readonly path?: string;
  readonly breaking?: boolean;
}

interface KnownEdit {
  readonly name: string;
  readonly old: ContractTerms;
  readonly next: ContractTerms;
  readonly isBreaking: boolean;
  readonly bump?: Bump;
  readonly told: readonly Told[];
}

/** What the diff gets wrong, or null. */
export function breachOfEdit(compare: Compare, edit: KnownEdit): string | null {
  const { changes, isBreaking, bump } = compare(edit.old, edit.next);
  if (isBreaking !== edit.isBreaking) return `isBreaking is ${isBreaking}`;
  if (edit.bump !== undefined && bump !== edit.bump) return `the bump is ${bump}`;
  const firstCompatible = changes.findIndex((change) => !change.breaking);
  const isInOrder = changes.every((change, at) => !change.breaking || at <= firstCompatible);
  if (firstCompatible >= 0 && !isInOrder) return 'what breaks does not come first';
  const missing = edit.told.find((each) => !changes.some((change) => isOf(each, change)));
  return missing === undefined ? null : `nothing tells ${JSON.stringify(missing)}`;
}

function isOf({ type, path, breaking }: Told, change: Change): boolean {
  if (change.type !== type || (path ?? change.path) !== change.path) return false;
  return breaking === undefined || change.breaking === breaking;
}

type Spot = {
  readonly kind: 'object' | 'text' | 'number';
  readonly steps: readonly string[];
  readonly path: string;
};

interface Made {
  readonly root: JsonObject;
  readonly spots: readonly Spot[];
}

export function knownEdit(seed: number): KnownEdit {
  const random = randomFrom(seed);
  const made = makeSchema(random);
  const edit = oneOf(random, edits);
  const setting = { mode: oneOf(random, modes), direction: oneOf(random, directions) };
  const {
    name,
    next,
    old = made.root,
    nextMode = setting.mode,
    ...expected
  } = edit(random, made, setting);
  const terms = (schema: Json, mode: CompatibilityMode): ContractTerms => ({
    ...{ schema, compatibilityMode: mode, guarantees: null, direction: setting.direction },
  });
  return { name, old: terms(old, setting.mode), next: terms(next, nextMode), ...expected };
}

interface Setting {
  readonly mode: CompatibilityMode;
  readonly direction: Exclude<Direction, 'operation'>;
}

type Edit = (
  random: Random,
  made: Made,
  setting: Setting,
) => Pick<KnownEdit, 'name' | 'isBreaking' | 'told' | 'bump'> & {
  readonly old?: Json;
  readonly next: Json;
  readonly nextMode?: CompatibilityMode;
};

/** Whether an edit breaks, by who emits and who reads; under full all but words break. */
function breaksIn(
  { mode, direction }: Setting,
  rule: Readonly<Record<'backward' | 'forward', Readonly<Record<'data' | 'response', boolean>>>>,
): boolean {
  if (mode === 'full') return true;
  return mode !== 'none' && rule[mode][direction === 'response' ? 'response' : 'data'];
}

const rules = {
  removed: { backward: { data: true, response: true }, forward: { data: false, response: false } },
  optional: {
    backward: { data: false, response: false },
    forward: { data: false, response: true },
  },
  required: { backward: { data: true, response: false }, forward: { data: true, response: true } },
  narrowed: { backward: { data: true, response: false }, forward: { data: false, response: true } },
  widened: { backward: { data: false, response: true }, forward: { data: true, response: false } },
} as const;

/** A major where it breaks in mode backward, whatever the mode of the contract. */
function bumpOf(setting: Setting, rule: (typeof rules)[keyof typeof rules]): Bump {
  const isMajor = breaksIn(setting, rule) || breaksIn({ ...setting, mode: 'backward' }, rule);
  return isMajor ? 'major' : 'minor';
}

const removal: Edit = (random, made, setting) => {
  const { next, path } = withoutProperty(random, made);
  return {
    ...{ name: 'a property is removed', next, isBreaking: breaksIn(setting, rules.removed) },
    bump: bumpOf(setting, rules.removed),
    told: [{ type: 'property_removed', path, breaking: breaksIn(setting, rules.removed) }],
  };
};

const addition: Edit = (random, made, setting) => {
  const spot = spotOf(random, made, 'object');
  const isRequired = random() < 0.5;
  const rule = isRequired ? rules.required : rules.optional;
  const next = changed(made.root, spot.steps, (schema) => ({
    ...schema,
    properties: { ...(schema.properties as JsonObject), z: { type: 'string' } },
    ...(isRequired && { required: [...((schema.required as string[] | undefined) ?? []), 'z'] }),
  }));
  return {
    ...{ name: `a property is added, ${isRequired ? 'required' : 'optional'}`, next },
    isBreaking: breaksIn(setting, rule),
    bump: bumpOf(setting, rule),
    told: [
      { type: 'property_added', path: `${spot.path}.properties.z` },
      ...(isRequired
        ? [{ type: 'required_added' as const, path: `${spot.path}.properties.z` }]
        : []),
    ],
  };
};

const bound: Edit = (random, made, setting) => {
  const spot = spotOf(random, made, 'text');
  const narrow = changed(made.root, spot.steps, (schema) => ({ ...schema, maxLength: 3 }));
  const isNarrowed = random() < 0.5;
  const rule = isNarrowed ? rules.narrowed : rules.widened;
  return {
    ...{ name: isNarrowed ? 'a text is bounded' : 'a text is bounded no more' },
    ...(isNarrowed ? { next: narrow } : { old: narrow, next: made.root }),
    isBreaking: breaksIn(setting, rule),
    bump: bumpOf(setting, rule),
    told: [
      {
        type: isNarrowed ? 'constraint_tightened' : 'constraint_relaxed',
        path: spot.path,
        breaking: breaksIn(setting, rule),
      },
    ],
  };
};

/** Under forward what goes away is forgiven, and what becomes wider beside it is not. */
const both: Edit = (random, made, setting) => {
  const spot = spotOf(random, made, 'text');
  const narrow = changed(made.root, spot.steps, (schema) => ({ ...schema, maxLength: 3 }));
  const demanded = random() < 0.5 ? ['gone'] : [];
  const required = [...((narrow.required as string[] | undefined) ?? []), ...demanded];
  const isGoneBreaking = breaksIn(setting, rules.removed);
  const isWiderBreaking = breaksIn(setting, rules.widened);
  return {
    name: 'a property is removed and a text is bounded no more',
    old: {
      ...narrow,
      properties: { ...(narrow.properties as JsonObject), gone: { type: 'integer' } },
      ...(required.length > 0 && { required }),
    },
    ...{ next: made.root, isBreaking: isGoneBreaking || isWiderBreaking },
    told: [
      { type: 'property_removed', path: '$.properties.gone', breaking: isGoneBreaking },
      { type: 'constraint_relaxed', path: spot.path, breaking: isWiderBreaking },
    ],
  };
};

const words: Edit = (random, made) => {
  const [first, second] = shuffled(random, made.spots);
  const spots = [first, second].filter((spot) => spot !== undefined);
  const say = (text: string): JsonObject =>
    spots.reduce(
      (root, { steps }) => changed(root, steps, (schema) => ({ ...schema, description: text })),
      made.root,
    );
  return {
    ...{ name: 'a description is another, at two places', old: say('one'), next: say('two') },
    ...{ isBreaking: false, bump: 'patch' },
    told: spots.map(({ path }) => ({ type: 'annotation_changed', path })),
  };
};

const preset: Edit = (random, made, { mode }) => {
  const spot = spotOf(random, made, 'text');
  const say = (value: string): JsonObject =>
    changed(made.root, spot.steps, (schema) => ({ ...schema, default: value }));
  const breaking = mode === 'full';
  return {
    ...{ name: 'a default is another', old: say('a'), next: say('b'), isBreaking: breaking },
    bump: breaking ? 'major' : 'patch',
    told: [{ type: 'default_changed', path: spot.path, breaking }],
  };
};

const hidden: readonly (readonly [path: string, (part: JsonObject) => JsonObject])[] = [
  ['not', (not) => ({ not })],
  ['if', (part) => ({ if: part })],
  ['contains', (contains) => ({ contains })],
  ['propertyNames', (propertyNames) => ({ propertyNames })],
  ['$defs.unused', (unused) => ({ $defs: { unused } })],
  ['contentSchema', (contentSchema) => ({ contentSchema })],
];

/** Where nothing is compared, and beside it at a place where something is. */
const hiddenWords: Edit = (random, made) => {
  const [path, place] = oneOf(random, hidden);
  const seen = random() < 0.5 ? [spotOf(random, made, 'text')] : [];
  const say = (description: string): JsonObject => {
    const { $defs, ...part } = place({ type: 'string', const: 'never', description });
    const definitions = { ...(made.root.$defs as JsonObject), ...($defs as JsonObject) };
    return seen.reduce<JsonObject>(
      (root, { steps }) => changed(root, steps, (schema) => ({ ...schema, description })),
      { ...made.root, ...part, $defs: definitions },
    );
  };
  return {
    ...{ name: `a description is another, in ${path}`, old: say('one'), next: say('two') },
    ...{ isBreaking: false, bump: 'patch' },
    told: [`$.${path}`, ...seen.map((spot) => spot.path)].map((told) => ({
      ...{ type: 'annotation_changed', path: told },
    })),
  };
};

const modeMove: Edit = (random, made, { mode }) => {
  const nextMode = oneOf(random, modes);
  const relaxes = nextMode !== mode && nextMode !== 'full' && mode !== 'none';
  return {
    ...{ name: `mode ${mode} becomes ${nextMode}`, next: made.root, nextMode },
    isBreaking: relaxes,
    bump: relaxes ? 'major' : nextMode === mode ? 'none' : 'patch',
    told: relaxes
      ? [{ type: 'compatibility_mode_relaxed', path: '$.compatibility_mode', breaking: true }]
      : [],
  };
};

const unread: Edit = (random, made, { mode }) => {
  const spot = spotOf(random, made, 'text');
  const lead = (name: string): JsonObject =>
    changed(made.root, spot.steps, () => ({ $ref: `https://elsewhere.test/${name}` }));
  const isAsked = mode === 'backward' || mode === 'forward';
  return {
    ...{ name: 'a reference leads to something else that is not here', bump: 'major' },
    ...{ old: lead('a'), next: lead('b'), isBreaking: mode !== 'none' },
    told: isAsked ? [{ type: 'compatibility_undecided', breaking: true }] : [],
  };
};

const tagged = (tags: readonly string[]): JsonObject => ({
  anyOf: tags.map((tag) => ({
    ...{ type: 'object', properties: { kind: { const: tag } }, required: ['kind'] },
  })),
});

const branch: Edit = (random, made, setting) => {
  const spot = spotOf(random, made, 'text');
  const isNarrowed = random() < 0.5;
  const rule = isNarrowed ? rules.narrowed : rules.widened;
  const put = (tags: readonly string[]): JsonObject =>
    changed(made.root, spot.steps, () => tagged(tags));
  const [many, few] = [put(['a', 'b', 'c']), put(['a', 'b'])];
  const type = isNarrowed ? 'union_member_removed' : 'union_member_added';
  return {
    ...{ name: isNarrowed ? 'a branch is removed' : 'a branch is added' },
    ...{ old: isNarrowed ? many : few, next: isNarrowed ? few : many },
    isBreaking: breaksIn(setting, rule),
    bump: bumpOf(setting, rule),
    told: [{ type, breaking: breaksIn(setting, rule) }],
  };
};

/** What a caller never sends, and what no answer has, breaks nothing there. */
const marked: Edit = (random, made, setting) => {
  const spot = spotOf(random, made, 'object');
  const mark = setting.direction === 'response' ? 'writeOnly' : 'readOnly';
  const next = changed(made.root, spot.steps, (schema) => ({
    ...schema,
    properties: { ...(schema.properties as JsonObject), z: { type: 'string', [mark]: true } },
    required: [...((schema.required as string[] | undefined) ?? []), 'z'],
  }));
  const isPart = setting.direction === 'data';
  return {
    ...{ name: `a property is added, required and ${mark}`, next, told: [] },
    isBreaking: isPart && breaksIn(setting, rules.required),
  };
};

const edits: readonly Edit[] = [
  ...[removal, removal, addition, addition, bound, bound, both, words, preset],
  ...[hiddenWords, modeMove, unread, branch, marked],
];

function withoutProperty(random: Random, made: Made): { next: JsonObject; path: string } {
  const spot = spotOf(random, made, 'object');
  let path = '';
  const next = changed(made.root, spot.steps, (schema) => {
    const properties = schema.properties as JsonObject;
    const key = oneOf(random, Object.keys(properties));
    path = `${spot.path}.properties.${key}`;
    const { required, ...rest } = schema;
    const left = ((required as string[] | undefined) ?? []).filter((name) => name !== key);
    const kept = Object.entries(properties).filter(([name]) => name !== key);
    return {
      ...rest,
      properties: Object.fromEntries(kept),
      ...(left.length > 0 && { required: left }),
    };
  });
  return { next, path };
}

function makeSchema(random: Random): Made {
  const spots: Spot[] = [];
  const $defs: Record<string, Json> = {};
  const make = (steps: readonly string[], path: string, depth: number): JsonObject => {
    const roll = random();
    if (depth > 0 && roll < 0.15) {
      const name = `d${Object.keys($defs).length}`;
      $defs[name] = true;
      $defs[name] = make(['$defs', name], path, depth - 1);
      return { $ref: `#/$defs/${name}` };
    }
    if (depth > 0 && roll < 0.35) {
      return { type: 'array', items: make([...steps, 'items'], `${path}.items`, depth - 1) };
    }
    if (depth > 0 && (roll < 0.65 || steps.length === 0)) {
      spots.push({ kind: 'object', steps, path });
      return makeObject(steps, path, depth);
    }
    const kind = roll < 0.9 ? 'text' : 'number';
    spots.push({ kind, steps, path });
    return { type: kind === 'text' ? 'string' : 'integer' };
  };
  const makeObject = (steps: readonly string[], path: string, depth: number): JsonObject => {
    const keys = ['a', 'b', 'c', 'd'].slice(0, 2 + Math.floor(random() * 3));
    const properties = keys.map((key) => {
      const below = [...steps, 'properties', key];
      return [key, make(below, `${path}.properties.${key}`, depth - 1)] as const;
    });
    const required = keys.filter(() => random() < 0.4);
    return {
      ...{ type: 'object', properties: Object.fromEntries(properties) },
      ...(required.length > 0 && { required }),
    };
  };
  spots.push({ kind: 'object', steps: [], path: '$' });
  const root = makeObject([], '$', 3);
  spots.push({ kind: 'text', steps: ['properties', 'text'], path: '$.properties.text' });
  const properties = { ...(root.properties as JsonObject), text: { type: 'string' } };
  return { root: { ...root, properties, $defs }, spots };
}

function changed(
  schema: JsonObject,
  steps: readonly string[],
  change: (schema: JsonObject) => JsonObject,
): JsonObject {
  const [step, ...rest] = steps;
  if (step === undefined) return change(schema);
  const inner = schema[step];
  return isJsonObject(inner) ? { ...schema, [step]: changed(inner, rest, change) } : schema;
}

function spotOf(random: Random, { spots }: Made, kind: Spot['kind']): Spot {
  return oneOf(
    random,
    spots.filter((spot) => spot.kind === kind),
  );
}

function shuffled<T>(random: Random, list: readonly T[]): readonly T[] {
  return list
    .map((one) => [random(), one] as const)
    .sort((a, b) => a[0] - b[0])
    .map(([, one]) => one);
}

function oneOf<T>(random: Random, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T;
}
