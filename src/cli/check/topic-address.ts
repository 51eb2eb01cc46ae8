// The address of a Kafka topic: kafka://user:password@broker:9092,broker:9092/topic?tls=true

import { readFile } from 'node:fs/promises';
import { sourceFailure } from './source.ts';

export interface TopicAddress {
  readonly brokers: readonly string[];
  readonly topic: string;
  readonly sasl: {
    readonly mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512';
    readonly username: string;
    readonly password: string;
  } | null;
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string } | null;
}

const form =
  'Write kafka://broker:9092/topic, or kafka://user:password@broker:9092,broker:9092/topic?tls=true&sasl=scram-sha-512';

const mechanisms = {
  plain: 'PLAIN',
  'scram-sha-256': 'SCRAM-SHA-256',
  'scram-sha-512': 'SCRAM-SHA-512',
} as const;

const files = ['ca', 'cert', 'key'] as const;

export async function readTopicAddress(address: string): Promise<TopicAddress> {
  const [, login, hosts = '', topic = '', query = ''] =
    /^kafka:\/\/(?:([^@/]*)@)?([^@/?]+)\/([^/?]+)(?:\?(.*))?$/i.exec(address) ?? [];
  if (topic === '') throw wrong(`The address of the topic cannot be read. ${form}.`);
  const given = new Map(new URLSearchParams(query));
  const tls = await tlsOf(given);
  const mechanism = given.get('sasl')?.toLowerCase() ?? 'plain';
  given.delete('sasl');
  const [unknown] = given.keys();
  if (unknown !== undefined) {
    throw wrong(`The address of a topic has no ${unknown}. It takes tls, ca, cert, key and sasl.`);
  }
  return {
    brokers: hosts.split(',').map((host) => (/:\d+$/.test(host) ? host : `${host}:9092`)),
    topic: decoded(topic),
    sasl: login === undefined ? null : saslOf(login, mechanism),
    tls,
  };
}

/** Takes what it reads. */
async function tlsOf(given: Map<string, string>): Promise<TopicAddress['tls']> {
  const isAsked = given.get('tls') ?? (files.some((name) => given.has(name)) ? 'true' : 'false');
  if (isAsked !== 'true' && isAsked !== 'false') {
    throw wrong(`tls of the address is true or false, not ${isAsked}.`);
  }
  given.delete('tls');
  const tls: Partial<Record<(typeof files)[number], string>> = {};
  for (const name of files) {
    const path = given.get(name);
    given.delete(name);
    if (path === undefined) continue;
    if (isAsked === 'false') throw wrong(`The address has ${name}, and tls=false. Leave one out.`);
    const text = await readFile(path, 'utf8').catch(() => null);
    if (text === null) {
      throw sourceFailure('SOURCE_NOT_FOUND', `The file ${path} of ${name} cannot be read.`);
    }
    tls[name] = text;
  }
  return isAsked === 'true' ? tls : null;
}

function saslOf(login: string, name: string): TopicAddress['sasl'] {
  const [username = '', ...password] = login.split(':');
  if (!Object.hasOwn(mechanisms, name)) {
    throw wrong(`sasl of the address is one of ${Object.keys(mechanisms).join(', ')}.`);
  }
  const mechanism = mechanisms[name as keyof typeof mechanisms];
  return { mechanism, username: decoded(username), password: decoded(password.join(':')) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw wrong('The address of the topic has a % that escapes nothing. Write it as %25.');
  }
}

function wrong(message: string) {
  return sourceFailure('SOURCE_NOT_SUPPORTED', message);
}
