// What the settings of the sources mean, and which of them no start can work with.

import { readFile } from 'node:fs/promises';
import { parseDocument } from 'yaml';
import { parseLabelSelector } from '../controller/cluster/label-selector.ts';
import { parseTeamMapping, type TeamMapping } from '../controller/permission.ts';
import type { CheckSettings } from '../controller/reconcile/check/check-job.ts';
import { parseGitAddress, parseGitPath, parseGitRef } from '../controller/source/git-address.ts';
import type { Outcome } from '../core/failure.ts';
import type { Config } from '../ops/config/config.ts';

class SettingProblem extends Error {
  override name = 'SettingProblem';
}

/** One sentence for each setting of the sources that no start can work with. */
export async function findSourceProblems(config: Config): Promise<readonly string[]> {
  const { GIT_URL, TEAM_MAPPING_FILE } = config;
  const reads: readonly (() => unknown)[] = [
    () => GIT_URL !== undefined && gitPlaceOf(config, GIT_URL),
    () => selectorOf(config),
    () => checkSettingsOf(config),
    () => readMapping(TEAM_MAPPING_FILE),
  ];
  const told = await Promise.all(
    reads.map(async (read) => {
      try {
        await read();
        return null;
      } catch (error) {
        if (error instanceof SettingProblem) return error.message;
        throw error;
      }
    }),
  );
  return told.filter((problem) => problem !== null);
}

/** Undefined where ContractChecks are not reconciled. */
export function checkSettingsOf(config: Config): CheckSettings | undefined {
  const { CHECK_IMAGE: image, CHECK_IMAGE_PULL_POLICY: imagePullPolicy } = config;
  const url = config.CHECK_REGISTRY_URL ?? config.BASE_URL;
  if (image === undefined) return undefined;
  if (url === undefined) {
    throw new SettingProblem(
      'CHECK_IMAGE needs CHECK_REGISTRY_URL: the Jobs send their results there.',
    );
  }
  return { image, imagePullPolicy, url };
}

export async function readMapping(file: string | undefined): Promise<TeamMapping> {
  if (file === undefined) return new Map();
  const document = parseDocument(await readFile(file, 'utf8'));
  const { mapping, problems } = parseTeamMapping(
    document.errors.length > 0 ? {} : (document.toJS() ?? {}),
  );
  const told = [
    ...document.errors.map(({ message }) => `it is no YAML: ${message.split(':\n')[0]}`),
    ...problems,
  ];
  if (told.length > 0) throw new SettingProblem(`TEAM_MAPPING_FILE ${file}: ${told.join('; ')}.`);
  return mapping;
}

export function gitPlaceOf({ GIT_REF, GIT_PATH = '' }: Config, url: string) {
  return {
    address: must(parseGitAddress(url), 'GIT_URL'),
    ref: must(parseGitRef(GIT_REF), 'GIT_REF'),
    path: must(parseGitPath(GIT_PATH), 'GIT_PATH'),
  };
}

export function selectorOf({ WATCH_NAMESPACE_SELECTOR: selector }: Config) {
  return selector === undefined
    ? null
    : must(parseLabelSelector(selector), 'WATCH_NAMESPACE_SELECTOR');
}

function must<T>(outcome: Outcome<T>, setting: string): T {
  if (outcome.ok) return outcome.value;
  throw new SettingProblem(`${setting}: ${outcome.failure.message}`);
}
