// Fields that more than one kind has, in the same words everywhere.

import type { Json, JsonObject } from '../../core/value/json.ts';
import {
  anything,
  choice,
  count,
  flag,
  freeObject,
  list,
  listByKey,
  mapOf,
  moment,
  object,
  type Rule,
  type Schema,
  text,
} from './schema.ts';

/** A DNS label: what a cluster calls a team. */
const slugPattern = '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$';
const fqnPattern = '^[A-Za-z0-9_{}-]{1,128}([.][A-Za-z0-9_{}-]{1,128})+$';

/** More teams than anybody asks about one change; it bounds what the rules on items cost. */
export const maxTeams = 500;
export const maxNotes = 10_000;
/** What a status shows of a long list of changes. */
export const maxChangesShown = 20;

export function teamSlug(description: string): Schema {
  return text(description, { maxLength: 63, pattern: slugPattern });
}

export function fqn(description: string): Schema {
  return text(description, { maxLength: 1000, pattern: fqnPattern });
}

export function environment(description: string): Schema {
  return text(description, { maxLength: 128, pattern: '^[A-Za-z0-9_.-]+$' });
}

/** Of an answer: without it, it counts for a proposal as it was first asked, and no later. */
export function answerDigest(): Schema {
  return text(
    'The digest of what is answered, as the status shows it. Needed where the name of the proposal may stand for something else by now: it was written by a team, or compared again.',
    { maxLength: 64 },
  );
}

export function objectName(description: string): Schema {
  return text(description, { minLength: 1, maxLength: 253 });
}

export const fqnIsImmutable: Rule = {
  rule: 'self.fqn == oldSelf.fqn',
  message: 'fqn is immutable: delete this object and create one with the new name',
  holds: (self, old) => old === undefined || self.fqn === old.fqn,
};

/** On spec and not on the field: a rule on an optional field is not asked when it comes or goes. */
export const environmentIsImmutable: Rule = {
  rule: `(has(self.environment) ? self.environment : 'production') == (has(oldSelf.environment) ? oldSelf.environment : 'production')`,
  message: 'environment is immutable: delete this object and create one in the other environment',
  holds: (self, old) => old === undefined || environmentOf(self) === environmentOf(old),
};

export function environmentOf(spec: JsonObject): Json {
  return spec.environment ?? 'production';
}

/** Whoever blocks says why. */
export const blockedNeedsNotes: Rule = {
  rule: `self.response != 'Blocked' || (has(self.notes) && self.notes != '')`,
  message: 'notes are needed with response Blocked: say what stands in the way',
  holds: ({ response, notes }) => response !== 'Blocked' || (notes !== undefined && notes !== ''),
};

export const blockedNeedsReason: Rule = {
  rule: `self.response != 'Blocked' || (has(self.reason) && self.reason != '')`,
  message: 'reason is needed with response Blocked: say what stands in the way',
  holds: ({ response, reason }) =>
    response !== 'Blocked' || (reason !== undefined && reason !== ''),
};

export const untilIsForMigrating: Rule = {
  rule: `!has(self.until) || self.response == 'Migrating'`,
  message: 'until is for response Migrating only',
  holds: ({ response, until }) => until === undefined || response === 'Migrating',
};

export function compatibilityMode(description: string): Schema {
  return choice(['backward', 'forward', 'full', 'none'], description);
}

export function guaranteeMode(description: string): Schema {
  return choice(['notify', 'strict', 'ignore'], description);
}

export function jsonSchema(description: string): Schema {
  return freeObject(description);
}

export function schemaFrom(): Schema {
  return object('Where the schema is read from, in place of `schema`.', {
    required: {
      configMapKeyRef: object('A key of a ConfigMap in this namespace.', {
        required: {
          name: objectName('The name of the ConfigMap.'),
          key: text('The key in its data that holds the document.', {
            minLength: 1,
            maxLength: 253,
          }),
        },
      }),
    },
    optional: {
      format: choice(
        ['jsonschema', 'graphql', 'openapi', 'dbt', 'odcs'],
        'What the document is. Where it is absent: jsonschema.',
      ),
      typeName: text('With format graphql: the type whose shape is the contract.', {
        minLength: 1,
        maxLength: 256,
      }),
      operation: text(
        'With format openapi: the operation, as its operationId or as `GET /orders/{id}`.',
        { minLength: 1, maxLength: 1000 },
      ),
      node: text('With format dbt: the unique id of the node in the manifest.', {
        minLength: 1,
        maxLength: 1000,
      }),
      schemaObject: text(
        'With format odcs: the name of the schema object, where the file holds more than one.',
        { minLength: 1, maxLength: 256 },
      ),
    },
    rules: [
      needs('graphql', 'typeName', 'the type whose shape is the contract'),
      needs('openapi', 'operation', 'an operationId, or `GET /orders/{id}`'),
      needs('dbt', 'node', 'the unique id of a node of the manifest'),
    ],
  });
}

function needs(format: string, member: string, what: string): Rule {
  return {
    rule: `!has(self.format) || self.format != '${format}' || has(self.${member})`,
    message: `schemaFrom.${member} is needed where format is ${format}: ${what}`,
    holds: (self) => self.format !== format || self[member] !== undefined,
  };
}

/** At most one of the two ways to give a schema. */
export const oneSchemaAtMost: Rule = {
  rule: '!(has(self.schema) && has(self.schemaFrom))',
  message: 'give schema or schemaFrom, not both',
  holds: ({ schema, schemaFrom }) => schema === undefined || schemaFrom === undefined,
};

export function guarantees(description: string): Schema {
  const column = 'column name';
  return freeObject(description, {
    freshness: freeObject('How old the data may be.', {
      max_staleness_minutes: count('The age in minutes that the data never passes.'),
      measured_by: text('The column that tells the age.', { maxLength: 1000 }),
    }),
    volume: freeObject('How much data there is.', {
      min_rows: count('There are at least so many rows.'),
      max_row_delta_pct: count('From one load to the next the rows change by at most so many %.'),
    }),
    nullability: mapOf(
      choice(['never'], 'The column is never null.'),
      `A ${column} to the word \`never\`.`,
    ),
    accepted_values: mapOf(
      list(anything('A value.'), 'The values that the column may have.', 10_000),
      `A ${column} to the list of the values it may have.`,
    ),
    custom: list(freeObject('A test, in its own words.'), 'Further tests.', 1_000),
  });
}

export function condition(types: string): Schema {
  return listByKey(
    'type',
    object('One thing that is known about this object.', {
      required: {
        type: text(`The name of the condition: ${types}.`, { maxLength: 316 }),
        status: choice(['True', 'False', 'Unknown'], 'Whether it holds.'),
        lastTransitionTime: moment('When `status` last changed.'),
        reason: text('Why, in one word that programs may rely on.', {
          minLength: 1,
          maxLength: 1024,
        }),
        message: text('Why, in a sentence that says what to do next.', { maxLength: 32_768 }),
      },
      optional: {
        observedGeneration: count('The generation of the spec that it speaks of.'),
      },
    }),
    'What is known about this object. Reconciling and Stalled are there only while they hold.',
    16,
  );
}

/** A new object has -1, so that nothing takes it for one that has been looked at. */
export const unobserved = { observedGeneration: -1 };

export function observedGeneration(): Schema {
  return {
    type: 'integer',
    format: 'int64',
    description: 'The generation of the spec that this status speaks of; -1 before the first look.',
  };
}

export function changes(description: string, maxItems: number): Schema {
  return list(
    object('One change.', {
      required: {
        type: text('What kind of change, for example property_removed.', { maxLength: 64 }),
        path: text('Where: `$.properties.lines.items`.', { maxLength: 10_000 }),
        description: text('What changed, in a sentence.', { maxLength: 32_768 }),
      },
      optional: {
        breaking: flag('Whether it breaks somebody.'),
        witness: text('A whole value that one side has and the other refuses, as JSON.', {
          maxLength: 32_768,
        }),
      },
    }),
    description,
    maxItems,
  );
}
