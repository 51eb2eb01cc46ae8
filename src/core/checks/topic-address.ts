// The address of a Kafka topic: kafka://user:password@broker:9092,broker:9092/topic?tls=true

import { accept, type Outcome, refuse } from '../failure.ts';

export interface TopicAddress {
  readonly brokers: readonly string[];
  readonly topic: string;
  readonly sasl: {
    readonly mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512';
    readonly username: string;
    readonly password: string;
  } | null;
  /** The files of the authority, of the own certificate and of its key; null without TLS. */
  readonly tls: TopicFiles | null;
}

type TopicFiles = Readonly<Partial<Record<(typeof topicFiles)[number], string>>>;

export const topicFiles = ['ca', 'cert', 'key'] as const;

const form =
  'Write kafka://broker:9092/topic, or kafka://user:password@broker:9092,broker:9092/topic?tls=true&sasl=scram-sha-512';

const mechanisms = {
  plain: 'PLAIN',
  'scram-sha-256': 'SCRAM-SHA-256',
  'scram-sha-512': 'SCRAM-SHA-512',
} as const;

/** @example parseTopicAddress('kafka://broker/orders') // brokers: ['broker:9092'], topic: 'orders' */
export function parseTopicAddress(address: string): Outcome<TopicAddress> {
  const read = readAddress(address, { scheme: 'kafka', port: 9092, form, own: ['sasl'] });
  if (!read.ok) return read;
  const { servers, name, login, tls, own } = read.value;
  const mechanism = own.get('sasl')?.toLowerCase() ?? 'plain';
  if (!isMechanism(mechanism)) {
    return wrong(`sasl of the address is one of ${Object.keys(mechanisms).join(', ')}.`);
  }
  const sasl = login === null ? null : { mechanism: mechanisms[mechanism], ...login };
  return accept({ brokers: servers, topic: name, sasl, tls });
}

interface Reading {
  readonly scheme: string;
  /** The port of a server that names none. */
  readonly port: number;
  /** How such an address is written, for messages. */
  readonly form: string;
  /** Its parameters beside those of TLS. */
  readonly own: readonly string[];
}

export interface ReadAddress {
  readonly servers: readonly string[];
  readonly name: string;
  readonly login: { readonly username: string; readonly password: string } | null;
  readonly tls: TopicFiles | null;
  readonly own: ReadonlyMap<string, string>;
}

/** Reads what addresses of topics have in common, whatever the protocol. */
export function readAddress(address: string, reading: Reading): Outcome<ReadAddress> {
  const { scheme, port, own } = reading;
  const pattern = new RegExp(`^${scheme}://(?:([^@/]*)@)?([^@/?]+)/([^/?]+)(?:\\?(.*))?$`, 'i');
  const [, login, hosts = '', topic = '', query = ''] = pattern.exec(address) ?? [];
  if (topic === '') return wrong(`The address of the topic cannot be read. ${reading.form}.`);
  const given = new Map(new URLSearchParams(query));
  const tls = tlsOf(given);
  if (!tls.ok) return tls;
  const unknown = [...given.keys()].find((name) => !own.includes(name));
  if (unknown !== undefined) {
    // It may be the end of a password that has a slash and a question mark, which no message repeats.
    const told = query.includes('@') ? 'such parameter' : unknown;
    return wrong(
      `The address of a topic has no ${told}. It takes tls, ca, cert, key and ${own.join(', ')}.`,
    );
  }
  const [username = '', ...password] = (login ?? '').split(':');
  const texts = [topic, username, password.join(':')].map(decoded);
  if (texts.includes(null)) {
    return wrong('The address of the topic has a % that escapes nothing. Write it as %25.');
  }
  const [name = '', user = '', secret = ''] = texts.map(String);
  // It may be the end of a password that has a slash, and the name of a topic is stored and printed.
  if (!/^[\w.-]{1,249}$/.test(name)) {
    return wrong(
      'The name of a topic has letters, digits, dots, underscores and hyphens. Write / of a password as %2F.',
    );
  }
  return accept({
    servers: hosts.split(',').map((host) => (/:\d+$/.test(host) ? host : `${host}:${port}`)),
    name,
    login: login === undefined ? null : { username: user, password: secret },
    tls: tls.value,
    own: given,
  });
}

/** Takes what it reads. */
function tlsOf(given: Map<string, string>): Outcome<TopicFiles | null> {
  const isAsked =
    given.get('tls') ?? (topicFiles.some((name) => given.has(name)) ? 'true' : 'false');
  if (isAsked !== 'true' && isAsked !== 'false') {
    return wrong(`tls of the address is true or false, not ${isAsked}.`);
  }
  given.delete('tls');
  const files: Partial<Record<(typeof topicFiles)[number], string>> = {};
  for (const name of topicFiles) {
    const path = given.get(name);
    given.delete(name);
    if (path === undefined) continue;
    if (isAsked === 'false') return wrong(`The address has ${name}, and tls=false. Leave one out.`);
    files[name] = path;
  }
  return accept(isAsked === 'true' ? files : null);
}

function isMechanism(name: string): name is keyof typeof mechanisms {
  return Object.hasOwn(mechanisms, name);
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function wrong(message: string): Outcome<never> {
  return refuse('VALIDATION_ERROR', message);
}
