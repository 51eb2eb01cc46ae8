import { createHash } from 'node:crypto';
import { changeRules } from '../../core/diff/change-rules.ts';
import type { DiffReport } from '../diff/report.ts';
import { sarifText, visible } from './escape.ts';
import { type Finding, findFindings } from './find-positions.ts';
import { ruleText } from './rule.ts';
import { acceptedText } from './words.ts';

/** SARIF 2.1.0: one run, a rule for each type of change, accepted breaks as suppressed results. */
export async function toSarif(report: DiffReport, version: string): Promise<string> {
  const findings = await findFindings(report);
  const ruleIds = [
    ...new Set([
      ...findings.map(({ change }) => change.type),
      ...report.problems.map(({ code }) => code),
    ]),
  ].sort();
  const results = [
    ...findings.map((finding) => toResult(finding, ruleIds)),
    ...report.problems.map(({ file, place, code, message, leavesUnread }) => ({
      ruleId: code,
      ruleIndex: ruleIds.indexOf(code),
      level: leavesUnread ? 'error' : 'warning',
      message: { text: sarifText(`${place}: ${message}`) },
      locations: [physical(file, 1)],
    })),
  ];
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: { name: 'Concordat', version, rules: ruleIds.map(toRule) },
        },
        // Columns count UTF-16 code units, like JavaScript.
        columnKind: 'utf16CodeUnits',
        invocations: [
          {
            executionSuccessful: !report.problems.some(({ leavesUnread }) => leavesUnread),
            toolExecutionNotifications: report.notices.map(({ file, line, message }) => ({
              level: 'warning',
              message: { text: sarifText(message) },
              locations: [physical(file, line)],
            })),
          },
        ],
        results,
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function toRule(id: string): object {
  const name = id
    .toLowerCase()
    .replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const rule = changeRules.get(id);
  if (rule === undefined) return { id, name, shortDescription: { text: wordsOf(id) } };
  return { id, name, shortDescription: { text: rule.means }, help: { text: ruleText(id, rule) } };
}

/** What could not be read has a code, and no rule: UNKNOWN_TYPE. */
function wordsOf(code: string): string {
  const text = `${code.toLowerCase().replaceAll('_', ' ')}.`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function toResult(finding: Finding, ruleIds: readonly string[]): object {
  const { change, item, file, line, level, message } = finding;
  const { accepted } = change;
  const identity = `${item.name}\0${change.type}\0${change.path}`;
  return {
    ruleId: change.type,
    ruleIndex: ruleIds.indexOf(change.type),
    // An accepted break is still an error, but suppressed.
    level: level === 'note' ? 'error' : level,
    message: { text: sarifText(message) },
    locations: [
      {
        ...physical(file, line),
        logicalLocations: [{ fullyQualifiedName: `${item.name} ${change.path}`, kind: 'member' }],
      },
    ],
    partialFingerprints: {
      'concordat/v1': createHash('sha256').update(identity).digest('hex'),
    },
    ...(accepted === undefined
      ? {}
      : {
          suppressions: [
            {
              kind: 'external',
              status: 'accepted',
              justification: visible(acceptedText(accepted)),
            },
          ],
        }),
  };
}

function physical(file: string, line: number) {
  return {
    physicalLocation: {
      artifactLocation: { uri: uriOf(file) },
      region: { startLine: line },
    },
  };
}

/**
 * A relative reference with encoded segments, so that a colon in a name is not read as a scheme.
 */
function uriOf(file: string): string {
  return file
    .replaceAll('\\', '/')
    .split('/')
    .map((segment) => encodeURIComponent(segment.toWellFormed()))
    .join('/');
}
