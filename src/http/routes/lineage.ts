// Dependencies and lineage.

import { type LineageDirection, maxLineageEdges } from '../../core/dependency.ts';
import { accept, refuse } from '../../core/failure.ts';
import type { Json } from '../../core/value/json.ts';
import { dependencySortFields } from '../../registry/lineage/lineage-lists.ts';
import type { RecordedLineage } from '../../registry/lineage/record-lineage.types.ts';
import {
  representDependency,
  representLineageAsset,
  representLineageEdge,
} from '../../wire/represent/represent-lineage.ts';
import { contextOf, type Handler, listQueryOf, pageOf, preconditionOf, write } from '../handler.ts';
import { notFound } from '../not-found.ts';

export const recordLineage: Handler<'recordLineage'> = async ({ ports, verbs }, call) => {
  const { body, query, actor } = call;
  const own = actor.teams === 'all' || actor.teams.length !== 1 ? undefined : actor.teams[0];
  const teamId = query.team_id ?? own;
  if (teamId === undefined) {
    return refuse(
      'VALIDATION_ERROR',
      'The key does not act for exactly one team. Say whose job it is: ?team_id=.',
      { field: 'team_id' },
    );
  }
  const outcome = await verbs.recordLineage(ports, contextOf(call, lineageReply), {
    ...{ event: body as Json, teamId, environment: query.environment },
  });
  return outcome.ok ? accept(lineageReply(outcome.value)) : outcome;
};

function lineageReply({ results }: RecordedLineage) {
  const represented = results.map(({ fqn, outcome, fields, registrationId }) => ({
    ...{ asset_fqn: fqn, outcome, fields: fields === null ? null : [...fields] },
    registration_id: registrationId,
  }));
  return { status: 200 as const, body: { results: represented } };
}

export const addDependency: Handler<'addDependency'> = write({
  verb: (verbs) => verbs.addDependency,
  command: ({ params, body }) => ({
    assetId: params.asset_id,
    dependsOnAssetId: body.depends_on_asset_id,
    type: body.type,
  }),
  reply: (dependency) => ({ status: 201, body: representDependency(dependency) }),
});

export const listDependencies: Handler<'listDependencies'> = async (
  { ports },
  { params, query },
) => {
  const asset = await ports.reads.getAsset(params.asset_id);
  if (asset === null) return notFound('ASSET_NOT_FOUND', params.asset_id);
  const listed = await ports.reads.listDependencies({
    ...listQueryOf(query, dependencySortFields),
    assetId: params.asset_id,
    direction: query.direction,
  });
  return pageOf(listed, query, representDependency);
};

export const getDependency: Handler<'getDependency'> = async ({ ports }, { params }) => {
  const { asset_id, dependency_id } = params;
  const dependency = await ports.reads.getDependency(asset_id, dependency_id);
  if (dependency === null) return notFound('DEPENDENCY_NOT_FOUND', dependency_id);
  return accept({ status: 200, body: representDependency(dependency) });
};

export const deleteDependency: Handler<'deleteDependency'> = write({
  verb: (verbs) => verbs.deleteDependency,
  command: ({ params, ifMatch }) => ({
    assetId: params.asset_id,
    dependencyId: params.dependency_id,
    precondition: preconditionOf(ifMatch, representDependency),
  }),
  reply: () => ({ status: 204, body: undefined }),
});

export const getLineage: Handler<'getLineage'> = async ({ ports }, { params, query }) => {
  const asset = await ports.reads.getAsset(params.asset_id);
  if (asset === null) return notFound('ASSET_NOT_FOUND', params.asset_id);
  const walk = (direction: LineageDirection) =>
    ports.reads.walkLineage({ assetId: params.asset_id, direction, maxDepth: query.depth });
  const { assets, truncated } = await walk(query.direction);
  const beyond = query.passing === true ? (await walk(otherDirection[query.direction])).assets : [];
  const listed = new Set([params.asset_id, ...assets.map(({ assetId }) => assetId)]);
  const own = new Set(assets.map(({ assetId }) => assetId));
  const edges = await ports.reads.listLineageEdges([
    ...new Set([...listed, ...beyond.map(({ assetId }) => assetId)]),
  ]);
  // Those within the other direction belong to its answer.
  const kept = edges.filter(
    ({ assetId, dependsOnAssetId }) =>
      (listed.has(assetId) && listed.has(dependsOnAssetId)) ||
      own.has(assetId) !== own.has(dependsOnAssetId),
  );
  const body = {
    asset_id: params.asset_id,
    direction: query.direction,
    results: assets.map(representLineageAsset),
    max_depth: query.depth,
    truncated,
    edges: kept.slice(0, maxLineageEdges).map(representLineageEdge),
    edges_truncated: edges.length > maxLineageEdges,
  };
  return accept({ status: 200, body });
};

const otherDirection = { upstream: 'downstream', downstream: 'upstream' } as const;
