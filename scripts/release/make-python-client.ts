// Makes the wheel `concordat-client`: the typed client for Python, generated from openapi.json, with what
// is written by hand beside it.

import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import packageFile from '../../package.json' with { type: 'json' };
import { linesType, type Route, takesIdempotencyKey } from '../../src/wire/route.ts';
import { routes } from '../../src/wire/routes.ts';
import { runOk } from '../run-command.ts';
import { installPythonEnvironment, programOf } from '../tools/python-environment.ts';
import { root } from './pack.ts';

const parts = join(import.meta.dirname, 'python-client');
const name = 'concordat_client';

/** Makes the wheel in a folder, with the same bytes from the same sources. */
export async function makePythonClient(into: string): Promise<void> {
  await installPythonEnvironment('python-client');
  const folder = await mkdtemp(join(tmpdir(), 'concordat-python-'));
  try {
    const document = JSON.parse(await readFile(join(root, 'openapi.json'), 'utf8')) as Document;
    const [api, config] = [join(folder, 'openapi.json'), join(folder, 'config.json')];
    await writeFile(api, JSON.stringify(prepared(document)));
    await writeFile(config, JSON.stringify(generator));
    const made = join(folder, name);
    await runOk(programOf('python-client', 'openapi-python-client'), [
      ...['generate', '--path', api, '--config', config, '--output-path', made],
      ...['--meta', 'none', '--fail-on-warning'],
    ]);
    await copyFile(join(parts, 'connection.py'), join(made, 'connection.py'));
    await writeFile(join(made, '_idempotent.py'), idempotentRoutes());
    await writeFile(join(made, '__init__.py'), contents);
    await writeFile(join(made, 'py.typed'), '');
    await writeFile(join(folder, 'pyproject.toml'), project);
    for (const file of [join(parts, 'README.md'), join(root, 'LICENSE')]) {
      await copyFile(file, join(folder, file.split('/').at(-1) ?? ''));
    }
    await mkdir(into, { recursive: true });
    const python = programOf('python-client', 'python');
    const build = `import os, flit_core.buildapi as build; os.chdir(${JSON.stringify(folder)}); build.build_wheel(${JSON.stringify(into)})`;
    // The time of each file in the wheel: the first that a zip can hold.
    const environment = { SOURCE_DATE_EPOCH: '315532800' };
    await runOk(python, ['-c', build], { environment });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const generator = {
  project_name_override: 'concordat-client',
  package_name_override: name,
  literal_enums: true,
  content_type_overrides: { 'application/x-ndjson': 'text/plain' },
  post_hooks: [],
};

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

interface Operation {
  readonly requestBody?: { readonly content: Record<string, unknown> };
}

/** The generator supports JSON bodies only. Every route that takes NDJSON also takes JSON. */
function withoutOtherBodies(document: Document): Document {
  for (const operation of Object.values(document.paths).flatMap((each) => Object.values(each))) {
    const { content } = operation.requestBody ?? {};
    if (content !== undefined) delete content[linesType];
  }
  return document;
}

/**
 * The document with names that the generator can tell apart: it calls the member `status` of
 * `Proposal` ProposalStatus, and each alternative without a name after its members.
 */
function prepared(document: Document): Document {
  const text = JSON.stringify(document).replaceAll(
    '"#/components/schemas/ProposalStatus"',
    '"#/components/schemas/ProposalProgress"',
  );
  const next = withoutOtherBodies(JSON.parse(text) as Document);
  const { ProposalStatus, Needs, ...schemas } = next.components.schemas;
  const [NeededFields, NeededSchema, ...others] = Object(Needs).anyOf;
  if (others.length > 0) throw new Error('Needs has more alternatives than have a name here.');
  const anyOf = ['NeededFields', 'NeededSchema'].map((each) => ({
    $ref: `#/components/schemas/${each}`,
  }));
  const named = { ProposalProgress: ProposalStatus, NeededFields, NeededSchema };
  const all = { ...schemas, ...named, Needs: { ...Object(Needs), anyOf } };
  return { ...next, components: { ...next.components, schemas: all } };
}

/** The operations that take a key of idempotency, for the transport. */
function idempotentRoutes(): string {
  const rows = Object.values<Route>(routes)
    .filter(takesIdempotencyKey)
    .map(({ method, path }) => {
      const pattern = `${path.replace(/\{\w+\}/g, '[^/]+')}$`;
      return `    (${JSON.stringify(method)}, ${JSON.stringify(pattern)}),`;
    });
  return `ROUTES = (\n${rows.join('\n')}\n)\n`;
}

const names = [
  ...['Conflict', 'Invalid', 'NotAllowed', 'NotFound', 'RateLimited', 'Refused', 'Unavailable'],
  ...['answered', 'connect', 'each'],
];

const contents = `"""The typed client of a Concordat registry."""

from .client import AuthenticatedClient
from .connection import ${names.join(', ')}

__all__ = ${JSON.stringify(['AuthenticatedClient', ...names])}
`;

const project = `[build-system]
requires = ["flit_core"]
build-backend = "flit_core.buildapi"

[project]
name = "concordat-client"
version = "${packageFile.version}"
description = "The typed client of a Concordat registry."
readme = "README.md"
license = "${packageFile.license}"
license-files = ["LICENSE"]
requires-python = ">=3.11"
dependencies = ["attrs>=23", "httpx>=0.27,<1"]

[tool.flit.module]
name = "${name}"
`;
