// What each type of change means, when it breaks, and how to make it compatible: the rules that
// reports refer to. `concordat explain` prints them, and docs/rules.md has them all.

import type { ChangeType, CompatibilityMode, Direction, GuaranteeKind } from '../comparison.ts';
import type { Json } from '../value/json.ts';

export interface ChangeRule {
  readonly means: string;
  /** When it breaks, under which mode. */
  readonly breaks: string;
  /** What to do in place of a break. */
  readonly instead?: string;
  /** A pair with this change; a test compares it. */
  readonly example?: RuleExample;
}

export interface RuleExample {
  readonly old: Json;
  readonly new: Json;
  /** `backward` if absent. */
  readonly mode?: CompatibilityMode;
  /** `data` if absent. */
  readonly direction?: Direction;
}

const text: Json = { type: 'string' };
const whole: Json = { type: 'integer' };
const object = (properties: Json, more: object = {}): Json => ({
  ...{ type: 'object', properties },
  ...more,
});

const byValues =
  'Under backward if data that the old schema allowed is refused now; under forward if the old schema refuses new data.';
const addBeside =
  'Add the new form beside the old one, under another name, and remove the old one when no consumer reads it.';
const neverAlone = 'Only under full, where every change except annotations needs approval.';

type SchemaRule = Exclude<ChangeType, `${GuaranteeKind}_${string}`>;

const schemaRules: Readonly<Record<SchemaRule, ChangeRule>> = {
  property_added: {
    means: 'The new schema describes a property that the old one did not.',
    breaks:
      'Under backward only if data may have used the name already: the old schema described undeclared names, or no names at all.',
    instead:
      'Use a name that the old schema did not allow, or give the property a schema that accepts whatever was allowed.',
    example: { old: object({ id: whole }), new: object({ id: whole, phone: text }) },
  },
  property_removed: {
    means: 'The new schema no longer describes a property.',
    breaks: 'Under backward, because consumers may read the property, and callers may send it.',
    instead:
      'Keep the property and mark it `deprecated: true`. Remove it when no consumer reads it.',
    example: { old: object({ id: whole, email: text }), new: object({ id: whole }) },
  },
  property_renamed: {
    means:
      'A property was removed and another one with the same definition was added. This is a hint; the two changes are reported beside it.',
    breaks: 'Never by itself. The removed property breaks.',
    instead: addBeside,
    example: {
      old: object({ mail: { type: 'string', maxLength: 7 } }),
      new: object({ email: { type: 'string', maxLength: 7 } }),
    },
  },
  required_added: {
    means: 'A property has to be present now.',
    breaks:
      'Under backward if data without the property was allowed; under forward if the old schema does not declare the property.',
    instead: 'Leave the property optional. For requests, give it a default and accept its absence.',
    example: { old: object({ id: whole }), new: object({ id: whole }, { required: ['id'] }) },
  },
  required_removed: {
    means: 'A property may be absent now.',
    breaks:
      'Under forward, and for responses under backward: consumers with the old schema expect the property.',
    instead: 'Keep sending the property, with an empty value that its type allows.',
    example: { old: object({ id: whole }, { required: ['id'] }), new: object({ id: whole }) },
  },
  type_changed: {
    means: 'Values have another type now.',
    breaks: byValues,
    instead: addBeside,
    example: { old: object({ amount: whole }), new: object({ amount: text }) },
  },
  type_widened: {
    means: 'More types are allowed than before.',
    breaks:
      'Under forward, and for responses under backward: consumers with the old schema refuse the new types.',
    instead: addBeside,
    example: { old: object({ id: whole }), new: object({ id: { type: ['integer', 'string'] } }) },
  },
  type_narrowed: {
    means: 'Fewer types are allowed than before.',
    breaks: 'Under backward for data and requests: values of the other types are refused now.',
    instead: 'Keep accepting the other types, and stop writing them.',
    example: { old: object({ id: { type: ['integer', 'string'] } }), new: object({ id: whole }) },
  },
  nullable_added: {
    means: 'A value may be null now.',
    breaks:
      'Under forward, and for responses under backward: consumers with the old schema do not expect null.',
    instead: 'Leave the property out in place of sending null, if it is optional.',
    example: { old: object({ id: whole }), new: object({ id: { type: ['integer', 'null'] } }) },
  },
  nullable_removed: {
    means: 'A value may no longer be null.',
    breaks: 'Under backward for data and requests: null was allowed and is refused now.',
    instead: 'Keep accepting null, and stop writing it.',
    example: { old: object({ id: { type: ['integer', 'null'] } }), new: object({ id: whole }) },
  },
  enum_values_added: {
    means: 'A list of allowed values has more values.',
    breaks:
      'Under forward, and for responses under backward: consumers with the old schema do not know the new values.',
    instead:
      'Send an old value to consumers that do not know the new ones, or add a property for the finer distinction.',
    example: { old: { enum: ['open'] }, new: { enum: ['open', 'closed'] } },
  },
  enum_values_removed: {
    means: 'A list of allowed values has fewer values.',
    breaks: 'Under backward for data and requests: the removed values are refused now.',
    instead: 'Keep the values in the list, and stop writing them.',
    example: { old: { enum: ['open', 'closed'] }, new: { enum: ['open'] } },
  },
  constraint_tightened: {
    means: 'A limit on values is stricter: a length, a range, a pattern, or `uniqueItems`.',
    breaks: 'Under backward for data and requests: values beyond the new limit are refused now.',
    instead: 'Keep the old limit in the schema, and check the new one where values are written.',
    example: { old: { type: 'string', maxLength: 32 }, new: { type: 'string', maxLength: 16 } },
  },
  constraint_relaxed: {
    means: 'A limit on values is less strict.',
    breaks:
      'Under forward, and for responses under backward: consumers with the old schema refuse values beyond the old limit.',
    instead: 'Keep writing values within the old limit until consumers have the new schema.',
    example: { old: { type: 'string', maxLength: 16 }, new: { type: 'string', maxLength: 32 } },
  },
  format_changed: {
    means: 'A format such as `date-time` was added, removed or replaced.',
    breaks: byValues,
    instead: addBeside,
    example: {
      old: { type: 'string', format: 'date' },
      new: { type: 'string', format: 'date-time' },
    },
  },
  default_added: {
    means: 'A value that is absent now has a default.',
    breaks: neverAlone,
    example: { old: object({ n: whole }), new: object({ n: { type: 'integer', default: 1 } }) },
  },
  default_removed: {
    means: 'A value that is absent no longer has a default.',
    breaks: neverAlone,
    example: { old: object({ n: { type: 'integer', default: 1 } }), new: object({ n: whole }) },
  },
  default_changed: {
    means: 'An absent value means something else now.',
    breaks: neverAlone,
    example: {
      old: object({ n: { type: 'integer', default: 1 } }),
      new: object({ n: { type: 'integer', default: 2 } }),
    },
  },
  additional_properties_closed: {
    means: 'Undeclared properties are refused or restricted now.',
    breaks: 'Under backward if data may have such properties.',
    instead: 'Leave the object open, or declare the names that are in use.',
    example: {
      old: object({ id: whole }, { additionalProperties: text }),
      new: object({ id: whole }, { additionalProperties: false }),
    },
  },
  additional_properties_opened: {
    means: 'Undeclared properties are allowed now, or with fewer restrictions.',
    breaks:
      'Under forward, and for responses under backward, if the new schema writes names that the old one refuses.',
    instead: 'Declare the new names one by one.',
    example: {
      old: object({ id: whole }, { additionalProperties: false }),
      new: object({ id: whole }, { additionalProperties: text }),
    },
  },
  union_member_added: {
    means: '`anyOf` or `oneOf` has another branch.',
    breaks:
      'Under forward, and for responses under backward: consumers with the old schema do not know the branch.',
    instead: addBeside,
    example: {
      old: { anyOf: [object({ a: text }, { required: ['a'] }), whole] },
      new: {
        anyOf: [
          object({ a: text }, { required: ['a'] }),
          whole,
          object({ b: text }, { required: ['b'] }),
        ],
      },
    },
  },
  union_member_removed: {
    means: '`anyOf` or `oneOf` has a branch less.',
    breaks: 'Under backward for data and requests: values of the branch are refused now.',
    instead: 'Keep the branch, and stop writing such values.',
    example: {
      old: {
        anyOf: [
          object({ a: text }, { required: ['a'] }),
          whole,
          object({ b: text }, { required: ['b'] }),
        ],
      },
      new: { anyOf: [object({ a: text }, { required: ['a'] }), whole] },
    },
  },
  schema_narrowed: {
    means: 'Fewer values are allowed, in a way that no other type of change names.',
    breaks: 'Under backward for data and requests: the example was allowed and is refused now.',
    instead: 'Allow the values of the example again.',
    example: {
      old: object({ labels: { type: 'object' } }),
      new: object({ labels: object({ team: {} }) }),
    },
  },
  schema_widened: {
    means: 'More values are allowed, in a way that no other type of change names.',
    breaks:
      'Under forward, and for responses under backward: consumers with the old schema refuse the example.',
    instead: 'Refuse the values of the example again.',
    example: { old: { not: { type: 'string', pattern: '^x' } }, new: true },
  },
  schema_changed: {
    means:
      'Some values are refused now and others are allowed now, in a way that no other type of change names. Or a `discriminator` of OpenAPI names another property, or none.',
    breaks: `${byValues} A discriminator always: readers dispatch on its property.`,
    instead: addBeside,
    example: {
      old: { not: { type: 'string', pattern: '^x' } },
      new: { not: { type: 'string', pattern: '^y' } },
    },
  },
  annotation_changed: {
    means:
      'A title, a description, an example or another annotation changed. Of a dbt model also who may refer to it, and whether dbt checks its columns, with a warning if that is less than before.',
    breaks: 'Never.',
    example: { old: { ...Object(text), title: 'A' }, new: { ...Object(text), title: 'B' } },
  },
  compatibility_undecided: {
    means: 'Concordat found neither a proof that the change is compatible nor a value that breaks.',
    breaks: 'Always, because a break must not pass unseen: consumers are asked.',
    instead:
      'Make the change in smaller steps, or write the schema more simply at the place that is named.',
  },
  compatibility_mode_relaxed: {
    means: 'The new version has a weaker compatibility mode.',
    breaks: 'Always, because the next version could break without asking.',
    instead: 'Keep the mode.',
  },
  contract_deprecated: {
    means: 'The active contract would be deprecated.',
    breaks: 'While the contract has consumers.',
    instead: 'Wait until its consumers have moved to another contract.',
  },
  asset_moved: {
    means: 'The asset would belong to another team or environment.',
    breaks: 'While the asset has consumers.',
    instead: 'Ask the consumers first: the move becomes a proposal that they answer.',
  },
  guarantee_mode_lowered: {
    means: 'Weaker guarantees would count for less from now on.',
    breaks: 'While the asset has consumers.',
    instead: 'Keep the guarantee mode.',
  },
  needs_mode_loosened: {
    means: 'Some changes would ask fewer consumers than today.',
    breaks: 'While the asset has consumers.',
    instead: 'Keep the needs mode.',
  },
  removed: {
    means: 'A file or source no longer has the contract.',
    breaks: 'If the contract has consumers.',
    instead: 'Deprecate the contract, and remove it when it has no consumers.',
  },
};

const guarantees: Readonly<Record<GuaranteeKind, string>> = {
  freshness: 'how fresh the data is',
  volume: 'how many rows there are',
  nullability: 'which columns are never null',
  accepted_values: 'which values a column has',
  custom: 'a rule of its own',
};

const movements = {
  added: { says: 'now promises', breaks: 'Never: consumers get more than before.' },
  tightened: {
    says: 'promises more than before about',
    breaks: 'Never: consumers get more than before.',
  },
  removed: { says: 'no longer promises', breaks: 'If the guarantee mode is `strict`.' },
  relaxed: {
    says: 'promises less than before about',
    breaks: 'If the guarantee mode is `strict`.',
  },
} as const;

function guaranteeRules(): readonly (readonly [string, ChangeRule])[] {
  return Object.entries(guarantees).flatMap(([kind, what]) =>
    Object.entries(movements).map(([movement, { says, breaks }]) => {
      const instead = breaks.startsWith('Never')
        ? {}
        : { instead: 'Keep the guarantee until its consumers agree to less.' };
      return [
        `${kind}_${movement}`,
        { means: `The contract ${says} ${what}.`, breaks, ...instead },
      ] as const;
    }),
  );
}

export const changeRules: ReadonlyMap<string, ChangeRule> = new Map([
  ...Object.entries(schemaRules),
  ...guaranteeRules(),
]);
