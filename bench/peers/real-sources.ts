// The sources of real version pairs: one row per family of successive published versions. They are
// fetched and cached, not kept in the project.

export type RealSource = {
  readonly family: string;
  /** The maximum number of pairs, spread evenly over everything that changed. */
  readonly most: number;
  /** The conversion of one document. */
  readonly shape: Shape;
} & (
  | { readonly kind: 'npm'; readonly name: string; readonly documents: readonly Document[] }
  | { readonly kind: 'go'; readonly name: string; readonly documents: readonly Document[] }
);

/** A version, and a file or folder in it. */
type Document = readonly [version: string, path: string];

/**
 * `whole`: the document is a schema. `components`: each of its named schemas that changed, with what
 * it refers to. `types`: each type of an SDL. `crds`: each version of each definition in a folder.
 */
type Shape = 'whole' | 'components' | 'types' | 'crds';

function versions(path: string, names: readonly string[]): readonly Document[] {
  return names.map((version) => [version, path] as const);
}

const oneRelease = (version: string, paths: readonly string[]): readonly Document[] =>
  paths.map((path) => [version, path] as const);

const vegaLite = [
  ...['5.0.0', '5.2.0', '5.6.0', '5.9.0', '5.14.0', '5.17.0', '5.20.0', '5.23.0', '6.1.0', '6.5.0'],
];
const webhooks = [
  ...['3.69.1', '3.77.1', '4.1.0', '4.13.0', '5.5.1', '5.8.0', '6.7.0', '6.11.0', '7.0.2', '7.1.0'],
  ...['7.3.1', '7.4.0', '7.5.0', '7.6.1'],
];
const webpack = [
  ...['5.20.0', '5.50.0', '5.70.0', '5.80.0', '5.90.0', '5.98.0', '5.105.0', '5.112.2'],
];
const biome = [
  ...['2.2.4', '2.3.0', '2.3.8', '2.4.0', '2.4.8', '2.5.0', '2.5.8', '2.6.2', '2.6.8'],
];
const figma = [
  ...['0.10.0', '0.11.0', '0.13.0', '0.16.0', '0.20.0', '0.24.0', '0.29.0', '0.34.0', '0.39.0'],
  '0.43.0',
];
const asyncapi = [
  ...['1.0.0', '1.1.0', '1.2.0', '2.0.0', '2.1.0', '2.2.0', '2.3.0', '2.4.0', '2.5.0', '2.6.0'],
  ...['3.0.0', '3.1.0'],
];
const cyclonedx = ['1.2', '1.2-strict', '1.3', '1.3-strict', '1.4', '1.5', '1.6', '1.7'];
const enterprise = ['3.13', '3.14', '3.15', '3.16'];
const kubernetes = ['1.10', '1.11', '1.12', '1.13'];
const graphql = ['14.50.0', '14.58.0', '15.3.0', '15.12.0', '15.20.0', '15.26.1'];

/** Small families, which the tests also compare; the others take minutes. */
export const testedFamilies: ReadonlySet<string> = new Set([
  'GitHub webhooks, parts',
  'Kubernetes API',
  'turbo',
]);

export const realSources: readonly RealSource[] = [
  {
    family: 'Vega-Lite',
    kind: 'npm',
    name: 'vega-lite',
    shape: 'whole',
    most: 9,
    documents: versions('build/vega-lite-schema.json', vegaLite),
  },
  {
    family: 'Vega-Lite, parts',
    kind: 'npm',
    name: 'vega-lite',
    shape: 'components',
    most: 25,
    documents: versions('build/vega-lite-schema.json', vegaLite),
  },
  {
    family: 'GitHub webhooks',
    kind: 'npm',
    name: '@octokit/webhooks-schemas',
    shape: 'whole',
    most: 13,
    documents: versions('schema.json', webhooks),
  },
  {
    family: 'GitHub webhooks, parts',
    kind: 'npm',
    name: '@octokit/webhooks-schemas',
    shape: 'components',
    most: 25,
    documents: versions('schema.json', webhooks),
  },
  {
    family: 'webpack',
    kind: 'npm',
    name: 'webpack',
    shape: 'whole',
    most: 7,
    documents: versions('schemas/WebpackOptions.json', webpack),
  },
  {
    family: 'Biome',
    kind: 'npm',
    name: '@biomejs/biome',
    shape: 'whole',
    most: 8,
    documents: versions('configuration_schema.json', biome),
  },
  {
    family: 'turbo',
    kind: 'npm',
    name: 'turbo',
    shape: 'whole',
    most: 2,
    documents: versions('schema.json', ['2.9.0', '2.10.0', '2.11.0']),
  },
  {
    family: 'AsyncAPI',
    kind: 'npm',
    name: '@asyncapi/specs',
    shape: 'whole',
    most: 11,
    documents: oneRelease(
      '6.11.1',
      asyncapi.map((each) => `schemas/${each}-without-$id.json`),
    ),
  },
  {
    family: 'CycloneDX',
    kind: 'npm',
    name: '@cyclonedx/cyclonedx-library',
    shape: 'whole',
    most: 7,
    documents: oneRelease(
      '10.3.0',
      cyclonedx.map((each) => `res/schema/bom-${each}.SNAPSHOT.schema.json`),
    ),
  },
  {
    family: 'Figma API',
    kind: 'npm',
    name: '@figma/rest-api-spec',
    shape: 'components',
    most: 25,
    documents: versions('openapi/openapi.yaml', figma),
  },
  {
    family: 'GitHub Enterprise API',
    kind: 'npm',
    name: '@octokit/openapi',
    shape: 'components',
    most: 40,
    documents: oneRelease(
      '19.0.0',
      enterprise.map((each) => `generated/ghes-${each}.json`),
    ),
  },
  {
    family: 'Kubernetes API',
    kind: 'npm',
    name: 'kubernetes-client',
    shape: 'components',
    most: 40,
    documents: oneRelease(
      '9.0.0',
      kubernetes.map((each) => `lib/specs/swagger-${each}.json.gz`),
    ),
  },
  {
    family: 'Gateway API',
    kind: 'go',
    name: 'sigs.k8s.io/gateway-api',
    shape: 'crds',
    most: 20,
    documents: versions('config/crd/standard', ['v0.8.0', 'v1.0.0', 'v1.1.0', 'v1.2.0']),
  },
  {
    family: 'Prometheus operator',
    kind: 'go',
    name: 'github.com/prometheus-operator/prometheus-operator',
    shape: 'crds',
    most: 10,
    documents: versions('example/prometheus-operator-crd', ['v0.68.0', 'v0.74.0']),
  },
  {
    family: 'GitHub GraphQL',
    kind: 'npm',
    name: '@octokit/graphql-schema',
    shape: 'types',
    most: 30,
    documents: versions('schema.graphql', graphql),
  },
];
