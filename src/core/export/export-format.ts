/**
 * The formats of an export; `yaml` is a DataContract manifest. Separate from their writers, because
 * the page needs only the names.
 */
export const exportFormats = ['yaml', 'odcs', 'jsonschema'] as const;

export type ExportFormat = (typeof exportFormats)[number];
