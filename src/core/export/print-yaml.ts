import { Document, type ScalarTag } from 'yaml';
import { isExactNumber, type Json } from '../value/json.ts';

/**
 * JSON as YAML, block by block. Numbers keep every digit, and what an older reader of YAML would
 * take for a boolean (`no`, `on`) stands in quotes.
 *
 * @example printYaml({ a: ['no', 1] }) // 'a:\n  - "no"\n  - 1\n'
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

/** Never read by: only numbers that a double cannot hold are printed through it. */
const exactNumber: ScalarTag = {
  identify: isExactNumber,
  default: true,
  tag: 'tag:yaml.org,2002:float',
  test: /^$/,
  resolve: (source) => source,
  stringify: ({ value }) => (isExactNumber(value) ? value.rawJSON : String(value)),
};
