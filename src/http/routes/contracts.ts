// Contracts: publishing, reading and comparing them.

import {
  type ExportedContract,
  exportContract as toDocument,
} from '../../core/export/export-contract.ts';
import { accept } from '../../core/failure.ts';
import type { Consumer } from '../../core/registration.ts';
import { findIdleKeywords } from '../../core/schema/idle-keywords.ts';
import { dialectOf } from '../../core/schema/keywords.ts';
import { checkValues as holdValues } from '../../registry/contracts/check-values.ts';
import { listFields } from '../../registry/contracts/list-fields.ts';
import { contractSortFields, registrationSortFields } from '../../registry/lists.ts';
import type { Reads } from '../../registry/ports.ts';
import {
  representContract,
  representContractListed,
  representRegistrationListed,
} from '../../wire/represent/represent.ts';
import { type Handler, listQueryOf, pageOf, preconditionOf, write } from '../handler.ts';
import { notFound } from '../not-found.ts';
import {
  compareContracts as compare,
  representImpact,
  representProposalCreated,
  representPublished,
  representUnchanged,
} from '../represent-results.ts';
import { requestFieldsOf } from '../request-fields.ts';

export const publishContract: Handler<'publishContract'> = write({
  verb: (verbs) => verbs.publishContract,
  command: ({ params, query, body }) => ({
    assetId: params.asset_id,
    schema: body.schema,
    compatibilityMode: body.compatibility_mode,
    guarantees: body.guarantees,
    version: body.version,
    dialect: body.dialect,
    dryRun: body.dry_run ?? false,
    supersede: body.supersede ?? false,
    request: requestFieldsOf(body.request),
    override: query.override ?? body.override,
    reason: query.reason ?? body.reason,
    commit: body.commit,
  }),
  reply: (result) => {
    switch (result.action) {
      case 'published':
        return { status: 201, body: representPublished(result) };
      case 'unchanged':
        return { status: 200, body: representUnchanged(result) };
      case 'proposal_created':
        return { status: result.existing ? 200 : 201, body: representProposalCreated(result) };
      default:
        return result satisfies never;
    }
  },
});

export const assessImpact: Handler<'assessImpact'> = async (
  { ports, verbs },
  { params, body, context },
) => {
  const outcome = await verbs.assessImpact(ports, context, {
    assetId: params.asset_id,
    proposedSchema: body.proposed_schema,
    compatibilityMode: body.compatibility_mode,
    guarantees: body.guarantees,
    dialect: body.dialect,
  });
  return outcome.ok ? accept({ status: 200, body: representImpact(outcome.value) }) : outcome;
};

export const listAssetContracts: Handler<'listAssetContracts'> = async (
  { ports },
  { params, query },
) => {
  // Versions of a deleted asset are kept for the next asset with its name, but not shown.
  const [asset, listed] = await Promise.all([
    ports.reads.getAsset(params.asset_id),
    ports.reads.listContracts({
      ...listQueryOf(query, contractSortFields),
      assetId: params.asset_id,
      status: query.status,
      version: query.version,
    }),
  ]);
  if (asset === null) return notFound('ASSET_NOT_FOUND', params.asset_id);
  return pageOf(listed, query, representContract);
};

export const getAssetContract: Handler<'getAssetContract'> = async ({ ports }, { params }) => {
  const contract = await findVersion(ports.reads, params.asset_id, params.version);
  return contract.ok ? accept({ status: 200, body: representContract(contract.value) }) : contract;
};

export const diffAsset: Handler<'diffAsset'> = async ({ ports }, { params, query }) => {
  const [from, to] = await Promise.all([
    findVersion(ports.reads, params.asset_id, query.from, 'from'),
    findVersion(ports.reads, params.asset_id, query.to, 'to'),
  ]);
  if (!from.ok) return from;
  if (!to.ok) return to;
  return accept({ status: 200, body: await compare(ports.engine, from.value, to.value) });
};

export const checkSchema: Handler<'checkSchema'> = async ({ ports }, { body }) => {
  const checked = await ports.engine.checkSchema(body.schema, body.dialect);
  const dialect = dialectOf(body.schema, body.dialect);
  if (checked.ok) {
    const { digest: schema_digest } = checked.value;
    const warnings = [...findIdleKeywords(body.schema, body.dialect)];
    return accept({
      status: 200,
      body: { valid: true, dialect, problems: [], warnings, schema_digest },
    });
  }
  const { code, message, details } = checked.failure;
  const { errors } = (details ?? {}) as { errors?: readonly { path: string; message: string }[] };
  const problems = [...(errors ?? [{ path: '$', message }])];
  const spoken = code === 'UNSUPPORTED_DIALECT' ? null : dialect;
  return accept({
    status: 200,
    body: { valid: false, dialect: spoken, problems, warnings: [], schema_digest: null },
  });
};

export const checkValues: Handler<'checkValues'> = async ({ ports }, { params, query, body }) => {
  const checked = await holdValues(ports, {
    contractId: params.contract_id,
    values: body.values,
    part: query.part,
    allVersions: query.versions === 'all',
    allConsumers: query.consumers === 'all',
  });
  if (!checked.ok) return checked;
  const { contract, values } = checked.value;
  const count = (wanted: string) => values.filter(({ verdict }) => verdict === wanted).length;
  return accept({
    status: 200,
    body: {
      contract: { id: contract.id, version: contract.version },
      valid: count('valid'),
      invalid: count('invalid'),
      undecided: count('undecided'),
      results: values.map(({ verdict, faults, versions, refusedBy }) => ({
        ...{ verdict, faults: [...faults] },
        ...(versions !== null && { versions: [...versions] }),
        ...(refusedBy !== null && { unreadable_for: refusedBy.map(readerOf) }),
      })),
    },
  });
};

function readerOf({ teamId, teamName, registrationId }: Consumer) {
  return { team: { id: teamId, name: teamName }, registration_id: registrationId };
}

export const listAssetFields: Handler<'listAssetFields'> = async ({ ports }, { params }) => {
  const listed = await listFields(ports, params.asset_id);
  if (!listed.ok) return listed;
  const { base, fields, consumers, readersOfAll, isCut } = listed.value;
  return accept({
    status: 200,
    body: {
      contract: base === null ? null : { id: base.id, version: base.version },
      fields: fields.map(({ path, isDeprecated, sunset, readers }) => ({
        ...{ path, deprecated: isDeprecated },
        ...(sunset !== null && { sunset }),
        readers: readers.map(({ consumer, origin, lastSeenAt }) => ({
          ...{ ...readerOf(consumer), origin },
          ...(lastSeenAt !== null && { last_seen_at: lastSeenAt }),
        })),
      })),
      consumers: consumers.map(readerOf),
      readers_of_everything: readersOfAll.map(readerOf),
      complete: !isCut,
    },
  });
};

export const listContracts: Handler<'listContracts'> = async ({ ports }, { query }) => {
  const listed = await ports.reads.listContractSummaries({
    ...listQueryOf(query, contractSortFields),
    assetId: query.asset_id,
    status: query.status,
    version: query.version,
  });
  return pageOf(listed, query, representContractListed);
};

export const getContract: Handler<'getContract'> = async ({ ports }, { params }) => {
  const contract = await ports.reads.getContract(params.contract_id);
  if (contract === null) return notFound('CONTRACT_NOT_FOUND', params.contract_id);
  return accept({ status: 200, body: representContract(contract) });
};

export const exportContract: Handler<'exportContract'> = async (
  { ports, documents },
  { params, query },
) => {
  // A schema alone contains nothing about its asset, consumers or state, so it never changes.
  const isFixed = query.format === 'jsonschema';
  const kept = isFixed ? documents.find(params.contract_id) : undefined;
  if (kept !== undefined) return accept(asDocument(kept));
  const facts = await ports.reads.getExportFacts(params.contract_id);
  if (facts === null) return notFound('CONTRACT_NOT_FOUND', params.contract_id);
  const document = toDocument(facts, query.format);
  if (isFixed) documents.keep(params.contract_id, document);
  return accept(asDocument(document));
};

function asDocument({ text, contentType, fileName }: ExportedContract) {
  return {
    status: 200 as const,
    body: text,
    contentType: `${contentType}; charset=utf-8`,
    fileName,
  };
}

export const updateContract: Handler<'updateContract'> = write({
  verb: (verbs) => verbs.updateContract,
  command: ({ params, query, body, ifMatch }) => ({
    contractId: params.contract_id,
    status: body.status,
    force: body.force,
    supersede: body.supersede,
    request: requestFieldsOf(body.request),
    override: query.override ?? body.override,
    reason: query.reason ?? body.reason,
    precondition: preconditionOf(ifMatch, representContract),
  }),
  reply: (result) => ({
    status: 200,
    body:
      result.action === 'updated'
        ? representContract(result.contract)
        : representProposalCreated(result),
  }),
});

export const compareContracts: Handler<'compareContracts'> = async ({ ports }, { body }) => {
  const [from, to] = await Promise.all([
    ports.reads.getContract(body.from),
    ports.reads.getContract(body.to),
  ]);
  if (from === null) return notFound('CONTRACT_NOT_FOUND', body.from, 'from');
  if (to === null) return notFound('CONTRACT_NOT_FOUND', body.to, 'to');
  return accept({ status: 200, body: await compare(ports.engine, from, to) });
};

export const listContractRegistrations: Handler<'listContractRegistrations'> = async (
  { ports },
  { params, query },
) => {
  const listed = await ports.reads.listRegistrations({
    ...listQueryOf(query, registrationSortFields),
    contractId: params.contract_id,
    status: query.status,
  });
  if (listed.ok && listed.value.results.length === 0) {
    const contract = await ports.reads.getContract(params.contract_id);
    if (contract === null) return notFound('CONTRACT_NOT_FOUND', params.contract_id);
  }
  return pageOf(listed, query, representRegistrationListed);
};

async function findVersion(reads: Reads, assetId: string, version: string, field?: string) {
  const contract = await reads.getContractByVersion(assetId, version);
  if (contract !== null) return accept(contract);
  const asset = await reads.getAsset(assetId);
  if (asset === null) return notFound('ASSET_NOT_FOUND', assetId);
  return noVersion(asset.fqn, version, field);
}

function noVersion(fqn: string, version: string, field?: string) {
  const { failure } = notFound('CONTRACT_NOT_FOUND', version, field);
  const message =
    version === 'latest'
      ? `${fqn} has no contract yet. Publish one first.`
      : `${fqn} has no version ${version}. List its contracts to see its versions.`;
  return { ok: false as const, failure: { ...failure, message } };
}
