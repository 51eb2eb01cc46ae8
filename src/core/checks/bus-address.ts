// The address of the bus: a Kafka topic, or a subject of NATS such as
// nats://user:password@server:4222,server:4222/concordat.events?tls=true

import { accept, type Outcome, refuse } from '../failure.ts';
import {
  parseTopicAddress,
  type ReadAddress,
  readAddress,
  type TopicAddress,
} from './topic-address.ts';

export type BusAddress =
  | ({ readonly kind: 'kafka' } & TopicAddress)
  | ({ readonly kind: 'nats' } & SubjectAddress);

export interface SubjectAddress extends Pick<ReadAddress, 'servers' | 'login' | 'tls'> {
  /** What the subjects of all events begin with, before their key. */
  readonly topic: string;
  /** The file with a user's JWT and seed; null for none. */
  readonly creds: string | null;
}

const form =
  'Write nats://server:4222/subject, or nats://user:password@server:4222/subject?tls=true';

/** @example parseBusAddress('nats://server/events') // servers: ['server:4222'], topic: 'events' */
export function parseBusAddress(address: string): Outcome<BusAddress> {
  if (!/^nats:/i.test(address)) {
    const parsed = parseTopicAddress(address);
    return parsed.ok ? accept({ kind: 'kafka', ...parsed.value }) : parsed;
  }
  const read = readAddress(address, { scheme: 'nats', port: 4222, form, own: ['creds'] });
  if (!read.ok) return read;
  const { servers, name, login, tls, own } = read.value;
  if (name.split('.').includes('')) {
    const message = 'A subject of NATS has no dot at its beginning or end, and no two in a row.';
    return refuse('VALIDATION_ERROR', message);
  }
  const creds = own.get('creds') ?? null;
  if (creds !== null && login !== null) {
    const message = 'The address has a user and creds. Leave one out.';
    return refuse('VALIDATION_ERROR', message);
  }
  return accept({ kind: 'nats', servers, topic: name, login, tls, creds });
}
