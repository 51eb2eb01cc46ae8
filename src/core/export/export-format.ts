/**
 * The formats of an export; `yaml` is a DataContract manifest, and the last two are types for
 * programs. Separate from their writers, because
 * the page needs only the names.
 */
export const exportFormats = ['yaml', 'odcs', 'jsonschema', 'typescript', 'python'] as const;

export type ExportFormat = (typeof exportFormats)[number];
