/** `yaml` is a DataContract manifest. Apart from their writers: the page needs the names alone. */
export const exportFormats = ['yaml', 'odcs', 'jsonschema'] as const;

export type ExportFormat = (typeof exportFormats)[number];
