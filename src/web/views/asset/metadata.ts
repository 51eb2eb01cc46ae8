// Metadata is free-form, so the page checks its values before it shows them.

import type { Json } from '../../../core/value/json.ts';

export function stringsOf(value: Json | undefined): readonly string[] {
  if (!Array.isArray(value)) return [];
  return [...new Set(value.filter((item: Json): item is string => typeof item === 'string'))];
}
