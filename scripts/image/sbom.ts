// Lists the packages in the image as CycloneDX: `node sbom.ts package.json
// node_modules/.package-lock.json`, run by the image's own Node. Debian's packages are in Debian's
// own list there. npm writes the second file about its install. `npm sbom` is not used because it
// omits installed packages that are only optional dependencies of others, so scanners would miss
// their vulnerabilities.

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

export interface About {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
}

/**
 * The same packages give the same file: it contains no time or place. `nodeVersion` is null if no Node
 * belongs to it.
 */
export function toBillOfMaterials(about: About, lock: Lock, nodeVersion: string | null): object {
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
      ...(nodeVersion === null ? [] : [toNode(nodeVersion)]),
      ...[...unique.keys()].sort().map((reference) => unique.get(reference)),
    ],
  };
}

/** The name under which Node's vulnerabilities are reported. */
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

/** A license identifier, or an expression of several. */
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
