// Compares two sets of contract terms: what changed, whether it breaks under the mode of the old
// terms, and how large the next version increment must be.

import type {
  Bump,
  Change,
  CompareOptions,
  Comparison,
  CompatibilityMode,
  ContractTerms,
} from '../comparison.ts';
import { diffGuarantees } from '../guarantees.ts';
import { isSameJson } from '../value/canonical-json.ts';
import { withStorableWitness } from '../value/storable.ts';
import { compareEveryReading } from './compare-every-reading.ts';
import type { ComparisonSharing, SchemaFindings } from './compare-schemas.ts';
import { tellNamedTypes } from './named-types.ts';
import { shareDefinitions } from './sharing.ts';

/**
 * Compares a contract's terms with the terms that would replace them.
 *
 * @example
 * compare(old, { ...old, schema: { type: 'string' } }).changes
 * // [{ type: 'type_changed', path: '$', description: '`$`: integer became string; ...', ... }]
 *
 * Comparisons of contracts with common definitions may share what they find: see `shareComparisons`.
 */
export function compare(
  old: ContractTerms,
  next: ContractTerms,
  options: CompareOptions = {},
  sharing: ComparisonSharing | null = null,
): Comparison {
  const schema = isSameSchema(old, next)
    ? noFindings
    : compareEveryReading(old, next, options, sharing);
  const guarantees = diffGuarantees(old.guarantees, next.guarantees, options.guaranteeMode);
  const mode = modeChanges(old.compatibilityMode, next.compatibilityMode);
  const areNamed = old.hasNamedTypes === true && next.hasNamedTypes === true;
  const found = areNamed ? tellNamedTypes(schema.changes, old.schema, next.schema) : schema.changes;
  const turned = areNamed ? turnedType(old, next, found) : [];
  const changes = inOrder([...mode, ...turned, ...found, ...guarantees]).map(withStorableWitness);
  const isBreaking = changes.some((change) => change.breaking);
  const { undecidedCount, steps } = schema;
  const breaksBackward = schema.breaksBackward || turned.length > 0;
  const isModeMoved = old.compatibilityMode !== next.compatibilityMode;
  const { bump, reason } = bumpFor({ changes, isBreaking, breaksBackward, isModeMoved });
  return { changes, isBreaking, breaksBackward, bump, bumpReason: reason, undecidedCount, steps };
}

/**
 * For the comparisons of one document with its next version, one after the other: the operations of an API
 * have most definitions in common. Each comparison has the result that it would have alone.
 */
export function shareComparisons(): ComparisonSharing {
  return shareDefinitions();
}

/**
 * Whether a change of mode takes a promise from consumers.
 *
 * @example relaxesMode('backward', 'forward') // true
 */
function relaxesMode(old: CompatibilityMode, next: CompatibilityMode): boolean {
  return next !== old && next !== 'full' && old !== 'none';
}

/** A type of GraphQL that callers send and that becomes one that they get, or the other way round, whatever its fields. */
function turnedType(
  old: ContractTerms,
  next: ContractTerms,
  found: readonly Change[],
): readonly Change[] {
  const [wasSent, isSent] = [old, next].map(({ direction }) => direction === 'request');
  if (wasSent === isSent || found.some(({ breaking }) => breaking)) return [];
  const description = isSent
    ? 'it was a type that callers get, and is one that they send'
    : 'it was a type that callers send, and is one that they get';
  return [
    { type: 'type_changed', path: '$', description, breaking: old.compatibilityMode !== 'none' },
  ];
}

const noFindings: SchemaFindings = {
  changes: [],
  breaksBackward: false,
  undecidedCount: 0,
  steps: 0,
};

function isSameSchema(old: ContractTerms, next: ContractTerms): boolean {
  const isReadAlike = old.direction === next.direction && old.dialect === next.dialect;
  return isReadAlike && isSameJson(old.schema, next.schema);
}

function modeChanges(old: CompatibilityMode, next: CompatibilityMode): readonly Change[] {
  if (!relaxesMode(old, next)) return [];
  return [
    {
      type: 'compatibility_mode_relaxed',
      path: '$.compatibility_mode',
      description: `\`$.compatibility_mode\`: ${old} became ${next}, which allows changes that need approval today`,
      breaking: true,
      old,
      new: next,
    },
  ];
}

/**
 * Breaking changes first, then changes of the schema, then defaults and guarantees, then
 * annotations.
 */
function inOrder(changes: readonly Change[]): readonly Change[] {
  const rank = (change: Change) =>
    change.breaking ? 0 : isSchemaChange(change) ? 1 : change.type === 'annotation_changed' ? 3 : 2;
  return changes.toSorted((a, b) => rank(a) - rank(b));
}

const patchPrefixes = [
  ...['default_', 'annotation_', 'freshness_', 'volume_', 'nullability_'],
  ...['accepted_values_', 'custom_'],
];

/** Whether a change is of the schema, and not of words, defaults or guarantees. */
export function isSchemaChange(change: Change): boolean {
  return !patchPrefixes.some((prefix) => change.type.startsWith(prefix));
}

interface BumpFacts {
  readonly changes: readonly Change[];
  readonly isBreaking: boolean;
  readonly breaksBackward: boolean;
  readonly isModeMoved: boolean;
}

interface BumpRule {
  readonly bump: Bump;
  readonly applies: (facts: BumpFacts) => boolean;
  readonly reason: string;
}

/** The first row that applies decides. */
const bumpRules: readonly BumpRule[] = [
  {
    bump: 'major',
    applies: ({ isBreaking }) => isBreaking,
    reason: 'it contains a breaking change.',
  },
  {
    bump: 'major',
    applies: ({ breaksBackward }) => breaksBackward,
    reason: "it breaks in backward mode, but not in this contract's mode.",
  },
  {
    bump: 'minor',
    applies: ({ changes }) => changes.some(isSchemaChange),
    reason: 'something was added or widened, and no change is breaking.',
  },
  {
    bump: 'patch',
    applies: ({ changes }) => changes.length > 0,
    reason: 'only annotations, defaults or guarantees changed.',
  },
  {
    bump: 'patch',
    applies: ({ isModeMoved }) => isModeMoved,
    reason: 'the compatibility mode was tightened, and nothing else changed.',
  },
  { bump: 'none', applies: () => true, reason: 'nothing changed.' },
];

function bumpFor(facts: BumpFacts): { readonly bump: Bump; readonly reason: string } {
  const rule = bumpRules.find(({ applies }) => applies(facts));
  return { bump: rule?.bump ?? 'none', reason: rule?.reason ?? '' };
}
