// The problem of a setting, as text that follows its name.

import type { z } from 'zod';

/** @example `PORT ${settingProblem(error)}` // 'PORT must be a whole number' */
export function settingProblem(error: z.ZodError): string {
  return error.issues.map(toWords).join(', and ');
}

function toWords(issue: z.core.$ZodIssue): string {
  // For shapes with a message of their own.
  if (issue.message.startsWith('must')) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === 'boolean' ? 'must be true or false' : 'must be a whole number';
    case 'invalid_value':
      return `must be ${issue.values
        .map(String)
        .join(', ')
        .replace(/, (?=[^,]*$)/, ' or ')}`;
    case 'too_small':
      return `must be ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`;
    case 'too_big':
      return `must be ${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}`;
    case 'invalid_format':
      return formats[issue.format] ?? issue.message;
    default:
      return issue.message;
  }
}

const formats: Readonly<Record<string, string>> = {
  url: 'must be a URL',
  email: 'must be an e-mail address',
};
