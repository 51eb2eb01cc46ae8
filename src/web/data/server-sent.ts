// Server-sent events, read off a response as they come. The browser's own reader sends no key and
// does not say why it was refused, so the page has this one.

interface ServerSent {
  /** `message` where the server named none. */
  readonly type: string;
  readonly data: string;
}

export interface ServerSentReader {
  /** Takes the next piece of text, wherever it was cut; answers what it completes. */
  readonly read: (piece: string) => readonly ServerSent[];
  /** Where to go on after what was read; null before the server has said so. */
  readonly place: () => string | null;
}

/**
 * @example openReader('7').read('id: 8\ndata: {}\n\n') // [{ type: 'message', data: '{}' }]
 */
export function openReader(from: string | null): ServerSentReader {
  let rest = '';
  let place = from;
  let named = from;
  let type = '';
  let data: string[] = [];

  const endBlock = (): ServerSent | null => {
    // An id without data moves the place on: nothing was told, and nothing was missed.
    place = named;
    const sent = data.length === 0 ? null : { type: type || 'message', data: data.join('\n') };
    type = '';
    data = [];
    return sent;
  };
  const takeField = (line: string) => {
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') data.push(value);
    else if (name === 'event') type = value;
    else if (name === 'id') named = value;
  };

  return {
    place: () => place,
    read: (piece) => {
      const lines = (rest + piece).split('\n');
      rest = lines.pop() ?? '';
      const found: ServerSent[] = [];
      for (const line of lines.map((text) => text.replace(/\r$/, ''))) {
        if (line !== '') {
          takeField(line);
          continue;
        }
        const sent = endBlock();
        if (sent !== null) found.push(sent);
      }
      return found;
    },
  };
}
