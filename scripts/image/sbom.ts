// What we bring into the image, as CycloneDX: `node sbom.ts package.json node_modules/.package-lock.json`,
// by the Node that goes into it. Debian's own packages are in the list that Debian keeps there.
// npm writes that second file of what it installed; its own `npm sbom` leaves out packages that are
// there (those that something else wants only optionally), which whoever looks for a vulnerable one
// would not see.

import { readFileSync } from 'node:fs';

export interface Installed {
  readonly version?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
}

interface Lock {
  readonly packages: Readonly<Record<string, Installed>>;
}

interface About {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
}

/** The same file for the same packages: it says neither when nor where it was made. */
export function toBillOfMaterials(about: About, lock: Lock, nodeVersion: string): object {
  const components = Object.entries(lock.packages)
    .filter(([path, { link }]) => path.includes('node_modules/') && link !== true)
    .map(([path, installed]) => toComponent(path, installed));
  const unique = new Map(components.map((component) => [component['bom-ref'], component]));
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': `${about.name}@${about.version}`,
        name: about.name,
        version: about.version,
        description: about.description,
        licenses: [{ expression: about.license }],
      },
    },
    components: [
      toNode(nodeVersion),
      ...[...unique.keys()].sort().map((reference) => unique.get(reference)),
    ],
  };
}

/** Vulnerabilities of Node are told under this name. */
function toNode(version: string) {
  const purl = `pkg:generic/node@${version}`;
  const cpe = `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`;
  return { type: 'platform', 'bom-ref': purl, name: 'node', version, purl, cpe };
}

function toComponent(path: string, { version = '', integrity, license }: Installed) {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    ...(integrity !== undefined && { hashes: [toHash(integrity)] }),
    ...(license !== undefined && { licenses: [toLicense(license)] }),
  };
}

/** An identifier, or several of them in an expression. */
function toLicense(license: string): object {
  return /[\s(]/.test(license) ? { expression: license } : { license: { name: license } };
}

function toHash(integrity: string): object {
  const [algorithm = '', content = ''] = integrity.split(' ')[0]?.split(/-(.*)/s) ?? [];
  return {
    alg: algorithm.replace(/^sha/, 'SHA-'),
    content: Buffer.from(content, 'base64').toString('hex'),
  };
}

if (import.meta.main) {
  const [about = '', lock = ''] = process.argv.slice(2);
  const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
  const bill = toBillOfMaterials(read(about), read(lock), process.versions.node);
  process.stdout.write(`${JSON.stringify(bill, null, 2)}\n`);
}
