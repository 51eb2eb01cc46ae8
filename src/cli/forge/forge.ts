// Where the comments of a pull request of GitHub, or of a merge request of GitLab, are read and
// written: one row per forge.

import { readFile } from 'node:fs/promises';
import type { Environment } from '../command-line.ts';

/** The comments of one pull or merge request. */
export interface Conversation {
  readonly forge: 'GitHub' | 'GitLab';
  /** For people: `the pull request 7`. */
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly token: string;
  /** Lists the comments. A comment is created there, too. */
  readonly listUrl: string;
  readonly commentUrl: (id: number) => string;
  readonly updateMethod: 'PATCH' | 'PUT';
  /** Returns the user of the token. */
  readonly userUrl: string;
  /** What the token needs to write. */
  readonly permission: string;
  /** The change comes from a fork, whose jobs usually may not write. */
  readonly isFromFork: boolean;
}

/** The conversation of this job, or why there is none. */
export async function findConversation(env: Environment): Promise<Conversation | string> {
  if (env.GITHUB_ACTIONS === 'true') return onGitHub(env);
  if (env.GITLAB_CI === 'true') return onGitLab(env);
  return 'this is no job of GitHub Actions or GitLab';
}

async function onGitHub(env: Environment): Promise<Conversation | string> {
  const { GITHUB_API_URL: api = 'https://api.github.com', GITHUB_REPOSITORY: repository } = env;
  const request = Object(Object(await readEvent(env.GITHUB_EVENT_PATH)).pull_request);
  const { number } = request;
  if (!Number.isSafeInteger(number) || repository === undefined) {
    return 'this job does not belong to a pull request';
  }
  const token = tokenIn(env.CONCORDAT_COMMENT_TOKEN || env.GITHUB_TOKEN);
  if (token === null) return 'GITHUB_TOKEN has no token';
  const comments = `${api}/repos/${repository}/issues`;
  return {
    forge: 'GitHub',
    name: `the pull request ${number}`,
    token,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'x-github-api-version': '2022-11-28',
    },
    listUrl: `${comments}/${number}/comments`,
    commentUrl: (id) => `${comments}/comments/${id}`,
    updateMethod: 'PATCH',
    userUrl: `${api}/user`,
    permission: 'the permission "pull-requests: write"',
    isFromFork: Object(Object(request.head).repo).full_name !== repository,
  };
}

async function readEvent(path: string | undefined): Promise<unknown> {
  if (!path) return null;
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return null;
  }
}

function onGitLab(env: Environment): Conversation | string {
  const { CI_API_V4_URL: api, CI_MERGE_REQUEST_IID: number } = env;
  // The project that the request is made to, which is not that of the pipeline of a fork.
  const project = env.CI_MERGE_REQUEST_PROJECT_ID;
  if (!api || !number || !project) return 'this job does not belong to a merge request';
  const token = tokenIn(env.CONCORDAT_COMMENT_TOKEN);
  if (token === null) return 'CONCORDAT_COMMENT_TOKEN has no token';
  const notes = `${api}/projects/${encodeURIComponent(project)}/merge_requests/${encodeURIComponent(number)}/notes`;
  return {
    forge: 'GitLab',
    name: `the merge request ${number}`,
    token,
    headers: { accept: 'application/json', 'private-token': token },
    listUrl: notes,
    commentUrl: (id) => `${notes}/${id}`,
    updateMethod: 'PUT',
    userUrl: `${api}/user`,
    permission: 'the scope "api" and the role Reporter',
    isFromFork: env.CI_MERGE_REQUEST_SOURCE_PROJECT_ID !== project,
  };
}

/** Null for a token that no header can carry: the error about it would show the token. */
function tokenIn(text: string | undefined): string | null {
  const token = text?.trim() ?? '';
  return /^[\x21-\x7e]+$/.test(token) ? token : null;
}
