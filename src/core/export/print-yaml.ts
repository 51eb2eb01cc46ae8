import { Document, type ScalarTag } from 'yaml';
import { isExactNumber, type Json } from '../value/json.ts';

/**
 * JSON as YAML in block style. Numbers keep every digit, and words that older YAML readers take for
 * booleans (`no`, `on`) are quoted.
 *
 * @example printYaml({ a: ['no', 1] }) // 'a:\n - "no"\n - 1\n'
 */
export function printYaml(value: Json, comment = ''): string {
  const document = new Document(value, {
    aliasDuplicateObjects: false,
    compat: 'yaml-1.1',
    customTags: (tags) => [exactNumber, ...tags],
  });
  if (comment !== '') document.commentBefore = comment;
  return document.toString({ lineWidth: 0 });
}

/** Never used for reading; only prints numbers that a double cannot hold. */
const exactNumber: ScalarTag = {
  identify: isExactNumber,
  default: true,
  tag: 'tag:yaml.org,2002:float',
  test: /^$/,
  resolve: (source) => source,
  stringify: ({ value }) => (isExactNumber(value) ? value.rawJSON : String(value)),
};
