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
  const [, login, hosts = '', topic = '', query = ''] =
    /^kafka:\/\/(?:([^@/]*)@)?([^@/?]+)\/([^/?]+)(?:\?(.*))?$/i.exec(address) ?? [];
  if (topic === '') return wrong(`The address of the topic cannot be read. ${form}.`);
  const given = new Map(new URLSearchParams(query));
  const tls = tlsOf(given);
  if (!tls.ok) return tls;
  const name = given.get('sasl')?.toLowerCase() ?? 'plain';
  given.delete('sasl');
  const [unknown] = given.keys();
  if (unknown !== undefined) {
    // It may be the end of a password that has a slash and a question mark, which no message repeats.
    const told = query.includes('@') ? 'such parameter' : unknown;
    return wrong(`The address of a topic has no ${told}. It takes tls, ca, cert, key and sasl.`);
  }
  if (!isMechanism(name)) {
    return wrong(`sasl of the address is one of ${Object.keys(mechanisms).join(', ')}.`);
  }
  const [username = '', ...password] = (login ?? '').split(':');
  const texts = [topic, username, password.join(':')].map(decoded);
  if (texts.includes(null)) {
    return wrong('The address of the topic has a % that escapes nothing. Write it as %25.');
  }
  const [plainTopic = '', user = '', secret = ''] = texts.map(String);
  // It may be the end of a password that has a slash, and the name of a topic is stored and printed.
  if (!/^[\w.-]{1,249}$/.test(plainTopic)) {
    return wrong(
      'The name of a topic has letters, digits, dots, underscores and hyphens. Write / of a password as %2F.',
    );
  }
  return accept({
    brokers: hosts.split(',').map((host) => (/:\d+$/.test(host) ? host : `${host}:9092`)),
    topic: plainTopic,
    sasl:
      login === undefined
        ? null
        : { mechanism: mechanisms[name], username: user, password: secret },
    tls: tls.value,
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
