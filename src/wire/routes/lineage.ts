// Dependencies and lineage.

import { z } from 'zod';
import { answer, apiPrefix, noContent, route } from '../route.ts';
import {
  Dependency,
  DependencyCreate,
  DependencyList,
  Lineage,
  LineageEvent,
  LineageFound,
  lineageDirections,
} from '../shapes/dependency.ts';
import { environmentName } from '../shapes/import.ts';
import { choice, exampleId, flag, id, pageQuery } from '../shapes/shape.ts';

const assetParams = z.strictObject({ asset_id: id('The asset.', exampleId.asset) });
const dependencyParams = assetParams.extend({
  dependency_id: id('The dependency.', exampleId.dependency),
});

const maxDepth = 10;

export const lineageRoutes = {
  recordLineage: route({
    method: 'POST',
    path: `${apiPrefix}/lineage/openlineage`,
    tag: 'Lineage',
    summary: 'Send an event of OpenLineage',
    description:
      'Takes events as the clients of OpenLineage send them, and keeps what the job was found to read for the team. A team that reads an asset becomes its consumer. It only adds, so events may come in any order and more than once.',
    scope: 'write',
    who: 'named_consumer',
    query: z.strictObject({
      team_id: id(
        'The team whose job it is. Needed if the key does not act for exactly one team.',
        exampleId.otherTeam,
      ).optional(),
      environment: environmentName('The environment of the assets that the job reads.'),
    }),
    body: LineageEvent,
    largeBody: true,
    answers: { 200: answer('What was found in the event.', LineageFound) },
    errors: ['TEAM_NOT_FOUND'],
  }),
  addDependency: route({
    method: 'POST',
    path: `${apiPrefix}/assets/{asset_id}/dependencies`,
    tag: 'Lineage',
    summary: 'Add a dependency',
    description: 'Cycles are allowed. An asset cannot depend on itself (400).',
    scope: 'write',
    who: 'asset_owner',
    params: assetParams,
    body: DependencyCreate,
    answers: { 201: answer('The new dependency.', Dependency) },
    errors: ['ASSET_NOT_FOUND', 'DEPENDENCY_EXISTS'],
  }),
  listDependencies: route({
    method: 'GET',
    path: `${apiPrefix}/assets/{asset_id}/dependencies`,
    tag: 'Lineage',
    summary: 'List the dependencies of an asset',
    scope: 'read',
    who: 'scope',
    params: assetParams,
    query: z.strictObject({
      direction: choice(
        lineageDirections,
        '`upstream` lists what the asset depends on, `downstream` what depends on it.',
      ).default('upstream'),
      ...pageQuery(['created_at', '-created_at']),
    }),
    answers: { 200: answer('A page of dependencies, newest first.', DependencyList) },
    errors: ['ASSET_NOT_FOUND'],
    fromReplica: true,
  }),
  getDependency: route({
    method: 'GET',
    path: `${apiPrefix}/assets/{asset_id}/dependencies/{dependency_id}`,
    tag: 'Lineage',
    summary: 'Get a dependency',
    scope: 'read',
    who: 'scope',
    params: dependencyParams,
    answers: { 200: answer('The dependency.', Dependency) },
    errors: ['DEPENDENCY_NOT_FOUND'],
    tagged: true,
  }),
  deleteDependency: route({
    method: 'DELETE',
    path: `${apiPrefix}/assets/{asset_id}/dependencies/{dependency_id}`,
    tag: 'Lineage',
    summary: 'Remove a dependency',
    scope: 'write',
    who: 'asset_owner',
    params: dependencyParams,
    answers: { 204: noContent('The dependency is removed.') },
    errors: ['ASSET_NOT_FOUND', 'DEPENDENCY_NOT_FOUND'],
    tagged: true,
  }),
  getLineage: route({
    method: 'GET',
    path: `${apiPrefix}/assets/{asset_id}/lineage`,
    tag: 'Lineage',
    summary: 'Follow the dependencies of an asset',
    description: 'Nearest first. Each asset is listed once, also in a cycle.',
    scope: 'read',
    who: 'scope',
    params: assetParams,
    query: z.strictObject({
      direction: choice(lineageDirections, 'The direction to follow.').default('upstream'),
      depth: z
        .int()
        .min(1)
        .max(maxDepth)
        .default(maxDepth)
        .meta({ description: 'Number of levels to follow; at most 10.', examples: [3] }),
      passing: flag(
        'Also list dependencies that pass the asset: between listed assets and those of the other direction.',
        false,
      ).optional(),
    }),
    answers: { 200: answer('The lineage.', Lineage) },
    errors: ['ASSET_NOT_FOUND'],
    fromReplica: true,
  }),
};
