// Metadata is free-form: what the page shows of it is looked at before it is believed.

import type { Json } from '../../../core/value/json.ts';

export function stringsOf(value: Json | undefined): readonly string[] {
  if (!Array.isArray(value)) return [];
  return [...new Set(value.filter((item: Json): item is string => typeof item === 'string'))];
}
