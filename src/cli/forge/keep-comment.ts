// Keeps one comment on the pull or merge request of a job up to date. It is found by a hidden marker at
// its beginning, so every run updates the same one.

import { setTimeout } from 'node:timers/promises';
import { askForge, ForgeFailure } from './ask-forge.ts';
import type { Conversation } from './forge.ts';

interface KeepOptions {
  /** Comments with other names are left alone. */
  readonly name: string;
  /** The text; null if there is nothing to say. */
  readonly text: string | null;
  readonly timeoutMs: number;
}

/** Returns what went wrong, in a sentence; null if the comment is as it should be. */
export async function keepComment(
  conversation: Conversation,
  options: KeepOptions,
): Promise<string | null> {
  for (let tried = 1; ; tried++) {
    try {
      await tryToKeep(conversation, options);
      return null;
    } catch (error) {
      if (!(error instanceof ForgeFailure)) throw error;
      const { retryMs } = error;
      if (retryMs === null || retryMs > longestWaitMs || tried === maxTries) {
        return sentenceOf(error, conversation);
      }
      await setTimeout(Math.max(retryMs, firstWaitMs * 2 ** (tried - 1)));
    }
  }
}

const maxTries = 4;
const firstWaitMs = 200;
/** A job is not held up longer for a comment. */
const longestWaitMs = 60_000;

function sentenceOf({ message, status }: ForgeFailure, conversation: Conversation): string {
  const { name, permission, isFromFork } = conversation;
  const about = `The comment on ${name} is not up to date: ${message}.`;
  if (status !== 401 && status !== 403 && status !== 404) return about;
  return isFromFork
    ? `${about} Jobs of forks may not comment; what it would say is in the log.`
    : `${about} Give the token ${permission}.`;
}

/**
 * Reads the comments first on each try, so that a comment whose answer was lost is found and not
 * created twice.
 */
async function tryToKeep(conversation: Conversation, options: KeepOptions): Promise<void> {
  const { name, text, timeoutMs } = options;
  const { listUrl, commentUrl, updateMethod } = conversation;
  const marker = `<!-- concordat: ${name} -->`;
  const found = await findComments(conversation, marker, timeoutMs);
  const [kept, ...others] = found;
  if (kept === undefined) {
    if (text === null) return;
    const body = { body: `${marker}\n${text}` };
    await askForge(conversation, listUrl, { method: 'POST', body }, timeoutMs);
    return;
  }
  const body = `${marker}\n${text ?? nothingLeft}`;
  if (kept.body.trim() !== body.trim()) {
    const sent = { method: updateMethod, body: { body } };
    await askForge(conversation, commentUrl(kept.id), sent, timeoutMs);
  }
  // Two jobs that ran at the same time have created one each.
  for (const { id } of others) {
    await askForge(conversation, commentUrl(id), { method: 'DELETE' }, timeoutMs);
  }
}

const nothingLeft = '### ✅ No contract changes any more\n';

interface Comment {
  readonly id: number;
  readonly body: string;
}

/** 5,000 comments. */
const maxPages = 50;

/** The comments with the marker that this token has written, oldest first. */
async function findComments(
  conversation: Conversation,
  marker: string,
  timeoutMs: number,
): Promise<readonly Comment[]> {
  const found: CommentRead[] = [];
  for (let page = 1; page <= maxPages; page++) {
    const url = `${conversation.listUrl}?per_page=100&page=${page}`;
    const { value, hasNextPage } = await askForge(conversation, url, {}, timeoutMs);
    if (!Array.isArray(value)) {
      throw new ForgeFailure(`${conversation.forge}: its answer is no list of comments`, {
        retryMs: null,
      });
    }
    found.push(...value.filter(isComment).filter(({ body }) => body.startsWith(marker)));
    if (!hasNextPage) break;
  }
  if (found.length === 0) return [];
  const isOwn = await findOwn(conversation, timeoutMs);
  return found.filter(isOwn).toSorted((a, b) => a.id - b.id);
}

interface CommentRead extends Comment {
  readonly user?: unknown;
  readonly author?: unknown;
}

function isComment(value: unknown): value is CommentRead {
  const { id, body } = Object(value);
  return Number.isSafeInteger(id) && typeof body === 'string';
}

/**
 * Finds the comments that this token wrote. The author of any other comment with the marker could
 * edit it. The token of a job of GitHub has no user, and writes as a bot.
 */
async function findOwn(
  conversation: Conversation,
  timeoutMs: number,
): Promise<(comment: CommentRead) => boolean> {
  const user = await askForge(conversation, conversation.userUrl, {}, timeoutMs).catch(
    (error: unknown) => {
      const isBot = error instanceof ForgeFailure && (error.status === 403 || error.status === 401);
      if (isBot && error.retryMs === null && conversation.forge === 'GitHub') return null;
      throw error;
    },
  );
  return (comment) => {
    const by = Object(comment.user ?? comment.author);
    return user === null ? by.type === 'Bot' : by.id === Object(user.value).id;
  };
}
