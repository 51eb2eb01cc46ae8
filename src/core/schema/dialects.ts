// The URIs by which schemas name their dialects.

/**
 * The dialects. A schema without a `$schema` is in the default one, or in the one that the caller
 * names.
 */
export type Dialect =
  | 'draft-04'
  | 'draft-06'
  | 'draft-07'
  | '2019-09'
  | '2020-12'
  | 'openapi-3.0'
  | 'openapi-3.1';

/** A map, because anyone may write a `$schema`, and `toString` is not a dialect. */
const dialectUris: ReadonlyMap<string, Dialect> = new Map([
  ['http://json-schema.org/draft-04/schema', 'draft-04'],
  ['http://json-schema.org/draft-06/schema', 'draft-06'],
  ['http://json-schema.org/draft-07/schema', 'draft-07'],
  ['https://json-schema.org/draft/2019-09/schema', '2019-09'],
  ['https://json-schema.org/draft/2020-12/schema', '2020-12'],
  ['https://spec.openapis.org/oas/3.1/dialect/base', 'openapi-3.1'],
]);

/** The dialect that a `$schema` names, in http or https, with or without its empty fragment. */
export function dialectOfUri(uri: string): Dialect | undefined {
  const plain = uri.endsWith('#') ? uri.slice(0, -1) : uri;
  return (
    dialectUris.get(plain) ??
    dialectUris.get(plain.replace(/^https:/, 'http:')) ??
    dialectUris.get(plain.replace(/^http:/, 'https:'))
  );
}

/** @example dialectTitle('openapi-3.0') // 'OpenAPI 3.0' */
export function dialectTitle(dialect: Dialect): string {
  return dialect.replace('openapi-', 'OpenAPI ');
}
