// Every write verb by its name, for the doors that call them.

import { acknowledgeProposal } from './acknowledge-proposal.ts';
import { addDependency } from './add-dependency.ts';
import { approveProposal } from './approve-proposal.ts';
import { assessImpact } from './assess-impact.ts';
import { claimAsset, releaseAsset } from './claim-asset.ts';
import type { Verbs } from './commands.ts';
import { confirmSource } from './confirm-source.ts';
import { createAsset } from './create-asset.ts';
import { createTeam } from './create-team.ts';
import { createUser } from './create-user.ts';
import { createWebhook } from './create-webhook.ts';
import { deactivateUser } from './deactivate-user.ts';
import { declareContract } from './declare-contract.ts';
import { deleteAsset } from './delete-asset.ts';
import { deleteDependency } from './delete-dependency.ts';
import { deleteRegistration } from './delete-registration.ts';
import { deleteTeam } from './delete-team.ts';
import { deleteWebhook } from './delete-webhook.ts';
import { ensureFirstAdmin } from './ensure-first-admin.ts';
import { forceProposal } from './force-proposal.ts';
import { importAssets } from './import-assets.ts';
import { issueApiKey } from './issue-api-key.ts';
import { logIn } from './log-in.ts';
import { logOut } from './log-out.ts';
import { previewImport } from './preview-import.ts';
import { publishContract } from './publish-contract.ts';
import { publishProposal } from './publish-proposal.ts';
import { rebaseProposal } from './rebase-proposal.ts';
import { recordQualityRun } from './record-quality-run.ts';
import { recordRefusedEntry } from './record-refused-entry.ts';
import { recordRunResults } from './record-run-results.ts';
import { registerConsumer } from './register-consumer.ts';
import { replayDelivery } from './replay-delivery.ts';
import { replayParked } from './replay-parked.ts';
import { restoreAsset } from './restore-asset.ts';
import { revokeApiKey } from './revoke-api-key.ts';
import { updateAsset } from './update-asset.ts';
import { updateContract } from './update-contract.ts';
import { updateRegistration } from './update-registration.ts';
import { updateTeam } from './update-team.ts';
import { updateUser } from './update-user.ts';
import { updateWebhook } from './update-webhook.ts';
import { withdrawProposal } from './withdraw-proposal.ts';

export const verbs: Verbs = {
  createTeam,
  updateTeam,
  deleteTeam,
  issueApiKey,
  revokeApiKey,
  createUser,
  updateUser,
  deactivateUser,
  logIn,
  logOut,
  recordRefusedEntry,
  ensureFirstAdmin,
  createAsset,
  updateAsset,
  claimAsset,
  releaseAsset,
  deleteAsset,
  restoreAsset,
  publishContract,
  declareContract,
  assessImpact,
  importAssets,
  previewImport,
  updateContract,
  registerConsumer,
  updateRegistration,
  addDependency,
  deleteDependency,
  recordQualityRun,
  recordRunResults,
  deleteRegistration,
  acknowledgeProposal,
  approveProposal,
  publishProposal,
  forceProposal,
  rebaseProposal,
  withdrawProposal,
  confirmSource,
  createWebhook,
  updateWebhook,
  deleteWebhook,
  replayDelivery,
  replayParked,
};
