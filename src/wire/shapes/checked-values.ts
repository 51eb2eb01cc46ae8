// Values held against a contract.

import { z } from 'zod';
import { contractFields, reader } from './contract.ts';
import { choice, count, jsonValue, text } from './shape.ts';

export const operationParts = ['request', 'response'] as const;

const fault = z
  .object({
    path: text('The place in the value.', '$.lines[0].sku'),
    rule: text('The keyword of the schema, or the guarantee, that the value breaks.', 'minimum'),
    message: text('What the contract demands.', 'must be at least 0'),
    value: jsonValue(
      'What is there instead; absent for objects, lists and personal data.',
      -1,
    ).optional(),
  })
  .meta({ id: 'ValueFault', description: 'What is wrong with a value, and where.' });

const checkedValue = z
  .object({
    verdict: choice(
      ['valid', 'invalid', 'undecided'],
      'Whether the contract accepts the value. `undecided`: the schema cannot be evaluated for it.',
      'invalid',
    ),
    faults: z
      .array(fault)
      .meta({ description: 'What is wrong: at most 20 faults and one for each guarantee.' }),
    versions: z
      .array(text('A version.', '1.2.0'))
      .optional()
      .meta({ description: 'With `versions=all`: the versions that accept the value.' }),
    unreadable_for: z.array(reader).optional().meta({
      description:
        'With `consumers=all`: the consumers whose need does not accept the value, among those whose need the contract in force meets.',
    }),
  })
  .meta({ id: 'CheckedValue', description: 'The answer for one value.' });

export const ValuesRequest = z
  .strictObject({
    values: z
      .array(jsonValue('A row, message or body.', { id: 7, total: -1 }))
      .min(1)
      .max(10_000)
      .meta({ description: 'The values to check.' }),
  })
  .meta({
    id: 'ValuesRequest',
    description: 'Values to hold against a contract.',
    examples: [{ values: [{ id: 7, total: -1 }] }],
  });

export const CheckedValues = z
  .object({
    contract: z
      .object({ id: contractFields.id, version: contractFields.version })
      .meta({ description: 'The contract that the values were held against.' }),
    valid: count('How many values are valid.', 1),
    invalid: count('How many are not.', 1),
    undecided: count('For how many nothing is known.', 0),
    results: z.array(checkedValue).meta({ description: 'One answer for each value, in order.' }),
  })
  .meta({ id: 'CheckedValues', description: 'What is wrong with each value.' });
