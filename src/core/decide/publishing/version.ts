// Versions of contracts: three numbers without prereleases, and the rule for the next version.

import type { Bump } from '../../comparison.ts';
import { accept, type Outcome, refuse } from '../../failure.ts';

interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

export interface NextVersion {
  readonly version: string;
  /** The change compared with the highest version that the asset ever had. */
  readonly changeType: 'initial' | 'patch' | 'minor' | 'major';
}

const firstVersion = '1.0.0';

/** Nine digits per part, so that every part is an exact integer and fits an integer column. */
const maxVersionPart = 999_999_999;

/**
 * Parses `<major>.<minor>.<patch>`; `null` for anything else, including prereleases and leading
 * zeros.
 *
 * @example parseVersion('1.20.3') // { major: 1, minor: 20, patch: 3 }
 */
export function parseVersion(text: string): Version | null {
  const match = versionPattern.exec(text);
  if (match === null) return null;
  return { major: Number(match[1]), minor: Number(match[2]), patch: Number(match[3]) };
}

/** @example formatVersion({ major: 1, minor: 0, patch: 0 }) // '1.0.0' */
export function formatVersion(version: Version): string {
  return `${version.major}.${version.minor}.${version.patch}`;
}

/** Negative if `a` is lower than `b`, zero if they are equal. */
export function compareVersions(a: Version, b: Version): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch;
}

/**
 * The kind of step from one version to a higher one.
 *
 * @example bumpBetween({ major: 1, minor: 2, patch: 3 }, { major: 1, minor: 4, patch: 0 }) //
 * 'minor'
 */
export function bumpBetween(from: Version, to: Version): 'patch' | 'minor' | 'major' {
  if (to.major > from.major) return 'major';
  return to.minor > from.minor ? 'minor' : 'patch';
}

interface NextVersionQuestion {
  /** The highest version that the asset ever had, including archived and deleted ones. */
  readonly highestEver: string | null;
  /** The smallest step for the change. A publish without changes still takes a patch. */
  readonly bump: Bump;
  /** The version that the publisher requests, if any. */
  readonly requested?: string | undefined;
}

/**
 * The version of a publish, or why the requested one cannot be used.
 *
 * @example nextVersion({ highestEver: '1.4.2', bump: 'minor' }) // 1.5.0
 */
export function nextVersion(question: NextVersionQuestion): Outcome<NextVersion> {
  const { highestEver, bump, requested } = question;
  const highest = highestEver === null ? null : parseVersion(highestEver);
  if (requested === undefined) return followingVersion(highest, bump);

  const wanted = parseVersion(requested);
  if (wanted === null) {
    return refuse(
      'VALIDATION_ERROR',
      `The version "${requested}" must have the form <major>.<minor>.<patch>, for example 1.2.0. Prereleases are not supported.`,
      { field: 'version' },
    );
  }
  if (highest === null) return accept({ version: requested, changeType: 'initial' });
  return checkedVersion(highest, wanted, bump);
}

const versionPattern = /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$/;

const bumpRank: Readonly<Record<Bump, number>> = { none: 0, patch: 1, minor: 2, major: 3 };

function followingVersion(highest: Version | null, bump: Bump): Outcome<NextVersion> {
  if (highest === null) return accept({ version: firstVersion, changeType: 'initial' });
  const changeType = bump === 'none' ? 'patch' : bump;
  const next = bumped(highest, changeType);
  if (Math.max(next.major, next.minor, next.patch) > maxVersionPart) {
    return refuse(
      'VERSION_CONFLICT',
      `There is no ${changeType} version after ${formatVersion(highest)}. Choose a higher version.`,
      { field: 'version' },
    );
  }
  return accept({ version: formatVersion(next), changeType });
}

function checkedVersion(highest: Version, wanted: Version, bump: Bump): Outcome<NextVersion> {
  const version = formatVersion(wanted);
  if (compareVersions(wanted, highest) <= 0) {
    return refuse(
      'VERSION_CONFLICT',
      `Version ${version} is not higher than ${formatVersion(highest)}, the highest version that this asset has had. Choose a higher version, or omit it.`,
      { field: 'version' },
    );
  }
  const changeType = bumpBetween(highest, wanted);
  if (bumpRank[changeType] < bumpRank[bump]) {
    return refuse(
      'VERSION_TOO_SMALL',
      `Version ${version} is a ${changeType} version after ${formatVersion(highest)}, but this change needs a ${bump} one: ${formatVersion(bumped(highest, bump))} or higher.`,
      { field: 'version' },
    );
  }
  return accept({ version, changeType });
}

function bumped(from: Version, bump: Bump): Version {
  switch (bump) {
    case 'major':
      return { major: from.major + 1, minor: 0, patch: 0 };
    case 'minor':
      return { major: from.major, minor: from.minor + 1, patch: 0 };
    case 'patch':
    case 'none':
      return { major: from.major, minor: from.minor, patch: from.patch + 1 };
    default:
      return bump satisfies never;
  }
}
