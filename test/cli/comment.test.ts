// `--comment`: one comment on the pull or merge request of a job, kept up to date.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { answering, type Forge, forgeToken, openForge } from '../support/forge.ts';
import { type Folder, makeFolder, run } from './support.ts';

const github = await openForge('github', true);
const gitlab = await openForge('gitlab');
const marker = '<!-- concordat: contracts -->';

let folder: Folder;
beforeAll(async () => {
  folder = await makeFolder();
  await folder.file('old.json', { properties: { id: { type: 'integer' }, a: {} } });
  await folder.file('narrow.json', { properties: { id: { type: 'string' }, a: {} } });
  await folder.file('wide.json', { properties: { id: { type: 'number' }, a: {} } });
  const from = (repository: string) => ({
    pull_request: { number: 7, head: { repo: { full_name: repository } } },
  });
  await folder.file('event.json', from('acme/shop'));
  await folder.file('fork.json', from('stranger/shop'));
  await folder.file('push.json', { ref: 'refs/heads/main' });
});
afterAll(() => folder.remove());
beforeEach(() => {
  for (const forge of [github, gitlab]) {
    Object.assign(forge, { comments: [], requests: [] });
    for (const method of ['GET', 'POST', 'PATCH', 'PUT']) forge.failNext(method);
  }
});

type Environment = Readonly<Record<string, string>>;

const onGitHub = (event = 'event.json'): Environment => ({
  GITHUB_ACTIONS: 'true',
  GITHUB_API_URL: github.url,
  GITHUB_REPOSITORY: 'acme/shop',
  GITHUB_EVENT_PATH: `${folder.path}/${event}`,
  GITHUB_TOKEN: forgeToken,
});
const onGitLab = (): Environment => ({
  GITLAB_CI: 'true',
  CI_API_V4_URL: gitlab.url,
  CI_MERGE_REQUEST_PROJECT_ID: '12',
  CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '12',
  CI_MERGE_REQUEST_IID: '7',
  CONCORDAT_COMMENT_TOKEN: forgeToken,
});

/** Compares, in a job; returns the exit code, and what was said beside the report. */
async function diff(next: string, env: Environment, ...more: readonly string[]) {
  const args = ['diff', 'old.json', `${next}.json`, '--comment', 'contracts', ...more];
  const { code, stdout, stderr } = await run(args, '', { cwd: folder.path, env });
  expect(stdout + stderr).not.toContain(forgeToken);
  return { code, stderr };
}

const sentTo = (forge: Forge) => forge.requests.map(({ method, path }) => `${method} ${path}`);
const breaks = { code: 1, stderr: '' };
const fine = { code: 0, stderr: '' };

describe('The comment', () => {
  const list = 'GET /repos/acme/shop/issues/7/comments?per_page=100&page=1';

  test('is created, left alone, updated in place, and says when nothing changes any more', async () => {
    expect(await diff('narrow', onGitHub())).toEqual(breaks);
    expect(sentTo(github)).toEqual([list, 'POST /repos/acme/shop/issues/7/comments']);
    expect(github.comments).toEqual([
      {
        id: 1,
        by: 'bot',
        body: expect.stringMatching(`^${marker}\n### ❌ 1 contract would break`),
      },
    ]);
    github.requests = [];
    expect(await diff('narrow', onGitHub())).toEqual(breaks);
    expect(sentTo(github)).toEqual([list, 'GET /user']);
    expect(await diff('wide', onGitHub())).toEqual(fine);
    expect(sentTo(github).at(-1)).toBe('PATCH /repos/acme/shop/issues/comments/1');
    expect(github.comments[0]?.body).toContain('1 contract changes, none breaking');
    expect(await diff('old', onGitHub())).toEqual(fine);
    expect(github.comments).toEqual([
      { id: 1, by: 'bot', body: `${marker}\n### ✅ No contract changes any more\n` },
    ]);
  });

  test('is not created if there is nothing to say', async () => {
    expect(await diff('old', onGitHub())).toEqual(fine);
    expect(sentTo(github)).toEqual([list]);
  });

  test('is found among hundreds; one with another name or from somebody else is left alone', async () => {
    const others = Array.from({ length: 230 }, (_, at) => ({
      ...{ id: at + 1, body: 'Looks good.', by: 'somebody' as const },
    }));
    const copied = { id: 231, body: `${marker}\nNothing breaks.`, by: 'somebody' as const };
    const named = { id: 232, body: '<!-- concordat: events -->\n', by: 'bot' as const };
    const own = { id: 233, body: `${marker}\nold`, by: 'bot' as const };
    github.comments = [...others, copied, named, own];
    expect(await diff('narrow', onGitHub())).toEqual(breaks);
    expect(github.comments).toEqual([
      ...others,
      ...[copied, named],
      { ...own, body: expect.stringContaining('would break') },
    ]);
    expect(await diff('narrow', onGitHub(), '--comment', 'events')).toEqual(breaks);
    expect(github.comments[231]?.body).toMatch(/^<!-- concordat: events -->\n### ❌/);
    expect(github.comments).toHaveLength(233);
  });

  test('stays one, if two jobs created one each', async () => {
    github.comments = [1, 2].map((id) => ({ id, body: `${marker}\nold`, by: 'bot' }));
    expect(await diff('narrow', onGitHub())).toEqual(breaks);
    expect(github.comments.map(({ id }) => id)).toEqual([1]);
  });

  test('says what breaks, however long the rest would be', async () => {
    const acceptances = Array.from({ length: 20 }, (_, at) => ({
      asset: `none ${at} ${'@x '.repeat(2000)}`,
      ...{ reason: 'Nobody reads it.', until: '2000-01-01' },
    }));
    await folder.file('long.json', acceptances);
    github.comments = [{ id: 1, body: `${marker}\n### ✅ Nothing breaks`, by: 'bot' }];
    expect(await diff('narrow', onGitHub(), '--ignore-file', 'long.json')).toEqual(breaks);
    expect(github.comments[0]?.body).toMatch(/### ❌ 1 contract would break.*type_changed/s);
  });

  test('on GitLab is a note of the user of the token', async () => {
    const copied = { id: 1, body: `${marker}\nNothing breaks.`, by: 'somebody' as const };
    gitlab.comments = [copied];
    expect(await diff('narrow', onGitLab())).toEqual(breaks);
    expect(await diff('wide', onGitLab())).toEqual(fine);
    const notes = '/projects/12/merge_requests/7/notes';
    const get = `GET ${notes}?per_page=100&page=1`;
    expect(sentTo(gitlab)).toEqual([
      ...[get, 'GET /user', `POST ${notes}`],
      ...[get, 'GET /user', `PUT ${notes}/2`],
    ]);
    expect(gitlab.comments).toEqual([
      copied,
      { id: 2, by: 'token', body: expect.stringContaining('none breaking') },
    ]);
  });
});

describe('A forge that fails', () => {
  test('is asked again, and has one comment even if an answer was lost', async () => {
    github.failNext('GET', answering(502, 'Bad Gateway'));
    github.failNext('POST', (response, keep) => {
      keep();
      response.writeHead(502).end('<html>Bad Gateway</html>');
    });
    expect(await diff('narrow', onGitHub())).toEqual(breaks);
    expect(github.comments).toHaveLength(1);
    expect(sentTo(github).map((each) => each.split(' ')[0])).toEqual([
      ...['GET', 'GET', 'POST', 'GET', 'GET'],
    ]);
  });

  test.each([
    [429, 'Too Many Requests'],
    [403, 'You have exceeded a secondary rate limit'],
  ])('with %s is given the time that it asks for', async (status, message) => {
    github.failNext('POST', answering(status, message, { 'retry-after': '1' }));
    expect(await diff('narrow', onGitHub())).toEqual(breaks);
    const [, first, again] = github.requests;
    expect((again?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(990);
    expect(github.comments).toHaveLength(1);
  });

  const about = 'The comment on the pull request 7 is not up to date: GitHub';

  test('for long is not waited for', async () => {
    github.failNext('POST', answering(429, 'Slow down', { 'retry-after': '3600' }));
    const stderr = `${about} answered 429 (Slow down).\n`;
    expect(await diff('narrow', onGitHub())).toEqual({ code: 1, stderr });
  });

  test('again and again is told once', async () => {
    github.failNext('POST', ...Array.from({ length: 9 }, () => answering(502, 'Bad Gateway')));
    const stderr = `${about} answered 502 (Bad Gateway).\n`;
    expect(await diff('wide', onGitHub())).toEqual({ code: 0, stderr });
    expect(github.requests.filter(({ method }) => method === 'POST')).toHaveLength(4);
  });

  test('never changes how the command ends, nor shows the token', async () => {
    const refusals = [
      [422, `Validation of ${forgeToken}\n::error::failed`, ''],
      [403, 'Resource not accessible', ' Give the token the permission "pull-requests: write".'],
      [401, 'Bad credentials', ' Give the token the permission "pull-requests: write".'],
    ] as const;
    for (const [status, message, advice] of refusals) {
      github.failNext('POST', answering(status, message));
      const shown = message.replace(forgeToken, '***').replace('\n', '\\n');
      const stderr = `${about} answered ${status} (${shown}).${advice}\n`;
      expect(await diff('narrow', onGitHub())).toEqual({ code: 1, stderr });
    }
    expect(github.requests.filter(({ method }) => method === 'POST')).toHaveLength(3);
    github.failNext('GET', answering(404, 'Not Found'));
    expect(await diff('wide', onGitHub())).toMatchObject({ code: 0 });
  });

  test('a fork says that its jobs may not comment', async () => {
    github.failNext('POST', answering(403, 'Resource not accessible by integration'));
    expect(await diff('narrow', onGitHub('fork.json'))).toEqual({
      code: 1,
      stderr: `${about} answered 403 (Resource not accessible by integration). Jobs of forks may not comment; what it would say is in the log.\n`,
    });
  });

  test('by not answering at all is left after a while', async () => {
    github.failNext('GET', ...Array.from({ length: 9 }, () => () => {}));
    expect(await diff('narrow', onGitHub(), '--timeout', '0.2')).toEqual({
      code: 1,
      stderr: `${about}: it did not answer within 0.2 seconds.\n`,
    });
    expect(github.requests).toHaveLength(4);
  });

  test('by another answer than comments is told', async () => {
    github.failNext('GET', answering(200, 'Welcome to our proxy'));
    const stderr = `${about}: its answer is no list of comments.\n`;
    expect(await diff('narrow', onGitHub())).toEqual({ code: 1, stderr });
  });

  test('or is not there', async () => {
    const env = { ...onGitHub(), GITHUB_API_URL: 'http://127.0.0.1:1' };
    const { code, stderr } = await diff('narrow', env);
    expect({ code, lines: stderr.split('\n').length }).toEqual({ code: 1, lines: 2 });
    expect(stderr).toContain('it cannot be reached (');
  });
});

describe('No comment is written', () => {
  test.each<[string, () => Environment, string]>([
    ['outside of a job', () => ({}), 'this is no job of GitHub Actions or GitLab'],
    ['for a push', () => onGitHub('push.json'), 'this job does not belong to a pull request'],
    ['without an event', () => onGitHub('none.json'), 'this job does not belong to a pull request'],
    ['without a token', () => ({ ...onGitHub(), GITHUB_TOKEN: '' }), 'GITHUB_TOKEN has no token'],
    [
      'with a token that no header can hold',
      () => ({ ...onGitLab(), CONCORDAT_COMMENT_TOKEN: 'glpat-1\nglpat-2' }),
      'CONCORDAT_COMMENT_TOKEN has no token',
    ],
    [
      'for a branch',
      () => ({ ...onGitLab(), CI_MERGE_REQUEST_IID: '' }),
      'this job does not belong to a merge request',
    ],
  ])('%s', async (_name, env, reason) => {
    const stderr = `No comment was written: ${reason}.\n`;
    expect(await diff('narrow', env())).toEqual({ code: 1, stderr });
    expect([...github.requests, ...gitlab.requests]).toEqual([]);
  });

  test('with a name that would end the marker', async () => {
    const { code, stderr } = await diff('narrow', onGitHub(), '--comment', 'a-->b');
    expect({ code, requests: github.requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toContain('Use letters, digits, dots and single hyphens');
  });
});
