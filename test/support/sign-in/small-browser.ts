// As much of a browser as signing in needs: it follows redirects, keeps the cookies of each server,
// and submits the form of a page.

interface SmallBrowser {
  readonly cookies: (url: string) => Map<string, string>;
  readonly open: (url: string) => Promise<Visited>;
  /** Follows no redirect. */
  readonly step: (url: string, form?: URLSearchParams) => Promise<Response>;
  /** Submits the form of the page that is open, with its hidden fields and these. */
  readonly submit: (page: Visited, fields?: Readonly<Record<string, string>>) => Promise<Visited>;
}

export interface Visited {
  readonly url: string;
  readonly status: number;
  readonly text: string;
}

const maxRedirects = 20;

export function openSmallBrowser(): SmallBrowser {
  const jars = new Map<string, Map<string, string>>();
  const jarOf = (url: string) => {
    const { origin } = new URL(url);
    const jar = jars.get(origin) ?? new Map<string, string>();
    jars.set(origin, jar);
    return jar;
  };
  const step = async (url: string, form?: URLSearchParams) => {
    const jar = jarOf(url);
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form !== undefined && { method: 'POST', body: form }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';', 1);
      const name = pair.slice(0, pair.indexOf('='));
      const isOver = /max-age=0/i.test(cookie) || /expires=thu, 01 jan 1970/i.test(cookie);
      if (isOver) jar.delete(name);
      else jar.set(name, pair.slice(name.length + 1));
    }
    return response;
  };
  const go = async (start: string, form?: URLSearchParams): Promise<Visited> => {
    let url = start;
    let response = await step(url, form);
    for (let turn = 0; turn < maxRedirects && response.headers.has('location'); turn++) {
      url = new URL(response.headers.get('location') ?? '', url).href;
      response = await step(url);
    }
    return { url, status: response.status, text: await response.text() };
  };
  return {
    cookies: jarOf,
    step,
    open: (url) => go(url),
    submit: (page, fields = {}) => {
      const action = /<form[^>]* action="([^"]+)"/.exec(page.text)?.[1];
      if (action === undefined) throw new Error(`There is no form on ${page.url}: ${page.text}`);
      const form = new URLSearchParams();
      for (const [, name = '', value = ''] of page.text.matchAll(
        /<input type="hidden" name="([^"]+)" value="([^"]*)"/g,
      )) {
        form.set(name, value);
      }
      for (const [name, value] of Object.entries(fields)) form.set(name, value);
      return go(new URL(action, page.url).href, form);
    },
  };
}
