// A real mail server for tests, with a certificate of its own authority and one account.

import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import {
  issueCertificate,
  makeAuthority,
} from '../../../src/controller/admission/make-certificates.ts';
import { openFolder } from '../open-folder.ts';

export interface Mailbox {
  /** The value of SMTP_URL. */
  readonly url: string;
  readonly received: readonly Letter[];
  /** What the server says to a letter; null takes it. */
  readonly refuse: (answer: { readonly code: number; readonly text: string } | null) => void;
  readonly stop: () => Promise<void>;
}

interface Letter {
  readonly from: string;
  readonly to: readonly string[];
  readonly user: string;
  readonly isSecure: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const account = { user: 'concordat', pass: 'a password / of its own' };

export async function openMailbox({
  tls = 'starttls' as 'starttls' | 'implicit',
} = {}): Promise<Mailbox> {
  const folder = await openFolder('concordat-mail-');
  const validity = { fromMs: Date.now() - 60_000, toMs: Date.now() + 86_400_000 };
  const authority = makeAuthority('mail authority', validity);
  const { certificate, key } = issueCertificate(
    { name: 'mail authority', ...authority },
    ['localhost'],
    validity,
  );
  const ca = join(folder, 'ca.crt');
  writeFileSync(ca, authority.certificate);
  const received: Letter[] = [];
  let refusal: { readonly code: number; readonly text: string } | null = null;
  const server = new SMTPServer({
    ...{ secure: tls === 'implicit', cert: certificate, key, logger: false },
    onAuth: ({ username, password }, _, answer) => {
      const isRight = username === account.user && password === account.pass;
      answer(isRight ? null : new Error('Wrong password.'), { user: username });
    },
    onData: (stream, session, answer) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (refusal !== null) {
          answer(Object.assign(new Error(refusal.text), { responseCode: refusal.code }));
          return;
        }
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          user: String(session.user),
          isSecure: session.secure,
          ...readLetter(Buffer.concat(chunks).toString()),
        });
        answer(null);
      });
    },
  });
  // A client that does not trust the certificate ends the connection.
  server.on('error', () => {});
  const port = await listenOn(server.server as Server);
  const login = `${account.user}:${encodeURIComponent(account.pass)}`;
  const scheme = tls === 'implicit' ? 'smtps' : 'smtp';
  return {
    url: `${scheme}://${login}@localhost:${port}?ca=${encodeURIComponent(ca)}`,
    received,
    refuse: (answer) => {
      refusal = answer;
    },
    stop: async () => {
      await new Promise<void>((done) => server.close(() => done()));
      await rm(folder, { recursive: true });
    },
  };
}

/** A server that says this to whoever connects, and nothing else. */
export async function openSpeaker(greeting: string) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.write(greeting);
  });
  const port = await listenOn(server);
  return {
    url: `smtp://localhost:${port}?tls=none`,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise<void>((done) => server.close(() => done()));
    },
  };
}

function listenOn(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, 'localhost', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('It has no port.');
      resolve(address.port);
    });
  });
}

/** Headers, unfolded and decoded, and the text. */
function readLetter(raw: string): Pick<Letter, 'headers' | 'text'> {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), decodeWords(line.slice(colon + 1).trim())];
    }),
  );
  const body = raw.slice(end + 4);
  const encoding = headers['content-transfer-encoding'];
  const text =
    encoding === 'base64'
      ? Buffer.from(body, 'base64').toString()
      : encoding === 'quoted-printable'
        ? decodeQuoted(body.replace(/=\r\n/g, ''))
        : body;
  return { headers, text: text.replace(/\r\n/g, '\n') };
}

function decodeWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([QB])\?(.*?)\?=/gi, (_, kind: string, word: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64').toString()
        : decodeQuoted(word.replace(/_/g, ' ')),
    );
}

function decodeQuoted(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString();
}
