// The address of a repository: its permitted URLs. Pure.

import { accept, type Outcome, refuse } from '../../core/failure.ts';

export interface GitAddress {
  readonly url: string;
  readonly protocol: 'https' | 'http' | 'ssh' | 'file';
  /** The only host that receives the password; null for URLs that take none. */
  readonly origin: string | null;
}

const protocols = ['https', 'http', 'ssh', 'file'] as const;

/** `git@example.org:team/contracts.git`, as people copy it. */
const shortSsh = /^(?<user>[\w.-]+@)?(?<host>[\w.-]+):(?!\/\/)(?<path>[^:]+)$/;

/**
 * Parses the URL of a repository. Refuses a password in it, which would appear wherever the URL
 * does.
 *
 * @example parseGitAddress('https://example.org/contracts.git')
 */
export function parseGitAddress(text: string): Outcome<GitAddress> {
  const short = shortSsh.exec(text)?.groups;
  if (short !== undefined && !text.startsWith('-')) {
    return accept({ url: text, protocol: 'ssh', origin: null });
  }
  if (!URL.canParse(text)) {
    return wrong(
      `"${text}" is no URL. Write https://host/path, ssh://git@host/path or file:///path.`,
    );
  }
  const url = new URL(text);
  const protocol = protocols.find((known) => `${known}:` === url.protocol);
  if (protocol === undefined) {
    return wrong(`${url.protocol} is not a supported protocol. Use ${protocols.join(', ')}.`);
  }
  if (url.password !== '') {
    return wrong('The URL contains a password, which would be logged. Use GIT_PASSWORD instead.');
  }
  if (protocol !== 'file' && url.hostname.startsWith('-')) return wrong('The URL has no host.');
  const takesPassword = protocol === 'https' || protocol === 'http';
  return accept({ url: text, protocol, origin: takesPassword ? url.origin : null });
}

/** A branch, a tag, a full name, a commit, or HEAD; never an option or a range. */
const refPattern = /^(?![-/.])(?!.*(?:\.\.|@\{|\/\/|\.lock$|[/.]$))[\w./@#+%=-]+$/;

export function parseGitRef(text: string): Outcome<string> {
  return refPattern.test(text)
    ? accept(text)
    : wrong(`"${text}" is not a valid branch, tag or commit.`);
}

/** The folder inside the repository, without slashes at its ends; '' is the whole repository. */
export function parseGitPath(text: string): Outcome<string> {
  const path = text.replace(/^\.?\/+/, '').replace(/\/+$/, '');
  if (path === '' || path === '.') return accept('');
  const isInside = path.split('/').every((name) => !['', '.', '..'].includes(name));
  return isInside ? accept(path) : wrong(`"${text}" is not a folder inside a repository.`);
}

function wrong(message: string): Outcome<never> {
  return refuse('VALIDATION_ERROR', message);
}
