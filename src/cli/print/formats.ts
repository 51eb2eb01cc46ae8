// One row per output format of `--format`.

import type { DiffReport } from '../diff/report.ts';
import type { Paint } from '../output.ts';

export const formats = [
  'text',
  'json',
  'markdown',
  'changelog',
  'github',
  'gitlab',
  'sarif',
  'junit',
] as const;

export type Format = (typeof formats)[number];

export interface FormatContext {
  readonly paint: Paint;
  readonly version: string;
  /** Whether the command exits with the code for a break. */
  readonly isBlocking: boolean;
  /** Whether text lists compatible changes, too. */
  readonly showsAll: boolean;
}

export async function formatReport(
  report: DiffReport,
  format: Format,
  context: FormatContext,
): Promise<string> {
  return writers[format](report, context);
}

type Writer = (report: DiffReport, context: FormatContext) => Promise<string>;

// Each module is loaded only when its format is requested.
const writers: Readonly<Record<Format, Writer>> = {
  text: async (report, { paint, showsAll }) =>
    (await import('./text.ts')).toText(report, paint, showsAll),
  json: async (report, { isBlocking }) =>
    (await import('./json.ts')).toJsonText(report, isBlocking),
  markdown: async (report) => (await import('./markdown.ts')).toMarkdown(report),
  changelog: async (report) => (await import('./changelog.ts')).toChangelog(report),
  github: async (report) => (await import('./github.ts')).toGithub(report),
  gitlab: async (report) => (await import('./gitlab.ts')).toGitlab(report),
  sarif: async (report, { version }) => (await import('./sarif.ts')).toSarif(report, version),
  junit: async (report) => (await import('./junit.ts')).toJunit(report),
};
