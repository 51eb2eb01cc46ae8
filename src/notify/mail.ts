// E-mail, by the operator's own mail server.

import { createHash } from 'node:crypto';
import type { InWords } from './tell-in-words.ts';

export interface MailServer {
  readonly host: string;
  readonly port: number;
  readonly login: { readonly user: string; readonly pass: string } | null;
  /**
   * `implicit`: TLS from the first byte. `starttls`: the connection becomes TLS before anything is
   * said, or nothing is sent. `none`: for a relay on the same machine.
   */
  readonly tls: 'implicit' | 'starttls' | 'none';
  /** Trusted in addition to the system's authorities. */
  readonly certificates: string | null;
  readonly from: string;
}

interface LetterLinks {
  /** Where its reader changes what is sent. */
  readonly settings: string;
  /** Ends the letters without signing in. */
  readonly stop: string;
}

interface Letter {
  readonly to: string;
  /** The same for every attempt, so that mail programs show a message once. */
  readonly id: string;
  /** Letters of one thread are shown together. */
  readonly thread: string | null;
  readonly words: InWords;
  /** Null if the server does not know its own address. */
  readonly links: LetterLinks | null;
}

/** Returns the status of the server's answer: 250 if it took the letter. */
export type Mail = (letter: Letter, signal: AbortSignal) => Promise<Answer>;

interface Answer {
  readonly status: number | null;
  /** Null if it was taken. */
  readonly error: string | null;
}

/** @param timeoutMs the time for the whole attempt */
export function openMail(server: MailServer, timeoutMs: number): Mail {
  return async (letter, signal) => {
    // Loaded by the first letter: most registries send none.
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({
      ...{ host: server.host, port: server.port, secure: server.tls === 'implicit' },
      ...{ requireTLS: server.tls === 'starttls', ignoreTLS: server.tls === 'none' },
      ...(server.login !== null && { auth: server.login }),
      ...(server.certificates !== null && { tls: { ca: server.certificates } }),
      ...{ connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs },
      // Nothing of a letter is read from a file or from an address.
      ...{ disableFileAccess: true, disableUrlAccess: true },
    });
    const late = AbortSignal.timeout(timeoutMs);
    const ended = AbortSignal.any([late, signal]);
    try {
      const answered = await Promise.race([
        transport.sendMail(messageOf(server, letter)),
        new Promise<never>((_, reject) => {
          ended.addEventListener('abort', () => reject(new Error('ended')), { once: true });
        }),
      ]);
      return { status: Number(answered.response.slice(0, 3)), error: null };
    } catch (error) {
      if (late.aborted) throw new Error(`The mail server did not answer within ${timeoutMs} ms.`);
      if (signal.aborted) throw error;
      return refusalOf(error);
    } finally {
      transport.close();
    }
  };
}

/** What the server said; without an answer, what happened to the connection. */
function refusalOf(error: unknown): Answer {
  if (!(error instanceof Error)) throw error;
  const { response, responseCode } = error as { response?: unknown; responseCode?: unknown };
  if (typeof responseCode !== 'number') throw error;
  const said = typeof response === 'string' ? response : String(responseCode);
  return { status: responseCode, error: `The mail server answered ${said}` };
}

function messageOf({ from }: MailServer, letter: Letter) {
  const { words, thread, links } = letter;
  const domain = from.slice(from.lastIndexOf('@') + 1).replace(/>$/, '');
  const threadId = thread === null ? null : `<${digestOf(thread)}@${domain}>`;
  return {
    from,
    to: { name: '', address: letter.to },
    subject: words.title,
    text: textOf(letter),
    messageId: `<${letter.id}@${domain}>`,
    ...(threadId !== null && { inReplyTo: threadId, references: threadId }),
    headers: {
      // No answer of an absent reader comes back.
      'Auto-Submitted': 'auto-generated',
      // RFC 8058: mail programs show a button that posts to the link.
      ...(links !== null && {
        'List-Unsubscribe': `<${links.stop}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
  };
}

function textOf({ words, links }: Letter): string {
  return [
    ...linesOf(words),
    ...words.parts.flatMap((part) => ['', '----', '', ...linesOf(part)]),
    ...(links === null
      ? []
      : ['', '-- ', `What is sent here: ${links.settings}`, `Stop these letters: ${links.stop}`]),
    '',
  ].join('\n');
}

function linesOf({ title, lines, link }: InWords): readonly string[] {
  return [
    title,
    ...(lines.length === 0 ? [] : ['', ...lines]),
    ...(link === null ? [] : ['', `${link.label}: ${link.url}`]),
  ];
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
