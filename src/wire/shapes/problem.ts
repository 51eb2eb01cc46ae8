// The error body, and how it is made from the issues that zod reports: all in `errors`, the path of
// the first in `field`.

import { z } from 'zod';
import { type Failure, refuse } from '../../core/failure.ts';

const Problem = z
  .object({
    field: z
      .string()
      .meta({
        description: 'The path of the invalid field, as in the request.',
        examples: ['metadata.tags'],
      })
      .optional(),
    path: z
      .string()
      .meta({
        description: 'The location in the schema or document that was sent.',
        examples: ['$.properties.total.type'],
      })
      .optional(),
    message: z.string().meta({ description: 'The problem in words.', examples: ['is required'] }),
    code: z
      .string()
      .meta({ description: 'For imports: the code of the problem.', examples: ['BREAKING_CHANGE'] })
      .optional(),
    fqn: z
      .string()
      .nullable()
      .meta({ description: 'For imports: the FQN of the asset.', examples: ['shop.public.orders'] })
      .optional(),
    place: z
      .string()
      .meta({
        description: 'For imports: the location in the file.',
        examples: ['$.nodes["model.shop.orders"]'],
      })
      .optional(),
  })
  .meta({ id: 'Problem', description: 'One problem of a request.' });

export const ErrorBody = z
  .object({
    detail: z
      .looseObject({
        code: z.string().meta({
          description: 'The error code, for programs.',
          examples: ['ASSET_NOT_FOUND'],
        }),
        message: z.string().meta({
          description:
            'The error message, for people: what happened, to what, and what to do next.',
          examples: ['No asset has the id 0198c5a1-09f3-7d0e-8a44-3a2f6f1b7c21.'],
        }),
        field: z
          .string()
          .meta({ description: 'The first invalid field.', examples: ['owner_team_id'] })
          .optional(),
        errors: z
          .array(Problem)
          .meta({ description: 'All problems, for codes that can report several.' })
          .optional(),
      })
      .meta({
        description: 'The error. Some codes add more fields.',
      }),
  })
  .meta({ id: 'Error', description: 'The body of every error response.' });

/** Limits the size of the response to a body with a million invalid fields. */
const maxProblemsListed = 100;

/** With the input in its issues, a missing field and an invalid one get different messages. */
export const parseOptions = { reportInput: true } as const;

export function toValidationFailure(error: z.ZodError, prefix = ''): Failure {
  const problems = error.issues.flatMap((issue) => toProblems(issue, prefix));
  return validationFailure(problems);
}

export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

export function validationFailure(problems: readonly FieldProblem[]): Failure {
  const first = problems[0] ?? { field: '', message: 'The request is not valid.' };
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more, see errors)` : '';
  const named = first.field === '' ? 'The body' : `"${shorten(first.field)}"`;
  return refuse('VALIDATION_ERROR', `${named} ${first.message}${more}.`, {
    field: shorten(first.field),
    details: {
      errors: problems
        .slice(0, maxProblemsListed)
        .map(({ field, message }) => ({ field: shorten(field), message })),
    },
  }).failure;
}

function toProblems(issue: z.core.$ZodIssue, prefix: string): FieldProblem[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      field: toField(prefix, [...path, key]),
      message: 'is not a known field',
    }));
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const nearest = [...issue.errors].sort((a, b) => a.length - b.length)[0] ?? [];
    const inner = nearest.flatMap((one) =>
      toProblems({ ...one, path: [...path, ...one.path] }, prefix),
    );
    if (inner.length > 0) return inner;
  }
  return [{ field: toField(prefix, path), message: describe(issue) }];
}

function toField(prefix: string, path: readonly string[]): string {
  return [...(prefix === '' ? [] : [prefix]), ...path].join('.');
}

function describe(issue: z.core.$ZodIssue): string {
  if ('input' in issue && issue.input === undefined) return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${article(issue.expected)}`;
    case 'invalid_format':
      return formatMessages[issue.format] ?? lowerFirst(issue.message);
    case 'invalid_value':
      return `must be one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'too_big':
      return limit(issue.origin, 'at most', Number(issue.maximum));
    case 'too_small':
      return limit(issue.origin, 'at least', Number(issue.minimum));
    default:
      return lowerFirst(issue.message);
  }
}

function limit(origin: string, bound: 'at least' | 'at most', count: number): string {
  const s = count === 1 ? '' : 's';
  if (origin === 'array') return `must have ${bound} ${count} item${s}`;
  if (origin !== 'string') return `must be ${bound} ${count}`;
  return bound === 'at least' && count === 1
    ? 'must not be empty'
    : `must be ${bound} ${count} character${s} long`;
}

const formatMessages: Readonly<Record<string, string>> = {
  guid: 'must be a UUID',
  uuid: 'must be a UUID',
  datetime: 'must be an ISO 8601 date-time such as 2026-03-14T09:26:53Z',
};

const articles: Readonly<Record<string, string>> = {
  int: 'an integer',
  number: 'a number',
  array: 'an array',
  object: 'an object',
  boolean: 'true or false',
  string: 'a string',
  record: 'an object',
};

function article(expected: string): string {
  return articles[expected] ?? expected;
}

function lowerFirst(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}

/** Field names come from the caller and go into the response and the log. */
function shorten(field: string): string {
  return field.length <= 200 ? field : `${field.slice(0, 200)}...`;
}
