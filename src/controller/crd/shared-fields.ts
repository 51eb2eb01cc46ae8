// Fields that several kinds share, with the same descriptions.

import { choices } from '../../core/export/spelling.ts';
import {
  documentPathPattern,
  documentPathRule,
  isDocumentPath,
} from '../../core/import/pick/document-path.ts';
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
  spelledChoice,
  text,
} from './schema.ts';

/** A DNS label: the name of a team in a cluster. */
export const slugPattern = '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$';
const fqnPattern = '^[A-Za-z0-9_{}-]{1,128}([.][A-Za-z0-9_{}-]{1,128})+$';

/** More consumers than any asset has. The limit bounds the cost of the rules on items. */
export const maxTeams = 500;

/** The number of consumers with each verdict. */
export function verdictCounts(): Schema {
  return object('How the change affects the consumers, judged by what they read.', {
    optional: {
      breaks: count('Number of consumers that it breaks, with a field or a value that shows it.'),
      mayBreak: count(
        'Number of consumers that it may break, because they have not said what they read, or because nothing is proven.',
      ),
      unaffected: count('Number of consumers that it does not affect.'),
    },
  });
}
export const maxNotes = 10_000;
/** The number of changes that a status shows. */
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

export const environmentOfAsset =
  "The environment of the asset. Defaults to the namespace's label concordat.dev/environment, and to production without one. Immutable.";

/** An answer without a digest counts only for the first round of a proposal. */
export function answerDigest(): Schema {
  return text(
    'The digest of the answered change, from the status. Required if the proposal was written by a team or compared again, because its name may then stand for a different change.',
    { maxLength: 64 },
  );
}

export function objectName(description: string): Schema {
  return text(description, { minLength: 1, maxLength: 253 });
}

export const fqnIsImmutable: Rule = {
  rule: 'self.fqn == oldSelf.fqn',
  message: 'fqn is immutable: delete this object and create one with the new name',
  fieldPath: '.fqn',
  reason: 'FieldValueForbidden',
  holds: (self, old) => old === undefined || self.fqn === old.fqn,
};

/**
 * On the spec instead of the field, because a rule on an optional field is not evaluated when the
 * field is added or removed.
 */
export const environmentIsImmutable: Rule = {
  rule: `(has(self.environment) ? self.environment : 'production') == (has(oldSelf.environment) ? oldSelf.environment : 'production')`,
  message: 'environment is immutable: delete this object and create one in the other environment',
  fieldPath: '.environment',
  reason: 'FieldValueForbidden',
  holds: (self, old) => old === undefined || environmentOf(self) === environmentOf(old),
};

/** An object names a contract by its DataContract or by its asset. */
export const oneContract: readonly Rule[] = [
  {
    rule: 'has(self.contractRef) != has(self.fqn)',
    message: 'give exactly one of contractRef and fqn',
    fieldPath: '.contractRef',
    reason: 'FieldValueInvalid',
    holds: (self) => (self.contractRef === undefined) !== (self.fqn === undefined),
  },
  {
    rule: '!has(self.environment) || has(self.fqn)',
    message: 'environment goes with fqn: a contractRef has the environment of its DataContract',
    fieldPath: '.environment',
    reason: 'FieldValueForbidden',
    holds: (self) => self.environment === undefined || self.fqn !== undefined,
  },
];

export function environmentOf(spec: JsonObject): Json {
  return spec.environment ?? 'production';
}

const sayWhatStandsInTheWay = 'with response Blocked: say what stands in the way';

/** Of the older list of answers, `acknowledge`. */
export const blockedNeedsNotes: Rule = {
  rule: `self.response != 'Blocked' || (has(self.notes) && self.notes != '')`,
  message: `notes are needed ${sayWhatStandsInTheWay}`,
  fieldPath: '.notes',
  reason: 'FieldValueRequired',
  holds: ({ response, notes }) => response !== 'Blocked' || isGiven(notes),
};

export const blockedNeedsReason: Rule = {
  rule: `self.response != 'Blocked' || (has(self.reason) && self.reason != '')`,
  message: `reason is needed ${sayWhatStandsInTheWay}`,
  fieldPath: '.reason',
  reason: 'FieldValueRequired',
  holds: ({ response, reason }) => response !== 'Blocked' || isGiven(reason),
};

/** Where `notes` is the older name of `reason`. */
export const blockedNeedsReasonOrNotes: Rule = {
  ...blockedNeedsReason,
  rule: `${blockedNeedsReason.rule} || (has(self.notes) && self.notes != '')`,
  holds: ({ response, reason, notes }) =>
    response !== 'Blocked' || isGiven(reason) || isGiven(notes),
};

function isGiven(text: Json | undefined): boolean {
  return text !== undefined && text !== '';
}

/** Of a field that was renamed, only one name may be given. */
export function notBothNames(older: string, name: string): Rule {
  return {
    rule: `!(has(self.${older}) && has(self.${name}))`,
    message: `give ${name}, and not ${older}, which is its older name`,
    fieldPath: `.${older}`,
    reason: 'FieldValueForbidden',
    holds: (self) => self[older] === undefined || self[name] === undefined,
  };
}

export const untilIsForMigrating: Rule = {
  rule: `!has(self.until) || self.response == 'Migrating'`,
  message: 'until is for response Migrating only',
  fieldPath: '.until',
  reason: 'FieldValueForbidden',
  holds: ({ response, until }) => until === undefined || response === 'Migrating',
};

export function compatibilityMode(description: string): Schema {
  return spelledChoice(choices.compatibilityMode, description);
}

export function guaranteeMode(description: string): Schema {
  return spelledChoice(choices.guaranteeMode, description);
}

export function needsMode(description: string): Schema {
  return spelledChoice(choices.needsMode, description);
}

export function jsonSchema(description: string): Schema {
  return freeObject(description);
}

/** Why a cluster refuses `schemaFrom.file`. */
export const onlyBesideFiles =
  'a file beside the manifest is read only in a folder or a repository: in a cluster, use schema or configMapKeyRef';

export function schemaFrom(): Schema {
  return object('The source of the schema, instead of `schema`.', {
    optional: {
      file: object(
        'A file beside the manifest, in a folder or a repository. In a cluster there is none.',
        {
          required: {
            path: text(
              'The path of the file from the folder of the manifest, such as `./order.schema.json`: in this folder, or in one below it.',
              { minLength: 1, maxLength: 1000 },
            ),
          },
          rules: [
            {
              rule: `self.path.matches(${JSON.stringify(documentPathPattern)})`,
              message: documentPathRule,
              fieldPath: '.path',
              reason: 'FieldValueInvalid',
              holds: ({ path }) => typeof path === 'string' && isDocumentPath(path),
            },
            {
              rule: "self.path == ''",
              message: onlyBesideFiles,
              fieldPath: '.path',
              reason: 'FieldValueForbidden',
              // Of a manifest in a folder or a repository.
              holds: () => true,
            },
          ],
        },
      ),
      configMapKeyRef: object('A key of a ConfigMap in this namespace.', {
        required: {
          name: objectName('The name of the ConfigMap.'),
          key: text('The key of its data that contains the document.', {
            minLength: 1,
            maxLength: 253,
          }),
        },
      }),
      format: spelledChoice(choices.format, 'The format of the document. Defaults to JSONSchema.'),
      typeName: text('With format GraphQL: the type to make the contract from.', {
        minLength: 1,
        maxLength: 256,
      }),
      operation: text(
        'With format OpenAPI: the operation, as its operationId or as `GET /orders/{id}`. While the contract has consumers, it must stay at its path.',
        { minLength: 1, maxLength: 1000 },
      ),
      node: text('With format Dbt: the unique id of the node in the manifest.', {
        minLength: 1,
        maxLength: 1000,
      }),
      schemaObject: text(
        'With format ODCS: the name of the schema object, if the file contains more than one.',
        { minLength: 1, maxLength: 256 },
      ),
    },
    rules: [
      {
        rule: 'has(self.file) != has(self.configMapKeyRef)',
        message: 'give exactly one of file and configMapKeyRef',
        fieldPath: '.configMapKeyRef',
        reason: 'FieldValueInvalid',
        holds: ({ file, configMapKeyRef }) =>
          (file === undefined) !== (configMapKeyRef === undefined),
      },
      needs('GraphQL', 'typeName', 'the type whose shape is the contract'),
      needs('OpenAPI', 'operation', 'an operationId, or `GET /orders/{id}`'),
      needs('Dbt', 'node', 'the unique id of a node of the manifest'),
    ],
  });
}

function needs(format: string, member: string, what: string): Rule {
  return {
    rule: `!has(self.format) || !(self.format in ['${format}', '${format.toLowerCase()}']) || has(self.${member})`,
    message: `schemaFrom.${member} is needed where format is ${format}: ${what}`,
    fieldPath: `.${member}`,
    reason: 'FieldValueRequired',
    holds: (self) => !isFormat(self.format, format) || self[member] !== undefined,
  };
}

function isFormat(value: Json | undefined, format: string): boolean {
  return value === format || value === format.toLowerCase();
}

/** At most one of the two ways to give a schema. */
export const oneSchemaAtMost: Rule = {
  rule: '!(has(self.schema) && has(self.schemaFrom))',
  message: 'give schema or schemaFrom, not both',
  fieldPath: '.schemaFrom',
  reason: 'FieldValueForbidden',
  holds: ({ schema, schemaFrom }) => schema === undefined || schemaFrom === undefined,
};

export function guarantees(description: string): Schema {
  const column = 'column name';
  return freeObject(description, {
    freshness: freeObject('How old the data may be.', {
      maxStalenessMinutes: count('The maximum age of the data in minutes.'),
      measuredBy: text('The column to measure the age with.', { maxLength: 1000 }),
    }),
    volume: freeObject('How much data there is.', {
      minRows: count('The minimum number of rows.'),
      maxRowDeltaPct: count(
        'The maximum change of the number of rows between two loads, in percent.',
      ),
    }),
    nullability: mapOf(
      spelledChoice(['Never'], 'The column is never null.'),
      `Maps a ${column} to \`Never\`: the column is never null.`,
    ),
    acceptedValues: mapOf(
      list(anything('A value.'), 'The values that the column may have.', 10_000),
      `Maps a ${column} to the list of its allowed values.`,
    ),
    custom: list(freeObject('A test, in a form of your choice.'), 'Other tests.', 1_000),
  });
}

export function condition(types: string): Schema {
  return listByKey(
    'type',
    object('A condition of this object.', {
      required: {
        type: text(`The name of the condition: ${types}.`, { maxLength: 316 }),
        status: choice(['True', 'False', 'Unknown'], 'Whether the condition is true.'),
        lastTransitionTime: moment('When `status` last changed.'),
        reason: text('The reason in one word, for programs.', {
          minLength: 1,
          maxLength: 1024,
        }),
        message: text('The reason in a sentence, and what to do next.', { maxLength: 32_768 }),
      },
      optional: {
        observedGeneration: count('The generation of the spec that the condition describes.'),
      },
    }),
    'The conditions of this object. Reconciling and Stalled are present only while they are true.',
    16,
  );
}

/** New objects have -1, so that they do not look reconciled. */
export const unobserved = { observedGeneration: -1 };

export function observedGeneration(): Schema {
  return {
    type: 'integer',
    format: 'int64',
    description:
      'The generation of the spec that this status describes; -1 before the first reconcile.',
  };
}

export function changes(description: string, maxItems: number): Schema {
  return list(
    object('One change.', {
      required: {
        type: text('The type of change, such as PropertyRemoved.', { maxLength: 64 }),
        path: text(
          'The location in the schema, such as `$.properties.lines.items`, or in the spec, such as `$.guaranteeMode`.',
          {
            maxLength: 10_000,
          },
        ),
        description: text('The change in a sentence.', { maxLength: 32_768 }),
      },
      optional: {
        breaking: flag('Whether the change is breaking.'),
        witness: text(
          'An example as JSON: a complete value that one version accepts and the other refuses.',
          {
            maxLength: 32_768,
          },
        ),
      },
    }),
    description,
    maxItems,
  );
}
