// Parses server-sent events from a response. The browser's own EventSource sends no key and does
// not report why it was refused.

interface ServerSent {
  /** `message` if the server named none. */
  readonly type: string;
  readonly data: string;
}

export interface ServerSentReader {
  /** Parses the next piece of text, wherever it was cut; returns the events that it completes. */
  readonly read: (piece: string) => readonly ServerSent[];
  /** The position after the last event; null before the server has sent one. */
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
    // An id without data only moves the position: there was no event, and none was missed.
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
