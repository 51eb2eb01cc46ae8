// A Kafka broker as it is published, in one process that is its own controller.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Admin, type AdminOptions } from '@platformatic/kafka';
import { freePorts } from '../free-ports.ts';
import { type LocalCertificate, makeCertificate } from '../local-certificate.ts';
import { openFolder } from '../open-folder.ts';
import { kafkaClasses } from '../tools.ts';

export interface Kafka {
  /** Where everybody may do everything. */
  readonly open: string;
  /** Where users sign in, over TLS. */
  readonly guarded: string;
  /** The authority of the certificate at `guarded`. */
  readonly authority: string;
  readonly admin: Admin;
  /** As a machine that fails; its data stays. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** A user that may read what is not forbidden to it. */
export const reader = { name: 'reader', password: 'a-password-of-the-tests' } as const;

/** Short-lived processes on a small heap: the virtual machine need not learn what is used often. */
const javaOptions = ['-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto'];

export async function startKafka(): Promise<Kafka> {
  const folder = await openFolder('concordat-kafka-');
  const [open = 0, guarded = 0, controller = 0] = await freePorts(3);
  const certificate = makeCertificate(folder);
  const settings = join(folder, 'server.properties');
  await writeFile(settings, propertiesOf({ folder, open, guarded, controller, certificate }));
  const classes = ['-cp', join(kafkaClasses(), '*')];
  await promisify(execFile)('java', [
    ...[...javaOptions, ...classes, 'kafka.tools.StorageTool', 'format'],
    ...['--config', settings, '--cluster-id', 'Y29uY29yZGF0LXRlc3RzLQ'],
    ...['--add-scram', `SCRAM-SHA-512=[name=${reader.name},password=${reader.password}]`],
  ]);
  const launch = () =>
    spawn('java', [...javaOptions, ...classes, 'kafka.Kafka', settings], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'ignore'],
    });
  let broker = launch();
  const kill = async () => {
    broker.kill('SIGKILL');
    if (broker.exitCode === null && broker.signalCode === null) await once(broker, 'exit');
  };
  const admin = new Admin(adminOptions(`127.0.0.1:${open}`));
  await Promise.race([admin.metadata({}), endOf(broker)]);
  return {
    open: `127.0.0.1:${open}`,
    guarded: `localhost:${guarded}`,
    authority: certificate.file,
    admin,
    kill,
    async start() {
      broker = launch();
    },
    async stop() {
      await admin.close();
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Asks again until the broker listens. */
function adminOptions(address: string): AdminOptions {
  return { clientId: 'tests', bootstrapBrokers: [address], retries: true, retryDelay: 100 };
}

async function endOf(broker: ChildProcess): Promise<never> {
  const [code, signal] = await once(broker, 'exit');
  throw new Error(`The Kafka broker ended with ${code ?? signal}.`);
}

interface BrokerSettings {
  readonly folder: string;
  readonly open: number;
  readonly guarded: number;
  readonly controller: number;
  readonly certificate: LocalCertificate;
}

function propertiesOf(settings: BrokerSettings): string {
  const { folder, open, guarded, controller, certificate } = settings;
  const listeners = `OPEN://127.0.0.1:${open},GUARDED://localhost:${guarded}`;
  const plain = 'org.apache.kafka.common.security.plain.PlainLoginModule';
  const scram = 'org.apache.kafka.common.security.scram.ScramLoginModule';
  const properties = {
    // Records of tests may be old, and the broker would take them away after half a minute.
    'log.retention.ms': '-1',
    'process.roles': 'broker,controller',
    'node.id': '1',
    'controller.quorum.voters': `1@127.0.0.1:${controller}`,
    listeners: `${listeners},CONTROLLER://127.0.0.1:${controller}`,
    'advertised.listeners': listeners,
    'listener.security.protocol.map': 'OPEN:PLAINTEXT,GUARDED:SASL_SSL,CONTROLLER:PLAINTEXT',
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'OPEN',
    'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-512',
    'listener.name.guarded.plain.sasl.jaas.config': `${plain} required user_${reader.name}="${reader.password}";`,
    'listener.name.guarded.scram-sha-512.sasl.jaas.config': `${scram} required;`,
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.certificate.chain': certificate.text.replaceAll('\n', '\\n'),
    'ssl.keystore.key': certificate.key.replaceAll('\n', '\\n'),
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    'allow.everyone.if.no.acl.found': 'true',
    'super.users': 'User:ANONYMOUS',
    'log.dirs': join(folder, 'data'),
    'auto.create.topics.enable': 'false',
    'offsets.topic.replication.factor': '1',
    'offsets.topic.num.partitions': '1',
    'transaction.state.log.replication.factor': '1',
    'transaction.state.log.num.partitions': '1',
    'transaction.state.log.min.isr': '1',
  };
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}
